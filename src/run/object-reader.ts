import { EtcdcidrError } from "../errors.js";
import type { Unreadable } from "../plan/read-set.js";
import type { Etcd } from "../ports.js";
import type { Schema, StoredObject } from "../schema/schema.js";
import type { KeyValue } from "../storage/key-value.js";
import { readPrefix } from "./range-reader.js";

/** Reads stored objects at one revision; what cannot be decoded is listed and left out. Paths have no prefix. */
export interface ObjectReader {
  path(path: string): string;
  decode(key: string, value: Uint8Array): StoredObject;
  one<Fact>(path: string, read: (key: string, object: StoredObject) => Fact): Promise<Fact | undefined>;
  all<Fact>(path: string, read: (key: string, object: StoredObject) => Fact): Promise<Fact[]>;
  /** What lies there and is of another kind cannot be read either: it stops the API's lists all the same. */
  each(
    path: string,
    kind: string,
    selection: readonly string[],
    take: (keyValue: KeyValue, object: StoredObject) => Promise<void>,
  ): Promise<void>;
  keys(path: string): Promise<readonly string[]>;
  exists(path: string): Promise<boolean>;
  readonly unreadable: readonly Unreadable[];
}

export interface ObjectReaderRequest {
  readonly etcd: Etcd;
  readonly schema: Schema;
  readonly prefix: string;
  readonly revision: bigint;
}

export function createObjectReader({ etcd, schema, prefix, revision }: ObjectReaderRequest): ObjectReader {
  const unreadable: Unreadable[] = [];
  const attempt = <Fact>(key: string, read: () => Fact): Fact | undefined => {
    try {
      return read();
    } catch (error) {
      unreadable.push({ key, why: reasonOf(error) });
      return undefined;
    }
  };
  const path = (below: string) => `${prefix}/${below}`;
  return {
    path,
    unreadable,
    decode: (key, value) => schema.decode(key, value),
    async one(below, read) {
      const { keyValues } = await etcd.range({ key: path(below), revision });
      const [keyValue] = keyValues;
      if (keyValue === undefined) return undefined;
      return attempt(keyValue.key, () => read(keyValue.key, schema.decode(keyValue.key, keyValue.value)));
    },
    async all(below, read) {
      const facts: ReturnType<typeof read>[] = [];
      for await (const page of readPrefix(etcd, path(below), { revision })) {
        for (const { key, value } of page) {
          const fact = attempt(key, () => read(key, schema.decode(key, value)));
          if (fact !== undefined) facts.push(fact);
        }
      }
      return facts;
    },
    async each(below, kind, selection, take) {
      for await (const page of readPrefix(etcd, path(below), { revision })) {
        for (const keyValue of page) {
          const object = attempt(keyValue.key, () =>
            ofKind(kind, schema.decode(keyValue.key, keyValue.value, selection)),
          );
          if (object !== undefined) await take(keyValue, object);
        }
      }
    },
    async keys(below) {
      const keys: string[] = [];
      for await (const page of readPrefix(etcd, path(below), { revision, keysOnly: true })) {
        keys.push(...page.map(({ key }) => key));
      }
      return keys;
    },
    async exists(below) {
      const { keyValues } = await etcd.range({ key: path(below), revision, keysOnly: true });
      return keyValues.length > 0;
    },
  };
}

function ofKind(kind: string, object: StoredObject): StoredObject {
  if (object.kind !== kind) throw new Error(`it is a ${object.kind} and no ${kind}`);
  return object;
}

/** The key is told beside it. */
function reasonOf(error: unknown): string {
  if (error instanceof EtcdcidrError) return error.explanation.why;
  return error instanceof Error ? error.message : String(error);
}
