// A view in words: one of its rows, for the drawer and for the tip of the picture, and all of them.

import { bounded, difference, percentOf, stateWord } from "./columns.js";
import {
  countOf,
  formatDelta,
  formatExact,
  formatExactDelta,
  formatNumber,
  formatPercent,
  formatShare,
  grouped,
} from "../format.js";

/** @import { Metric, Rows, Side, ViewMeta } from "../data.js" */
/** @import { Scale } from "../format.js" */

/** The name of a row, then its exact figures. @param {Rows} rows @param {number} row @param {Metric} metric
 * @param {Scale} scale @returns {string[]} */
export function describe(rows, row, metric, scale) {
  const words = [rows.opOf(row), rows.statusOf(row)].filter(Boolean).join(", ");
  const whole = rows.whole("head", metric.stem);
  /** @param {Side} side @param {"self" | "total"} part */
  const exact = (
    side,
    part,
  ) => {
    if (!rows.isIn(side, row)) return "not there";
    const lacks = part === "total" ? rows.lacking(side, metric.stem, row) : 0;
    const text = bounded(formatExact(rows.figure(side, part, metric.stem, row), scale), lacks);
    return lacks ? `${text}, ${countOf(lacks, "node")} unknown` : text;
  };
  const head = rows.figure("head", "total", metric.stem, row);
  const share = head !== null && whole
    ? ` (${formatShare(Number(head) / whole)} of ${rows.hasBounds(metric.stem) ? "what is known" : "all"})`
    : "";
  const lines = [`${metric.label}: ${exact("head", "total")}${share}`, `self: ${exact("head", "self")}`];
  if (rows.hasBase) {
    const base = rows.figure("base", "total", metric.stem, row);
    const isInBoth = rows.isIn("base", row) && rows.isIn("head", row);
    const lacks = rows.lacksOf(metric.stem, row);
    const percent = formatPercent(lacks ? null : percentOf(base, head), stateWord(base, head, lacks));
    const delta = `, ${formatExactDelta(lacks ? null : difference(base, head), scale)} (${percent})`;
    lines.push(`base: ${exact("base", "total")}${isInBoth ? delta : ""}`);
  }
  return [rows.names[row], ...(words ? [words] : []), ...lines];
}

/** The label of the picture's top line: the total, or its change. @param {Rows} rows @param {Metric} metric
 * @param {Scale} scale @param {boolean} isDifferential */
export function wholeLabel(rows, { stem, label }, scale, isDifferential) {
  const head = rows.whole("head", stem);
  const hasBounds = rows.hasBounds(stem);
  if (!isDifferential) return `${hasBounds ? "All that is known" : "All"}: ${formatNumber(head, scale)} ${label}`;
  const delta = formatDelta(difference(rows.whole("base", stem), head), scale);
  return `${hasBounds ? "Changes of what is known" : "All changes"}: ${delta} ${label}`;
}

/** A sentence on the rows that the page has, and the file that has all. @param {Rows} rows @param {ViewMeta} about */
export function whereAllIs({ count, leftOut, hasBase }, { parquet, diff_parquet: difference }) {
  const files = difference && hasBase ? `${parquet}, and both sides in ${difference}` : parquet;
  if (!leftOut) return `All rows are in ${files}.`;
  const missing = `${grouped(leftOut)} ${leftOut === 1 ? "is" : "are"} left out`;
  const held = `Has ${grouped(count)} of ${countOf(count + leftOut, "row")}, upper levels first`;
  return `${held}; ${missing}. All are in ${files}.`;
}
