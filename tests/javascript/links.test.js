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

test("a link has what a view shows", () => {
  const shown = { find: "/a&b=c$/", sort: "-params:total", columns: "params:total,bytes:self" };
  assert.equal(linkTo("op", "", { sort: "none" }), "#op=&sort=none");
  for (const name of ["", "a&find=b", "a=b"]) {
    assert.deepEqual(readLink(linkTo("scope", name, shown)), { view: "scope", name, ...shown });
  }
  assert.deepEqual(readLink("#scope=a&later=1&find="), { view: "scope", name: "a", find: "" });
});

test("other links are none of ours", () => {
  for (const hash of ["", "#gates", "#scope=", "#Scope=a", "#scope=%E0%A4%A", "#scope=a&b"]) {
    assert.equal(readLink(hash), null);
  }
});
