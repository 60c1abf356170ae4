import { type Store, useBed } from "./bed.js";
import { judgeControllerManager } from "./controller-manager.js";
import { judgeFamilies } from "./families.js";
import { judgeLiveChange } from "./live-change.js";
import { judgeManyNodes } from "./many-nodes.js";
import { judgeOddNodes } from "./odd-nodes.js";

const OLD_RANGE = "10.112.0.0/16";
const NODES = 80;
/** StrictIPCIDRValidation is on by default since 1.36 (pkg/features/kube_features.go). */
const STRICT_SINCE_MINOR = 36;

/** Everything that is judged by the components of one minor of Kubernetes, over one control plane of the file. */
export function judge(minor: string, store: Store = "etcd"): void {
  const bed = useBed({ minor, store, nodes: NODES, clusterCidr: OLD_RANGE });
  judgeLiveChange(bed, OLD_RANGE);
  judgeControllerManager(bed, OLD_RANGE);
  judgeFamilies(bed);
  judgeOddNodes(bed, Number(minor.split(".")[1]) >= STRICT_SINCE_MINOR);
  judgeManyNodes(bed);
}
