import { expect, test } from "vitest";
import { openSpool } from "../../src/adapters/spool-file.js";
import type { PlannedUpdate } from "../../src/run/apply.js";
import { pendingFromSpool } from "../../src/run/read-pending.js";
import { sha256Hex } from "../../src/storage/digest.js";

const VALUE = Buffer.from("as it was read");
const UPDATE: PlannedUpdate = {
  uid: "u",
  change: { action: "update", key: "/k", modRevision: 7n, sha256: sha256Hex(VALUE), edits: [] },
};
const NO_REPORT = { committed: () => undefined, dropped: () => undefined, settled: () => undefined };

/** What the first run would edit when the temporary file holds these values. */
async function pendingOf(values: Readonly<Record<string, Uint8Array>>) {
  const spool = await openSpool();
  for (const [key, value] of Object.entries(values)) await spool.add(key, value);
  return pendingFromSpool(spool)([UPDATE], NO_REPORT).finally(() => spool.close());
}

test("the edits go into the bytes that were read", async () => {
  expect(await pendingOf({ "/other": Buffer.from("x"), "/k": VALUE })).toEqual([
    { update: UPDATE, modRevision: 7n, value: VALUE, lostCompares: 0 },
  ]);
});

test.each([
  {
    what: "altered",
    values: { "/k": Buffer.from("as it was rotten") },
    why: "its bytes have another SHA-256",
  },
  { what: "not there", values: {}, why: "it has no such value" },
])("a value that is $what is not written", async ({ values, why }) => {
  await expect(pendingOf(values)).rejects.toMatchObject({
    code: "journal-unusable",
    explanation: {
      what: "the temporary file does not hold /k as it was read",
      why,
      now: "this Node is not written",
    },
  });
});
