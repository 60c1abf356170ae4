/** One stored key as etcd returns it (`mvccpb.KeyValue`). Keys of Kubernetes are UTF-8 text; values are bytes. */
export interface KeyValue {
  readonly key: string;
  readonly value: Uint8Array;
  readonly createRevision: bigint;
  readonly modRevision: bigint;
  readonly lease: bigint;
}
