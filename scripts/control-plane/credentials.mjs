// What the components of one control plane need to trust each other: made anew for each.
import { generateKeyPairSync, randomBytes } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";

/** Writes the key pair of ServiceAccounts and an administrator's token into a folder. */
export function writeCredentials(folder) {
  const files = {
    serviceAccountKey: join(folder, "service-account.key"),
    serviceAccountPublicKey: join(folder, "service-account.pub"),
    tokens: join(folder, "tokens.csv"),
  };
  const token = randomBytes(16).toString("hex");
  const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  writePrivate(files.serviceAccountKey, privateKey.export({ type: "pkcs1", format: "pem" }));
  writePrivate(files.serviceAccountPublicKey, publicKey.export({ type: "spki", format: "pem" }));
  writePrivate(files.tokens, `${token},admin,admin,"system:masters"\n`);
  return { token, ...files };
}

/** Writes a kubeconfig and returns its path. */
export function writeKubeconfig(folder, { url, token, ca }) {
  const path = join(folder, "kubeconfig");
  const name = "etcdcidr";
  writePrivate(
    path,
    JSON.stringify(
      {
        apiVersion: "v1",
        kind: "Config",
        clusters: [
          {
            name,
            cluster: { server: url, "certificate-authority-data": Buffer.from(ca).toString("base64") },
          },
        ],
        users: [{ name, user: { token } }],
        contexts: [{ name, context: { cluster: name, user: name } }],
        "current-context": name,
      },
      undefined,
      2,
    ),
  );
  return path;
}

/** Writes an EncryptionConfiguration for Nodes, Secrets and ConfigMaps and returns its path. */
export function writeEncryption(folder, provider) {
  const path = join(folder, "encryption.json");
  const keys = [{ name: "key1", secret: randomBytes(32).toString("base64") }];
  writePrivate(
    path,
    JSON.stringify({
      apiVersion: "apiserver.config.k8s.io/v1",
      kind: "EncryptionConfiguration",
      resources: [
        {
          resources: ["nodes", "secrets", "configmaps"],
          providers: [{ [provider]: { keys } }, { identity: {} }],
        },
      ],
    }),
  );
  return path;
}

function writePrivate(path, text) {
  writeFileSync(path, text, { mode: 0o600 });
}
