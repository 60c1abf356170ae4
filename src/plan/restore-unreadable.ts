import { contains } from "../cidr/cidr.js";
import { parseCidr } from "../cidr/parse.js";
import { EtcdcidrError, NOTHING_WRITTEN } from "../errors.js";
import { type NodeFacts, readNode } from "../objects/node.js";
import type { StoredObject } from "../schema/schema.js";
import type { Format } from "../storage/format.js";
import { backendOf } from "./backend.js";
import { overlappingGroups } from "./findings/blocks.js";
import { someOf, warning } from "./findings/finding.js";
import type { RestoreUnreadableIntent } from "./intent.js";
import { apiServerSigns } from "./life-signs.js";
import { moveCommand } from "./move-command.js";
import type { FamilyOutline, Finding, Plan } from "./plan.js";
import { planId } from "./plan-id.js";
import { readNodeBlocks, storedBlocks } from "./pod-cidr/node-blocks.js";
import type { ReadSet, Unreadable } from "./read-set.js";
import { chooseWriteMode } from "./write-mode.js";

/** What a key holds now, and what a journal has of it. */
export interface RestoreFacts {
  readonly readSet: ReadSet;
  readonly now: {
    readonly modRevision: bigint;
    readonly sha256: string;
    readonly bytes: number;
    readonly format: Format;
  };
  readonly original: { readonly modRevision: bigint; readonly object: StoredObject };
  /** Where the change that the journal is of has moved the Nodes, and stands; absent: it has been undone. */
  readonly movedTo?: readonly FamilyOutline[];
}

/**
 * Plans to put a journal's bytes in the place of a value that cannot be decoded. Throws `refused` for one that can be: old bytes
 * never replace newer ones that somebody can read.
 */
export function planRestoreUnreadable(intent: RestoreUnreadableIntent, facts: RestoreFacts): Plan {
  const { readSet, now, original } = facts;
  const fault = readSet.unreadable.find(({ key }) => key === intent.key);
  if (fault === undefined) throw canBeRead(intent.key);
  if (now.format === "encrypted" || now.format === "cbor") throw notForUs(fault);
  const source = { key: intent.key, modRevision: now.modRevision, sha256: now.sha256, valueBytes: now.bytes };
  const node = readNode(source, original.object);
  const blocks = storedBlocks(readNodeBlocks(node)).map(({ text }) => text);
  const content: Omit<Plan, "id"> = {
    cluster: readSet.cluster,
    readAt: readSet.revision,
    intent,
    outline: {
      families: [],
      nodes: [
        {
          name: node.name,
          key: node.key,
          uid: node.uid,
          before: ["unreadable"],
          after: blocks,
          choices: [`bytes of ${intent.changeId}`],
        },
      ],
      unchanged: readSet.nodes.length,
    },
    mode: chooseWriteMode({
      operations: 1,
      bytes: now.bytes,
      lifeSigns: apiServerSigns(readSet, intent.nowMs),
      oneTransaction: intent.oneTransaction,
      backend: backendOf(readSet.cluster.etcdId),
    }),
    stages: [
      {
        name: "nodes",
        groups: [
          [{ action: "update", key: node.key, modRevision: now.modRevision, sha256: now.sha256, edits: [] }],
        ],
      },
    ],
    findings: [
      whatIsLost(intent, facts, fault),
      ...oldBlock(node, facts.movedTo ?? []),
      ...sharedBlocks(node, readSet),
    ],
    nodeUids: new Map([...readSet.nodes, node].map(({ name, uid }) => [name, uid])),
  };
  return { id: planId(content), ...content };
}

function whatIsLost(
  { key, changeId }: RestoreUnreadableIntent,
  { now, original }: RestoreFacts,
  { why }: Unreadable,
): Finding {
  return warning("lost", {
    keys: [key],
    what: `whatever was written to ${key} after revision ${original.modRevision} is lost, up to revision ${now.modRevision}`,
    why: `its value of today cannot be decoded (${why}); the journal of ${changeId} has the whole of it as it was before that change, block included`,
    next: "what the kubelet and the controllers keep there comes back by itself; labels, taints and annotations that people have set since do not",
  });
}

/** One Node that is left behind stops kube-controller-manager at its start. */
function oldBlock(node: NodeFacts, movedTo: readonly FamilyOutline[]): Finding[] {
  const held = storedBlocks(readNodeBlocks(node)).map(({ cidr }) => cidr);
  const isInside = movedTo.every(({ target }) => held.some((cidr) => contains(parseCidr(target), cidr)));
  if (isInside) return [];
  const targets = movedTo.map(({ target }) => target).join();
  return [
    warning("left-alone", {
      keys: [node.key],
      what: `${node.name} has its block of before the change again, outside ${targets}`,
      why: "kube-controller-manager exits at its start while a Node is outside its --cluster-cidr",
      next: `move it along: \`${moveCommand(movedTo, node.name)}\`; or roll the change back`,
    }),
  ];
}

/** The Node may have been given up for lost, and its block to another. */
function sharedBlocks(node: NodeFacts, { nodes }: ReadSet): Finding[] {
  const all = [...nodes, node].map(readNodeBlocks);
  const groups = overlappingGroups(all, (blocks) => storedBlocks(blocks).map(({ cidr }) => cidr));
  const others = groups.filter((group) => group.some((blocks) => blocks.node === node)).flat();
  const names = others.map(({ node: { name } }) => name).filter((name) => name !== node.name);
  if (names.length === 0) return [];
  return [
    warning("duplicate-block", {
      keys: [node.key],
      what: `${node.name} gets a block back of which ${someOf(names)} holds addresses by now`,
      why: "kube-controller-manager does not notice; when one of them is deleted, the next Node gets the block that the other still uses",
      next: `move ${node.name} afterwards: \`etcdcidr change-pod-cidr <cidr> --node ${node.name}\``,
    }),
  ];
}

function notForUs({ key, why }: Unreadable): EtcdcidrError {
  return new EtcdcidrError("refused", {
    what: `will not put old bytes over ${key}`,
    why: `${why}: that etcdcidr cannot read it does not mean that kube-apiserver cannot`,
    now: NOTHING_WRITTEN,
    next: "ask the API for the object; if it is damaged, take the value from an etcd snapshot",
  });
}

function canBeRead(key: string): EtcdcidrError {
  return new EtcdcidrError("refused", {
    what: `will not put old bytes over ${key}`,
    why: "its value of today can be read: what was written since would be lost for nothing",
    now: NOTHING_WRITTEN,
    next: "`etcdcidr rollback` puts the old blocks into today's object",
  });
}
