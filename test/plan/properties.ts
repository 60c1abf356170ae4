import fc from "fast-check";
import { expect, test } from "vitest";
import { blockCount } from "../../src/cidr/blocks.js";
import { type Cidr, contains, overlaps, widthOf } from "../../src/cidr/cidr.js";
import { formatCidr } from "../../src/cidr/format.js";
import { parseCidr, readStoredCidr } from "../../src/cidr/parse.js";
import type { NodeFacts } from "../../src/objects/node.js";
import { planChangePodCidr } from "../../src/plan/change-pod-cidr.js";
import { checkOutcome } from "../../src/plan/check-outcome.js";
import type { ChangePodCidrIntent } from "../../src/plan/intent.js";
import type { Plan } from "../../src/plan/plan.js";
import type { ReadSet } from "../../src/plan/read-set.js";
import { cluster } from "../harness/read-set.js";
import { applied, changeIntent, findingsOf, isBlocked, journaled, rollbackOver } from "./scene.js";

// Clusters in a corner of the address space that is small enough for everything to meet: 10.0.0.0/20 and fd00::/116 are where
// old blocks, targets and reserved ranges lie.

const ANY_ACCEPTED = [
  "not-private",
  "node-block-too-small",
  "overlaps-current-block",
  "pods-outside-block",
  "cni-ignores-node",
  "operator-owned",
  "ipv4-difference",
];

/** A prefix of the family's corner, canonical. */
const prefix = (family: 4 | 6, shortest: number, longest: number): fc.Arbitrary<string> =>
  fc.tuple(fc.nat(4095), fc.integer({ min: shortest, max: longest })).map(([offset, bits]) => {
    const width = widthOf(family);
    const corner = family === 4 ? 0x0a000000n : 0xfd000000000000000000000000000000n;
    const length = width - 12 + bits;
    const hostBits = BigInt(width - length);
    return formatCidr({ family, base: corner | ((BigInt(offset) >> hostBits) << hostBits), length });
  });

/** The same block as somebody may have stored it. */
const odd = (text: string): string =>
  text.includes(":") ? text.toUpperCase() : text.replace(/^10\./, "010.");

const stored = (block: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc.tuple(block, fc.nat(9)).map(([text, dice]) => (dice === 0 ? odd(text) : text));

const outside = fc.constantFrom("172.16.0.0/24", "172.16.1.0/26", "10.0.0.0/16");

const blocks4 = fc.oneof(
  { weight: 20, arbitrary: stored(prefix(4, 4, 9)) },
  { weight: 1, arbitrary: outside },
);
const blocks6 = stored(prefix(6, 4, 9));

/** podCIDRs of one Node, and now and then a podCIDR that says another thing. */
const node = fc.oneof(
  { weight: 8, arbitrary: blocks4.map((block) => ({ podCidrs: [block] })) },
  { weight: 4, arbitrary: fc.tuple(blocks4, blocks6).map((podCidrs) => ({ podCidrs })) },
  { weight: 1, arbitrary: fc.tuple(blocks4, blocks4).map((podCidrs) => ({ podCidrs })) },
  {
    weight: 1,
    arbitrary: fc.tuple(blocks4, blocks4).map(([podCidr, other]) => ({ podCidr, podCidrs: [other] })),
  },
  { weight: 1, arbitrary: blocks4.map((block) => ({ podCidr: null, podCidrs: [block] })) },
  { weight: 1, arbitrary: blocks6.map((block) => ({ podCidrs: [block] })) },
  { weight: 1, arbitrary: fc.constant({ podCidrs: [] }) },
);

interface Case {
  readonly readSet: ReadSet;
  readonly intent: ChangePodCidrIntent;
}

const MOST_NODES = 14;

const anyCase: fc.Arbitrary<Case> = fc
  .record({
    nodes: fc.array(node, { minLength: 1, maxLength: MOST_NODES }),
    target4: prefix(4, 0, 4),
    target6: prefix(6, 0, 4),
    families: fc.constantFrom("4", "6", "4,6"),
    // Bits of the corner that a block's address has fixed: 5 to 9, as the Nodes' own.
    mask: fc.integer({ min: 4, max: 9 }),
    flags: fc.constantFrom("none", "old", "target"),
    mapping: fc.constantFrom<("index" | "compact")[]>("index", "compact"),
    reserved: fc.array(prefix(4, 2, 6), { maxLength: 2 }),
    named: fc.option(fc.subarray(Array.from({ length: MOST_NODES }, (_empty, index) => index)), {
      freq: 3,
    }),
    assignMissing: fc.boolean(),
    addFamily: fc.boolean(),
  })
  .map((given) => {
    const targets = { "4": [given.target4], "6": [given.target6], "4,6": [given.target4, given.target6] };
    const cidrs = targets[given.families as keyof typeof targets].join(",");
    const ranges = { none: undefined, old: "10.0.0.0/20,fd00::/116", target: cidrs }[given.flags];
    const builder = cluster();
    given.nodes.forEach((spec, index) => {
      builder.node(`n${index}`, spec);
    });
    const readSet = (ranges === undefined ? builder : builder.kcm({ "cluster-cidr": ranges })).build();
    const names = (given.named ?? []).filter((index) => index < given.nodes.length);
    const intent = changeIntent(cidrs, {
      accept: ANY_ACCEPTED,
      mapping: given.mapping,
      reserved: given.reserved,
      nodes: names.map((index) => `n${index}`),
      assignMissing: given.assignMissing,
      addFamily: given.addFamily,
      ...(given.families.includes("4") ? { nodeMaskSizeIpv4: 20 + given.mask } : {}),
      ...(given.families.includes("6") ? { nodeMaskSizeIpv6: 116 + given.mask } : {}),
    });
    return { readSet, intent };
  });

/** The blocks that the API shows: podCIDR wins over podCIDRs[0], and over all of its family. */
function shownBlocks({ podCidr, podCidrs }: NodeFacts): readonly Cidr[] {
  const listed = podCidrs.map(read);
  if (!podCidr || podCidr === podCidrs[0]) return listed;
  return [read(podCidr), ...listed.filter(({ family }) => family !== read(podCidr).family)];
}

/** A stored text of these tests, all of which can be read. */
function read(text: string): Cidr {
  const found = readStoredCidr(text);
  if (found === undefined) throw new Error(`${text} cannot be read`);
  return found.cidr;
}

const blocksOf = ({ nodes }: ReadSet): ReadonlyMap<string, readonly Cidr[]> =>
  new Map(nodes.map((facts) => [facts.name, shownBlocks(facts)]));

/** Pairs of Nodes that share an address, as `a b`. */
function sharing(blocks: ReadonlyMap<string, readonly Cidr[]>): string[] {
  const all = [...blocks];
  return all.flatMap(([name, cidrs], index) =>
    all
      .slice(index + 1)
      .filter(([, others]) => cidrs.some((cidr) => others.some((other) => overlaps(cidr, other))))
      .map(([other]) => `${name} ${other}`),
  );
}

const targetsOf = ({ clusterCidrs }: ChangePodCidrIntent) => clusterCidrs.map(parseCidr);
const lengthOf = ({ nodeMaskSizeIpv4, nodeMaskSizeIpv6 }: ChangePodCidrIntent, family: 4 | 6) =>
  family === 4 ? nodeMaskSizeIpv4 : nodeMaskSizeIpv6;

/** What of a Node's new blocks was chosen by the plan, not left as it was. */
function chosenBlocks({ outline }: Plan, { nodes }: ReadSet): [string, Cidr][] {
  const before = new Map(nodes.map(({ name, podCidr = "", podCidrs }) => [name, [podCidr, ...podCidrs]]));
  return outline.nodes.flatMap(({ name, after }) =>
    after
      .filter((text) => !before.get(name)?.includes(text))
      .map((text): [string, Cidr] => [name, parseCidr(text)]),
  );
}

/** Whether rule 1 keeps the Node's first block, which is all it has. */
function isSettled({ name, podCidr, podCidrs }: NodeFacts, { readSet, intent }: Case): boolean {
  const [text = "", ...more] = podCidrs;
  if (podCidr !== text || more.length > 0) return false;
  const cidr = read(text);
  const others = [...blocksOf(readSet)].flatMap(([other, cidrs]) => (other === name ? [] : cidrs));
  return (
    formatCidr(cidr) === text &&
    targetsOf(intent).some((target) => contains(target, cidr)) &&
    cidr.length === lengthOf(intent, cidr.family) &&
    [...others, ...intent.reserved.map(parseCidr)].every((other) => !overlaps(other, cidr))
  );
}

/** What holds whatever the cluster. */
export function describePlans(numRuns: number): void {
  const check = (property: (given: Case, plan: Plan) => void) =>
    fc.assert(
      fc.property(anyCase, (given) => property(given, planChangePodCidr(given.intent, given.readSet))),
      { numRuns },
    );

  test("blocks that are chosen lie in the target, have the mask and are canonical", () => {
    check(({ readSet, intent }, plan) => {
      for (const [, cidr] of chosenBlocks(plan, readSet)) {
        expect(targetsOf(intent).some((target) => contains(target, cidr))).toBe(true);
        expect(cidr.length).toBe(lengthOf(intent, cidr.family));
      }
    });
  });

  test("every Node that may be changed and is not left alone has such a block afterwards", () => {
    check(({ readSet, intent }, plan) => {
      fc.pre(plan.findings.every(({ code }) => code !== "capacity"));
      const leftAlone = new Set(findingsOf(plan, "left-alone").flatMap(({ keys }) => keys));
      const concerned = applied(readSet, plan).nodes.filter(
        ({ key, name }) => !leftAlone.has(key) && (intent.nodes.length === 0 || intent.nodes.includes(name)),
      );
      for (const facts of concerned) {
        for (const target of targetsOf(intent)) {
          const held = shownBlocks(facts).filter(({ family }) => family === target.family);
          expect(held.map((cidr) => contains(target, cidr) && cidr.length)).toEqual([
            lengthOf(intent, target.family),
          ]);
        }
      }
    });
  });

  test("blocks that are chosen share no address with any other Node's afterwards", () => {
    check(({ readSet }, plan) => {
      // A Node for which there is no block left keeps what another one was to get.
      fc.pre(plan.findings.every(({ code }) => code !== "capacity"));
      const after = [...blocksOf(applied(readSet, plan))];
      for (const [name, cidr] of chosenBlocks(plan, readSet)) {
        const sharing = after.filter(
          ([other, held]) => other !== name && held.some((block) => overlaps(block, cidr)),
        );
        expect(sharing).toEqual([]);
      }
    });
  });

  test("blocks that are chosen lie in no reserved range", () => {
    check(({ readSet, intent }, plan) => {
      for (const [, cidr] of chosenBlocks(plan, readSet)) {
        expect(intent.reserved.map(parseCidr).filter((range) => overlaps(range, cidr))).toEqual([]);
      }
    });
  });

  test("when no blocker stands, no two Nodes share an address afterwards in the families that are changed", () => {
    let unblocked = 0;
    check(({ readSet, intent }, plan) => {
      fc.pre(!isBlocked(plan));
      unblocked += 1;
      const families = new Set(targetsOf(intent).map(({ family }) => family));
      const after = [...blocksOf(applied(readSet, plan))].map(([name, cidrs]): [string, readonly Cidr[]] => [
        name,
        cidrs.filter(({ family }) => families.has(family)),
      ]);
      expect(sharing(new Map(after))).toEqual([]);
    });
    expect(unblocked).toBe(numRuns);
  });

  test("a canonical block in the target, of its mask and nobody else's, stays", () => {
    let settled = 0;
    check((given, plan) => {
      const after = blocksOf(applied(given.readSet, plan));
      for (const facts of given.readSet.nodes.filter((candidate) => isSettled(candidate, given))) {
        settled += 1;
        expect(after.get(facts.name)?.[0]).toEqual(shownBlocks(facts)[0]);
        const isEdited = plan.outline.nodes.some(({ name }) => name === facts.name);
        expect(isEdited && !given.intent.addFamily).toBe(false);
      }
    });
    expect(settled).toBeGreaterThan(numRuns / 20);
  });

  test("Nodes that --node leaves out are not touched", () => {
    check(({ intent }, plan) => {
      const named = new Set(intent.nodes);
      expect(plan.outline.nodes.filter(({ name }) => named.size > 0 && !named.has(name))).toEqual([]);
    });
  });

  test("podCIDR is podCIDRs[0] on every Node that is changed, and the outline says what is written", () => {
    check(({ readSet }, plan) => {
      const outlines = new Map(plan.outline.nodes.map(({ name, after }) => [name, after]));
      for (const { name, podCidr, podCidrs } of applied(readSet, plan).nodes) {
        expect([podCidr, podCidrs]).toEqual([
          outlines.has(name) ? podCidrs[0] : podCidr,
          outlines.get(name) ?? podCidrs,
        ]);
      }
    });
  });

  test("the same input gives the same plan", () => {
    check(({ readSet, intent }, plan) => {
      expect(planChangePodCidr(intent, readSet)).toEqual(plan);
    });
  });

  test("planned again over the result there is nothing to do", () => {
    check(({ readSet, intent }, plan) => {
      fc.pre(!isBlocked(plan));
      expect(planChangePodCidr(intent, applied(readSet, plan)).stages).toEqual([]);
    });
  });

  test("what is read back after the change, and after its rollback, is what was meant", () => {
    check(({ readSet }, plan) => {
      fc.pre(!isBlocked(plan));
      const after = applied(readSet, plan);
      expect(checkOutcome(plan, after.nodes, new Set())).toEqual([]);
      const back = rollbackOver(after, journaled(plan));
      expect(checkOutcome(back, applied(after, back).nodes, new Set())).toEqual([]);
    });
  });

  test("a rollback restores every stored value, and nothing blocks it", () => {
    const values = ({ nodes }: ReadSet) =>
      nodes.map(({ name, podCidr = "", podCidrs }) => [name, podCidr, podCidrs]);
    check(({ readSet }, plan) => {
      const after = applied(readSet, plan);
      const back = rollbackOver(after, journaled(plan));
      expect(values(applied(after, back))).toEqual(values(readSet));
      expect(isBlocked(back)).toBe(false);
    });
  });

  test("blocks in use are never more than there are", () => {
    check(({ intent }, plan) => {
      for (const { target, nodeMask, used, blocks } of plan.outline.families) {
        expect(nodeMask).toBe(lengthOf(intent, parseCidr(target).family));
        expect(blocks).toBe(blockCount(parseCidr(target), nodeMask));
        expect(BigInt(used) <= blocks).toBe(true);
      }
    });
  });
}
