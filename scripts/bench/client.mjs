import { noop } from "cockatiel";
import { Etcd3 } from "etcd3";

/** The client library that etcdcidr uses, with its retries off too. */
export function openClient(clientUrl) {
  return new Etcd3({
    hosts: clientUrl,
    faultHandling: { host: () => noop, global: noop },
    grpcOptions: { "grpc.max_receive_message_length": -1, "grpc.max_send_message_length": -1 },
  });
}

/** The range of all Nodes. */
export const NODES = { key: Buffer.from("/registry/minions/"), range_end: Buffer.from("/registry/minions0") };

/** The range of what comes behind a key, for the next page. */
export const behind = (key) => ({ ...NODES, key: Buffer.concat([key, Buffer.from([0])]) });
