export interface Interrupts {
  isRequested(): boolean;
  dispose(): void;
}

// What a person, a service manager, and a terminal that has gone send.
const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/**
 * The first signal, and a reader of stdout that has gone, ask for the end; a second signal ends the process at once. `say` is
 * called at the first signal.
 */
export function watchInterrupts(say: () => void): Interrupts {
  let signals = 0;
  const onSignal = () => {
    signals += 1;
    // What is under way may or may not be written: the journal knows that it was announced.
    if (signals > 1) process.exit(130);
    say();
  };
  for (const signal of SIGNALS) process.on(signal, onSignal);
  return {
    isRequested: () => signals > 0 || process.stdout.errored !== null,
    dispose() {
      for (const signal of SIGNALS) process.off(signal, onSignal);
    },
  };
}
