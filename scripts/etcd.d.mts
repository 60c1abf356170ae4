export interface EtcdBinary {
  readonly path: string;
  /** Where it came from, in words. */
  readonly origin: string;
}

export function obtainEtcd(options: {
  readonly prefer: "newest" | "quickest";
  readonly directory?: string;
  readonly say: (line: string) => void;
}): EtcdBinary;

export function obtainDebianEtcd(options: {
  readonly directory?: string;
  readonly say: (line: string) => void;
}): EtcdBinary;
