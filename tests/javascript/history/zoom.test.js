import assert from "node:assert/strict";
import { test } from "node:test";

import { LEAST, moved, showing, wholeRange, within, zoomed } from "../../../report_templates/scripts/history/zoom.js";

/** @import { Range } from "../../../report_templates/scripts/history/zoom.js" */

/** @type {Range} */
const WHOLE = [0, 100];

/** @param {Range} range @param {Range} expected */
const same = (range, expected) =>
  assert.equal(String(range.map((end) => Math.round(end * 1e6) / 1e6)), String(expected));

test("all commits have some room at their ends", () => {
  same(wholeRange(0, 1000), [-10, 1010]);
  same(wholeRange(5, 5), [4.5, 5.5]);
});

test("a range keeps its length while it fits", () => {
  same(within([-10, 10], WHOLE), [0, 20]);
  same(within([95, 115], WHOLE), [80, 100]);
  same(within([-50, 150], WHOLE), WHOLE);
  same(within([50, 50], WHOLE), [50 - LEAST / 2, 50 + LEAST / 2]);
  same(within([0.2, 0.4], [0, 1]), [0, 1]);
});

test("zooming keeps the chosen commit where it is", () => {
  same(zoomed(WHOLE, WHOLE, 1 / 2, 20), [10, 60]);
  same(zoomed([10, 60], WHOLE, 2, 20), WHOLE);
  same(zoomed([40, 60], WHOLE, 1 / 2, 90), [45, 55]); // one out of sight does not count
  same(zoomed([49, 51 + LEAST - 2], WHOLE, 1 / 2, 49), [49, 49 + LEAST]);
});

test("moving stops at the ends", () => {
  same(moved([20, 40], WHOLE, 1 / 2), [30, 50]);
  same(moved([20, 40], WHOLE, -2), [0, 20]);
});

test("a commit out of sight comes into sight, near the end where it was", () => {
  same(showing([20, 40], WHOLE, 30), [20, 40]);
  same(showing([20, 40], WHOLE, 60), [42, 62]);
  same(showing([20, 40], WHOLE, 10), [8, 28]);
  same(showing([20, 40], WHOLE, 100), [80, 100]);
});
