export interface Interrupts {
  isRequested(): boolean;
  dispose(): void;
}

let readerGone = false;

/** A reader that goes (`| head`) is no fault; a run that is under way takes it as a wish to end. To be called before the first output. */
export function expectReadersToGo(): void {
  process.stdout.on("error", () => {
    readerGone = true;
  });
  process.stderr.on("error", () => undefined);
}

// What a person, a service manager, and a terminal that has gone send.
const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/**
 * The first signal, and a reader of stdout that has gone, ask for the end; a second signal ends the process at once. `first`
 * and `second` are called before, to say so.
 */
export function watchInterrupts(first: () => void, second: () => void): Interrupts {
  let signals = 0;
  const onSignal = () => {
    signals += 1;
    // What is under way may or may not be written: the journal knows that it was announced.
    if (signals > 1) {
      second();
      process.exit(130);
    }
    first();
  };
  for (const signal of SIGNALS) process.on(signal, onSignal);
  return {
    isRequested: () => signals > 0 || readerGone,
    dispose() {
      for (const signal of SIGNALS) process.off(signal, onSignal);
    },
  };
}
