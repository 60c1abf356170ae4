// Kubernetes' own components, built with Go once per machine.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { cacheDirectory, intoPlace } from "../cache.mjs";
import { download, goBuild } from "../go-build.mjs";

/** The patch release of each minor. */
const RELEASES = {
  1.32: "1.32.13",
  1.33: "1.33.13",
  1.34: "1.34.4",
  1.35: "1.35.4",
  1.36: "1.36.3",
  1.37: "1.37.2",
};

/** The minors that can be had, oldest first. */
export const MINORS = Object.keys(RELEASES);

/** How far beyond the release's own patch one of a staging module is looked for. */
const PATCHES_AFTER = 5;

const COMPONENTS = ["kube-apiserver", "kube-controller-manager", "kube-scheduler", "kubectl"];

/**
 * The folder with kube-apiserver, kube-controller-manager, kube-scheduler and kubectl of a minor. What is not in the
 * cache yet is built with Go: 6 minutes on two cores, 3 to 6 for every further minor.
 * @param {{ minor: string, say: (line: string) => void }} options
 */
export function obtainKubernetes({ minor, say }) {
  const release = RELEASES[minor];
  if (release === undefined) throw new Error(`no Kubernetes ${minor}: there is ${MINORS.join(", ")}`);
  const folder = kubernetesFolder(minor);
  if (existsSync(folder)) return folder;
  say(`building Kubernetes ${release} with Go (about 6 minutes, once)`);
  intoPlace(folder, (draft) => build(draft, release));
  return folder;
}

/** Where it lies, built or not. */
export function kubernetesFolder(minor) {
  return join(cacheDirectory(), `kubernetes-v${RELEASES[minor]}`);
}

function build(folder, release) {
  const [major, minor] = release.split(".");
  const version = "k8s.io/component-base/version";
  // Without a version kube-apiserver takes itself for v0.0.0 and stores other versions of the objects.
  const values = { gitVersion: `v${release}`, gitMajor: major, gitMinor: minor };
  goBuild(folder, {
    goMod: goMod(release),
    packages: COMPONENTS.map((name) => `k8s.io/kubernetes/cmd/${name}`),
    ldflags: Object.entries(values)
      .map(([name, value]) => `-X ${version}.${name}=${value}`)
      .join(" "),
  });
}

/** A module that uses Kubernetes; the folders its staging modules are replaced by are not seen from outside. */
function goMod(release) {
  const own = readFileSync(download("k8s.io/kubernetes", `v${release}`).GoMod, "utf8");
  const staging = [...own.matchAll(/^\s*(k8s\.io\/\S+) => \.\//gm)].map(([, module]) => module);
  return [
    "module control-plane",
    ...own.match(/^(go|godebug) .*$/gm),
    `require k8s.io/kubernetes v${release}`,
    ...staging.map((module) => `replace ${module} => ${module} ${stagingVersion(module, release)}`),
  ].join("\n");
}

/** v0.M.P of the release v1.M.P; where that patch is not served, the nearest one before or after it. */
function stagingVersion(module, release) {
  const [, minor, patch] = release.split(".").map(Number);
  const patches = Array.from({ length: patch + PATCHES_AFTER }, (_, each) => each);
  const nearestFirst = patches.sort((a, b) => Math.abs(a - patch) - Math.abs(b - patch));
  const served = nearestFirst.map((each) => `v0.${minor}.${each}`).find((each) => isServed(module, each));
  if (served === undefined) throw new Error(`${module} is not served in any patch of v0.${minor}`);
  return served;
}

function isServed(module, version) {
  try {
    download(module, version);
    return true;
  } catch {
    return false;
  }
}
