// Ports of loopback that nobody listens on.
import { randomInt } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:net";

/** Below the ports that systems give to outgoing connections (32768 and up), any of which could take a port in between. */
const [FIRST, END] = [20_000, 32_000];
const TRIES = 100;

/**
 * So many different free ports. Until it is bound another process can take one: the server that wants it has to say so.
 * @param {number} count
 */
export async function freePorts(count) {
  const free = new Set();
  for (let tries = 0; free.size < count; tries++) {
    if (tries === TRIES)
      throw new Error(`no ${count} free ports of 127.0.0.1 found between ${FIRST} and ${END}`);
    const port = randomInt(FIRST, END);
    if ((await whyTaken(port)) === undefined) free.add(port);
  }
  return [...free];
}

/**
 * Throws when the port cannot be listened on.
 * @param {number} port
 */
export async function refuseTaken(port) {
  const reason = await whyTaken(port);
  if (reason !== undefined) throw new Error(`port ${port} of 127.0.0.1 cannot be had: ${reason}`);
}

async function whyTaken(port) {
  const listener = createServer();
  try {
    await once(listener.listen(port, "127.0.0.1"), "listening");
  } catch (error) {
    return error.code;
  }
  await once(listener.close(), "close");
  return undefined;
}
