// What holds the objects of a control plane: an etcd of one member, or kine.
import { randomBytes } from "node:crypto";
import { startEtcdServer } from "../etcd-server.mjs";
import { startKine } from "./kine.mjs";

/**
 * Starts a store whose data lies in the folder and goes with it.
 * @param {{ etcd: string } | { kine: string }} binaries etcd's binary, or the folder with kine
 * @param {string} folder
 */
export async function startStore({ etcd, kine }, folder) {
  if (kine !== undefined) return await startKine({ binaries: kine, folder });
  const name = `etcd-${randomBytes(8).toString("hex")}`;
  const { clientUrl: url, stop } = await startEtcdServer({ binary: etcd, name, directory: folder });
  const names = await memberNames(url);
  if (names.join() === name) return { url, stop };
  await stop();
  throw new Error(`another etcd answers at ${url}: its members are ${names.join(", ")}, ours is ${name}`);
}

async function memberNames(url) {
  const response = await fetch(`${url}/v3/cluster/member/list`, { method: "POST", body: "{}" });
  return (await response.json()).members.map(({ name }) => name);
}
