import { describe, expect, test } from "vitest";
import { cluster } from "../../harness/read-set.js";
import { codes, findingsOf, planOver } from "../scene.js";

const one = () => cluster().node("n1", "10.112.0.0/24");

describe("overlap", () => {
  test("with service ranges, node addresses and reserved ranges, each named once", () => {
    const scene = cluster()
      .node("n1", { podCidrs: ["10.112.0.0/24"], addresses: ["10.212.9.1", "fd00::1"] })
      .with({
        serviceRanges: [
          { cidr: "10.212.96.0/20", source: "/registry/servicecidrs/kubernetes" },
          { cidr: "10.212.96.0/20", source: "--service-cluster-ip-range of kube-apiserver on kube-1" },
          { cidr: "10.96.0.0/16", source: "/registry/servicecidrs/other" },
          { cidr: "nonsense", source: "/registry/ranges/serviceips" },
        ],
      });
    const plan = planOver(scene, "10.212.0.0/16", { reserved: ["10.212.200.0/24", "10.213.0.0/24"] });
    expect(findingsOf(plan, "overlap")).toEqual([
      {
        code: "overlap",
        severity: "blocker",
        acceptable: false,
        keys: [],
        what:
          "the new range 10.212.0.0/16 overlaps service range 10.212.96.0/20 (/registry/servicecidrs/kubernetes), " +
          "address 10.212.9.1 of Node n1, reserved 10.212.200.0/24",
        why:
          "addresses there would belong to Pods and to something else at once; kube-controller-manager gives Nodes any " +
          "block of its range",
        next: "choose a range that overlaps none of them",
      },
    ]);
  });

  test("a range that contains the new one overlaps it, too", () => {
    const services = [{ cidr: "10.0.0.0/8", source: "/registry/servicecidrs/kubernetes" }];
    expect(codes(planOver(one().with({ serviceRanges: services }), "10.212.0.0/16"))).toEqual([
      "blocker overlap",
    ]);
    expect(codes(planOver(one(), "10.212.0.0/16", { reserved: ["10.192.0.0/11"] }))).toContain(
      "blocker overlap",
    );
  });

  test("a range right beside it does not, nor one of the other family", () => {
    const scene = cluster()
      .node("n1", { podCidrs: ["10.112.0.0/24"], addresses: ["10.211.255.255", "10.213.0.0", "fd00::1"] })
      .with({
        serviceRanges: [
          { cidr: "10.213.0.0/16", source: "a" },
          { cidr: "fd00::/8", source: "b" },
        ],
      });
    expect(codes(planOver(scene, "10.212.0.0/16", { reserved: ["10.211.0.0/16", "fd00::/8"] }))).toEqual([]);
  });

  test("it cannot be accepted", () => {
    const scene = one().with({ serviceRanges: [{ cidr: "10.212.0.0/16", source: "a" }] });
    const [finding] = findingsOf(planOver(scene, "10.212.0.0/16", { accept: ["overlap"] }), "overlap");
    expect(finding?.acceptable).toBe(false);
  });
});

describe("not-private", () => {
  test("what is not RFC 1918, RFC 6598 or ULA", () => {
    expect(findingsOf(planOver(one(), "172.168.0.0/16"), "not-private")).toEqual([
      {
        code: "not-private",
        severity: "blocker",
        acceptable: true,
        keys: [],
        what: "the new range 172.168.0.0/16 is not private",
        why:
          "it is not inside RFC 1918, RFC 6598 (100.64.0.0/10) or fc00::/7: whoever owns it on the internet becomes " +
          "unreachable",
        next: "choose a private range, unless this one is yours",
      },
    ]);
  });

  test.each([
    ["2001:db8::/48", ["blocker not-private"]],
    ["192.0.0.0/8", ["blocker not-private"]],
    ["fd00::/48", []],
    ["172.16.0.0/12", []],
    ["192.168.0.0/16", []],
    ["100.64.0.0/10", []],
  ])("%s: %o", (target, expected) => {
    expect(codes(planOver(cluster(), target))).toEqual(expected);
  });
});

describe("capacity", () => {
  const nodes = (count: number) =>
    cluster().nodes("n", count, (index) => `10.${index >> 8}.${index & 255}.0/24`);

  test("257 Nodes in 256 blocks: which masks fit", () => {
    expect(findingsOf(planOver(nodes(257), "10.212.0.0/16"), "capacity")).toEqual([
      {
        code: "capacity",
        severity: "blocker",
        acceptable: false,
        keys: [],
        what: "257 Nodes need a block, and 10.212.0.0/16 has 256 blocks of /24",
        why: "there is none left for n256",
        next: "use a mask of /25 or longer (512 blocks of 126 addresses at /25), or a range of /15 or wider with /24 blocks",
      },
    ]);
  });

  test("256 fit", () => {
    expect(codes(planOver(nodes(256), "10.212.0.0/16"))).toEqual(["warning nearly-full"]);
  });

  test("blocks of Nodes that are left out count as used", () => {
    const scene = cluster()
      .node("n1", "10.112.0.0/24")
      .node("n2", "10.212.0.0/24")
      .node("n3", "10.212.1.0/24");
    const plan = planOver(scene, "10.212.0.0/23", { nodes: ["n1"] });
    expect(findingsOf(plan, "capacity")).toMatchObject([
      {
        what: "1 Node needs a block, and 10.212.0.0/23 has 2 blocks of /24",
        why: "there is none left for n1",
        next: "use a mask of /25 or longer (4 blocks of 126 addresses at /25), or a range of /22 or wider with /24 blocks",
      },
    ]);
  });

  test("a mask that is shorter than the range has no block at all", () => {
    expect(findingsOf(planOver(one(), "10.212.0.0/16", { nodeMaskSize: 12 }), "capacity")).toMatchObject([
      {
        what: "1 Node needs a block, and 10.212.0.0/16 has 0 blocks of /12",
        next: "use a mask of /16 or longer (1 block of 65534 addresses at /16), or a range of /12 or wider with /12 blocks",
      },
    ]);
  });

  test("as many blocks as Nodes are enough", () => {
    const plan = planOver(nodes(4), "10.212.0.0/16", { nodeMaskSize: 17 });
    expect(findingsOf(plan, "capacity")).toMatchObject([
      {
        what: "4 Nodes need a block, and 10.212.0.0/16 has 2 blocks of /17",
        next: "use a mask of /18 or longer (4 blocks of 16382 addresses at /18), or a range of /15 or wider with /17 blocks",
      },
    ]);
  });

  test("where no mask is long enough only a wider range helps", () => {
    const plan = planOver(nodes(5), "10.212.0.0/30", { nodeMaskSize: 32 });
    expect(findingsOf(plan, "capacity")).toMatchObject([
      { next: "use a wider range, or a range of /29 or wider with /32 blocks" },
    ]);
  });
});

describe("nearly-full", () => {
  const nodes = (count: number) => cluster().nodes("n", count, (index) => `10.112.${index}.0/24`);

  test("more than 80 %", () => {
    expect(findingsOf(planOver(nodes(9), "10.212.0.0/22", { nodeMaskSize: 26 }), "nearly-full")).toEqual([]);
    expect(findingsOf(planOver(nodes(13), "10.212.0.0/22", { nodeMaskSize: 26 }), "nearly-full")).toEqual([
      {
        code: "nearly-full",
        severity: "warning",
        acceptable: false,
        keys: [],
        what: "10.212.0.0/22 will be nearly full: 13 of 16 blocks used",
        why: "a Node that joins when no block is left stays without Pods (CIDRNotAvailable)",
        next: "use a wider range or a longer mask if the cluster is to grow",
      },
    ]);
  });

  test("a block of another size uses all that it touches", () => {
    const used = (block: string, target: string) =>
      planOver(cluster().node("n1", "10.112.0.0/24").node("n2", block), target, {
        nodes: ["n1"],
        nodeMaskSize: 24,
      }).outline.families.map((family) => family.used);
    expect(used("10.212.4.0/22", "10.212.0.0/16")).toEqual([5]);
    expect(used("10.212.4.64/26", "10.212.0.0/16")).toEqual([2]);
    expect(used("10.0.0.0/8", "10.212.0.0/22")).toEqual([4]);
    expect(used("10.113.0.0/16", "10.212.0.0/22")).toEqual([1]);
  });

  test("blocks that overlap count once", () => {
    const builder = cluster()
      .node("n1", "10.212.0.0/22")
      .node("n2", "10.212.2.0/24")
      .node("n3", "10.212.3.128/25");
    const plan = planOver(builder.node("n4", "10.212.9.0/24"), "10.212.0.0/16", {
      nodes: ["n4"],
      nodeMaskSize: 24,
    });
    expect(plan.outline.families.map(({ used }) => used)).toEqual([5]);
  });

  test("exactly 80 % is not", () => {
    const scene = cluster().nodes("n", 4, (index) => `10.212.0.${index * 32}/29`);
    expect(codes(planOver(scene, "10.212.0.0/24", { nodeMaskSize: 29 }))).toEqual([]);
    const scarce = cluster().nodes("n", 4, (index) => `10.112.${index}.0/24`);
    expect(codes(planOver(scarce, "10.212.0.0/22", { nodeMaskSize: 24 }))).toContain("warning nearly-full");
    const four = cluster().nodes("n", 12, (index) => `10.112.${index}.0/24`);
    expect(codes(planOver(four, "10.212.0.0/20", { nodeMaskSize: 24 }))).toEqual([]);
  });
});

describe("the distance between range and mask", () => {
  test("17 bits of IPv6 stop kube-controller-manager", () => {
    const scene = cluster().node("n1", "fd00:1::/64");
    expect(findingsOf(planOver(scene, "fd00:2::/47"), "ipv6-difference")).toEqual([
      {
        code: "ipv6-difference",
        severity: "blocker",
        acceptable: false,
        keys: [],
        what: "blocks of /64 in fd00:2::/47 leave 17 bits for the index",
        why: "kube-controller-manager exits at start when the difference is above 16 for IPv6",
        next: "use a mask of /63 or shorter, or a smaller range",
      },
    ]);
  });

  test("17 bits of IPv4 are kubeadm's rule alone", () => {
    expect(findingsOf(planOver(one(), "10.0.0.0/8", { nodeMaskSize: 25 }), "ipv4-difference")).toEqual([
      {
        code: "ipv4-difference",
        severity: "blocker",
        acceptable: true,
        keys: [],
        what: "blocks of /25 in 10.0.0.0/8 leave 17 bits for the index",
        why: "kubeadm refuses a difference above 16; kube-controller-manager itself does not",
        next: "use a mask of /24 or shorter, or a smaller range",
      },
    ]);
  });

  test("16 bits are none", () => {
    expect(codes(planOver(cluster().node("n1", "fd00:1::/64"), "fd00:2::/48"))).toEqual([]);
    expect(codes(planOver(one(), "10.0.0.0/8", { nodeMaskSize: 24 }))).toEqual([]);
  });
});
