import { expect, test } from "vitest";
import { versionNotices } from "../../src/reconcile/member/version-notices.js";

test.each([
  [["3.5.0"], ["3.5.0 to 3.5.2"]],
  [["3.5.2"], ["3.5.0 to 3.5.2", "3.5.1 to 3.5.19"]],
  [["3.5.3"], ["3.5.1 to 3.5.19"]],
  [["3.6.1", "3.5.19"], ["3.5.1 to 3.5.19"]],
  [["3.5.20", "3.4.2", "3.6.1"], []],
])("%j", (versions, spans) => {
  expect(
    versionNotices(versions).map((text) => text.slice("etcd ".length).replace(/ (may|does) .*/, "")),
  ).toEqual(spans);
});
