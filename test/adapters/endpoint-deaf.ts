import { spawn } from "node:child_process";
import { once } from "node:events";
import { connect, type Socket } from "node:net";

const LISTEN = `
  const server = require("node:net").createServer();
  server.listen({ port: 0, host: "127.0.0.1", backlog: 1 }, () => console.log(server.address().port));
`;

/** A port that drops every attempt to connect, as a firewall does: its process is frozen and its short queue full. */
export async function startDeafPort(): Promise<{ readonly endpoint: string; stop(): void }> {
  const child = spawn(process.execPath, ["-e", LISTEN], { stdio: ["ignore", "pipe", "inherit"] });
  const [line] = await once(child.stdout, "data");
  child.kill("SIGSTOP");
  const port = Number(String(line));
  const sockets: Socket[] = [];
  for (let full = false; !full; ) {
    const socket = connect(port, "127.0.0.1").on("error", () => undefined);
    sockets.push(socket);
    // A connection to loopback that the kernel takes is there at once; one that it drops is tried again in a second.
    socket.setTimeout(900);
    full = await Promise.race([
      once(socket, "connect").then(() => false),
      once(socket, "timeout").then(() => true),
    ]);
  }
  return {
    endpoint: `http://127.0.0.1:${port}`,
    stop: () => {
      for (const socket of sockets) socket.destroy();
      child.kill("SIGKILL");
    },
  };
}
