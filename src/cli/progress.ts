import type { Io } from "./io.js";

/** Shows how far a run is: one redrawn line on a terminal, else a line at every tenth. */
export function createProgress(io: Io, total: number, now: () => number): (settled: number) => void {
  const startedAt = now();
  let shownTenth = 0;
  return (settled) => {
    const tenth = Math.floor((settled * 10) / total);
    const last = settled === total;
    if (!io.errIsTerminal && (tenth === shownTenth || total < 10)) return;
    shownTenth = tenth;
    const perSecond = settled / Math.max((now() - startedAt) / 1000, 0.001);
    const secondsLeft = Math.ceil((total - settled) / perSecond);
    const text = `${settled} of ${total} Nodes, ${Math.round(perSecond)} a second, ${secondsLeft} s left`;
    if (io.errIsTerminal) io.err(`\r\u001b[K${text}${last ? "\n" : ""}`);
    else io.err(`${text}\n`);
  };
}
