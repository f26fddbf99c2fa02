import assert from "node:assert/strict";
import { test } from "node:test";

import { linkTo, readLink } from "../../report_templates/scripts/links.js";

test("a link has the name as people can read it", () => {
  assert.equal(linkTo("scope", "unit_1_0/sub1"), "#scope=unit_1_0/sub1");
  assert.equal(linkTo("code", "train.py:10:main > call"), "#code=train.py:10:main%20%3E%20call");
});

test("a link leads to the row it was made of", () => {
  for (const name of ["a/b", "100%", "#x=y", "\u540d\n", "a&b <c>"]) {
    assert.deepEqual(readLink(linkTo("graph", name)), { view: "graph", name });
  }
});

test("other links are none of ours", () => {
  for (const hash of ["", "#gates", "#scope=", "#Scope=a", "#scope=%E0%A4%A"]) assert.equal(readLink(hash), null);
});
