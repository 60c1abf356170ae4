import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Descriptor } from "../../src/schema/descriptor.js";

const { ETCDCIDR_VECTORS } = process.env;
const shared = fileURLToPath(new URL("../../../shared", import.meta.url));

/** Test data that stands outside the project: Kubernetes' own stored objects, and real clusters. */
export const vectorsFolder: string = ETCDCIDR_VECTORS ?? join(shared, "vectors", "kubernetes-api");
export const fixturesFolder: string = join(shared, "fixtures");

/** One object of a release, as stored and as the API shows it. */
export interface Vector {
  readonly name: string;
  readonly value: Uint8Array;
  readonly json: Record<string, unknown>;
}

/** The vectors of a descriptor's kinds in every release; none where the folder is absent. */
export function builtinVectors(descriptor: Descriptor): Vector[] {
  if (!existsSync(vectorsFolder)) return [];
  const kinds = Object.keys(descriptor.kinds).map((kind) => {
    const [name = "", version = "", group = "core"] = kind.split("/").reverse();
    return `${group}.${version}.${name}`;
  });
  return readdirSync(vectorsFolder).flatMap((release) =>
    kinds.flatMap((kind) => [kind, `${kind}.after_roundtrip`]).flatMap((name) => readVector(release, name)),
  );
}

function readVector(release: string, name: string): Vector[] {
  const path = join(vectorsFolder, release, name);
  if (!existsSync(`${path}.pb`) || !existsSync(`${path}.json`)) return [];
  const value = new Uint8Array(readFileSync(`${path}.pb`));
  return [{ name: `${release} ${name}`, value, json: JSON.parse(readFileSync(`${path}.json`, "utf8")) }];
}

/** What the API answered in a recorded cluster: objects by resource; undefined where the folder is absent. */
export function readApiAnswers(fixture: string): Record<string, unknown> | undefined {
  const path = join(fixturesFolder, fixture, "api.json");
  return existsSync(path) ? JSON.parse(readFileSync(path, "utf8")) : undefined;
}

/** Titles of the tests that cannot run because a folder outside the project is absent; none when it is there. */
export function absentFolders(...folders: readonly string[]): string[] {
  return folders.filter((folder) => !existsSync(folder));
}
