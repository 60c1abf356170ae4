import { describe, expect, test } from "vitest";
import { createProgress } from "../../src/cli/progress.js";

/** What a run over so many Nodes shows when they are settled at these milliseconds. */
function shown(
  total: number,
  errIsTerminal: boolean,
  settledAtMs: readonly (readonly [number, number])[],
): string {
  let text = "";
  let nowMs = 0;
  const io = {
    out: () => undefined,
    err: (more: string) => {
      text += more;
    },
    interactive: false,
    ask: async () => undefined,
    errIsTerminal,
    style: (_style: unknown, styled: string) => styled,
  };
  const progress = createProgress(io, total, () => nowMs);
  for (const [settled, atMs] of settledAtMs) {
    nowMs = atMs;
    progress.show(settled);
  }
  progress.end();
  return text;
}

describe("without a terminal", () => {
  test("a line at every tenth", () => {
    const every = Array.from({ length: 100 }, (_empty, index) => [index + 1, (index + 1) * 10] as const);
    expect(shown(100, false, every)).toBe(
      [10, 20, 30, 40, 50, 60, 70, 80, 90, 100]
        .map((settled) => `${settled} of 100 Nodes, 100 a second, ${settled === 100 ? 0 : 1} s left\n`)
        .join(""),
    );
  });

  test("a tenth that is jumped over is not made up", () => {
    expect(
      shown(128, false, [
        [64, 500],
        [128, 1000],
      ]),
    ).toBe("64 of 128 Nodes, 128 a second, 1 s left\n128 of 128 Nodes, 128 a second, 0 s left\n");
  });

  test("nothing for fewer than ten Nodes", () => {
    expect(
      shown(9, false, [
        [4, 10],
        [9, 20],
      ]),
    ).toBe("");
  });
});

describe("on a terminal", () => {
  test("one line that is redrawn, and ended when the run ends", () => {
    expect(
      shown(5000, true, [
        [50, 1000],
        [5000, 10_000],
      ]),
    ).toBe(
      "\r\u001b[K50 of 5000 Nodes, 50 a second, 99 s left\r\u001b[K5000 of 5000 Nodes, 500 a second, 0 s left\n",
    );
  });

  test("a run that stops half-way ends its line too", () => {
    expect(shown(5, true, [[2, 1000]])).toBe("\r\u001b[K2 of 5 Nodes, 2 a second, 2 s left\n");
  });

  test("nothing when nothing was settled", () => {
    expect(shown(5, true, [])).toBe("");
  });
});
