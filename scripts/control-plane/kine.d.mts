export function obtainKine(say: (line: string) => void): string;
