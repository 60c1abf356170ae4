import { spawnSync } from "node:child_process";
import { copyFileSync, cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { GenericContainer, Wait } from "testcontainers";
import { etcdBinary } from "./etcd.js";

/** A throw-away etcd of one member in a Docker container, its client port published on the host. */
export interface EtcdContainer {
  /** `HOST:PORT`, as `--endpoints` takes it. */
  readonly endpoint: string;
  stop(): Promise<void>;
}

export const IMAGE = "etcdcidr-test-etcd:local";
const CLIENT_PORT = 2379;

/** Builds an image from the local binary, since none can be pulled, and starts one container of it. */
export async function startEtcdContainer(): Promise<EtcdContainer> {
  const image = await buildImage(etcdBinary());
  const container = await image
    .withCommand([
      `--listen-client-urls=http://0.0.0.0:${CLIENT_PORT}`,
      "--advertise-client-urls=http://127.0.0.1:2379",
    ])
    .withExposedPorts(CLIENT_PORT)
    // The default strategy runs a shell in the container, and there is none in it.
    .withWaitStrategy(Wait.forHttp("/health", CLIENT_PORT))
    .start();
  return {
    endpoint: `${container.getHost()}:${container.getMappedPort(CLIENT_PORT)}`,
    async stop() {
      await container.stop({ timeout: 0 });
    },
  };
}

/** An image of nothing but the binary and its libraries. */
export async function buildImage(binary: string): Promise<GenericContainer> {
  const context = mkdtempSync(join(tmpdir(), "etcdcidr-image-"));
  try {
    copyFileSync(binary, join(context, "etcd"));
    mkdirSync(join(context, "lib"));
    for (const library of sharedLibraries(binary)) {
      cpSync(library, join(context, "lib", library), { dereference: true });
    }
    writeFileSync(
      join(context, "Dockerfile"),
      'FROM scratch\nCOPY etcd /etcd\nCOPY lib /\nENTRYPOINT ["/etcd"]\n',
    );
    return await GenericContainer.fromDockerfile(context).build(IMAGE, { deleteOnExit: false });
  } finally {
    rmSync(context, { recursive: true });
  }
}

/** Debian's etcd needs libc and its loader by their paths; one built with Go needs nothing, and `ldd` lists nothing. */
function sharedLibraries(binary: string): readonly string[] {
  const { stdout } = spawnSync("ldd", [binary], { encoding: "utf8" });
  return [...stdout.matchAll(/(\/\S+) \(0x/g)].map((match) => String(match[1]));
}
