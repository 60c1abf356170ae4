import { EtcdcidrError, NOTHING_WRITTEN } from "../errors.js";
import type { Named } from "./discovery-local.js";

/**
 * The endpoints of a list with commas, each once. Without a scheme it is https where TLS files are given, else http,
 * as for etcdctl. Throws `usage`.
 */
export function endpointUrls(list: Named, withTls: boolean): readonly string[] {
  const urls = list.value
    .split(",")
    .map((text) => text.trim())
    .filter((text) => text !== "")
    .map((text) => endpointUrl(text, list.name, withTls));
  if (urls.length === 0) {
    throw unusable(list.name, list.value, "it names no endpoint");
  }
  return [...new Set(urls)];
}

function endpointUrl(text: string, name: string, withTls: boolean): string {
  const url = text.includes("://") ? text : `${withTls ? "https" : "http"}://${text}`;
  if (url.startsWith("unix:///")) {
    return url;
  }
  const [, scheme, host, port] = URL_FORM.exec(url) ?? [];
  if (host !== undefined && port === undefined) {
    throw unusable(name, text, "it has no port");
  }
  if (scheme === undefined || Number(port) < 1 || Number(port) > 65_535) {
    throw unusable(name, text, "it is not http://host:port, https://host:port or unix:///path");
  }
  return `${scheme}://${host}:${port}`;
}

const URL_FORM = /^(https?):\/\/(\[[0-9a-fA-F:.]+\]|[^:/?#@[\]\s]+)(?::(\d{1,5}))?\/?$/;

function unusable(name: string, text: string, why: string): EtcdcidrError {
  return new EtcdcidrError("usage", {
    what: `${name} ${JSON.stringify(text)} cannot be used`,
    why,
    now: NOTHING_WRITTEN,
    next: "give endpoints as https://10.0.0.1:2379, several with commas",
  });
}
