import { describe, expect, test } from "vitest";
import { live } from "../harness/crash.js";
import { type ContainerCluster, startContainerCluster } from "../harness/crash-containers.js";
import { CHANGE, openScene } from "./scene.js";

const FAULTS = {
  paused: ({ pause }: ContainerCluster, member: number) => pause(member),
  stopped: ({ stop }: ContainerCluster, member: number) => stop(member),
  "cut off": ({ cutOff }: ContainerCluster, member: number) => cutOff(member),
};

describe.each(["paused", "stopped", "cut off"] as const)(
  "a member of three is %s during a change",
  (fault) => {
    test("one that is not asked: the change is done", async () => {
      const etcd = await startContainerCluster();
      const { ended, nodes } = await changeDuring(etcd, () => FAULTS[fault](etcd, 2));
      expect(ended.exitCode).toBe(0);
      expect(Object.values(await nodes()).every(isNew)).toBe(true);
    });

    test("the leader, which is asked: it is done, or says truthfully how far it is, and resume completes it", async () => {
      const etcd = await startContainerCluster();
      const { ended, nodes, run } = await changeDuring(etcd, () => FAULTS[fault](etcd, 0));
      const written = Object.values(await nodes()).filter(isNew).length;
      expect({ exitCode: ended.exitCode, err: ended.err }).toSatisfy(isTruthful(written));
      const resumed = await run(["resume", "--yes"]);
      expect(resumed.exitCode).toBe(0);
      expect(Object.values(await nodes()).every(isNew)).toBe(true);
      expect((await run(["rollback", "--yes"])).exitCode).toBe(0);
      expect(Object.values(await nodes()).some(isNew)).toBe(false);
    });
  },
);

const NODES = 40;

/** In one-by-one mode with 16 in flight; the fault comes before the tenth Txn over a Node. */
async function changeDuring(etcd: ContainerCluster, fault: () => Promise<void>) {
  const [leader = "", second = "", third = ""] = etcd.endpoints;
  // Filled and looked at through a member that stays.
  const { cluster, directory } = await openScene(second, "in flight", NODES);
  const run = (argv: readonly string[], beforeTxn?: () => Promise<void>) =>
    live(
      [
        ...argv,
        ...["--endpoints", [leader, second, third].join(",")],
        ...["--prefix", cluster.prefix, "--journal-dir", directory, "--command-timeout", "3s"],
      ],
      beforeTxn === undefined ? {} : { beforeTxn },
    );
  let txns = 0;
  const ended = await run(CHANGE, async () => {
    txns += 1;
    await [fault][txns - 12]?.();
  });
  const nodes = async () =>
    Object.fromEntries([...(await cluster.nodes())].map(([name, { podCidr = "" }]) => [name, podCidr]));
  return { ended, nodes, run };
}

const isNew = (podCidr: string) => podCidr.startsWith("10.212.");

/** Done means all; else the number is right, but for what is said to be in doubt. */
function isTruthful(written: number) {
  return ({ exitCode, err }: { exitCode: number; err: string }): boolean => {
    const told = Number(/now: {2}(\d+) of 40 Nodes are written/.exec(err)?.[1] ?? Number.NaN);
    return (
      (exitCode === 0 && written === NODES) ||
      (exitCode === 3 && written === 0) ||
      (exitCode === 4 && told === written) ||
      (exitCode === 5 && err.includes("of what was sent last it is not known") && told <= written)
    );
  };
}
