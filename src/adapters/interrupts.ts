export interface Interrupts {
  isRequested(): boolean;
  dispose(): void;
}

/**
 * SIGINT once, SIGTERM, and a reader of stdout that has gone ask for the end; a second SIGINT ends the process at once.
 * `say` is called at the first request.
 */
export function watchInterrupts(say: () => void): Interrupts {
  let requested = false;
  let interruptions = 0;
  const request = () => {
    if (!requested) say();
    requested = true;
  };
  const onInterrupt = () => {
    interruptions += 1;
    // What is under way may or may not be written: the journal knows that it was announced.
    if (interruptions > 1) process.exit(130);
    request();
  };
  process.on("SIGINT", onInterrupt);
  process.on("SIGTERM", request);
  return {
    isRequested: () => requested || process.stdout.errored !== null,
    dispose() {
      process.off("SIGINT", onInterrupt);
      process.off("SIGTERM", request);
    },
  };
}
