import type { NodeFacts } from "../objects/node.js";
import { POD_SELECTION, readPod } from "../objects/pod-tally.js";
import { createOldPodCounter } from "../plan/count-old-pods.js";
import { createObjectReader, type ObjectReaderRequest } from "./object-reader.js";

/** Streams the Pods and counts those that still have addresses of a block that their Node has no more. */
export async function countOldPods(
  request: ObjectReaderRequest,
  nodes: readonly NodeFacts[],
): Promise<ReadonlyMap<string, number>> {
  const counter = createOldPodCounter(nodes);
  await createObjectReader(request).each("pods/", "Pod", POD_SELECTION, async (_keyValue, object) => {
    const pod = readPod(object);
    if (pod !== undefined) counter.add(pod);
  });
  return counter.counts;
}
