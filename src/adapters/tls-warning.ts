const emitWarning = process.emitWarning;

/**
 * Keeps Node.js from printing DEP0123 for every https endpoint that is an IP address. gRPC sets the TLS server name
 * to what the endpoint says; to override it would change which name of the certificate is verified.
 */
export function muteServerNameWarning(): void {
  process.emitWarning = (...warning: [string | Error, ...unknown[]]) => {
    if (!warning.includes("DEP0123")) {
      Reflect.apply(emitWarning, process, warning);
    }
  };
}
