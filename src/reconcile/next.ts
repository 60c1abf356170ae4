import type { EtcdcidrError } from "../errors.js";

/** What a state machine says of what was observed: exactly one thing to do, or why there is none. */
export type Next<Step> =
  | { readonly kind: "step"; readonly step: Step }
  | { readonly kind: "wait"; readonly until: string }
  | { readonly kind: "done" }
  | { readonly kind: "refuse"; readonly error: EtcdcidrError };
