import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { manifestFile } from "../../src/adapters/manifest-file.js";
import { temporaryFolder } from "../harness/folder.js";

/** A manifest in its directory. */
function inPlace(): string {
  const directory = join(temporaryFolder(), "manifests");
  mkdirSync(directory);
  const path = join(directory, "etcd.yaml");
  writeFileSync(path, "old");
  chmodSync(path, 0o640);
  return path;
}

const inFolder = (path: string): readonly string[] => readdirSync(dirname(path));

test("a manifest that is stopped is out of its directory, and can be read", async () => {
  const path = inPlace();
  const file = manifestFile(path);
  expect(await file.isInPlace()).toBe(true);
  await file.stop();
  await file.stop();
  expect(await file.isInPlace()).toBe(false);
  expect(inFolder(path)).toEqual([]);
  expect(await file.read()).toBe("old");
});

test("it is put into its place whole, with its mode, and nothing else is in the directory", async () => {
  const path = inPlace();
  const file = manifestFile(path);
  expect(await file.renderedFor()).toBeUndefined();
  await file.stop();
  await file.place("new", 0xfedcba9876543210n);
  expect(readFileSync(path, "utf8")).toBe("new");
  expect(statSync(path).mode & 0o777).toBe(0o640);
  expect(inFolder(path)).toEqual(["etcd.yaml"]);
  expect(existsSync(join(dirname(dirname(path)), "etcdcidr-stopped-etcd.yaml"))).toBe(false);
  expect(await file.renderedFor()).toBe(0xfedcba9876543210n);
});

test("what is put there for no new member leaves the last one's id", async () => {
  const file = manifestFile(inPlace());
  await file.place("new", 7n);
  await file.place("newer", undefined);
  expect(await file.renderedFor()).toBe(7n);
});

test("it is copied from where it is", async () => {
  const path = inPlace();
  const file = manifestFile(path);
  await file.stop();
  const copy = join(temporaryFolder(), "copy");
  await file.backUp(copy);
  expect(readFileSync(copy, "utf8")).toBe("old");
});

test("one that is nowhere is said so", async () => {
  await expect(manifestFile(join(temporaryFolder(), "manifests", "etcd.yaml")).read()).rejects.toMatchObject({
    code: "not-found",
  });
});
