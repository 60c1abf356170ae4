/** What is known to be wrong with members in the versions that the cluster runs. */
export function versionNotices(versions: readonly string[]): readonly string[] {
  const patches = versions.flatMap((version) => {
    const [major, minor, patch] = version.split(".").map(Number);
    return major === 3 && minor === 5 && patch !== undefined ? [patch] : [];
  });
  return NOTICES.filter(({ from, to }) => patches.some((patch) => from <= patch && patch <= to)).map(
    ({ text }) => text,
  );
}

/** Patch releases of etcd 3.5. */
const NOTICES: readonly { readonly from: number; readonly to: number; readonly text: string }[] = [
  {
    from: 0,
    to: 2,
    text: "etcd 3.5.0 to 3.5.2 may bring back removed members after a restart: go to 3.5.3 or newer soon",
  },
  {
    from: 1,
    to: 19,
    // etcd-io/etcd#19557
    text: "etcd 3.5.1 to 3.5.19 does not keep a learner's promotion for etcd 3.6: go to 3.5.24 or newer before that upgrade",
  },
];
