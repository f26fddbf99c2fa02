import assert from "node:assert/strict";
import { test } from "node:test";

import { unpack } from "../../report_templates/scripts/data.js";
import { makeRows, pack, tree } from "./rows.js";

/** @import { Made } from "./rows.js" */

/** @type {[number, string][]} */
const PAIR = [[1, "a"], [1, "b"]];

/** The content of a column for two rows. @param {Made} made @param {Record<string, Made>} [others] */
function figures(made, others = {}) {
  const rows = makeRows(PAIR, { ...others, head_total_x: made });
  return [0, 1].map((row) => rows.figure("head", "total", "x", row));
}

test("a block is base64 of gzip of a header and columns", async () => {
  const { header, buffer } = pack({ leftOut: 7 }, 2, { ...tree([[1, "a"], [2, "b"]]), op: { value: 0 }, ops: ["Add"] });
  const text = new TextEncoder().encode(JSON.stringify(header));
  const length = new Uint8Array(Uint32Array.of(text.length).buffer);
  const pad = new Uint8Array(-(4 + text.length) & 7);
  const stream = new Blob([length, text, pad, buffer]).stream().pipeThrough(new CompressionStream("gzip"));
  const packed = new Uint8Array(await new Response(stream).arrayBuffer());
  const rows = await unpack(`\n${btoa(String.fromCharCode(...packed))}\n`);
  assert.deepEqual([rows.view, rows.count, rows.leftOut, rows.hasBase], ["scope", 2, 7, false]);
  assert.deepEqual(rows.names, ["a", "a/b"]);
  assert.deepEqual([rows.opOf(0), rows.opOf(1)], ["Add", "Add"]);
});

test("the least number of an integer type is unknown, and NaN", () => {
  assert.deepEqual(figures(Int8Array.of(-128, -127)), [null, -127]);
  assert.deepEqual(figures(Int16Array.of(-32768, 5)), [null, 5]);
  assert.deepEqual(figures(Int32Array.of(2 ** 31 - 1, -(2 ** 31))), [2147483647, null]);
  assert.deepEqual(figures(BigInt64Array.of(-(2n ** 63n), 2n ** 53n + 1n)), [null, 9007199254740993n]);
  assert.deepEqual(figures(Float64Array.of(NaN, 0.5)), [null, 0.5]);
});

test("one value stands for all rows, exactly", () => {
  assert.deepEqual(figures({ value: 3 }), [3, 3]);
  assert.deepEqual(figures({ value: null }), [null, null]);
  assert.deepEqual(figures({ value: "9007199254740993" }), [9007199254740993n, 9007199254740993n]);
});

test("a column is that of another, divided, or added to it", () => {
  const base_total_x = { numbers: Int8Array.of(5, 100) };
  assert.deepEqual(figures({ same: "base_total_x" }, { base_total_x }), [5, 100]);
  assert.deepEqual(figures({ numbers: Int8Array.of(5, -128), divisor: 4 }), [1.25, null]);
  assert.deepEqual(figures({ numbers: Int8Array.of(-7, 100), plus: "base_total_x" }, { base_total_x }), [-2, -56]);
  const long = { base_total_x: BigInt64Array.of(2n ** 62n, 1n) };
  assert.deepEqual(figures({ numbers: BigInt64Array.of(1n, 1n), plus: "base_total_x" }, long), [2n ** 62n + 1n, 2n]);
});

test("a figure that no row knows is not there", () => {
  const rows = makeRows(PAIR, { base_total_y: { value: 1 } });
  assert.deepEqual([rows.has("x"), rows.has("y")], [false, true]);
  assert.equal(rows.figure("head", "total", "y", 0), null);
});

test("full names are joined as each view does", () => {
  /** @type {[number, string][]} */
  const frames = [[1, "/home/me/train.py:10:main"], [2, "/lib/layers.py:20:call"]];
  const code = makeRows(frames, {}, { view: "code" });
  assert.deepEqual(code.names, ["/home/me/train.py:10:main", "/home/me/train.py:10:main > /lib/layers.py:20:call"]);
  assert.deepEqual([code.leafOf(0), code.leafOf(1)], ["train.py:10:main", "layers.py:20:call"]);
  assert.deepEqual(makeRows([[1, "a"], [2, "b"], [1, "a/x"]]).names, ["a", "a/b", "a/x"]);
  assert.deepEqual(makeRows([[1, "Add"], [1, "Mul"]], {}, { view: "op" }).names, ["Add", "Mul"]);
});

test("a side does not have what is new or removed", () => {
  const rows = makeRows(PAIR, { status: Int8Array.of(2, 3) }, { hasBase: true });
  assert.deepEqual([rows.statusOf(0), rows.statusOf(1)], ["new", "removed"]);
  assert.deepEqual([rows.isIn("head", 0), rows.isIn("base", 0)], [true, false]);
  assert.deepEqual([rows.isIn("head", 1), rows.isIn("base", 1)], [false, true]);
  assert.deepEqual([makeRows(PAIR).statusOf(0), makeRows(PAIR).isIn("base", 0)], ["", true]);
});

test("the whole is the sum of what is known of the top rows", () => {
  /** @param {number[]} totals */
  const whole = (...totals) =>
    makeRows([[1, "a"], [2, "b"], [1, "c"]], { head_total_x: Float64Array.from(totals) }).whole("head", "x");
  assert.equal(whole(4, 3, 2), 6);
  assert.equal(whole(NaN, 3, 2), 2);
  assert.equal(whole(NaN, 3, NaN), NaN);
});

test("a path leads from the top down to a row", () => {
  assert.deepEqual(makeRows([[1, "a"], [2, "b"], [2, "c"], [3, "d"]]).pathOf(3), [0, 2, 3]);
});
