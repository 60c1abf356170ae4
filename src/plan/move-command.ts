import type { FamilyOutline } from "./plan.js";
import { NO_RANGE } from "./pod-cidr/families-back.js";

/** The command that moves one Node to where a change has moved the others. */
export function moveCommand(outlines: readonly FamilyOutline[], name: string): string {
  const families = outlines.filter(({ target }) => target !== NO_RANGE);
  const masks = families.map(({ family, nodeMask }) =>
    families.length === 1
      ? `--node-cidr-mask-size ${nodeMask}`
      : `--node-cidr-mask-size-ipv${family} ${nodeMask}`,
  );
  const targets = families.map(({ target }) => target).join(",");
  return `etcdcidr change-pod-cidr ${targets} ${masks.join(" ")} --node ${name}`;
}
