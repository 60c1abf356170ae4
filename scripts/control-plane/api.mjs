// Calls one Kubernetes API server.
import { Agent, request as httpsRequest } from "node:https";
import { createInterface } from "node:readline";

const DEADLINE_MS = 30_000;
const MERGE_PATCH = "application/merge-patch+json";

/**
 * A client that trusts one certificate only, so that nothing else can answer in the server's place.
 * @param {{ url: string, token: string, ca: string }} server
 */
export function openApi({ url, token, ca }) {
  const agent = new Agent({ keepAlive: true, ca, maxSockets: 32 });
  const headers = { authorization: `Bearer ${token}` };

  /** Any status is an answer. */
  function request(method, path, body, contentType = "application/json") {
    return new Promise((resolve, reject) => {
      const options = {
        method,
        agent,
        headers: { ...headers, "content-type": contentType },
        timeout: DEADLINE_MS,
      };
      const call = httpsRequest(`${url}${path}`, options, async (response) => {
        try {
          const text = (await response.setEncoding("utf8").toArray()).join("");
          const isJson = response.headers["content-type"]?.includes("json");
          resolve({ status: response.statusCode, body: isJson ? JSON.parse(text) : text });
        } catch (error) {
          reject(error);
        }
      });
      call.on("timeout", () => call.destroy(new Error(`${method} ${path}: no answer in ${DEADLINE_MS} ms`)));
      call.on("error", reject);
      call.end(body === undefined ? undefined : JSON.stringify(body));
    });
  }

  /** An answer that is not 2xx is thrown. */
  async function call(...args) {
    const { status, body } = await request(...args);
    if (status < 200 || status > 299)
      throw new Error(`${args[0]} ${args[1]} answered ${status}: ${body?.message ?? JSON.stringify(body)}`);
    return body;
  }

  /** Watches; `cut` breaks the connection, `ended` resolves when it is gone, whoever ended it. */
  function watch(path, onEvent) {
    const sign = path.includes("?") ? "&" : "?";
    const call = httpsRequest(`${url}${path}${sign}watch=1`, { agent: new Agent({ ca }), headers });
    let isCut = false;
    const ended = new Promise((resolve) => call.on("close", resolve));
    const opened = new Promise((resolve, reject) => {
      call.on("error", reject);
      call.on("response", (response) => {
        response.on("error", () => undefined);
        const lines = createInterface({ input: response });
        lines.on("error", () => undefined);
        // What has arrived before the cut but was not read yet is lost, as with a client that is gone.
        lines.on("line", (line) => isCut || onEvent(JSON.parse(line)));
        resolve();
      });
    });
    // Who does not wait for it learns from `ended` that there is no connection.
    opened.catch(() => undefined);
    call.end();
    const cut = () => {
      isCut = true;
      call.destroy();
    };
    return { opened, ended, cut };
  }

  return {
    request,
    watch,
    get: (path) => call("GET", path),
    create: (path, body) => call("POST", path, body),
    patch: (path, body) => call("PATCH", path, body, MERGE_PATCH),
    remove: (path) => call("DELETE", path),
    close: () => agent.destroy(),
  };
}
