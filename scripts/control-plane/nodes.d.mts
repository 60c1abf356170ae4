import type { Answer, Api } from "./control-plane.mjs";

export function createNodes(
  api: Api,
  nodes: readonly { readonly name: string; readonly blocks?: readonly string[] }[],
): Promise<void>;
export function nodesWithBlocks(api: Api, withinMs: number): Promise<readonly Answer["body"][]>;
