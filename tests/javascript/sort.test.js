import assert from "node:assert/strict";
import { test } from "node:test";

import { figureKey, sorted } from "../../report_templates/scripts/sort.js";

/** @param {string[]} texts @param {"ascending" | "descending"} direction */
function order(texts, direction) {
  return sorted(texts.map((text) => ({ text, key: figureKey(text) })), direction).map(({ text }) => text);
}

test("figures sort by every digit, unknown ones last either way", () => {
  const texts = ["9007199254740993", "", "-3", "9007199254740992", "0.5", "1e+300"];
  assert.deepEqual(order(texts, "ascending"), ["-3", "0.5", "9007199254740992", "9007199254740993", "1e+300", ""]);
  assert.deepEqual(order(texts, "descending"), ["1e+300", "9007199254740993", "9007199254740992", "0.5", "-3", ""]);
});

test("equal keys keep the order of the report", () => {
  const rows = ["a", "b", "c"].map((name) => ({ name, key: "same" }));
  assert.equal(sorted(rows, "ascending").map(({ name }) => name).join(""), "abc");
  assert.equal(sorted(rows, "descending").map(({ name }) => name).join(""), "abc");
});
