import assert from "node:assert/strict";
import { test } from "node:test";

import { makeColumns } from "../../../report_templates/scripts/views/columns.js";
import { exportRows } from "../../../report_templates/scripts/views/export.js";
import { makeRows, metric, SCALES } from "../rows.js";

const ROWS = makeRows([[1, 'say "a,b"'], [2, "x\ty"], [1, "=1+1"]], {
  status: Int8Array.of(1, 0, 2),
  op: Int8Array.of(0, -1, 1),
  ops: ["Add", "@Mul"],
  head_total_params: BigInt64Array.of(2n ** 53n + 1n, -(2n ** 63n), 0n),
}, { hasBase: true });

const META = { metrics: [metric("params")], scales: SCALES, views: [], has_base: true, order_by: "name" };
const COLUMNS = makeColumns(ROWS, META).filter(({ key }) => key === "params:total");
const LISTED = Int32Array.of(2, 0, 1);

test("CSV has exact figures, quotes, and nothing that a spreadsheet runs", () => {
  assert.equal(
    exportRows(ROWS, LISTED, COLUMNS, ","),
    "name,op,status,params total\n" +
      "'=1+1,'@Mul,new,0\n" +
      '"say ""a,b""",Add,changed,9007199254740993\n' +
      '"say ""a,b""/x\ty",,unchanged,\n',
  );
});

test("copied rows have one tab between cells and none in them", () => {
  assert.equal(
    exportRows(ROWS, LISTED.subarray(2), COLUMNS, "\t"),
    'name\top\tstatus\tparams total\nsay "a,b"/x y\t\tunchanged\t\n',
  );
});

test("without a base there is no status", () => {
  const rows = makeRows([[1, "a"]]);
  assert.equal(exportRows(rows, Int32Array.of(0), [], ","), "name,op\na,\n");
});

test("a lower bound is no number", () => {
  const rows = makeRows([[1, "a"]], { head_total_params: Int16Array.of(12), head_unknown_params: Int8Array.of(1) });
  const columns = makeColumns(rows, META).filter(({ key }) => key === "params:total");
  assert.equal(exportRows(rows, Int32Array.of(0), columns, ","), "name,op,params total\na,,at least 12\n");
});
