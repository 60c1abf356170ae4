/**
 * Resolves in the event loop's next turn. Long work in one piece keeps waiting what is to be sent and what has come, so that
 * etcd and this process work one after the other instead of at once.
 */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
