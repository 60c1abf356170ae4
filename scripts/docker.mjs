// Whether a Docker daemon answers. As a command: exit code 0 when it does, else 1.
import { request } from "node:http";
import { pathToFileURL } from "node:url";

/** Asks the daemon that DOCKER_HOST names, or the local one. */
export function dockerAnswers() {
  const host = process.env.DOCKER_HOST || "unix:///var/run/docker.sock";
  const { protocol, hostname, port, pathname } = new URL(host);
  const target = protocol === "unix:" ? { socketPath: pathname } : { hostname, port };
  return new Promise((resolve) => {
    const ping = request({ ...target, path: "/_ping", timeout: 5_000 }, (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    });
    ping.on("timeout", () => ping.destroy());
    ping.on("error", () => resolve(false));
    ping.end();
  });
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  process.exitCode = (await dockerAnswers()) ? 0 : 1;
}
