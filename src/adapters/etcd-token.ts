import { type CallOptions, InterceptingCall, type Interceptor, Metadata } from "@grpc/grpc-js";

export interface EtcdUser {
  readonly name: string;
  readonly password: string;
}

interface AuthClient {
  authenticate(user: { name: string; password: string }): Promise<{ token: string }>;
}

type Interceptors = NonNullable<CallOptions["interceptors"]>;

/**
 * Runs calls with the user's token, got once and got anew when the server has forgotten it. etcd3's own way of
 * authentication takes no channel options, so it would go through a web proxy, and repeats without end.
 */
export function withToken(
  auth: AuthClient,
  user: EtcdUser | undefined,
  use: (interceptors: Interceptors) => void,
): <T>(send: () => Promise<T>) => Promise<T> {
  if (user === undefined) {
    return (send) => send();
  }
  let ready: Promise<void> | undefined;
  const authenticate = () =>
    auth.authenticate(user).then(
      ({ token }) => use([sendingToken(token)]),
      (error: unknown) => {
        if (!isAuthOff(error)) {
          ready = undefined;
          throw error;
        }
      },
    );
  return async (send) => {
    ready ??= authenticate();
    const mine = ready;
    await mine;
    try {
      return await send();
    } catch (error) {
      if (!isTokenForgotten(error)) {
        throw error;
      }
      ready = ready === mine ? authenticate() : ready;
      await ready;
      return await send();
    }
  };
}

/** Like etcdctl, a user given to an etcd without authentication is no error. */
function isAuthOff(error: unknown): boolean {
  return error instanceof Error && error.message.includes("etcdserver: authentication is not enabled");
}

/** With each of these answers etcd has applied nothing, so that sending again is safe, a write too. */
function isTokenForgotten(error: unknown): boolean {
  return error instanceof Error && FORGOTTEN.some((text) => error.message.includes(text));
}

/** What stands in gRPC's details instead of etcd's `invalid auth token`. */
export const TOKEN_FORGOTTEN = "the token is no longer known";

/** The last one is for a call without a token: authentication was switched on after we had asked for one. */
const FORGOTTEN = [TOKEN_FORGOTTEN, "revision of auth store is old", "user name is empty"];

/**
 * Adds the token to a call. The server's text for a forgotten token is changed, since etcd3 answers that one by
 * sending the call again without end.
 */
function sendingToken(token: string): Interceptor {
  return (options, nextCall) =>
    new InterceptingCall(nextCall(options), {
      start: (metadata, _listener, next) => {
        const withToken = metadata.clone();
        withToken.set("token", token);
        next(withToken, {
          onReceiveStatus: (status, pass) =>
            pass(
              status.details.includes("etcdserver: invalid auth token")
                ? { ...status, details: TOKEN_FORGOTTEN, metadata: new Metadata() }
                : status,
            ),
        });
      },
    });
}
