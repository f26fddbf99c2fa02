import assert from "node:assert/strict";
import { test } from "node:test";

import { Listing, makeMatcher, prefixSums } from "../../../report_templates/scripts/views/listing.js";
import { makeRows } from "../rows.js";

/** @import { Order } from "../../../report_templates/scripts/views/listing.js" */

const TREE = () =>
  makeRows([[1, "a"], [2, "b"], [3, "c"], [2, "d"], [1, "e"], [2, "f"]], {
    head_total_x: Int8Array.of(9, 2, 1, 7, 20, -128),
  });

/** The leaves that are listed, in order. @param {Listing} listing */
function listed(listing) {
  listing.update();
  return Array.from(listing.listed, (row) => listing.rows.leafOf(row)).join("");
}

/** @param {Listing} listing @param {boolean} isDescending @returns {Order} */
function byFigure({ rows }, isDescending) {
  return { value: (row) => rows.figure("head", "total", "x", row), isDescending };
}

/** @param {string} query @param {string} name */
function finds(query, name) {
  const matches = makeMatcher(query);
  return typeof matches === "function" && matches(name);
}

test("words in lower case find any case, others their own", () => {
  assert.equal(finds("conv", "block/Conv2D"), true);
  assert.equal(finds("Conv", "block/conv2d"), false);
  assert.equal(finds("a.c", "abc"), false);
});

test("text between slashes is a regular expression", () => {
  assert.equal(finds("/^conv\\d$/", "conv1"), true);
  assert.equal(finds("/^conv\\d$/", "conv10"), false);
  assert.equal(finds("/", "a/b"), true);
});

test("slow and invalid expressions are rejected", () => {
  const slow = "This expression could take too long: repeat no groups, and at most 3 parts.";
  for (const pattern of ["(a+)+$", "(a|a)*b", "a*a*a*a*b", "(a)\\1", "(?<n>a)\\k<n>"]) {
    assert.equal(makeMatcher(`/${pattern}/`), slow);
  }
  assert.equal(makeMatcher("/(/"), "This is not a valid regular expression.");
  assert.equal(typeof makeMatcher("/[*+]+a*b*/"), "function");
});

test("prefix sums begin with 0", () => {
  assert.deepEqual([...prefixSums(3, (row) => row + 1)], [0, 1, 3, 6]);
});

test("rows below a closed one are not listed", () => {
  const listing = new Listing(TREE());
  assert.equal(listed(listing), "ae");
  listing.setOpen(0, true);
  assert.equal(listed(listing), "abde");
  listing.setAll(true);
  assert.equal(listed(listing), "abcdef");
  listing.setAll(false);
  listing.reveal(2);
  assert.equal(listed(listing), "abcde");
  assert.deepEqual([listing.hasChildren(1), listing.hasChildren(2)], [true, false]);
  assert.equal([...listing.everyRow()].length, 6);
});

test("as many upper levels are open as fit", () => {
  for (const [most, leaves] of /** @type {[number, string][]} */ ([[4, "ae"], [5, "abdef"], [6, "abcdef"]])) {
    const listing = new Listing(TREE());
    listing.openFirst(most);
    assert.equal(listed(listing), leaves);
  }
});

test("a search keeps what leads to a row that it finds, and opens it", () => {
  const listing = new Listing(TREE());
  assert.equal(listing.keep((name) => name === "a/b/c", null), true);
  assert.equal(listed(listing), "abc");
  assert.deepEqual([listing.foundCount, [...(listing.found ?? [])]], [1, [0, 0, 1, 0, 0, 0]]);
  listing.setOpen(1, false);
  assert.equal(listed(listing), "ab");
  listing.keep(null, null);
  assert.equal(listed(listing), "ae");
});

test("a limit hides what is less, and counts what is unknown", () => {
  const listing = new Listing(TREE());
  listing.setAll(true);
  listing.keep(null, { figures: [listing.rows.column("head", "total", "x")], least: 7 });
  assert.equal(listed(listing), "ade");
  assert.deepEqual([listing.foundCount, listing.unknownCount], [3, 1]);
});

test("rows that options left out are not listed", () => {
  const listing = new Listing(makeRows([[1, "a"], [2, "b"], [1, "c"]], { shown: Int8Array.of(0, 1, 0) }));
  listing.setAll(true);
  listing.keep(null, null);
  assert.equal(listed(listing), "ab");
});

test("siblings are sorted with what is below them, unknown figures last either way", () => {
  const listing = new Listing(TREE());
  listing.setAll(true);
  listing.sortBy(byFigure(listing, true));
  assert.equal(listed(listing), "efadbc");
  listing.sortBy(byFigure(listing, false));
  assert.equal(listed(listing), "abcdef");
  listing.sortBy(null);
  assert.equal(listed(listing), "abcdef");

  const flat = new Listing(makeRows([[1, "a"], [1, "b"], [1, "c"]], { head_total_x: Int8Array.of(-128, 1, 2) }));
  flat.sortBy(byFigure(flat, true));
  assert.equal(listed(flat), "cba");
  flat.sortBy(byFigure(flat, false));
  assert.equal(listed(flat), "bca");
  flat.sortBy({ value: (row) => flat.rows.leafOf(row), isDescending: true });
  assert.equal(listed(flat), "cba");
});
