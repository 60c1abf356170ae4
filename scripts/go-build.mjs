// Builds commands of Go modules, through whatever module proxy Go is set to.
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { capture } from "./cache.mjs";

/**
 * Builds commands into `folder`, each under the last part of its path. With low priority: it may take minutes.
 * @param {string} folder
 * @param {{ goMod: string, packages: readonly string[], ldflags?: string, cgo?: boolean }} options
 */
export function goBuild(folder, { goMod, packages, ldflags = "", cgo = false }) {
  const module = join(folder, "module");
  mkdirSync(module, { recursive: true });
  writeFileSync(join(module, "go.mod"), goMod);
  const flags = ["-mod=mod", "-trimpath", "-buildvcs=false", `-ldflags=-s -w ${ldflags}`];
  const env = goEnvironment({ CGO_ENABLED: cgo ? "1" : "0" });
  capture("nice", ["go", "build", ...flags, "-o", `${folder}/`, ...packages], { cwd: module, env });
  rmSync(module, { recursive: true });
}

/**
 * Downloads a module and says where its parts lie; throws when that very version is not served.
 * @param {string} module
 * @param {string} version
 * @returns {{ GoMod: string }}
 */
export function download(module, version) {
  // Outside of any module of the machine.
  const options = { cwd: "/", env: goEnvironment({ GOFLAGS: "-mod=mod" }) };
  return JSON.parse(capture("go", ["mod", "download", "-json", `${module}@${version}`], options));
}

function goEnvironment(more) {
  return { ...process.env, GOWORK: "off", ...more };
}
