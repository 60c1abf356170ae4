import type { Message } from "./descriptor.js";
import { type Mask, maskOf } from "./mask.js";
import { resolve, type Target } from "./resolve.js";

/** What was worked out for paths once, kept for the next object of the same kind. */
export interface Routes {
  mask(message: Message, selection: readonly string[] | undefined): Mask;
  target(message: Message, path: string): Target;
}

/** Remembers masks by the selection's array itself, targets by their path. */
export function createRoutes(): Routes {
  const masks = new WeakMap<Message, WeakMap<readonly string[], Mask>>();
  const targets = new WeakMap<Message, Map<string, Target>>();
  return {
    mask(message, selection) {
      if (!selection) return true;
      const known = masks.get(message) ?? new WeakMap<readonly string[], Mask>();
      const mask = known.get(selection) ?? maskOf(message, selection);
      masks.set(message, known.set(selection, mask));
      return mask;
    },
    target(message, path) {
      const known = targets.get(message) ?? new Map<string, Target>();
      const target = known.get(path) ?? resolve(message, path);
      targets.set(message, known.set(path, target));
      return target;
    },
  };
}
