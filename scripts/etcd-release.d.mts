export function obtainEtcdServer(options: {
  readonly minor: string;
  readonly say: (line: string) => void;
}): string;
export function obtainEtcdTools(options: {
  readonly minor: string;
  readonly say: (line: string) => void;
}): string;
