import { expect, test } from "vitest";
import { fuzz } from "./fuzz.js";

test("100,000 mutated values: an edit is refused, or protobufjs confirms it", () => {
  const { confirmed, refused } = fuzz(100_000, Math.floor(Math.random() * 2 ** 31));
  expect(confirmed + refused).toBe(100_000);
  expect(confirmed).toBeGreaterThan(20_000);
  expect(refused).toBeGreaterThan(20_000);
});
