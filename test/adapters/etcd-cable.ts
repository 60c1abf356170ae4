import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";

/** A TCP relay in front of an etcd that loses or delays, on demand, what is sent next or what is answered next. */
export interface Cable {
  readonly endpoint: string;
  /** Cuts the connection at the next bytes in that direction, which are lost. */
  cutAtNext(direction: "request" | "answer"): void;
  /** Keeps back what is sent from now on; the returned function delivers it, without the cancellations in it. */
  delayRequests(): () => void;
  close(): void;
}

export async function layCable(clientUrl: string): Promise<Cable> {
  const { hostname, port } = new URL(clientUrl);
  const sockets = new Set<Socket>();
  let cut: "request" | "answer" | undefined;
  let delayed: Map<Socket, Buffer[]> | undefined;
  const relay = (from: Socket, to: Socket, direction: "request" | "answer") => {
    sockets.add(from);
    const end = () => delayed?.has(to) || to.destroy();
    from.on("error", end);
    from.on("close", end);
    from.on("data", (bytes) => {
      if (cut === direction && (direction === "request" || carriesAnswer(bytes))) {
        from.destroy();
        to.destroy();
      } else if (delayed !== undefined && direction === "request") {
        delayed.set(to, [...(delayed.get(to) ?? []), bytes]);
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
    delayRequests: () => {
      const kept = new Map<Socket, Buffer[]>();
      delayed = kept;
      return () => {
        delayed = undefined;
        for (const [to, chunks] of kept) to.write(withoutCancellations(Buffer.concat(chunks)));
      };
    },
    close: () => {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

const [DATA, HEADERS] = [0, 1];

/** Whether there is more in it than a ping, settings or a window update, which come before etcd has done anything. */
function carriesAnswer(bytes: Buffer): boolean {
  for (let offset = 0; offset + 9 <= bytes.length; offset += 9 + bytes.readUIntBE(offset, 3)) {
    const type = bytes[offset + 3];
    if (type === DATA || type === HEADERS) return true;
  }
  return false;
}

const RST_STREAM = 3;
const GOAWAY = 7;

/** HTTP/2 frames (RFC 9113, section 4.1) but those that would end a request that went before them. */
function withoutCancellations(frames: Buffer): Buffer {
  const rest: Buffer[] = [];
  for (let at = 0; at < frames.length; ) {
    const end = at + 9 + frames.readUIntBE(at, 3);
    const type = frames.readUInt8(at + 3);
    rest.push(...[frames.subarray(at, end)].filter(() => type !== RST_STREAM && type !== GOAWAY));
    at = end;
  }
  return Buffer.concat(rest);
}
