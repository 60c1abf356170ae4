import { expect } from "vitest";
import { isOpen } from "../../src/plan/change-record.js";
import type { Life, Lived } from "../harness/crash.js";
import {
  CHANGE,
  changesIn,
  forgetOwnKeys,
  type Kind,
  openScene,
  recordsIn,
  recordTypes,
  type Scene,
} from "./scene.js";

/** The Nodes of a scene before a change, and after one that nothing has disturbed. */
export interface Undisturbed {
  readonly before: Readonly<Record<string, string>>;
  readonly after: Readonly<Record<string, string>>;
  readonly events: readonly string[];
}

const known = new Map<string, Promise<Undisturbed>>();

/** Found out once for each sort of scene. */
export function undisturbed(endpoint: string, kind: Kind, nodes: number): Promise<Undisturbed> {
  const name = `${kind} ${nodes}`;
  const found = known.get(name) ?? runUndisturbed(endpoint, kind, nodes);
  known.set(name, found);
  return found;
}

async function runUndisturbed(endpoint: string, kind: Kind, nodes: number): Promise<Undisturbed> {
  const scene = await openScene(endpoint, kind, nodes);
  const before = await scene.nodes();
  const { exitCode, events } = await scene.run(CHANGE);
  expect(exitCode).toBe(0);
  const after = await scene.nodes();
  return { before, after, events };
}

export interface Crash {
  readonly endpoint: string;
  readonly kind: Kind;
  readonly nodes: number;
  readonly life: Life;
}

/** A change that is killed as its life says. */
export async function crash({ endpoint, kind, nodes, life }: Crash): Promise<{ scene: Scene; run: Lived }> {
  await undisturbed(endpoint, kind, nodes);
  await forgetOwnKeys(endpoint);
  const scene = await openScene(endpoint, kind, nodes);
  const run = await scene.run(CHANGE, life);
  expect(run.killed).toBe(true);
  return { scene, run };
}

/** Goes on, and finds the Nodes as undisturbed: after the change, or before it where not even its plan was on disk. */
export async function expectResumed(scene: Scene, { before, after }: Undisturbed): Promise<void> {
  const { directory, run, nodes } = scene;
  const hasPlan = changesIn(directory).some((id) => recordTypes(directory, id).includes("ready"));
  const resumed = await run(["resume", "--yes"]);
  expect(resumed.err).not.toContain("internal");
  expect(await nodes()).toEqual(hasPlan ? after : before);
  expect((await run(["resume", "--yes"])).err).toContain("nothing to resume");
  await expectNothingOpen(scene);
}

/** Goes back, and finds the Nodes as they were. */
export async function expectRolledBack(scene: Scene, { before }: Undisturbed): Promise<void> {
  const { directory, run, nodes } = scene;
  const ids = changesIn(directory).filter((id) => recordTypes(directory, id).length > 0);
  const rolledBack = await run(["rollback", ...ids, "--yes"]);
  expect(rolledBack.err).not.toContain("error[");
  expect(await nodes()).toEqual(before);
  expect((await run(["rollback", "--yes"])).err).toContain("nothing to roll back");
  await expectNothingOpen(scene);
}

/** No host is kept from the next change. */
async function expectNothingOpen({ cluster }: Scene): Promise<void> {
  expect((await recordsIn(cluster.endpoint)).filter(isOpen)).toEqual([]);
}
