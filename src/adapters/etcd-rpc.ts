import {
  type CallOptions,
  type ChannelCredentials,
  Client,
  type ClientReadableStream,
  credentials,
  Metadata,
} from "@grpc/grpc-js";
import { loadSync, type MethodDefinition, type PackageDefinition } from "@grpc/proto-loader";
import type { EtcdTarget } from "./etcd.js";
import { CHANNEL_OPTIONS } from "./etcd-channel.js";
import { withToken } from "./etcd-token.js";
import { etcdProtoPath } from "./package-files.js";
import { checkTlsFiles, trustedCertificates } from "./tls.js";
import { muteServerNameWarning } from "./tls-warning.js";

/** Calls of proto/etcd.proto to one endpoint; 64-bit numbers are decimal text. Rejects with gRPC's own errors. */
export interface EtcdRpc {
  /** `method` is `Service/Method`. */
  call<Reply>(method: string, request: object, timeoutMs: number): Promise<Reply>;
  /** Calls `use` with the stream, once more when the user's token was forgotten: it must only fail before it has kept anything. */
  stream<Result>(
    method: string,
    request: object,
    use: (stream: ClientReadableStream<unknown>) => Promise<Result>,
  ): Promise<Result>;
  close(): void;
}

/** Nothing is sent before the first call. Throws `tls` for files that cannot be used. */
export function openEtcdRpc(target: EtcdTarget): EtcdRpc {
  const client = new Client(addressOf(target.endpoint), credentialsOf(target), CHANNEL_OPTIONS);
  let interceptors: CallOptions["interceptors"];
  const call = <Reply>(method: string, request: object, options: CallOptions): Promise<Reply> => {
    const { path, requestSerialize, responseDeserialize } = definitionOf(method);
    return new Promise((resolve, reject) => {
      client.makeUnaryRequest(
        ...([path, requestSerialize, responseDeserialize, request, new Metadata(), options] as const),
        (error: Error | null, reply?: unknown) => (error === null ? resolve(reply as Reply) : reject(error)),
      );
    });
  };
  const deadline = (timeoutMs: number): CallOptions => ({ deadline: Date.now() + timeoutMs });
  const withInterceptors = (): CallOptions => (interceptors === undefined ? {} : { interceptors });
  const authenticate = (user: object) =>
    call<{ token: string }>("Auth/Authenticate", user, deadline(target.dialTimeoutMs));
  const token = withToken({ authenticate }, target.user, (use) => {
    interceptors = use;
  });
  return {
    call: (method, request, timeoutMs) =>
      token(() => call(method, request, { ...deadline(timeoutMs), ...withInterceptors() })),
    stream: (method, request, use) =>
      token(() => {
        const { path, requestSerialize, responseDeserialize } = definitionOf(method);
        return use(
          client.makeServerStreamRequest(
            ...([path, requestSerialize, responseDeserialize, request, new Metadata()] as const),
            withInterceptors(),
          ),
        );
      }),
    close: () => client.close(),
  };
}

let definitions: PackageDefinition | undefined;

function definitionOf(method: string): MethodDefinition<object, unknown> {
  definitions ??= loadSync(etcdProtoPath(), { keepCase: true, longs: String, enums: String, defaults: true });
  const [service = "", name = ""] = method.split("/");
  const found = definitions[`etcdserverpb.${service}`];
  const definition = found === undefined ? undefined : (found as Record<string, unknown>)[name];
  if (definition === undefined) throw new Error(`proto/etcd.proto has no ${method}`);
  return definition as MethodDefinition<object, unknown>;
}

/** gRPC's name of the endpoint: `host:port`, or the socket as it is. */
function addressOf(endpoint: string): string {
  return endpoint.startsWith("unix:") ? endpoint : endpoint.replace(/^https?:\/\//, "").replace(/\/+$/, "");
}

function credentialsOf({ endpoint, tls = {} }: EtcdTarget): ChannelCredentials {
  if (!endpoint.startsWith("https://")) return credentials.createInsecure();
  checkTlsFiles(tls);
  muteServerNameWarning();
  const { ca, cert, key } = tls;
  return credentials.createSsl(ca?.pem ?? trustedCertificates(), key?.pem ?? null, cert?.pem ?? null);
}
