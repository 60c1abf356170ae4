import type { StoredObject } from "../../src/schema/schema.js";

/** An object as the API would show it. */
export function object(fields: StoredObject["object"]): StoredObject {
  return { apiVersion: "v1", kind: "Any", object: { apiVersion: "v1", kind: "Any", ...fields } };
}
