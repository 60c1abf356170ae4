import type { Io } from "./io.js";

export interface Progress {
  show(settled: number): void;
  /** Whatever is printed next begins on a line of its own. */
  end(): void;
}

/** Shows how far a run is: one redrawn line on a terminal, else a line at every tenth, from ten Nodes on. */
export function createProgress(io: Io, total: number, now: () => number): Progress {
  const startedAt = now();
  let shownTenth = 0;
  let isLineOpen = false;
  return {
    show(settled) {
      const tenth = Math.floor((settled * 10) / total);
      if (!io.errIsTerminal && (tenth === shownTenth || total < 10)) return;
      shownTenth = tenth;
      const perSecond = settled / Math.max((now() - startedAt) / 1000, 0.001);
      const secondsLeft = Math.ceil((total - settled) / perSecond);
      const text = `${settled} of ${total} Nodes, ${Math.round(perSecond)} a second, ${secondsLeft} s left`;
      io.err(io.errIsTerminal ? `\r\u001b[K${text}` : `${text}\n`);
      isLineOpen = io.errIsTerminal;
    },
    end() {
      if (isLineOpen) io.err("\n");
      isLineOpen = false;
    },
  };
}
