import assert from "node:assert/strict";
import { test } from "node:test";

import {
  countOf,
  formatDelta,
  formatExact,
  formatExactDelta,
  formatNumber,
  formatPercent,
  formatShare,
  normalise,
  parseAmount,
} from "../../report_templates/scripts/format.js";
import { SCALES } from "./rows.js";

const { "": COUNT, bytes: BYTES, micros: MICROS } = SCALES;

test("figures are scaled and rounded half up to two decimals", () => {
  assert.equal(formatNumber(17_630_000_000, COUNT), "17.63 G");
  assert.equal(formatNumber(999, COUNT), "999");
  assert.equal(formatNumber(999_994, COUNT), "999.99 k");
  assert.equal(formatNumber(999_995, COUNT), "1.00 M");
  assert.equal(formatNumber(1_048_575, BYTES), "1.00 MiB");
  assert.equal(formatNumber(12_500, MICROS), "12.50 ms");
  assert.equal(formatNumber(-2.5, COUNT), "\u22122.50");
  assert.equal(formatNumber(9007199254740993n, COUNT), "9.01 P");
  assert.equal(formatNumber(1e19, COUNT), "1.00e+19");
});

test("what is not zero does not read as zero", () => {
  assert.equal(formatNumber(0.0049, MICROS), "0.0049 us");
  assert.equal(formatNumber(1.23e-7, MICROS), "1.2e-07 us");
  assert.equal(formatPercent(0.001), "+<0.01 %");
  assert.equal(formatNumber(0, BYTES), "0 B");
  assert.equal(formatPercent(0), "0 %");
});

test("exact figures have every digit", () => {
  assert.equal(formatExact(1_299_227_648, BYTES), "1,299,227,648 B");
  assert.equal(formatExact(9007199254740993n, COUNT), "9,007,199,254,740,993");
  assert.equal(formatExact(1234.5, MICROS), "1,234.5 us");
  assert.equal(formatExact(1e-5, COUNT), "1e-05");
});

test("a difference has its sign", () => {
  assert.equal(formatDelta(1_250_000, COUNT), "+1.25 M");
  assert.equal(formatDelta(-1536, BYTES), "\u22121.50 KiB");
  assert.equal(formatDelta(0, COUNT), "0");
  assert.equal(formatExactDelta(1_250_000, COUNT), "+1,250,000");
});

test("a change in percent has no decimals when it is large, and a word when there is none", () => {
  assert.equal(formatPercent(1.25), "+1.25 %");
  assert.equal(formatPercent(-99.999), "\u2212100.00 %");
  assert.equal(formatPercent(234_578.2), "+234,578 %");
  assert.equal(formatPercent(null, "new from 0"), "new from 0");
  assert.equal(formatShare(0.1234), "12.34 %");
});

test("what is unknown is never 0", () => {
  assert.equal(formatNumber(null, COUNT), "unknown");
  assert.equal(formatExactDelta(NaN, COUNT), "unknown");
  assert.equal(formatPercent(null), "unknown");
  assert.equal(normalise(Infinity), null);
  assert.equal(normalise(undefined), null);
  assert.equal(normalise(2.0), 2n);
});

test("one of a noun is singular", () => {
  assert.equal(countOf(1, "row"), "1 row");
  assert.equal(countOf(0, "row"), "0 rows");
  assert.equal(countOf(1234, "row"), "1,234 rows");
});

test("amounts are read as people write them", () => {
  assert.equal(parseAmount("1.5 M", COUNT), 1_500_000);
  assert.equal(parseAmount(" 1,234 ", COUNT), 1234);
  assert.equal(parseAmount("10 MiB", BYTES), 10_485_760);
  assert.equal(parseAmount("10MB", BYTES), 10_485_760);
  assert.equal(parseAmount("10 m", BYTES), 10_485_760);
  assert.equal(parseAmount("20ms", MICROS), 20_000);
  assert.equal(parseAmount("5 parsecs", MICROS), null);
  assert.equal(parseAmount("-1", COUNT), null);
  assert.equal(parseAmount("", COUNT), null);
});
