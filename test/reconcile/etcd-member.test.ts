import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { renderQuorum } from "../../src/cli/render-members.js";
import type { EndpointAnswer, ListedMember } from "../../src/reconcile/cluster-state.js";
import { nextMemberStep } from "../../src/reconcile/etcd-member.js";
import { MEMBER_STATES } from "../../src/reconcile/member/decision.js";
import type { MemberObservation, WantedMember } from "../../src/reconcile/member/observed.js";
import { ACCEPTABLE_REFUSALS, FIRM_REFUSALS, isAcceptable } from "../../src/reconcile/member/refusal.js";
import { describeStep, etcdctlLine } from "../../src/reconcile/member/step.js";
import { answer, CLUSTER, member, silent, status } from "./cluster-scene.js";
import { EMPTY, live, OWN_DATA, observed, RUNNING, unnamed, WANTED, withThird } from "./member-scene.js";

const OLD_DATA = { kind: "wal", memberId: 0xa1dn, clusterId: CLUSTER } as const;
const FOREIGN = { kind: "wal", memberId: 3n, clusterId: 0xc2n } as const;
const NO_WAL = { kind: "odd", oddity: "no-wal", why: "there is member/snap and no write-ahead log" } as const;
const FLAGS: WantedMember = { ...WANTED, controlsProcess: false };
const named = member(3);
const learner = member(3, { isLearner: true });

interface Scene {
  readonly name: string;
  readonly observed: MemberObservation;
  readonly wanted?: WantedMember;
  readonly accepted?: readonly string[];
}

/** What the state machine says of each scene, as a text to read. */
function transcript(scenes: readonly Scene[]): string {
  return scenes
    .map((scene) => {
      const wanted = scene.wanted ?? WANTED;
      const { state, next } = nextMemberStep(scene.observed, wanted, scene.accepted ?? []);
      return [
        scene.name,
        "----",
        `${state} ${MEMBER_STATES[state]}`,
        ...said(next, wanted).map((line) => `  ${line}`),
        "",
      ].join("\n");
    })
    .join("\n");
}

type Said = ReturnType<typeof nextMemberStep>["next"];

function said(next: Said, wanted: WantedMember): readonly string[] {
  switch (next.kind) {
    case "done":
      return ["done"];
    case "wait":
      return [`wait until ${next.until}`];
    case "refuse": {
      const { what, why, now, next: then } = next.error.explanation;
      return [`refuse: ${what}`, `  why:  ${why}`, `  now:  ${now}`, `  next: ${then}`];
    }
    case "step": {
      const { step } = next;
      const byHand = etcdctlLine(step, wanted);
      const quorum = "quorum" in step ? step.quorum : undefined;
      return [
        describeStep(step),
        ...(byHand === undefined ? [] : [byHand]),
        ...(quorum === undefined
          ? []
          : [`before: ${renderQuorum(quorum.before)}`, `after:  ${renderQuorum(quorum.after)}`]),
      ];
    }
  }
}

function expectTranscript(name: string, scenes: readonly Scene[]): void {
  const file = `test/transcripts/members/${name}.txt`;
  const text = transcript(scenes);
  expect(process.env["UPDATE_TRANSCRIPTS"] === "1" ? write(file, text) : readFileSync(file, "utf8")).toBe(
    text,
  );
}

function write(file: string, text: string): string {
  mkdirSync("test/transcripts/members", { recursive: true });
  writeFileSync(file, text);
  return text;
}

test("a member whose data are lost, step by step", () => {
  const removed: readonly (typeof named)[] = [];
  expectTranscript("data-lost", [
    {
      name: "it is listed, etcd of a wrong manifest runs",
      observed: observed([named], { process: RUNNING }),
    },
    { name: "it is stopped", observed: observed([named]) },
    { name: "it is removed, old data are left", observed: observed(removed, { data: OLD_DATA }) },
    { name: "the data are moved aside", observed: observed(removed) },
    { name: "it is added", observed: observed([unnamed(3)]) },
    { name: "it is started and not up yet", observed: observed([unnamed(3)], { startedId: 3n }) },
    {
      name: "it runs and has told nobody its name",
      observed: observed([unnamed(3)], { data: OWN_DATA, process: RUNNING, startedId: 3n }),
    },
    {
      name: "it runs and is behind",
      observed: observed(
        [learner],
        { data: OWN_DATA, process: RUNNING },
        withThird(learner, { appliedIndex: 4899n }),
      ),
    },
    {
      name: "it has caught up",
      observed: observed(
        [learner],
        { data: OWN_DATA, process: RUNNING },
        withThird(learner, { appliedIndex: 4900n }),
      ),
    },
    {
      name: "it is a voter",
      observed: observed([named], { data: OWN_DATA, process: RUNNING }, withThird(named)),
    },
  ]);
});

test("the other states", () => {
  expectTranscript("other-states", [
    { name: "it is listed, down, and its data are kept", observed: observed([named], { data: OWN_DATA }) },
    { name: "a learner is down, and its data are kept", observed: observed([learner], { data: OWN_DATA }) },
    {
      name: "it starts with its own data",
      observed: observed([named], { data: OWN_DATA, process: RUNNING }),
    },
    { name: "a learner's data are lost", observed: observed([learner]) },
    { name: "its data are another member's", observed: observed([named], { data: OLD_DATA }) },
    { name: "it is added, and old data are left", observed: observed([unnamed(3)], { data: OLD_DATA }) },
    {
      name: "it is added, and etcd runs with old data",
      observed: observed([unnamed(3)], { data: OLD_DATA, process: RUNNING }),
    },
    {
      name: "it was started, and its data are lost before it told its name",
      observed: observed([unnamed(3)], { wasRendered: true }),
    },
    { name: "for the third time", observed: observed([unnamed(3)], { wasRendered: true, recycles: 2 }) },
    {
      name: "it runs on another host with a copy of its data",
      observed: observed([named], { data: OWN_DATA }, withThird(named)),
    },
    {
      name: "what runs votes, and the data directory is another's",
      observed: observed([named], { data: OLD_DATA, process: RUNNING }, (members) => [
        live(1, members),
        silent(2),
        live(3, members),
      ]),
      accepted: ["target-alive", "other-member-down"],
    },
    {
      name: "it has started a cluster of its own",
      observed: observed([named], { data: FOREIGN, process: RUNNING }, (members) => [
        live(1, members),
        live(2, members),
        alone(),
      ]),
      accepted: ["foreign-data"],
    },
    {
      name: "it has started a cluster of its own, and the others have no quorum",
      observed: observed([named], { data: FOREIGN, process: RUNNING }, (members) => [
        cut(1, members),
        silent(2),
        alone(),
      ]),
      accepted: ["foreign-data"],
    },
    {
      name: "a voter that catches up",
      observed: observed(
        [named],
        { data: OWN_DATA, process: RUNNING },
        withThird(named, { appliedIndex: 10n }),
      ),
    },
    {
      name: "one member alone grows to two",
      observed: observed([], {}, () => [live(1, [member(1)])]),
    },
    {
      name: "five members, two lost",
      observed: observed([member(3), member(4), member(5)], {}, (members) => [
        ...[1, 2, 4].map((n) => live(n, members)),
        silent(3),
        silent(5),
      ]),
    },
    {
      name: "five members, two lost, which is accepted",
      observed: observed([member(3), member(4), member(5)], {}, (members) => [
        ...[1, 2, 4].map((n) => live(n, members)),
        silent(3),
        silent(5),
      ]),
      accepted: ["other-member-down"],
    },
    {
      name: "lists differ for a moment",
      observed: observed([], {}, (members) => [live(1, members), live(2, [...members, unnamed(3)])]),
    },
    {
      name: "an election is under way",
      observed: observed([], {}, (members) => [live(1, members), live(2, members, { leader: 2n })]),
    },
  ]);
});

test("where the operator starts and stops etcd", () => {
  expectTranscript("flags", [
    { name: "it is listed, data lost", observed: observed([named]), wanted: FLAGS },
    { name: "etcd runs", observed: observed([named], { process: RUNNING }), wanted: FLAGS },
    { name: "it is added", observed: observed([unnamed(3)]), wanted: FLAGS },
    {
      name: "etcd is starting",
      observed: observed([unnamed(3)], { process: RUNNING }),
      wanted: FLAGS,
    },
    { name: "it is down, data kept", observed: observed([named], { data: OWN_DATA }), wanted: FLAGS },
  ]);
});

/** kube-3 answers where it is listed, as the one member of another cluster. */
function alone(): EndpointAnswer {
  const list = { clusterId: 0xc2n, read: "linearizable", members: [named] } as const;
  const told = status(3, { clusterId: 0xc2n, leader: 3n });
  return answer(3, [], { given: false, polls: [told, told], list });
}

/** A member that answers and has lost its leader. */
function cut(n: number, members: readonly ListedMember[]): EndpointAnswer {
  return answer(n, members, {
    polls: [status(n, { leader: 0n })],
    list: { clusterId: CLUSTER, read: "local", members },
    listFault: "no answer within 5s",
  });
}

/** A cluster of so many voters of which these answer, and no quorum. */
function lost(size: number, ...answering: readonly number[]): MemberObservation {
  const members = Array.from({ length: size }, (_none, index) => member(index + 1));
  return observed([], {}, () =>
    members.map(({ id }) => (answering.includes(Number(id)) ? cut(Number(id), members) : silent(Number(id)))),
  );
}

test("no quorum", () => {
  expectTranscript("no-quorum", [
    { name: "one of three answers", observed: lost(3, 1) },
    { name: "one of two answers", observed: lost(2, 1) },
    { name: "four of twelve answer", observed: lost(12, 1, 2, 3, 4) },
    { name: "two of three answer, and have no leader", observed: lost(3, 1, 2) },
  ]);
});

/** Each refusal with what raises it; the scene beside it just misses it. */
const REFUSALS: readonly (readonly [
  code: string,
  raised: MemberObservation,
  missed: MemberObservation,
  WantedMember?,
])[] = [
  ["alarm-nospace", withAlarm("NOSPACE"), observed([named])],
  ["alarm-corrupt", withAlarm("CORRUPT"), observed([named])],
  ["certificate-issuer", withCertificate({ isOfCa: false }), withCertificate({})],
  ["certificate-key", withCertificate({ matchesKey: false }), withCertificate({})],
  ["certificate-names", withCertificate({ coversPeerHost: false }), withCertificate({})],
  ["certificate-time", withCertificate({ notAfterMs: 999 }), withCertificate({ notAfterMs: 1000 })],
  ["certificate-time", withCertificate({ notBeforeMs: 1001 }), withCertificate({ notBeforeMs: 1000 })],
  [
    "database-nearly-full",
    withStatus({ dbSize: 91n, dbSizeQuota: 100n }),
    withStatus({ dbSize: 90n, dbSizeQuota: 100n }),
  ],
  [
    "disk-space",
    observed([named], { host: { nowMs: 0, freeBytes: 40959n } }),
    observed([named], { host: { nowMs: 0, freeBytes: 40960n } }),
  ],
  ["even-voters", four(), observed([])],
  ["foreign-data", observed([], { data: FOREIGN }), observed([], { data: OLD_DATA })],
  ["odd-data", observed([], { data: NO_WAL }), observed([])],
  [
    "data-unreadable",
    observed([], { data: { kind: "odd", oddity: "symlink", why: "the data directory is a symbolic link" } }),
    observed([]),
  ],
  [
    "member-errors",
    withStatus({ errors: ["etcdserver: something"] }),
    withStatus({ errors: ["memberID:1 alarm:NOSPACE "] }),
  ],
  [
    "other-learner",
    observed([member(4, { isLearner: true })], {}, withThird(member(4, { isLearner: true }))),
    observed([]),
  ],
  ["other-unnamed", observed([unnamed(4)]), observed([unnamed(3)])],
  ["other-member-down", observed([], {}, (members) => [live(1, members), silent(2)]), observed([])],
  ["peer-unreachable", withProbe("connection refused"), withProbe(undefined)],
  ["peer-url-differs", observed([member(9, { name: "kube-3" })]), observed([member(3)])],
  [
    "name-taken",
    observed([member(3, { name: "other" }), member(9, { name: "kube-3" })]),
    observed([member(3)]),
  ],
  [
    "two-entries",
    observed([member(3), member(9, { peerUrls: ["https://10.0.0.3:2380"] })]),
    observed([member(3)]),
  ],
  [
    "last-member",
    observed([], {}, () => [live(1, [member(1)])]),
    observed([]),
    { ...WANTED, name: "kube-1", peerUrl: "https://10.0.0.1:2380" },
  ],
  ["target-alive", observed([named], {}, withThird(named)), observed([named])],
  ["no-spare", observed([named], {}, withThird(named)), observed([named])],
  [
    "quorum-at-risk",
    observed([named], {}, (members) => [live(1, members), silent(2), live(3, members)]),
    observed([named]),
  ],
  [
    "older-version",
    observed([], { host: { nowMs: 0, version: "3.5.21" } }),
    observed([], { host: { nowMs: 0, version: "3.6.0" } }),
  ],
  ["peer-url", observed([]), observed([]), { ...WANTED, peerUrl: "https://10.0.0.3" }],
  ["peer-url-scheme", observed([]), observed([]), { ...WANTED, peerUrl: "http://10.0.0.3:2380" }],
  ["peer-url-is-client-url", observed([]), observed([]), { ...WANTED, peerUrl: "https://10.0.0.2:2379" }],
  ["process-running", observed([named], { process: RUNNING }), observed([named]), FLAGS],
  [
    "recycled-too-often",
    observed([unnamed(3)], { wasRendered: true, recycles: 2 }),
    observed([unnamed(3)], { wasRendered: true, recycles: 1 }),
  ],
  [
    "two-clusters",
    observed([], {}, (members) => [live(1, members), live(2, members, { clusterId: 0xc2n })]),
    observed([]),
  ],
  ["no-quorum", lost(3, 1), observed([named])],
];

function withAlarm(alarm: string): MemberObservation {
  const scene = observed([named]);
  return { ...scene, cluster: { ...scene.cluster, alarms: [{ memberId: 1n, alarm }] } };
}

function withStatus(more: Parameters<typeof status>[1]): MemberObservation {
  return observed([named], {}, (members) => [live(1, members, more), live(2, members), silent(3)]);
}

function withCertificate(more: object): MemberObservation {
  const good = {
    path: "peer.crt",
    notBeforeMs: 0,
    notAfterMs: 2000,
    coversPeerHost: true,
    isOfCa: true,
    matchesKey: true,
  };
  return observed([named], { host: { nowMs: 1000, certificates: [{ ...good, ...more }] } });
}

function withProbe(fault: string | undefined): MemberObservation {
  const probe = { url: "https://10.0.0.1:2380", ...(fault === undefined ? {} : { fault }) };
  return observed([named], { host: { nowMs: 0, peerProbes: [probe] } });
}

function four(): MemberObservation {
  return observed([member(4)], {}, (members) => [1, 2, 4].map((n) => live(n, members)));
}

function codesOf(
  scene: MemberObservation,
  wanted = WANTED,
  accepted: readonly string[] = [],
): readonly string[] {
  return nextMemberStep(scene, wanted, accepted).refusals.map(({ code }) => code);
}

const RAISED = REFUSALS.map(([code, raised, missed, wanted = WANTED]) => ({ code, raised, missed, wanted }));

describe("a refusal", () => {
  test.each(RAISED)("$code", ({ code, raised, missed, wanted }) => {
    expect(codesOf(raised, wanted)).toContain(code);
    expect(codesOf(missed)).not.toContain(code);
  });

  test("of every code is raised here", () => {
    const all = [...ACCEPTABLE_REFUSALS, ...FIRM_REFUSALS].toSorted();
    expect([...new Set(RAISED.map(({ code }) => code))].toSorted()).toEqual(all);
  });

  test.each(RAISED.filter(({ code }) => isAcceptable(code)))("$code is lifted by its name", (each) => {
    expect(codesOf(each.raised, each.wanted, [each.code])).not.toContain(each.code);
  });

  test.each(RAISED.filter(({ code }) => !isAcceptable(code)))("$code stands whatever is said", (each) => {
    expect(codesOf(each.raised, each.wanted, [each.code])).toContain(each.code);
  });
});

test("a member whose data are kept is started, whatever alarms there are", () => {
  const scene = observed([named], { data: OWN_DATA });
  const alarms = [{ memberId: 1n, alarm: "NOSPACE" }];
  const { state, next } = nextMemberStep({ ...scene, cluster: { ...scene.cluster, alarms } }, WANTED, []);
  expect([state, next.kind]).toEqual(["S7", "step"]);
});

test("data of a member at another address are not archived even if the address is accepted", () => {
  const scene = observed([member(9, { name: "kube-3" })], { data: { ...OWN_DATA, memberId: 9n } });
  expect(codesOf(scene, WANTED, ["peer-url-differs"])).toEqual(["peer-url-differs"]);
});

test("a member of another address is removed where that is accepted", () => {
  const { state, next } = nextMemberStep(observed([member(9, { name: "kube-3" })], { data: EMPTY }), WANTED, [
    "peer-url-differs",
  ]);
  expect(state).toBe("S6");
  expect(next).toMatchObject({ kind: "step", step: { kind: "remove", member: { id: 9n } } });
});
