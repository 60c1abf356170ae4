import { readFile } from "node:fs/promises";
import { get as getHttp } from "node:http";
import { get as getHttps, type RequestOptions } from "node:https";
import type { CertificateFiles } from "./etcd-configuration.js";
import { isListening } from "./local-process.js";

const PATIENCE_MS = 2000;

/**
 * Why a member does not answer here on its peer port; undefined when it does. etcd that joins asks the same `GET /members` with its
 * peer certificate (etcdserver/cluster_util.go). Without a certificate of an https port only the connection is tried.
 */
export async function peerFault(
  url: string,
  certificate: CertificateFiles | undefined,
): Promise<string | undefined> {
  const isPlain = url.startsWith("http:");
  if (!isPlain && certificate === undefined) return (await isListening(url)) ? undefined : "no connection";
  try {
    const status = await statusOf(new URL("/members", url), isPlain ? {} : await tlsOf(certificate));
    return status === 200 ? undefined : `GET /members is answered with ${status}`;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

async function tlsOf(certificate: CertificateFiles | undefined): Promise<RequestOptions> {
  if (certificate === undefined) return {};
  const [cert, key, ca] = await Promise.all(
    [certificate.cert, certificate.key, certificate.ca].map((path) => readFile(path)),
  );
  return { ...(cert && { cert }), ...(key && { key }), ...(ca && { ca }) };
}

function statusOf(url: URL, tls: RequestOptions): Promise<number | undefined> {
  const get = url.protocol === "http:" ? getHttp : getHttps;
  return new Promise((done, failed) => {
    const options = { ...tls, agent: false, signal: AbortSignal.timeout(PATIENCE_MS) };
    const request = get(url, options, (response) => {
      response.resume();
      done(response.statusCode);
    });
    request.once("error", failed);
  });
}
