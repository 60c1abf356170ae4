import { expect, test } from "vitest";
import { errorTexts } from "../harness/explanations.js";

const texts = errorTexts();

test("there are as many texts as one would think", () => {
  expect(texts.length).toBeGreaterThan(200);
  expect(new Set(texts.map(({ line }) => line))).toEqual(new Set(["what", "why", "now", "next"]));
});

test("none is empty", () => {
  expect(texts.filter(({ text }) => text.trim() === "")).toEqual([]);
});

test("none begins with a capital, unless it is a name's", () => {
  const names = /^(IPv[46]|Nodes?|Pods?|Txn|TLS|DNS|CA)\b/;
  expect(texts.filter(({ text }) => /^[A-Z]/.test(text) && !names.test(text))).toEqual([]);
});

test("none ends with a full stop", () => {
  expect(texts.filter(({ text }) => /\.\s*$/.test(text))).toEqual([]);
});

test("none shouts", () => {
  expect(texts.filter(({ text }) => text.includes("!"))).toEqual([]);
});

test("each is one line", () => {
  expect(texts.filter(({ text }) => text.includes("\n"))).toEqual([]);
});
