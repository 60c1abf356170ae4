import { readFileSync } from "node:fs";

/** The version in package.json. */
export function packageVersion(): string {
  return (readPackageFile("package.json") as { version: string }).version;
}

/** The field layout of the stored kinds, proto/kubernetes.json. */
export function readDescriptor(): unknown {
  return readPackageFile("proto/kubernetes.json");
}

function readPackageFile(name: string): unknown {
  return JSON.parse(readFileSync(new URL(`../../${name}`, import.meta.url), "utf8"));
}
