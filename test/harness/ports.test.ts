import { once } from "node:events";
import { createServer } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { freePorts, refuseTaken } from "../../scripts/ports.mjs";

test("a port is free until somebody listens on it", async () => {
  const [port = 0, other] = await freePorts(2);
  expect(port).not.toBe(other);
  await refuseTaken(port);
  const server = createServer();
  onTestFinished(() => void server.close());
  await once(server.listen(port, "127.0.0.1"), "listening");
  await expect(refuseTaken(port)).rejects.toThrow(`port ${port} of 127.0.0.1 cannot be had: EADDRINUSE`);
});
