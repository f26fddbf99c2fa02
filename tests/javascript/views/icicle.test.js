import assert from "node:assert/strict";
import { test } from "node:test";

import { changeSums, sizeSums, tint } from "../../../report_templates/scripts/views/icicle.js";
import { makeRows } from "../rows.js";

test("rows are as wide as their own figures, but for unknown and negative ones", () => {
  const rows = makeRows([[1, "a"], [2, "b"], [2, "c"], [1, "d"]], { head_self_x: Int8Array.of(1, -128, -5, 4) });
  assert.deepEqual([...sizeSums(rows, "x")], [0, 1, 1, 1, 5]);
});

test("changes are as wide as they are large, up or down, and known", () => {
  const rows = makeRows([[1, "more"], [1, "new"], [1, "removed"], [1, "unknown"]], {
    status: Int8Array.of(1, 2, 3, 1),
    head_self_x: Int8Array.of(7, 5, -128, -128),
    base_self_x: Int8Array.of(4, -128, 9, 1),
  }, { hasBase: true });
  const { gross, net } = changeSums(rows, "x");
  assert.deepEqual([...gross], [0, 3, 8, 17, 17]);
  assert.deepEqual([...net], [0, 3, 8, -1, -1]);
});

test("a name has one of four colours, always the same", () => {
  assert.deepEqual(["conv1", "conv2", "block", "dense"].map(tint), ["tint-3", "tint-3", "tint-0", "tint-1"]);
});
