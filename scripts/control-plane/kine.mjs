// kine: the etcd API over a database, here sqlite; built with Go once per machine.
import { existsSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { cacheDirectory, intoPlace } from "../cache.mjs";
import { goBuild } from "../go-build.mjs";
import { freePorts } from "../ports.mjs";
import { startComponent } from "./component.mjs";

const RELEASE = "v0.17.5";
const READY_WITHIN_MS = 30_000;

/** Where it lies, built or not. */
export const kineFolder = () => join(cacheDirectory(), `kine-${RELEASE}`);

/** The folder with kine. What is not in the cache yet is built with Go and a C compiler: 4 minutes on two cores. */
export function obtainKine(say) {
  const folder = kineFolder();
  if (existsSync(folder)) return folder;
  say(`building kine ${RELEASE} with Go (about 4 minutes, once)`);
  const goMod = `module kine-release\ngo 1.24\nrequire github.com/k3s-io/kine ${RELEASE}\n`;
  intoPlace(folder, (draft) => goBuild(draft, { goMod, packages: ["github.com/k3s-io/kine"], cgo: true }));
  return folder;
}

/** Starts a kine over a database in the folder. */
export async function startKine({ binaries, folder }) {
  const [port, metrics] = await freePorts(2);
  const component = startComponent(
    join(binaries, "kine"),
    [
      `--listen-address=http://127.0.0.1:${port}`,
      `--metrics-bind-address=127.0.0.1:${metrics}`,
      `--endpoint=sqlite://${join(folder, "kine.db")}?_journal=WAL&cache=shared&_busy_timeout=30000`,
    ],
    join(folder, "kine.log"),
  );
  await component.ready(() => listens(port), READY_WITHIN_MS);
  return { url: `http://127.0.0.1:${port}`, component, stop: () => component.stop("SIGKILL") };
}

function listens(port) {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    socket.on("connect", () => resolve(true));
    socket.on("error", () => resolve(false));
    socket.on("connect", () => socket.destroy());
  });
}
