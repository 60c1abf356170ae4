import { readFileSync } from "node:fs";
import type { Descriptor } from "../../src/schema/descriptor.js";
import { createSchema, type Schema } from "../../src/schema/schema.js";

/** The committed field layouts. */
export const descriptor: Descriptor = JSON.parse(
  readFileSync(new URL("../../proto/kubernetes.json", import.meta.url), "utf8"),
);

/** A schema over the committed layouts. */
export const schema: Schema = createSchema(descriptor);
