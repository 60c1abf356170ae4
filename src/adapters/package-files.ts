import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** The version in package.json. */
export function packageVersion(): string {
  return (readPackageFile("package.json") as { version: string }).version;
}

/** The field layout of the stored kinds, proto/kubernetes.json. */
export function readDescriptor(): unknown {
  return readPackageFile("proto/kubernetes.json");
}

/** The calls to etcd that we make without etcd3, proto/etcd.proto. */
export function etcdProtoPath(): string {
  return fileURLToPath(packageFile("proto/etcd.proto"));
}

function readPackageFile(name: string): unknown {
  return JSON.parse(readFileSync(packageFile(name), "utf8"));
}

function packageFile(name: string): URL {
  return new URL(`../../${name}`, import.meta.url);
}
