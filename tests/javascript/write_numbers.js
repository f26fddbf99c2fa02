// Formats the numbers from standard input as pages do; test_javascript.py compares them with Python's texts.

import { readFileSync } from "node:fs";
import { stdout } from "node:process";

import {
  formatDelta,
  formatExact,
  formatExactDelta,
  formatNumber,
  formatPercent,
} from "../../report_templates/scripts/format.js";

/** @import { Scale } from "../../report_templates/scripts/format.js" */

/** @type {{ cases: [text: string, isWhole: boolean, unit: string][], scales: Record<string, Scale> }} */
const { cases, scales } = JSON.parse(readFileSync(0, "utf8"));

const written = cases.map(([text, isWhole, unit]) => {
  const value = isWhole ? BigInt(text) : Number(text);
  const forms = [formatNumber, formatExact, formatDelta, formatExactDelta].map((form) => form(value, scales[unit]));
  return [...forms, formatPercent(Number(value))];
});
stdout.write(JSON.stringify(written));
