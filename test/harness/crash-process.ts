import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";

/** The built command line as a real process; it is killed when its test has ended. */
export interface CliProcess {
  readonly child: ChildProcess;
  readonly pid: number;
  readonly out: () => string;
  readonly err: () => string;
  /** Resolves when stderr holds the text. */
  said(text: string): Promise<void>;
  /** Exit code, or the signal that ended it. */
  readonly ended: Promise<number | NodeJS.Signals>;
}

const BIN = fileURLToPath(new URL("../../bin/etcdcidr.js", import.meta.url));

/** Without what the person's own environment says of an etcd. */
export function startCli(argv: readonly string[]): CliProcess {
  const environment = Object.entries(process.env).filter(([name]) => !name.startsWith("ETCDCTL_"));
  const child = spawn(process.execPath, [BIN, ...argv], {
    env: Object.fromEntries(environment),
    stdio: ["ignore", "pipe", "pipe"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  let out = "";
  let err = "";
  child.stdout.on("data", (bytes) => {
    out += bytes;
  });
  child.stdout.on("error", () => undefined);
  child.stderr.on("data", (bytes) => {
    err += bytes;
  });
  const ended = once(child, "close").then(([code, signal]) => code ?? signal);
  return {
    child,
    pid: Number(child.pid),
    out: () => out,
    err: () => err,
    async said(text) {
      while (!err.includes(text)) {
        const more = await Promise.race([once(child.stderr, "data"), ended]);
        if (!Array.isArray(more) && !err.includes(text))
          throw new Error(`it ended without "${text}": ${err}`);
      }
    },
    ended,
  };
}

/** A TCP relay in front of an etcd that stops a connection at a Txn over a key. */
export interface Relay {
  readonly endpoint: string;
  /** Resolves when a Txn over this key has come; from then on what its connection sends, or is answered, is kept back. */
  hold(key: string, what: Direction): Promise<void>;
  /** Delivers what was kept back, and holds nothing more. */
  release(): void;
}

type Direction = "request" | "answer";

interface Connection {
  readonly sockets: readonly [Socket, Socket];
  holding: Direction | undefined;
  readonly kept: { readonly to: Socket; readonly bytes: Buffer }[];
}

export async function startRelay(etcd: string): Promise<Relay> {
  const [host, port] = etcd.split(":");
  const connections: Connection[] = [];
  let wanted: { readonly key: string; readonly what: Direction; readonly held: () => void } | undefined;
  const relay = (connection: Connection, direction: Direction) => {
    const [from, to] = direction === "request" ? connection.sockets : connection.sockets.toReversed();
    from?.on("error", () => to?.destroy());
    from?.on("close", () => to?.destroy());
    from?.on("data", (bytes) => {
      if (direction === "request" && wanted !== undefined && isTxnOver(wanted.key, bytes)) {
        connection.holding = wanted.what;
        wanted.held();
        wanted = undefined;
      }
      if (to !== undefined && connection.holding === direction) connection.kept.push({ to, bytes });
      else to?.write(bytes);
    });
  };
  const server = createServer((client) => {
    const connection: Connection = {
      sockets: [client, connect(Number(port), host)],
      holding: undefined,
      kept: [],
    };
    connections.push(connection);
    relay(connection, "request");
    relay(connection, "answer");
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  onTestFinished(() => {
    server.close();
    for (const socket of connections.flatMap(({ sockets }) => sockets)) socket.destroy();
  });
  return {
    endpoint: `127.0.0.1:${Object(server.address()).port}`,
    hold: (key, what) =>
      new Promise((held) => {
        wanted = { key, what, held };
      }),
    release() {
      for (const connection of connections) {
        connection.holding = undefined;
        for (const { to, bytes } of connection.kept.splice(0)) to.write(bytes);
      }
    },
  };
}

/** Keys go over the wire as they are, behind their length; only a Txn that writes names the lock beside a Node. */
function isTxnOver(key: string, bytes: Buffer): boolean {
  const text = bytes.toString("latin1");
  return text.includes(String.fromCharCode(key.length) + key) && text.includes("/etcdcidr/lock");
}
