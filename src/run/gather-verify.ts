import { readCalicoBlock } from "../objects/calico.js";
import { ENDPOINT_SLICE_SELECTION, readPodEndpoints } from "../objects/endpoint-slice.js";
import { readIpAddress } from "../objects/ip-address.js";
import { readKubeletConfig } from "../objects/kubelet.js";
import { POD_SELECTION, readHostPod, readPod } from "../objects/pod-tally.js";
import { readService, SERVICE_SELECTION, type ServiceFacts } from "../objects/service.js";
import { readServiceCidr } from "../objects/service-range.js";
import { podBlocks } from "../plan/verify/pod-blocks.js";
import { createStrayCounter, type Strays } from "../plan/verify/stray-addresses.js";
import type { VerifyFacts } from "../plan/verify/verify-facts.js";
import { CALICO_GROUPS, type GatherRequest, gather, gatherAllocations } from "./gather.js";
import { createObjectReader, type ObjectReader } from "./object-reader.js";

/** Reads every place that holds an address, at one revision; Pods and EndpointSlices are streamed and counted. */
export async function gatherVerify(request: Omit<GatherRequest, "spool">): Promise<VerifyFacts> {
  const readSet = await gather(request);
  const reader = createObjectReader({ ...request, revision: readSet.revision });
  const blocks = podBlocks(readSet);
  const { strayPods, hostPods } = await countStrayPods(reader, createStrayCounter(blocks));
  const strayEndpoints = await countStrayEndpoints(reader, createStrayCounter(blocks), hostPods);
  const kubelet = await reader.one("configmaps/kube-system/kubelet-config", readKubeletConfig);
  return {
    readSet,
    strayPods,
    strayEndpoints,
    serviceCidrs: await reader.all("servicecidrs/", readServiceCidr),
    allocations: await gatherAllocations(reader),
    services: await gatherServices(reader),
    ipAddresses: await reader.all("ipaddresses/", (_key, object) => readIpAddress(object)),
    calicoBlocks: await gatherCalicoBlocks(reader),
    unreadable: [...readSet.unreadable, ...reader.unreadable],
    ...(kubelet === undefined ? {} : { kubelet }),
  };
}

async function countStrayPods(
  reader: ObjectReader,
  counter: ReturnType<typeof createStrayCounter>,
): Promise<{ strayPods: Strays; hostPods: ReadonlySet<string> }> {
  const hostPods = new Set<string>();
  await reader.each("pods/", "Pod", POD_SELECTION, async (_keyValue, object) => {
    const hostPod = readHostPod(object);
    if (hostPod !== undefined) hostPods.add(hostPod);
    const pod = readPod(object);
    if (pod !== undefined) counter.add(pod.node, pod.addresses, pod.addresses[0]?.pod ?? "");
  });
  return { strayPods: counter, hostPods };
}

/** A Pod on its host's network has the host's address. */
async function countStrayEndpoints(
  reader: ObjectReader,
  counter: ReturnType<typeof createStrayCounter>,
  hostPods: ReadonlySet<string>,
): Promise<Strays> {
  await reader.each(
    "endpointslices/",
    "EndpointSlice",
    ENDPOINT_SLICE_SELECTION,
    async (_keyValue, object) => {
      for (const { slice, node, addresses } of readPodEndpoints(object)) {
        const pod = addresses[0]?.pod ?? "";
        if (!hostPods.has(pod)) counter.add(node, addresses, `${slice} -> ${pod}`);
      }
    },
  );
  return counter;
}

async function gatherServices(reader: ObjectReader): Promise<readonly ServiceFacts[]> {
  const services: ServiceFacts[] = [];
  await reader.each("services/specs/", "Service", SERVICE_SELECTION, async (_keyValue, object) => {
    const service = readService(object);
    if (service !== undefined) services.push(service);
  });
  return services;
}

async function gatherCalicoBlocks(reader: ObjectReader): Promise<VerifyFacts["calicoBlocks"]> {
  const blocks = [];
  for (const group of CALICO_GROUPS)
    blocks.push(...(await reader.all(`${group}/ipamblocks/`, readCalicoBlock)));
  return blocks;
}
