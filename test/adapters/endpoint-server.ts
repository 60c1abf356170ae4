import { createRequire } from "node:module";
import {
  loadPackageDefinition,
  Server,
  ServerCredentials,
  type ServiceClientConstructor,
} from "@grpc/grpc-js";
import { loadSync } from "@grpc/proto-loader";

/** A stand-in for a member in a state that is hard to bring a real one into; its member list and leases are kine's. */
export async function startMember(
  status: object,
  socket?: string,
): Promise<{ endpoint: string; stop(): void }> {
  const proto = createRequire(import.meta.url).resolve("etcd3/proto/rpc.proto");
  const { etcdserverpb } = loadPackageDefinition(loadSync(proto, { keepCase: true, longs: String }));
  const services = Object(etcdserverpb) as Record<string, ServiceClientConstructor>;
  const { Cluster, KV, Lease, Maintenance } = services;
  if (!Cluster || !KV || !Lease || !Maintenance) throw new Error("no etcd services in etcd3's proto");
  const header = { cluster_id: "7", member_id: "1", revision: "5" };
  const server = new Server();
  server.addService(Maintenance.service, {
    status: (_call: unknown, answer: (error: null, value: object) => void) =>
      answer(null, { header, version: "3.6.16", leader: "1", dbSize: "1", ...status }),
  });
  server.addService(KV.service, {
    range: (_call: unknown, answer: (error: null, value: object) => void) => answer(null, { header }),
  });
  server.addService(Cluster.service, {
    memberList: (_call: unknown, answer: (error: null, value: object) => void) =>
      answer(null, { header: {}, members: [{ name: "kine" }] }),
  });
  server.addService(Lease.service, {
    leaseGrant: ({ request }: { request: { TTL: string } }, answer: (error: null, value: object) => void) =>
      answer(null, { header: {}, ID: request.TTL, TTL: request.TTL }),
  });
  const address = socket === undefined ? "127.0.0.1:0" : `unix://${socket}`;
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync(address, ServerCredentials.createInsecure(), (error, bound) =>
      error === null ? resolve(bound) : reject(error),
    );
  });
  const endpoint = socket === undefined ? `http://127.0.0.1:${port}` : address;
  return { endpoint, stop: () => server.forceShutdown() };
}
