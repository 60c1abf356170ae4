import fc from "fast-check";

/** What somebody else does to a Node. */
export interface OtherWrite {
  readonly what: "beat" | "edit" | "delete" | "create" | "recreate";
  /** Which of the Nodes there are, counted round. */
  readonly node: number;
}

/** One command of the tool, what happens to it, and what others do before some of its Txns. */
export interface ToolRun {
  readonly command: "change" | "resume" | "rollback";
  readonly target: 0 | 1;
  readonly killAfter: number | undefined;
  readonly unsynced: "kept" | "lost";
  readonly meanwhile: readonly { readonly txn: number; readonly write: OtherWrite }[];
}

export type Action = { readonly tool: ToolRun } | { readonly other: OtherWrite };

export interface Story {
  /** Whether an API server lives, so that Nodes go one by one. */
  readonly live: boolean;
  readonly actions: readonly Action[];
}

const otherWrite: fc.Arbitrary<OtherWrite> = fc.record({
  what: fc.oneof(
    { weight: 4, arbitrary: fc.constant("beat" as const) },
    { weight: 2, arbitrary: fc.constantFrom("edit" as const, "recreate" as const) },
    { weight: 1, arbitrary: fc.constantFrom("delete" as const, "create" as const) },
  ),
  node: fc.nat(20),
});

const toolRun: fc.Arbitrary<ToolRun> = fc.record({
  command: fc.oneof(
    { weight: 3, arbitrary: fc.constant("change" as const) },
    { weight: 2, arbitrary: fc.constantFrom("resume" as const, "rollback" as const) },
  ),
  target: fc.constantFrom(0 as const, 1 as const),
  killAfter: fc.option(fc.integer({ min: 1, max: 45 }), { nil: undefined }),
  unsynced: fc.constantFrom("kept" as const, "lost" as const),
  meanwhile: fc.array(fc.record({ txn: fc.integer({ min: 1, max: 12 }), write: otherWrite }), {
    maxLength: 3,
  }),
});

/** Random interleavings of what the tool and others do. */
export const stories: fc.Arbitrary<Story> = fc.record({
  live: fc.boolean(),
  actions: fc.array(
    fc.oneof(
      { weight: 3, arbitrary: toolRun.map((tool): Action => ({ tool })) },
      { weight: 1, arbitrary: otherWrite.map((other): Action => ({ other })) },
    ),
    { minLength: 2, maxLength: 8 },
  ),
});
