// Reads a block of reports, and what all charts share, from standard input, and writes what pages say of them;
// test_javascript.py compares it with the history.

import { readFileSync } from "node:fs";
import { stdout } from "node:process";

import { heights } from "../../report_templates/scripts/history/chart.js";
import { unpackReports } from "../../report_templates/scripts/history/reports.js";

const { block, meta } = JSON.parse(readFileSync(0, "utf8"));
const reports = await unpackReports(block, meta);
const rows = Array.from({ length: reports.count }, (_, row) => row);
const lines = reports.lines.map((line) => ({
  words: rows.map((row) => line.words(row)),
  alone: line.alone,
  next: rows.map((row) => line.stepFrom(row, 1)),
  previous: rows.map((row) => line.stepFrom(row, -1)),
  heights: heights(line, 100, 200),
}));
const known = rows.map((row) => [
  reports.commitOf(row),
  reports.factsOf(row).join(", "),
  reports.commitUrl(row),
  reports.reportUrl(row),
]);
const nearest = [-5, 0.4, 0.6, 2.4, 2.6, 99].map((number) => reports.nearest(number));
stdout.write(JSON.stringify({ known, lines, nearest }));
