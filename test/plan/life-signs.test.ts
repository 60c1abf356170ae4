import { describe, expect, test } from "vitest";
import { apiServerSigns, componentLife } from "../../src/plan/life-signs.js";
import { cluster, NOW_MS, type Rest } from "../harness/read-set.js";
import { planOver } from "./scene.js";

const lease = (component: string, ageMs: number) => ({
  key: `/registry/leases/kube-system/${component}`,
  holder: "kube-1_5f0c",
  renewTime: "2026-12-01T11:59:58.000000Z",
  durationSeconds: 15,
  renewedAtMs: NOW_MS - ageMs,
});

const life = (rest: Rest) => componentLife(cluster().with(rest).build(), NOW_MS);

describe("what etcd alone shows", () => {
  test("an API server by its key under masterleases/", () => {
    const apiServerKeys = ["/registry/masterleases/192.0.2.10", "/registry/masterleases/192.0.2.11"];
    expect(life({ apiServerKeys })).toEqual([
      {
        component: "kube-apiserver",
        isLive: true,
        why: "/registry/masterleases/192.0.2.10, /registry/masterleases/192.0.2.11",
      },
    ]);
  });

  test("one without such a key by what is written through it", () => {
    const written = "/registry/leases/kube-node-lease/n1";
    expect(life({ writtenMeanwhile: written })).toEqual([
      { component: "kube-apiserver", isLive: true, why: `${written}, written while the plan was read` },
    ]);
    expect(life({ componentLeases: [lease("kube-scheduler", 60_000)] })).toEqual([
      {
        component: "kube-apiserver",
        isLive: true,
        why: "/registry/leases/kube-system/kube-scheduler, renewed 2026-12-01T11:59:58.000000Z",
      },
      {
        component: "kube-scheduler",
        isLive: true,
        why: "kube-1_5f0c, Lease renewed 2026-12-01T11:59:58.000000Z",
      },
    ]);
  });

  test("a Lease's holder stays when it stops", () => {
    expect(life({ componentLeases: [lease("kube-controller-manager", 60_001)] })).toEqual([
      {
        component: "kube-apiserver",
        isLive: false,
        why: "no key under /registry/masterleases/, no write under /registry/ meanwhile",
      },
      {
        component: "kube-controller-manager",
        isLive: false,
        why: "kube-1_5f0c, Lease renewed 2026-12-01T11:59:58.000000Z",
      },
    ]);
  });
});

test.each<[string, Rest]>([
  ["a key under masterleases/", { apiServerKeys: ["/registry/masterleases/192.0.2.10"] }],
  ["a Lease that is renewed", { componentLeases: [lease("kube-controller-manager", 2000)] }],
  ["a write", { writtenMeanwhile: "/registry/pods/shop/cart" }],
])("each sign is enough for one Node a transaction: %s", (_sign, rest) => {
  const builder = cluster().node("n1", "10.112.0.0/24").with(rest);
  expect(apiServerSigns(builder.build(), NOW_MS)).toHaveLength(1);
  expect(planOver(builder, "10.212.0.0/16").mode.kind).toBe("one-node-a-transaction");
});
