import { EtcdcidrError } from "../../src/errors.js";
import type { FieldEdit } from "../../src/schema/field-edit.js";
import { createSecondReader } from "../../src/schema/second-reader.js";
import { descriptor, schema } from "../harness/descriptor.js";
import { readFixture } from "../harness/fixture.js";
import { mutate, type Random, randomFrom } from "../harness/mutate.js";

/** What became of the mutated values. */
export interface FuzzCount {
  /** Edits that went through, each confirmed by protobufjs. */
  confirmed: number;
  /** Edits that were refused. */
  refused: number;
}

const EDITS: Readonly<Record<string, readonly FieldEdit[]>> = {
  "/registry/minions/": [
    { path: "spec.podCIDR", new: "10.212.0.0/22" },
    { path: "spec.podCIDRs", new: ["10.212.0.0/22", "fd00:10:212::/64"] },
  ],
  "/registry/services/specs/": [
    { path: "spec.clusterIP", new: "" },
    { path: "spec.clusterIPs", new: ["10.96.0.10"] },
    { path: "spec.ports[0].nodePort", new: -1 },
  ],
  "/registry/ipaddresses/": [{ path: "metadata.name", new: "x".repeat(130) }],
  "/registry/servicecidrs/": [{ path: "spec.cidrs", new: ["10.196.0.0/16"] }],
  "/registry/ranges/": [{ path: "range" }, { path: "data", new: "AAECAw==" }],
  "/registry/configmaps/": [{ path: "metadata.annotations.added", new: "yes" }, { path: "metadata.labels" }],
  "/registry/cilium.io/": [{ path: "spec.ipam.podCIDRs[0]", new: "10.0.0.0/8" }, { path: "spec.addresses" }],
};

const secondReader = createSecondReader(descriptor);
const seeds = readFixture("v1.33-dual-write").flatMap(({ key, value }) => {
  const prefix = Object.keys(EDITS).find((start) => key.startsWith(start));
  return prefix && value.length < 5000 ? [{ key, value, edits: EDITS[prefix] ?? [] }] : [];
});

/**
 * Edits `count` mutated stored values. Each edit must throw an EtcdcidrError, or protobufjs, not our codec, must say
 * that exactly the intended change happened; else throws with the seed and the value.
 */
export function fuzz(count: number, seed: number): FuzzCount {
  const random = randomFrom(seed);
  const result: FuzzCount = { confirmed: 0, refused: 0 };
  for (let round = 0; round < count; round++) {
    const { key, value, edits } = random.pick(seeds);
    const mutated = mutate(value, random.pick(seeds).value, random);
    try {
      result[outcome(key, mutated, edits, random)]++;
    } catch (cause) {
      const where = `seed ${seed}, round ${round}, ${key}: ${Buffer.from(mutated).toString("base64")}`;
      throw new Error(where, { cause });
    }
  }
  return result;
}

function outcome(
  key: string,
  value: Uint8Array,
  edits: readonly FieldEdit[],
  random: Random,
): keyof FuzzCount {
  const some = [random.pick(edits), ...edits.filter(() => random.chance(0.3))];
  try {
    const edited = schema.edit(key, value, some);
    secondReader.check(key, value, edited, some);
    return "confirmed";
  } catch (error) {
    if (error instanceof EtcdcidrError && REFUSALS.has(error.code)) return "refused";
    throw error;
  }
}

/** `usage` is the refusal of a value that a mutation made another kind, which lacks the field. */
const REFUSALS: ReadonlySet<string> = new Set(["malformed-object", "unsupported-format", "usage"]);
