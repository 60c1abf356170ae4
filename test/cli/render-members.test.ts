import { expect, test } from "vitest";
import { formatBytes, renderMembers } from "../../src/cli/render-members.js";
import { judgeMembers } from "../../src/reconcile/judge-members.js";
import { answer, member, observation, silent, status } from "../reconcile/cluster-scene.js";

test("the table, the quorum and what is wrong", () => {
  const list = [member(1), member(2), member(3, { name: "", clientUrls: [], isLearner: true })];
  const endpoints = [
    answer(1, list, { polls: [status(1, { errors: ["memberID:1 alarm:NOSPACE "] })] }),
    silent(2),
    silent(9, true),
  ];
  const report = judgeMembers(observation(endpoints, { alarms: [{ memberId: 1n, alarm: "NOSPACE" }] }));
  expect(renderMembers(report).split("\n")).toEqual([
    "cluster  c1",
    "quorum   2 voters, 1 live, 2 needed: the quorum is lost, 1 must come back",
    "",
    "ID  NAME             ROLE        LEADER  PEER URLS              CLIENT URLS            ANSWERS  VERSION  TERM  APPLIED  LAG  DB SIZE  QUOTA   ALARMS   ERRORS",
    "3   (never started)  learner             https://10.0.0.3:2380                         no",
    "1   kube-1           voter       yes     https://10.0.0.1:2380  https://10.0.0.1:2379  yes      3.6.16   2     5000     0    20 kB    2.1 GB  NOSPACE  memberID:1 alarm:NOSPACE",
    "2   kube-2           voter               https://10.0.0.2:2380  https://10.0.0.2:2379  no",
    "                     not listed                                 https://10.0.0.9:2379  no",
    "",
    "never-started: member 3 (https://10.0.0.3:2380) was added and has never started",
    "unreachable: member kube-2 does not answer: connection refused: nothing listens there",
    "alarm: alarm NOSPACE is raised for member kube-1",
    "note: https://10.0.0.9:2379 does not answer: connection refused: nothing listens there",
    "",
  ]);
});

test.each([
  [0n, "0 B"],
  [999n, "999 B"],
  [1000n, "1.0 kB"],
  [20480n, "20 kB"],
  [2147483648n, "2.1 GB"],
  [8589934592000n, "8.6 TB"],
])("%s bytes", (bytes, text) => {
  expect(formatBytes(bytes)).toBe(text);
});
