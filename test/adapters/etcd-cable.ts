import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";

/** A TCP relay in front of an etcd that loses, on demand, what is sent next or what is answered next. */
export interface Cable {
  readonly endpoint: string;
  /** Cuts the connection at the next bytes in that direction, which are lost. */
  cutAtNext(direction: "request" | "answer"): void;
  close(): void;
}

export async function layCable(clientUrl: string): Promise<Cable> {
  const { hostname, port } = new URL(clientUrl);
  const sockets = new Set<Socket>();
  let cut: "request" | "answer" | undefined;
  const relay = (from: Socket, to: Socket, direction: "request" | "answer") => {
    sockets.add(from);
    from.on("error", () => to.destroy());
    from.on("close", () => to.destroy());
    from.on("data", (bytes) => {
      if (cut === direction) {
        from.destroy();
        to.destroy();
      } else {
        to.write(bytes);
      }
    });
  };
  const server = createServer((client) => {
    const etcd = connect(Number(port), hostname);
    relay(client, etcd, "request");
    relay(etcd, client, "answer");
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  return {
    endpoint: `http://127.0.0.1:${Object(server.address()).port}`,
    cutAtNext: (direction) => {
      cut = direction;
    },
    close: () => {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
