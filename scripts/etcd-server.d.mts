import type { ChildProcess } from "node:child_process";

export interface RunningEtcd {
  readonly child: ChildProcess;
  readonly clientUrl: string;
  readonly dataDir: string;
  stop(): Promise<void>;
}

export function startEtcdServer(options: {
  readonly binary: string;
  readonly name?: string;
  readonly flags?: readonly string[];
  readonly directory?: string;
}): Promise<RunningEtcd>;
