import { expect, test } from "vitest";
import { fuzz } from "./fuzz.js";

test("1,000,000 mutated values: an edit is refused, or protobufjs confirms it", () => {
  const { confirmed, refused } = fuzz(1_000_000, Math.floor(Math.random() * 2 ** 31));
  expect(confirmed + refused).toBe(1_000_000);
  expect(confirmed).toBeGreaterThan(200_000);
  expect(refused).toBeGreaterThan(200_000);
}, 1_800_000);
