import protobuf from "protobufjs/light.js";
import { EtcdcidrError } from "../errors.js";
import type { Descriptor } from "./descriptor.js";
import type { FieldEdit } from "./field-edit.js";
import { sameJson } from "./second-json.js";
import { type RouteStep, routeTo } from "./second-route.js";
import { apply, isTree, listOf, same, sortEntries, type Tree } from "./second-tree.js";
import { typesAlong } from "./second-types.js";

/** A second opinion on an edit, by protobufjs; it shares the descriptor's data with our codec, and no code. */
export interface SecondReader {
  /**
   * Throws `internal` unless `after` is `before` with exactly the edited fields at their new values: every other record,
   * unknown ones and the envelope's included, must be there byte for byte. Throws `malformed-object` if protobufjs
   * cannot read `before`.
   */
  check(key: string, before: Uint8Array, after: Uint8Array, edits: readonly FieldEdit[]): void;
}

/** What one set of paths in one kind needs: the ways through the fields, and a type that names the fields on them. */
interface Check {
  readonly routes: readonly (readonly RouteStep[])[];
  readonly type: protobuf.Type;
}

export function createSecondReader(descriptor: Descriptor): SecondReader {
  const checks = new Map<string, Check>();
  const checkFor = (kind: string, edits: readonly FieldEdit[]): Check => {
    const name = `${kind} ${edits.map((edit) => edit.path).join(" ")}`;
    const check = checks.get(name) ?? makeCheck(descriptor, kind, edits);
    checks.set(name, check);
    return check;
  };
  return {
    check(key, before, after, edits) {
      let isSame = false;
      let cause: unknown;
      try {
        const isJson = before[0] === OPENING_BRACE;
        isSame = isJson ? sameJson(before, after, edits) : sameProtobuf(key, before, after, edits, checkFor);
      } catch (error) {
        if (error instanceof EtcdcidrError) throw error;
        cause = error;
      }
      if (!isSame) throw differs(key, edits, cause);
    },
  };
}

const OPENING_BRACE = 0x7b;
const MAGIC_LENGTH = 4;

/** `runtime.Unknown`. Of several raws the last counts; they are not merged. */
const ENVELOPE: protobuf.Type = protobuf.Root.fromJSON({
  nested: {
    Envelope: {
      edition: "proto2",
      fields: { f1: { type: "TypeMeta", id: 1 }, f2: { rule: "repeated", type: "bytes", id: 2 } },
    },
    TypeMeta: {
      edition: "proto2",
      fields: {
        f1: { rule: "repeated", type: "string", id: 1 },
        f2: { rule: "repeated", type: "string", id: 2 },
      },
    },
  },
}).lookupType("Envelope");

function makeCheck(descriptor: Descriptor, kind: string, edits: readonly FieldEdit[]): Check {
  const routes = edits.map((edit) => routeTo(descriptor, kind, edit.path));
  return { routes, type: protobuf.Root.fromJSON({ nested: typesAlong(routes) }).lookupType("T") };
}

function sameProtobuf(
  key: string,
  before: Uint8Array,
  after: Uint8Array,
  edits: readonly FieldEdit[],
  checkFor: (kind: string, edits: readonly FieldEdit[]) => Check,
): boolean {
  const oldEnvelope = readBefore(key, ENVELOPE, before.subarray(MAGIC_LENGTH));
  const newEnvelope = read(ENVELOPE, after.subarray(MAGIC_LENGTH));
  const { routes, type } = checkFor(kindOf(oldEnvelope), edits);
  const expected = readBefore(key, type, rawOf(oldEnvelope));
  const actual = read(type, rawOf(newEnvelope));
  routes.forEach((route, index) => {
    apply(expected, route, edits[index]?.new);
    sortEntries(expected, route);
    sortEntries(actual, route);
  });
  if (listOf(oldEnvelope["f2"]).length > 0) oldEnvelope["f2"] = [rawOf(newEnvelope)];
  const isMagicKept = same(before.subarray(0, MAGIC_LENGTH), after.subarray(0, MAGIC_LENGTH));
  return isMagicKept && same(oldEnvelope, newEnvelope) && same(expected, actual);
}

function readBefore(key: string, type: protobuf.Type, bytes: Uint8Array): Tree {
  try {
    return read(type, bytes);
  } catch (cause) {
    const explanation = {
      what: `the value of ${key} is malformed`,
      why: `protobufjs cannot read it: ${cause instanceof Error ? cause.message : String(cause)}`,
      now: "this object is left as it is",
      next: "read the key with etcdctl, repair or delete the object, then try again",
    };
    throw new EtcdcidrError("malformed-object", explanation, { cause });
  }
}

/** Keeps unknown records, which protobufjs does only when told. */
function read(type: protobuf.Type, bytes: Uint8Array): Tree {
  const reader = protobuf.Reader.create(bytes);
  reader.discardUnknown = false;
  const message: unknown = type.decode(reader);
  if (!isTree(message)) throw new TypeError("protobufjs returned no message");
  return message;
}

function kindOf(envelope: Tree): string {
  const typeMeta = envelope["f1"];
  if (!isTree(typeMeta)) return "";
  return `${listOf(typeMeta["f1"]).at(-1)}/${listOf(typeMeta["f2"]).at(-1)}`;
}

function rawOf(envelope: Tree): Uint8Array {
  const raw = listOf(envelope["f2"]).at(-1);
  return raw instanceof Uint8Array ? raw : new Uint8Array();
}

function differs(key: string, edits: readonly FieldEdit[], cause: unknown): EtcdcidrError {
  const explanation = {
    what: `the new value of ${key} was not trusted`,
    why: `read by protobufjs it is not the old value with ${edits.map((edit) => edit.path).join(", ")} changed`,
    now: "this object is left as it is",
    next: "report this as a bug, with the object's stored value if it may be shown",
  };
  return new EtcdcidrError("internal", explanation, { cause });
}
