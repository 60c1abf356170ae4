import { describe, expect, test } from "vitest";
import { descriptor, schema } from "../harness/descriptor.js";
import { absentFolders, builtinVectors, vectorsFolder } from "../harness/shared.js";

describe("Kubernetes' own stored values", () => {
  test.each(builtinVectors(descriptor))("$name decodes to what the API shows", ({ value, json }) => {
    expect(schema.decode("/registry/x", value).object).toEqual(json);
  });

  test.each(absentFolders(vectorsFolder))("could not be compared: %s is absent", () => {});
});
