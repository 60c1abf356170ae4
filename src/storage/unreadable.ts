import { EtcdcidrError } from "../errors.js";

/** A `malformed-object` error that names the key and the byte offset in its stored value. */
export function malformed(key: string, offset: number, why: string): EtcdcidrError {
  return new EtcdcidrError("malformed-object", {
    what: `the value of ${key} is malformed`,
    why: `byte ${offset}: ${why}`,
    now: "this object is left as it is",
    next: "read the key with etcdctl, repair or delete the object, then try again",
  });
}

/** An `unsupported-format` error that names the key and what its value is. */
export function unsupported(key: string, why: string, next: string): EtcdcidrError {
  return new EtcdcidrError("unsupported-format", {
    what: `the value of ${key} cannot be read`,
    why,
    now: "this object is left as it is",
    next,
  });
}
