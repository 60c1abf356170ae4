import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { obtainEtcdTools } from "../../scripts/etcd-release.mjs";
import { runCli } from "../harness/cli.js";
import { loseMember } from "../harness/returning-member.js";

function etcdctl(endpoint: string, ...words: readonly string[]): string {
  const tool = join(obtainEtcdTools({ minor: "3.6", say: () => {} }), "etcdctl");
  const { status, stdout, stderr } = spawnSync(tool, ["--endpoints", endpoint, ...words], {
    encoding: "utf8",
  });
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  return stdout;
}

/** Its ids are numbers that a double cannot hold. */
function parseExactly(json: string) {
  return JSON.parse(json.replaceAll(/":(\d+)/g, '":"$1"'));
}

type Told = Readonly<
  Record<
    "clusterId" | "memberId" | "revision" | "leader" | "raftTerm" | "version" | "dbSize" | "appliedIndex",
    string
  >
>;

interface Answer {
  readonly Endpoint: string;
  readonly Status: Readonly<
    Record<"raftTerm" | "raftAppliedIndex" | "version" | "dbSize" | "leader", string>
  > & { readonly header: Readonly<Record<"cluster_id" | "member_id" | "revision", string>> };
}

test("after a run etcdctl tells the same as `members`", async () => {
  const member = await loseMember(3);
  member.loseData();
  // On a busy machine etcd may call its cluster unhealthy for longer than a run waits; run again, it goes on.
  await vi.waitUntil(async () => (await member.readd("--no-snapshot")).exitCode === 0, { timeout: 90_000 });
  const [endpoint = ""] = member.endpoints;
  const { out } = await runCli(["members", "--endpoints", endpoint, "-o", "json"]);
  const { clusterId, members } = JSON.parse(out);
  expect(members.length).toBe(3);

  const listed = etcdctl(endpoint, "member", "list").trim().split("\n").sort();
  const asListed = members.map(({ idHex, name, role, peerUrls, clientUrls }: Record<string, string>) =>
    [idHex, "started", name, peerUrls, clientUrls, role === "learner"].join(", "),
  );
  expect(asListed.sort()).toEqual(listed);

  const statuses = parseExactly(etcdctl(endpoint, "endpoint", "status", "--cluster", "-w", "json"));
  const byEtcdctl = new Map<string, Told>(
    statuses.map(
      ({ Endpoint, Status: { header, raftTerm, raftAppliedIndex, version, dbSize, leader } }: Answer) => [
        Endpoint,
        {
          ...{ clusterId: header.cluster_id, memberId: header.member_id, revision: header.revision },
          ...{ leader, raftTerm, version, dbSize, appliedIndex: raftAppliedIndex },
        },
      ],
    ),
  );
  expect(byEtcdctl.size).toBe(3);
  for (const { endpoint: at, isLeader, status } of members) {
    const { appliedIndex, ...rest }: Partial<Told> = byEtcdctl.get(at) ?? {};
    expect(status).toMatchObject({ clusterId, ...rest });
    expect(isLeader).toBe(rest.leader === rest.memberId);
    // The question for alarms goes through the log.
    expect(BigInt(appliedIndex ?? "0") - BigInt(status.appliedIndex)).toBeOneOf([0n, 1n]);
  }
});
