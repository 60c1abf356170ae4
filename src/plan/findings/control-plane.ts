import { isRenewed } from "../life-signs.js";
import type { Finding } from "../plan.js";
import type { FindingContext } from "../pod-cidr/context.js";
import { controllerManagers } from "../pod-cidr/old-range.js";
import { acceptableBlocker, blocker, count, someOf, warning } from "./finding.js";

/** Who else writes or owns what is changed, and what could not be read. */
export function findControlPlaneFaults(context: FindingContext): Finding[] {
  return [
    ...findUnreadable(context),
    ...findGarbage(context),
    ...findOwner(context),
    ...findLiveControllerManager(context),
  ];
}

function findUnreadable({ readSet: { unreadable } }: FindingContext): Finding[] {
  if (unreadable.length === 0) return [];
  return [
    blocker("unreadable", {
      keys: unreadable.map(({ key }) => key),
      what: `${count(unreadable.length, "value")} cannot be read: ${someOf(unreadable.map(({ key }) => key))}`,
      why: someOf([...new Set(unreadable.map(({ why }) => why))]),
      next: unreadable.every(({ why }) => why.includes("encrypted"))
        ? "nothing is damaged: this version of etcdcidr cannot read values that are encrypted at rest, and changes nothing there"
        : "put a journal's bytes back with `etcdcidr rollback --restore-unreadable <key>`, or the value from an etcd snapshot: one unreadable object stops every list of its kind",
    }),
  ];
}

function findGarbage({ nodes }: FindingContext): Finding[] {
  const odd = nodes.filter(({ blocks }) => blocks.garbage.length > 0);
  if (odd.length === 0) return [];
  return [
    blocker("unreadable", {
      keys: odd.map(({ blocks }) => blocks.node.key),
      what: `podCIDRs of ${someOf(odd.map(({ blocks }) => blocks.node.name))} are no CIDRs`,
      why: someOf(odd.flatMap(({ blocks }) => blocks.garbage.map((text) => JSON.stringify(text)))),
      next: "find out what wrote them, and delete and re-create these Nodes",
    }),
  ];
}

function findOwner({ readSet: { ownerKeys } }: FindingContext): Finding[] {
  if (ownerKeys.length === 0) return [];
  return [
    acceptableBlocker("operator-owned", {
      keys: ownerKeys,
      what: "an operator owns this cluster's network",
      why: `${someOf(ownerKeys)} is its configuration: it sets the old range again, or reports itself degraded`,
      next: "change the range through the operator",
    }),
  ];
}

function findLiveControllerManager({ readSet, nowMs }: FindingContext): Finding[] {
  const lease = readSet.componentLeases.find(({ key }) => key.endsWith("/kube-controller-manager"));
  if (lease === undefined || !isRenewed(lease, nowMs)) return [];
  const range = controllerManagers(readSet)[0]?.flags.get("cluster-cidr");
  return [
    warning("kcm-live", {
      keys: [lease.key],
      what: `kube-controller-manager is running, or was less than a minute ago (${lease.holder}, Lease renewed ${lease.renewTime})`,
      why:
        `until it is restarted it gives new Nodes blocks of the range it was started with${range === undefined ? "" : ` (its flags say ${range})`}, ` +
        "and it exits at its next start if a Node is outside its --cluster-cidr",
      next: "stop it before the change, and start it with the new flags afterwards",
    }),
  ];
}
