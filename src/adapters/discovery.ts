import { readFileSync } from "node:fs";
import { EtcdcidrError, NOTHING_WRITTEN } from "../errors.js";
import { parseDuration } from "./discovery-duration.js";
import { endpointUrls } from "./discovery-endpoints.js";
import { type FileNames, findLocalEtcd, type Named } from "./discovery-local.js";
import type { EtcdTarget } from "./etcd.js";
import type { EtcdUser } from "./etcd-token.js";
import type { PemFile, TlsFiles } from "./tls.js";

/** etcdctl's global flags, and `--endpoint` of etcdhelper, as given; absent ones come from the environment. */
export interface ConnectionFlags {
  /** One or more, with commas. */
  readonly endpoints?: string | undefined;
  readonly endpoint?: string | undefined;
  readonly cacert?: string | undefined;
  readonly cert?: string | undefined;
  readonly key?: string | undefined;
  /** `name` or `name:password`. */
  readonly user?: string | undefined;
  readonly password?: string | undefined;
  /** As Go writes it: `2s`. */
  readonly dialTimeout?: string | undefined;
  readonly commandTimeout?: string | undefined;
}

export interface DiscoveredEtcd {
  readonly targets: readonly EtcdTarget[];
  /** Where the endpoints come from, for one line of output. */
  readonly source: string;
  /** kube-apiserver's `--etcd-prefix`, where its manifest was the source and names one. */
  readonly prefix?: string;
}

/**
 * Which etcd to use: flags, then `ETCDCTL_*` variables, then kube-apiserver's manifest, then the distributions'
 * known files, then loopback. `root` stands before the paths that are looked for, not before those that are given.
 * Throws `usage` for what cannot be understood and `tls` for files that cannot be read.
 */
export function discoverEtcd(
  flags: ConnectionFlags,
  environment: NodeJS.ProcessEnv,
  root = "/",
): DiscoveredEtcd {
  const given = (flag: string, value: string | undefined, variable: string): Named | undefined =>
    value !== undefined ? { name: flag, value } : fromEnvironment(environment, variable);
  const files: FileNames = {
    ca: given("--cacert", flags.cacert, "ETCDCTL_CACERT"),
    cert: given("--cert", flags.cert, "ETCDCTL_CERT"),
    key: given("--key", flags.key, "ETCDCTL_KEY"),
  };
  const [flag, value] =
    flags.endpoints === undefined ? ["--endpoint", flags.endpoint] : ["--endpoints", flags.endpoints];
  const endpoints = given(flag, value, "ETCDCTL_ENDPOINTS");
  const local = endpoints === undefined ? findLocalEtcd(files, root) : undefined;
  const tls = readTlsFiles(local?.files ?? files);
  const user = userOf(
    given("--user", flags.user, "ETCDCTL_USER"),
    given("--password", flags.password, "ETCDCTL_PASSWORD"),
  );
  const common = {
    ...(tls !== undefined ? { tls } : {}),
    ...(user !== undefined ? { user } : {}),
    dialTimeoutMs: durationOf(given("--dial-timeout", flags.dialTimeout, "ETCDCTL_DIAL_TIMEOUT"), 2000),
    commandTimeoutMs: durationOf(
      given("--command-timeout", flags.commandTimeout, "ETCDCTL_COMMAND_TIMEOUT"),
      5000,
    ),
  };
  const named = endpoints ?? local?.endpoints;
  const urls = named === undefined ? [] : endpointUrls(named, tls !== undefined);
  return {
    targets: urls.map((endpoint) => ({ endpoint, ...common })),
    source: local?.source ?? endpoints?.name ?? "",
    ...(local?.prefix !== undefined ? { prefix: local.prefix } : {}),
  };
}

/** An empty variable is an unset one, as for etcdctl. */
function fromEnvironment(environment: NodeJS.ProcessEnv, name: string): Named | undefined {
  const value = environment[name];
  return value === undefined || value === "" ? undefined : { name, value };
}

function durationOf(named: Named | undefined, fallback: number): number {
  return named === undefined ? fallback : parseDuration(named.value, named.name);
}

/** As etcdctl: with a password the user is a name as it stands, without one it is `name:password`. */
function userOf(user: Named | undefined, password: Named | undefined): EtcdUser | undefined {
  if (user === undefined) {
    return undefined;
  }
  if (password !== undefined) {
    return { name: user.value, password: password.value };
  }
  const colon = user.value.indexOf(":");
  if (colon < 0) {
    throw new EtcdcidrError("usage", {
      what: `${user.name} ${user.value} cannot be used`,
      why: "it comes without a password",
      now: NOTHING_WRITTEN,
      next: "give --user name:password, or --password, or ETCDCTL_PASSWORD",
    });
  }
  return { name: user.value.slice(0, colon), password: user.value.slice(colon + 1) };
}

function readTlsFiles({ ca, cert, key }: FileNames): TlsFiles | undefined {
  if (ca === undefined && cert === undefined && key === undefined) {
    return undefined;
  }
  return {
    ...(ca !== undefined ? { ca: readPem(ca) } : {}),
    ...(cert !== undefined ? { cert: readPem(cert) } : {}),
    ...(key !== undefined ? { key: readPem(key) } : {}),
  };
}

function readPem({ name, value: path }: Named): PemFile {
  try {
    return { path, pem: readFileSync(path) };
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    throw new EtcdcidrError(
      "tls",
      {
        what: `${path} (${name}) cannot be read`,
        why: code === "ENOENT" ? "there is no such file" : `the system says ${String(code)}`,
        now: NOTHING_WRITTEN,
        next: code === "EACCES" ? "run as root" : `check ${name}`,
      },
      { cause: error },
    );
  }
}
