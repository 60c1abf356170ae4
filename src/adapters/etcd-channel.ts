import type { ChannelOptions } from "@grpc/grpc-js";

/** A proxy is for the web, not for etcd; and a page of Nodes is larger than gRPC's default limit of 4 MiB. */
export const CHANNEL_OPTIONS: ChannelOptions = {
  "grpc.enable_http_proxy": 0,
  "grpc.enable_retries": 0,
  "grpc.max_receive_message_length": -1,
  "grpc.max_send_message_length": -1,
  "grpc.service_config_disable_resolution": 1,
  "grpc-node.flow_control_window": 4 << 20,
  "grpc.initial_reconnect_backoff_ms": 100,
  "grpc.max_reconnect_backoff_ms": 1000,
};
