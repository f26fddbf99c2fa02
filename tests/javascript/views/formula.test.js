import assert from "node:assert/strict";
import { test } from "node:test";

import { putIn, readShapes } from "../../../report_templates/scripts/views/formula.js";

const INPUTS = readShapes("[128,32,32,3] [3,3,3,16]");
const OUTPUTS = readShapes("[128,32,32,16]");

test("shapes may be scalar or unknown", () => {
  assert.deepEqual(readShapes("[] [2,?] ?"), [[], [2, null], null]);
  assert.deepEqual(readShapes(""), []);
});

test("a rule has the sizes of a node", () => {
  assert.equal(
    putIn("2 N(out) in1[0] in1[1] in1[2]", INPUTS, OUTPUTS),
    "2 \u00d7 2,097,152 \u00d7 3 \u00d7 3 \u00d7 3",
  );
  assert.equal(putIn("N(in0) - N(out)", INPUTS, OUTPUTS), "393,216 - 2,097,152");
  assert.equal(
    putIn("2 k N(out), k = in0[-1], or in0[-2]", INPUTS, OUTPUTS),
    "2 \u00d7 k \u00d7 2,097,152, k = 3, or 32",
  );
  assert.equal(putIn("N(in0) (inputs - 1)", INPUTS, OUTPUTS), "393,216 \u00d7 (inputs - 1)");
});

test("what is not known stays as it is", () => {
  assert.equal(
    putIn("N(in0) in0[0] in0[1] in5[0] N(in5)", readShapes("[2,?]"), []),
    "N(in0) \u00d7 2 \u00d7 in0[1] \u00d7 in5[0] \u00d7 N(in5)",
  );
  assert.equal(putIn("N(out)", [], []), "N(out)");
});
