import type { ConnectionFlags } from "../adapters/discovery.js";
import type { OutputFormat } from "./render-data.js";

/** The flags that every command takes, before or after its name. */
export interface GlobalOptions extends ConnectionFlags {
  readonly prefix?: string;
  readonly journalDir?: string;
  readonly yes: boolean;
  readonly accept: readonly string[];
  readonly output: OutputFormat;
  readonly debug: boolean;
}
