/** A value of the tool's own keys in etcd. */
export function toJsonBytes(value: object): Uint8Array {
  return Buffer.from(JSON.stringify(value), "utf8");
}

/** Such a value, told by a member that it needs; undefined for one that this tool did not write. */
export function parseOwn<Value>(value: Uint8Array, needed: keyof Value & string): Value | undefined {
  try {
    const parsed: unknown = JSON.parse(Buffer.from(value).toString("utf8"));
    const isOurs = typeof parsed === "object" && parsed !== null && Object.hasOwn(parsed, needed);
    return isOurs ? (parsed as Value) : undefined;
  } catch {
    // Whatever stands there, it is not ours; the caller says so.
    return undefined;
  }
}
