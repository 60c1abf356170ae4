import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { certificateFacts } from "../../src/adapters/certificate-facts.js";
import { type Certificates, certificates, hasOpenssl } from "./tls-certificates.js";

const PEER = "https://127.0.0.1:2380";

describe.runIf(hasOpenssl)("a member's certificate", () => {
  let made: Certificates;
  beforeAll(() => {
    made = certificates();
    made.ca("ca");
    made.ca("other-ca");
    made.sign("good", "ca");
    made.sign("expired", "ca", { days: -1 });
    made.sign("elsewhere", "ca", { subjectAltName: "IP:10.0.0.9" });
    made.sign("named", "ca", { subjectAltName: "DNS:kube-3.example" });
    made.sign("foreign", "other-ca");
  });
  afterAll(() => made.remove());

  const facts = (name: string, more: { peerUrl?: string; key?: string } = {}) => {
    const path = (file: string): string => join(made.folder, file);
    const { peerUrl = PEER, key = name } = more;
    const files = { cert: path(`${name}.crt`), key: path(`${key}.key`), ca: path("ca.crt") };
    return certificateFacts(files, peerUrl);
  };

  test("that is well", async () => {
    const { notBeforeMs, notAfterMs, ...rest } = await facts("good");
    expect(rest).toEqual({
      path: join(made.folder, "good.crt"),
      coversPeerHost: true,
      isOfCa: true,
      matchesKey: true,
    });
    expect(notBeforeMs).toBeLessThanOrEqual(Date.now());
    expect(notAfterMs).toBeGreaterThan(Date.now());
  });

  test("that has expired", async () => {
    expect((await facts("expired")).notAfterMs).toBeLessThan(Date.now());
  });

  test.each([
    ["elsewhere", PEER, false],
    ["elsewhere", "https://10.0.0.9:2380", true],
    ["named", "https://kube-3.example:2380", true],
    ["named", "https://kube-4.example:2380", false],
  ])("%s for %s", async (name, peerUrl, covers) => {
    expect((await facts(name, { peerUrl })).coversPeerHost).toBe(covers);
  });

  test("of another CA, and with another key", async () => {
    expect((await facts("foreign")).isOfCa).toBe(false);
    expect((await facts("good", { key: "named" })).matchesKey).toBe(false);
  });

  test("that is not there", async () => {
    await expect(facts("missing")).rejects.toMatchObject({ code: "tls" });
  });
});
