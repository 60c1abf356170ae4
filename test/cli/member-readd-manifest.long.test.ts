import { expect, test } from "vitest";
import { killWhen } from "../harness/process.js";
import { kubeadmHost } from "./kubeadm-host.js";
import { health } from "./readd-scene.js";

test("a run that is killed after every step is gone on with", async () => {
  const host = await kubeadmHost();
  const until = (text: string) =>
    killWhen([...host.readdArgs, "--yes", "--no-snapshot", "--accept", "foreign-data"], text);
  for (const step of ["stop", "remove", "archive", "add", "start"])
    expect(await until(`${step}: done\n`)).toBe(true);
  expect(await until("promote: done\n")).toBe(true);
  expect((await host.readd()).err).toContain("nothing to do: m2 is a voter and runs\n");
  expect(await health(host)).toEqual({ healthy: true, voters: ["m0 voter", "m1 voter", "m2 voter"] });
});
