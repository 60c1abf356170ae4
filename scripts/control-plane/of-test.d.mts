export function missingTools(name: string): readonly string[];
