import assert from "node:assert/strict";
import { test } from "node:test";

import {
  difference,
  firstColumns,
  firstOrder,
  makeColumns,
  percentOf,
  stateWord,
  wayLabel,
} from "../../../report_templates/scripts/views/columns.js";
import { makeRows, metric, SCALES } from "../rows.js";

/** @import { Meta } from "../../../report_templates/scripts/data.js" */

/** @type {Meta} */
const META = {
  metrics: [metric("micros", "micros"), metric("macs"), metric("params")],
  scales: SCALES,
  views: [],
  has_base: true,
  order_by: "name",
};

const ALONE = makeRows([[1, "a"], [2, "b"]], {
  head_self_params: { value: 0 },
  head_total_params: Int16Array.of(4000, 1000),
  head_total_macs: { value: null },
});

const COMPARED = makeRows([[1, "kept"], [1, "came"], [1, "gone"], [1, "lost"]], {
  status: Int8Array.of(1, 2, 3, 1),
  head_total_params: Int16Array.of(1250, 7, -32768, -32768),
  base_total_params: Int16Array.of(1000, -32768, 9, 5),
}, { hasBase: true });

/** @param {typeof ALONE} rows @param {string} key */
function texts(rows, key) {
  const column = makeColumns(rows, META).find((each) => each.key === key);
  return Array.from({ length: rows.count }, (_, row) => column?.cell(row).text);
}

test("differences are exact where both figures are whole", () => {
  assert.equal(difference(1, 9007199254740993n), 9007199254740992n);
  assert.equal(difference(0.5, 2), 1.5);
  assert.equal(difference(null, 2), null);
});

test("percentages are of base, and none leads from 0 to anything else", () => {
  assert.equal(percentOf(1000, 1250), 25);
  assert.equal(percentOf(-4, -2), 50);
  assert.equal(percentOf(3, 0), -100);
  assert.equal(percentOf(0, 0), 0);
  assert.equal(percentOf(0, 3), null);
  assert.equal(percentOf(3, null), null);
});

test("where there is no percentage a word says why", () => {
  assert.equal(stateWord(null, null), "unknown");
  assert.equal(stateWord(null, 1), "now known");
  assert.equal(stateWord(1, null), "lost");
  assert.equal(stateWord(0, 1), "new from 0");
});

test("totals of a comparison are called by their side", () => {
  assert.deepEqual([wayLabel("total", ALONE), wayLabel("total", COMPARED)], ["total", "head"]);
  assert.equal(wayLabel("selfDelta", COMPARED), "self delta");
});

test("a view has columns of the figures it knows, the usual ones first", () => {
  const keys = makeColumns(ALONE, META).map(({ key }) => key);
  assert.deepEqual(keys, ["params:total", "params:self", "params:share", "macs:total", "macs:self", "macs:share"]);
  assert.deepEqual([...firstColumns(ALONE, META)], ["params:total", "params:share", "params:self"]);
  assert.deepEqual([...firstColumns(COMPARED, META)], ["params:total", "params:delta", "params:change"]);
  assert.deepEqual([...firstColumns(makeRows([[1, "a"]]), META)], []);
});

test("a cell reads as the way says", () => {
  assert.deepEqual(texts(ALONE, "params:total"), ["4.00 k", "1.00 k"]);
  assert.deepEqual(texts(ALONE, "params:share"), ["100.00 %", "25.00 %"]);
  assert.deepEqual(texts(ALONE, "macs:total"), ["unknown", "unknown"]);
  assert.deepEqual(texts(COMPARED, "params:total"), ["1.25 k", "7", "\u2013", "unknown"]);
  assert.deepEqual(texts(COMPARED, "params:base"), ["1.00 k", "\u2013", "9", "5"]);
  assert.deepEqual(texts(COMPARED, "params:delta"), ["+250", "+7", "\u22129", "unknown"]);
  assert.deepEqual(texts(COMPARED, "params:change"), ["+25.00 %", "new", "removed", "lost"]);
});

test("a cell has the exact figure at hand, and a tone", () => {
  const [total, , , , delta] = makeColumns(COMPARED, META);
  assert.deepEqual(total.cell(0), { text: "1.25 k", title: "1,250", tone: "" });
  assert.deepEqual(delta.cell(2), { text: "\u22129", title: undefined, tone: "down" });
  const [, self] = makeColumns(ALONE, META);
  assert.deepEqual(self.cell(0), { text: "0", title: undefined, tone: "zero" });
});

const BOUNDS = makeRows([[1, "kept"], [1, "came"], [1, "less"], [1, "same"]], {
  status: Int8Array.of(1, 2, 1, 1),
  head_total_params: Int16Array.of(1250, 7, 5, 1500),
  base_total_params: Int16Array.of(1000, -32768, 9, 1000),
  head_unknown_params: Int8Array.of(2, 1, 1, 1),
  base_unknown_params: Int8Array.of(3, 0, 0, 1),
  apart_params: Int8Array.of(1, 1, 1, 0),
}, { hasBase: true });

test("lower bounds say so, and are subtracted only where what is unknown is the same", () => {
  assert.deepEqual(texts(BOUNDS, "params:total"), ["at least 1.25 k", "at least 7", "at least 5", "at least 1.50 k"]);
  assert.deepEqual(texts(BOUNDS, "params:base"), ["at least 1.00 k", "\u2013", "9", "at least 1.00 k"]);
  assert.deepEqual(texts(BOUNDS, "params:delta"), ["unknown", "unknown", "unknown", "+500"]);
  assert.deepEqual(texts(BOUNDS, "params:change"), ["not comparable", "new", "lost", "+50.00 %"]);
  const total = makeColumns(BOUNDS, META).find(({ key }) => key === "params:total");
  assert.deepEqual([total?.cell(0).title, total?.cell(0).tone], ["at least 1,250; 2 nodes unknown", "inconclusive"]);
});

test("shares are of what is known", () => {
  assert.deepEqual([wayLabel("share", BOUNDS, "params"), wayLabel("share", COMPARED, "params")], [
    "% of known",
    "% of all",
  ]);
});

/** @param {typeof ALONE} rows @param {string} orderBy */
function order(rows, orderBy) {
  return firstOrder(makeColumns(rows, META), rows, orderBy);
}

test("a comparison is sorted by the first figure that changed, however it did", () => {
  assert.equal(order(COMPARED, "params"), "params:delta");
  const delta = makeColumns(COMPARED, META).find(({ key }) => key === "params:delta");
  assert.deepEqual([0, 1, 2, 3].map((row) => delta?.rank?.(row)), [250n, 7n, 9n, null]);
  const other = makeRows([[1, "a"], [1, "b"]], {
    status: Int8Array.of(1, 1),
    head_total_params: Int16Array.of(3, 4),
    base_total_params: Int16Array.of(3, 4),
    head_total_micros: Int16Array.of(3, 4),
    base_total_micros: Int16Array.of(5, 4),
  }, { hasBase: true });
  assert.equal(order(other, "params"), "micros:delta");
  assert.equal(order(other, "name"), "name:total"); // names need no column: rows are in their order
});

test("without a change, or without a base, totals sort", () => {
  const same = { status: Int8Array.of(0), head_total_params: Int16Array.of(3), base_total_params: Int16Array.of(3) };
  assert.equal(order(makeRows([[1, "a"]], same, { hasBase: true }), "params"), "params:total");
  assert.equal(order(ALONE, "params"), "params:total");
});
