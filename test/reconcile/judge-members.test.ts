import { describe, expect, test } from "vitest";
import { judgeMembers } from "../../src/reconcile/judge-members.js";
import { answer, CLUSTER, member, observation, silent, status, THREE } from "./cluster-scene.js";

/** What is wrong, in one line each. */
function faults(...args: Parameters<typeof observation>): readonly string[] {
  return judgeMembers(observation(...args)).faults.map(({ code, what }) => `${code}: ${what}`);
}

test("three members that are well", () => {
  const report = judgeMembers(observation());
  expect(report.healthy).toBe(true);
  expect(report.quorum).toEqual({ voters: 3, live: 3, needed: 2, spare: 1 });
  expect(report.rows.map(({ name, role, isLeader, lag }) => ({ name, role, isLeader, lag }))).toEqual([
    { name: "kube-1", role: "voter", isLeader: true, lag: 0n },
    { name: "kube-2", role: "voter", isLeader: false, lag: 0n },
    { name: "kube-3", role: "voter", isLeader: false, lag: 0n },
  ]);
});

describe("who does not answer", () => {
  test("is a fault and counts against the quorum", () => {
    const endpoints = [answer(1, THREE), answer(2, THREE), silent(3)];
    expect(faults(endpoints)).toEqual([
      "unreachable: member kube-3 does not answer: connection refused: nothing listens there",
    ]);
    expect(judgeMembers(observation(endpoints)).quorum).toEqual({ voters: 3, live: 2, needed: 2, spare: 0 });
  });

  test("is no fault where no list names it", () => {
    const endpoints = [...[1, 2, 3].map((n) => answer(n, THREE)), silent(9, true)];
    const report = judgeMembers(observation(endpoints));
    expect(report.healthy).toBe(true);
    expect(report.rows.at(-1)).toEqual({
      name: "",
      role: "not listed",
      isLeader: false,
      peerUrls: [],
      clientUrls: [],
      endpoint: "https://10.0.0.9:2379",
      unreachable: "connection refused: nothing listens there",
      alarms: [],
    });
  });

  test("has never started where it has no name", () => {
    const list = [...THREE, member(4, { name: "", clientUrls: [] })];
    expect(faults([1, 2, 3].map((n) => answer(n, list)))).toEqual([
      "never-started: member 4 (https://10.0.0.4:2380) was added and has never started",
    ]);
  });
});

test("an address that another member has taken is not this member", () => {
  const taken = answer(3, THREE, { polls: [status(2)] });
  const report = judgeMembers(observation([answer(1, THREE), answer(2, THREE), taken]));
  expect(report.rows.map(({ name, status: told }) => [name, told?.memberId])).toEqual([
    ["kube-1", 1n],
    ["kube-2", 2n],
    ["kube-3", undefined],
  ]);
});

test("a second address of a member makes no second row", () => {
  const second = answer(1, THREE, { endpoint: "https://127.0.0.1:2379" });
  const report = judgeMembers(observation([second, ...[1, 2, 3].map((n) => answer(n, THREE))]));
  expect(report.rows.map(({ name }) => name)).toEqual(["kube-1", "kube-2", "kube-3"]);
  expect(report.healthy).toBe(true);
});

describe("lists", () => {
  test("that differ", () => {
    const behind = answer(3, THREE.slice(0, 2));
    expect(faults([answer(1, THREE), answer(2, THREE), behind])).toEqual([
      "lists-differ: https://10.0.0.3:2379 has another member list: the others have kube-3 so",
    ]);
  });

  test("whose order alone differs are equal", () => {
    expect(faults([answer(1, THREE), answer(2, THREE.toReversed()), answer(3, THREE)])).toEqual([]);
  });

  test("read locally may be stale, and the quorum's list is shown", () => {
    const local = { clusterId: CLUSTER, read: "local" as const, members: THREE };
    const cutOff = answer(1, THREE, { list: local, listFault: "no answer within 5s" });
    expect(faults([cutOff, answer(2, THREE), answer(3, THREE)])).toEqual([
      "stale-list: the list of https://10.0.0.1:2379 is a local read, which may be stale: no answer within 5s",
    ]);
  });
});

describe("clusters", () => {
  test("that are two", () => {
    const own = [member(9, { name: "kube-3" })];
    const alone = answer(3, own, {
      polls: [status(9, { clusterId: 0xc2n, leader: 9n })],
      list: { clusterId: 0xc2n, read: "linearizable", members: own },
    });
    expect(faults([answer(1, THREE), answer(2, THREE), alone])).toEqual([
      "two-clusters: the endpoints belong to different clusters: https://10.0.0.1:2379 is of cluster c1, " +
        "https://10.0.0.2:2379 is of cluster c1, https://10.0.0.3:2379 is of cluster c2",
      "unreachable: member kube-3 does not answer: another answers at https://10.0.0.3:2379",
    ]);
  });

  test("without a leader", () => {
    const endpoints = [1, 2, 3].map((n) => answer(n, THREE, { polls: [status(n, { leader: 0n })] }));
    expect(faults(endpoints)).toEqual([
      "no-leader: no leader is known to https://10.0.0.1:2379, https://10.0.0.2:2379, https://10.0.0.3:2379",
    ]);
  });

  test("with two leaders show that of the newer term", () => {
    const newer = answer(2, THREE, { polls: [status(2, { leader: 2n, raftTerm: 3n })] });
    const endpoints = [answer(1, THREE), newer, answer(3, THREE)];
    expect(faults(endpoints)).toEqual(["leaders-differ: members name 1 and 2 as leader"]);
    const { rows } = judgeMembers(observation(endpoints));
    expect(rows.filter(({ isLeader }) => isLeader).map(({ name }) => name)).toEqual(["kube-2"]);
  });
});

describe("lag", () => {
  const at = (...indexes: readonly bigint[]) => indexes.map((appliedIndex) => status(3, { appliedIndex }));
  const others = (polls: number) =>
    [1, 2].map((n) => answer(n, THREE, { polls: Array.from({ length: polls }, () => status(n)) }));

  test("of 1000 entries is well", () => {
    expect(faults([...others(1), answer(3, THREE, { polls: at(4000n) })])).toEqual([]);
  });

  test("of 1001 is not", () => {
    expect(faults([...others(1), answer(3, THREE, { polls: at(3999n) })])).toEqual([
      "lag: member kube-3 is 1001 entries behind",
    ]);
  });

  test("is that of the best poll", () => {
    expect(faults([...others(3), answer(3, THREE, { polls: at(1000n, 4500n, 1000n) })])).toEqual([]);
  });
});

test("a learner does not vote", () => {
  const list = [...THREE, member(4, { isLearner: true })];
  const learner = answer(4, list, { polls: [status(4, { isLearner: true })] });
  const { list: _none, ...withoutList } = learner;
  const endpoints = [...[1, 2, 3].map((n) => answer(n, list)), withoutList];
  expect(faults(endpoints)).toEqual(["learner: member kube-4 is a learner and does not vote"]);
  expect(judgeMembers(observation(endpoints)).quorum.voters).toBe(3);
});

describe("alarms", () => {
  test("are shown at their member", () => {
    const alarms = [{ memberId: 2n, alarm: "NOSPACE" }];
    expect(faults(undefined, { alarms })).toEqual(["alarm: alarm NOSPACE is raised for member kube-2"]);
    const { rows } = judgeMembers(observation(undefined, { alarms }));
    expect(rows.map((row) => row.alarms)).toEqual([[], ["NOSPACE"], []]);
  });

  test("that nobody could tell", () => {
    expect(faults(undefined, { alarms: undefined })).toEqual([
      "alarms-unknown: the alarms could not be read: etcd tells them only with a quorum",
    ]);
  });
});
