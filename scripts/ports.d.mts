export function freePorts(count: number): Promise<readonly number[]>;
export function refuseTaken(port: number): Promise<void>;
