// The reports of a model in the order of their commits, and the lines of its figures. chart_block.py writes their block.

import { Columns, unpackBytes } from "../columns.js";
import { formatExact, formatNumber } from "../format.js";

/** @import { Packed } from "../columns.js" */
/** @import { Figure, Scale } from "../format.js" */

/** @typedef {{line: string, step: string, quiet: string, limit: string}} Colours */
/** @typedef {{scales: Record<string, Scale>, colours: Colours, far: number, commit_url: string | null}} ChartsMeta */
/** @typedef {{stem: string, label: string, unit: string, levels: [number, number, number][], steps: [number, string][],
 *   budgets: [number, string, number][], cuts: [number, number][]}} LineHeader */
/** @typedef {Packed & {rows: number, prefix: string, tags: [number, string[]][], breaks: number[],
 *   lines: LineHeader[]}} ReportsHeader */

const DAY = 86_400_000;
/** Digits of a commit that are shown. */
const SHORT = 12;

/** @param {string} block @param {ChartsMeta} meta */
export async function unpackReports(block, meta) {
  const { header, buffer, start } = await unpackBytes(block);
  return new Reports(header, new Columns(header, header.rows, buffer, start), meta);
}

export class Reports {
  /** @param {ReportsHeader} header @param {Columns} columns @param {ChartsMeta} meta */
  constructor(header, columns, meta) {
    this.count = header.rows;
    this.meta = meta;
    this.prefix = header.prefix;
    this.columns = columns;
    /** The numbers of the commits, ascending. @type {number[]} */
    this.numbers = Array.from(columns.integers("number"));
    this.commits = columns.words("commits");
    this.addresses = columns.words("reports");
    this.tags = new Map(header.tags);
    this.breaks = header.breaks;
    this.lines = header.lines.map((line) => new Line(line, this));
  }

  /** The beginning of the commit's id. @param {number} row */
  commitOf(row) {
    return this.commits[row].slice(0, SHORT);
  }

  /** The day of the commit, such as `2024-05-02`. @param {number} row */
  dayOf(row) {
    const day = this.columns.value("day", row);
    return day === null ? "no date" : new Date(Number(day) * DAY).toISOString().slice(0, 10);
  }

  /** The names of the releases at the commit. @param {number} row @returns {string[]} */
  tagsOf(row) {
    return this.tags.get(row) ?? [];
  }

  /** @param {number} row */
  hasFailed(row) {
    return this.columns.value("failed", row) === 1;
  }

  /** The address of the page of the commit, empty if there is none. @param {number} row */
  commitUrl(row) {
    // A function, since "$&" in a text would be replaced by what was found.
    return this.meta.commit_url?.replace("{commit}", () => encodeURIComponent(this.commits[row])) ?? "";
  }

  /** The address of the report, empty if there is none. @param {number} row */
  reportUrl(row) {
    return this.addresses[row] && this.prefix + this.commits[row] + this.addresses[row];
  }

  /** What is known of a report besides its figures. @param {number} row @returns {string[]} */
  factsOf(row) {
    const facts = [this.dayOf(row), ...this.tagsOf(row)];
    if (this.breaks.includes(row)) facts.push("counted in another way from here on");
    if (this.hasFailed(row)) facts.push("gates failed");
    return facts;
  }

  /** The row whose commit is nearest to a number. @param {number} number */
  nearest(number) {
    let low = 0;
    let high = this.count - 1;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (this.numbers[middle] < number) low = middle;
      else high = middle;
    }
    return number - this.numbers[low] <= this.numbers[high] - number ? low : high;
  }
}

/** A figure over the reports of a model. */
export class Line {
  /** @param {LineHeader} header @param {Reports} reports */
  constructor(header, reports) {
    this.label = header.label;
    this.stem = header.stem;
    this.unit = header.unit;
    this.levels = header.levels;
    this.budgets = header.budgets;
    this.cuts = header.cuts;
    this.steps = new Map(header.steps);
    this.reports = reports;
    this.scale = reports.meta.scales[header.unit];
    /** The figures as floats, null where they are not known. @type {(number | null)[]} */
    this.values = Array.from({ length: reports.count }, (_, row) => {
      const value = this.figure(row);
      return value === null ? null : Number(value);
    });
    const known = this.values.flatMap((value, row) => value === null ? [] : [row]);
    const ends = new Set(this.cuts.map(([before]) => before)).add(known[known.length - 1]);
    const begins = new Set(this.cuts.map(([, row]) => row)).add(known[0]);
    /** The rows of points without a neighbour in the line. */
    this.alone = known.filter((row) => begins.has(row) && ends.has(row));
  }

  /** The exact figure of a row. @param {number} row @returns {Figure} */
  figure(row) {
    return this.reports.columns.value(`value_${this.stem}`, row);
  }

  /** The figure of a row in words, with all digits, and what moved there. @param {number} row */
  words(row) {
    const value = this.figure(row);
    const least = this.reports.columns.value(`least_${this.stem}`, row);
    if (value === null) return least === null ? "not known" : `at least ${this.exactly(least)}: a part is not known`;
    const step = this.steps.get(row);
    return step ? `${this.exactly(value)}: ${step}` : this.exactly(value);
  }

  /** A figure with all its digits; of a mean three decimals. @param {Figure} value */
  exactly(value) {
    const text = formatNumber(value, this.scale);
    const exact = formatExact(typeof value === "number" ? Math.round(value * 1000) / 1000 : value, this.scale);
    return text === exact ? text : `${text} (${exact})`;
  }

  /** The next row with a step in a direction, or the same row. @param {number} row @param {1 | -1} direction */
  stepFrom(row, direction) {
    const rows = [...this.steps.keys()].filter((each) => (each - row) * direction > 0);
    return rows.length ? rows.reduce((a, b) => (Math.abs(b - row) < Math.abs(a - row) ? b : a)) : row;
  }
}
