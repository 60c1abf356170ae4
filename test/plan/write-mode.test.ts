import { describe, expect, test } from "vitest";
import { chooseWriteMode, MAX_TXN_BYTES, type WriteModeRequest } from "../../src/plan/write-mode.js";
import { cluster } from "../harness/read-set.js";
import { planOver } from "./scene.js";

const mode = (request: Partial<WriteModeRequest>) =>
  chooseWriteMode({
    operations: 5,
    bytes: 1000,
    lifeSigns: [],
    oneTransaction: false,
    backend: "etcd",
    ...request,
  });

const KEY = "/registry/masterleases/192.168.1.10";

const errorOf = (run: () => unknown) => {
  try {
    run();
  } catch (error) {
    return error;
  }
  return undefined;
};

describe("nobody watches", () => {
  test("one Txn when everything fits: 127 operations and 1 MiB", () => {
    expect(mode({ operations: 127, bytes: MAX_TXN_BYTES })).toEqual({
      kind: "one-transaction",
      why: "no API server lives, and everything fits into one Txn",
    });
  });

  test.each([{ operations: 128 }, { bytes: MAX_TXN_BYTES + 1 }])("else batches: %o", (request) => {
    expect(mode(request)).toEqual({
      kind: "batches",
      why: `no API server lives; ${request.operations ?? 5} changes do not fit into one Txn`,
    });
  });
});

describe("API servers live", () => {
  const WHY =
    "an API server lives: a watcher that reconnects between two objects of one revision would never see the second";

  test("one Node a Txn, however few", () => {
    expect(mode({ lifeSigns: [KEY], operations: 2 })).toEqual({
      kind: "one-node-a-transaction",
      why: WHY,
    });
    expect(mode({ lifeSigns: [KEY, KEY], operations: 500 }).why).toBe(WHY);
  });

  test("--one-transaction joins them all the same, and says what may be missed", () => {
    expect(mode({ lifeSigns: [KEY], oneTransaction: true })).toEqual({
      kind: "one-transaction",
      why:
        "--one-transaction was given; a watcher that reconnects at this very revision may miss some of the Nodes until " +
        "their next status write",
    });
  });
});

describe("--one-transaction", () => {
  test("without API servers is no risk", () => {
    expect(mode({ oneTransaction: true })).toEqual({
      kind: "one-transaction",
      why: "--one-transaction was given",
    });
  });

  test.each([
    [{ operations: 128, bytes: 1000 }, "128 keys of 1000 bytes"],
    [{ operations: 5, bytes: 1_048_577 }, "5 keys of 1048577 bytes"],
  ])("is refused when it does not fit: %o", (request, keys) => {
    expect(errorOf(() => mode({ ...request, oneTransaction: true }))).toMatchObject({
      code: "too-large",
      explanation: {
        what: "cannot make this change in one transaction",
        why: `${keys}; one Txn takes 127 keys and 1048576 bytes`,
        now: "nothing was written",
        next: "leave out --one-transaction",
      },
    });
  });
});

describe("kine", () => {
  test("takes one key a Txn", () => {
    expect(mode({ backend: "kine", lifeSigns: [KEY] })).toEqual({
      kind: "key-by-key",
      why: "this is kine, which takes one key a Txn and has no leases: no lock keeps a second run away",
    });
  });

  test("refuses --one-transaction for more than one", () => {
    expect(mode({ backend: "kine", oneTransaction: true, operations: 1 }).kind).toBe("key-by-key");
    expect(errorOf(() => mode({ backend: "kine", oneTransaction: true, operations: 2 }))).toMatchObject({
      code: "too-large",
      explanation: {
        what: "cannot make this change in one transaction",
        why: "this is kine, which takes one key a Txn",
        now: "nothing was written",
        next: "leave out --one-transaction",
      },
    });
  });
});

describe("a plan's way", () => {
  const nodes = (count: number, valueBytes = 5000) =>
    cluster().nodes("n", count, (index) => ({ podCidrs: [`10.112.${index}.0/24`], valueBytes }));

  test("follows from its Nodes and the API servers", () => {
    expect(planOver(nodes(127), "10.212.0.0/16").mode.kind).toBe("one-transaction");
    expect(planOver(nodes(128), "10.212.0.0/16").mode.kind).toBe("batches");
    const live = { apiServerKeys: [KEY] };
    expect(planOver(nodes(2).with(live), "10.212.0.0/16").mode.kind).toBe("one-node-a-transaction");
  });

  test("counts the keys beside the values, and only what is written", () => {
    expect(planOver(nodes(4, 262_144), "10.212.0.0/16").mode.kind).toBe("batches");
    expect(planOver(nodes(4, 262_000), "10.212.0.0/16").mode.kind).toBe("one-transaction");
    expect(planOver(nodes(4, 400_000), "10.212.0.0/16", { nodes: ["n0", "n1"] }).mode.kind).toBe(
      "one-transaction",
    );
  });

  test("is key by key on kine", () => {
    const kine = { cluster: { etcdId: 0n, kubeSystemUid: "u" } };
    expect(planOver(nodes(2).with(kine), "10.212.0.0/16").mode.kind).toBe("key-by-key");
  });
});
