import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { intoPlace } from "../../scripts/cache.mjs";
import { temporaryFolder } from "./folder.js";

test("of two that make the same at once, the first one's stays whole and nothing else is left", () => {
  const folder = temporaryFolder();
  const target = join(folder, "made");
  const write = (text: string) => (draft: string) => writeFileSync(join(draft, "file"), text);
  intoPlace(target, (draft) => {
    intoPlace(target, write("first"));
    write("second")(draft);
  });
  expect(readFileSync(join(target, "file"), "utf8")).toBe("first");
  expect(readdirSync(folder)).toEqual(["made"]);
});

test("what could not be made is not there, not even by half", () => {
  const folder = temporaryFolder();
  const make = () =>
    intoPlace(join(folder, "made"), (draft) => {
      writeFileSync(join(draft, "half"), "");
      throw new Error("no compiler");
    });
  expect(make).toThrow("no compiler");
  expect(readdirSync(folder)).toEqual([]);
});
