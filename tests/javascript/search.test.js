import assert from "node:assert/strict";
import { test } from "node:test";

import { finder } from "../../report_templates/scripts/search.js";

test("every word of a search has to be in the text, in any order and case", () => {
  const finds = finder("  Main ENCODER ");
  assert.equal(finds("encoder-large\nok\nmain"), true);
  assert.equal(finds("encoder-large\nok\nnext"), false);
});

test("an empty search finds everything, and no word is a pattern", () => {
  assert.equal(finder(" ")("anything"), true);
  assert.equal(finder(".*")("anything"), false);
  assert.equal(finder("(b")("a (b"), true);
});
