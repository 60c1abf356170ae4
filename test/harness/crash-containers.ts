import {
  GenericContainer,
  getContainerRuntimeClient,
  Network,
  type StartedTestContainer,
  Wait,
} from "testcontainers";
import { onTestFinished } from "vitest";
import { buildImage, IMAGE } from "./docker.js";
import { etcdBinary, openClient } from "./etcd.js";

/** An etcd of three members, each in a container, in a network of their own. */
export interface ContainerCluster {
  /** `HOST:PORT` of each member, the leader first. */
  readonly endpoints: readonly string[];
  /** What happens to a member, by its place. */
  pause(member: number): Promise<void>;
  unpause(member: number): Promise<void>;
  stop(member: number): Promise<void>;
  cutOff(member: number): Promise<void>;
}

const NAMES = ["etcd-1", "etcd-2", "etcd-3"];
const INITIAL = NAMES.map((name) => `${name}=http://${name}:2380`).join(",");

/** Starts them; they go when the test has ended. */
export async function startContainerCluster(): Promise<ContainerCluster> {
  await buildImage(etcdBinary());
  const network = await new Network().start();
  const start = (name: string) =>
    new GenericContainer(IMAGE)
      .withNetwork(network)
      .withNetworkAliases(name)
      .withCommand([
        `--name=${name}`,
        "--listen-client-urls=http://0.0.0.0:2379",
        `--advertise-client-urls=http://${name}:2379`,
        "--listen-peer-urls=http://0.0.0.0:2380",
        `--initial-advertise-peer-urls=http://${name}:2380`,
        `--initial-cluster=${INITIAL}`,
      ])
      .withExposedPorts(2379)
      // Healthy is who sees a leader, so all three at once.
      .withWaitStrategy(Wait.forHttp("/health", 2379))
      .start();
  const started = await Promise.all(NAMES.map(start));
  const { container } = await getContainerRuntimeClient();
  onTestFinished(async () => {
    await Promise.all(
      started.map((each) => container.dockerode.getContainer(each.getId()).remove({ force: true })),
    );
    await network.stop();
  });
  const members = await leaderFirst(started);
  const docker = (member: number) => container.dockerode.getContainer(members[member]?.getId() ?? "");
  return {
    endpoints: members.map(endpointOf),
    pause: (member) => docker(member).pause(),
    unpause: (member) => docker(member).unpause(),
    stop: (member) => docker(member).stop({ t: 0 }),
    cutOff: (member) =>
      container.dockerode
        .getNetwork(network.getId())
        .disconnect({ Container: members[member]?.getId(), Force: true }),
  };
}

function endpointOf(container: StartedTestContainer): string {
  return `${container.getHost()}:${container.getMappedPort(2379)}`;
}

async function leaderFirst(
  started: readonly StartedTestContainer[],
): Promise<readonly StartedTestContainer[]> {
  const leads = await Promise.all(
    started.map(async (container) => {
      const client = openClient(endpointOf(container));
      const { header, leader } = await client.maintenance.status();
      client.close();
      return header.member_id === leader;
    }),
  );
  return [...started].sort(
    (left, right) => Number(leads[started.indexOf(right)]) - Number(leads[started.indexOf(left)]),
  );
}
