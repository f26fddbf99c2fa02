// The rows of a view. A block holds them compressed; it is unpacked when its view is first opened.

import { Columns, unpackBytes } from "./columns.js";

/** @import { ColumnHeader } from "./columns.js" */
/** @import { Figure, Scale } from "./format.js" */

/** @typedef {{view: string, rows: number, left_out: number, is_tree: boolean, has_base: boolean, statuses: string[],
 *   columns: ColumnHeader[]}} BlockHeader */
/** @typedef {{stem: string, label: string, unit: string, doc: string, source: string}} Metric */
/** @typedef {{name: string, title: string, parquet: string, diff_parquet: string | null}} ViewMeta */
/** @typedef {{metrics: Metric[], scales: Record<string, Scale>, views: ViewMeta[], has_base: boolean,
 *   order_by: string}} Meta */
/** @typedef {"head" | "base"} Side */

/** The separator between the parts of a full name. */
const SEPARATORS = /** @type {Record<string, string>} */ ({ scope: "/", layers: "/", code: " > " });

/** @returns {Meta} */
export function readMeta() {
  return JSON.parse(document.getElementById("meta")?.textContent ?? "{}");
}

/** @param {string} view */
export function readBlock(view) {
  return unpack(document.getElementById(`data-${view}`)?.textContent ?? "");
}

/** @param {string} block */
export async function unpack(block) {
  const { header, buffer, start } = await unpackBytes(block);
  return new Rows(header, buffer, start);
}

/** The rows of a view, in preorder: a parent precedes its children, and a subtree is a range. */
export class Rows extends Columns {
  /** @param {BlockHeader} header @param {ArrayBuffer} buffer @param {number} start where the columns begin */
  constructor(header, buffer, start) {
    super(header, header.rows, buffer, start);
    this.view = header.view;
    this.leftOut = header.left_out;
    this.hasBase = header.has_base;
    this.statuses = header.statuses;
    /** @type {Map<string, Float64Array>} */
    this.floats = new Map();
    /** @type {Map<string, number>} */
    this.wholes = new Map();
    /** @type {Map<string, Int32Array>} */
    this.counts = new Map();
    this.parent = this.integers("parent");
    this.depth = this.integers("depth");
    this.size = this.integers("size");
    this.leaf = this.integers("leaf");
    this.op = this.integers("op");
    this.shown = this.integers("shown");
    this.status = this.integers("status");
    this.leaves = this.words("leaves");
    // A frame is shown without the folder of its file.
    this.labels = this.view === "code"
      ? this.leaves.map((frame) => frame.replace(/^.*\/(?=[^/]+:\d+:)/, ""))
      : this.leaves;
    this.ops = this.words("ops");
  }

  /** Whether any row of any side has this figure. @param {string} stem */
  has(stem) {
    return ["head", "base"].some((side) => this.headers.has(`${side}_total_${stem}`));
  }

  /** Whether a side has this row: the figures of a missing row are absent, not unknown.
   * @param {Side} side @param {number} row */
  isIn(side, row) {
    return this.statusOf(row) !== (side === "base" ? "new" : "removed");
  }

  /** `unchanged`, `changed`, `new` or `removed`; empty without a comparison. @param {number} row */
  statusOf(row) {
    return this.hasBase ? this.statuses[this.status[row]] : "";
  }

  /** @param {Side} side @param {"self" | "total"} part @param {string} stem @param {number} row @returns {Figure} */
  figure(side, part, stem, row) {
    return this.value(`${side}_${part}_${stem}`, row);
  }

  /** A count of a row, 0 if the page has no such column. @param {string} name @param {number} row */
  countOf(name, row) {
    if (!this.headers.has(name)) return 0;
    let counts = this.counts.get(name);
    if (!counts) {
      counts = this.integers(name);
      this.counts.set(name, counts);
    }
    return counts[row];
  }

  /** How many nodes the total of a row lacks: with any, it is a lower bound.
   * @param {Side} side @param {string} stem @param {number} row */
  lacking(side, stem, row) {
    return this.countOf(`${side}_unknown_${stem}`, row);
  }

  /** Whether any total of head is a lower bound. @param {string} stem */
  hasBounds(stem) {
    return this.headers.has(`head_unknown_${stem}`);
  }

  /** Whether the totals of a row cannot be compared, since nodes are unknown. @param {string} stem @param {number} row */
  isApart(stem, row) {
    return this.countOf(`apart_${stem}`, row) !== 0;
  }

  /** How many nodes base and head lack, if their totals can't be compared; else null. @param {string} stem @param {number} row
   * @returns {[number, number] | null} */
  lacksOf(stem, row) {
    return this.isApart(stem, row) ? [this.lacking("base", stem, row), this.lacking("head", stem, row)] : null;
  }

  /** All figures of a column as floats, NaN where unknown: for widths and limits, which need not be exact.
   * @param {Side} side @param {"self" | "total"} part @param {string} stem @returns {Float64Array} */
  column(side, part, stem) {
    const name = `${side}_${part}_${stem}`;
    let floats = this.floats.get(name);
    if (!floats) {
      floats = new Float64Array(this.count);
      for (let row = 0; row < this.count; row += 1) {
        const value = this.figure(side, part, stem, row);
        floats[row] = value === null ? NaN : Number(value);
      }
      this.floats.set(name, floats);
    }
    return floats;
  }

  /** The sum over the top rows, as a float; NaN where nothing is known. @param {Side} side @param {string} stem @returns {number} */
  whole(side, stem) {
    const key = `${side} ${stem}`;
    let sum = this.wholes.get(key);
    if (sum === undefined) {
      sum = NaN;
      const totals = this.column(side, "total", stem);
      for (let row = 0; row < this.count; row += this.size[row]) {
        if (!Number.isNaN(totals[row])) sum = (Number.isNaN(sum) ? 0 : sum) + totals[row];
      }
      this.wholes.set(key, sum);
    }
    return sum;
  }

  /** The name of a row below its parent. @param {number} row */
  leafOf(row) {
    return this.labels[this.leaf[row]];
  }

  /** @param {number} row */
  opOf(row) {
    return this.ops[this.op[row]] ?? "";
  }

  /** The ancestors of a row from the top, and the row itself. @param {number} row */
  pathOf(row) {
    const path = [];
    for (let at = row; at >= 0; at = this.parent[at]) path.unshift(at);
    return path;
  }

  /** The full names of all rows. Browsers join the concatenated strings lazily, when they are read. */
  get names() {
    if (!this.joined) {
      const separator = SEPARATORS[this.view];
      /** @type {string[]} */
      const names = new Array(this.count);
      for (let row = 0; row < this.count; row += 1) {
        const parent = this.parent[row];
        const own = this.leaves[this.leaf[row]];
        names[row] = parent >= 0 && separator ? names[parent] + separator + own : own;
      }
      this.joined = names;
    }
    return this.joined;
  }
}
