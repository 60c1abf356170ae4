export function intoPlace(target: string, make: (draft: string) => void): void;
