export function obtainKubernetes(options: {
  readonly minor: string;
  readonly say: (line: string) => void;
}): string;
