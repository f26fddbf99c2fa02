// The columns of a view as typed arrays. A block holds them compressed; it is unpacked when its view is first opened.

/** @import { Figure, Scale } from "./format.js" */

/** @typedef {Int8Array | Int16Array | Int32Array | Float64Array | BigInt64Array | Uint8Array} Numbers */
/** @typedef {{name: string, value?: number | string | null, same?: string, type?: string, offset?: number, count?: number,
 *   divisor?: number, plus?: string}} ColumnHeader packed_columns.py defines these fields */
/** @typedef {{view: string, rows: number, left_out: number, is_tree: boolean, has_base: boolean, statuses: string[],
 *   columns: ColumnHeader[]}} BlockHeader */
/** @typedef {{stem: string, label: string, unit: string, doc: string, source: string}} Metric */
/** @typedef {{name: string, title: string, parquet: string, diff_parquet: string | null}} ViewMeta */
/** @typedef {{metrics: Metric[], scales: Record<string, Scale>, views: ViewMeta[], has_base: boolean,
 *   order_by: string}} Meta */
/** @typedef {"head" | "base"} Side */

const TYPES = {
  i8: Int8Array,
  i16: Int16Array,
  i32: Int32Array,
  f64: Float64Array,
  i64: BigInt64Array,
  u8: Uint8Array,
};

/** The number that encodes an unknown figure: the lowest one of the type; in floats it is NaN. @type {Record<string, number | bigint>} */
const UNKNOWN_AS = { i8: -(2 ** 7), i16: -(2 ** 15), i32: -(2 ** 31), i64: -(2n ** 63n) };

/** The separator between the parts of a full name. */
const SEPARATORS = /** @type {Record<string, string>} */ ({ scope: "/", layers: "/", code: " > " });

/** The sum of two columns of one type, which wraps at its width. @param {Numbers} numbers @param {Numbers} others @returns {Numbers} */
function added(numbers, others) {
  const sums = numbers.slice();
  if (sums instanceof BigInt64Array) { for (let at = 0; at < sums.length; at += 1) sums[at] += BigInt(others[at]); }
  else for (let at = 0; at < sums.length; at += 1) sums[at] += Number(others[at]);
  return sums;
}

/** @returns {Meta} */
export function readMeta() {
  return JSON.parse(document.getElementById("meta")?.textContent ?? "{}");
}

/** @param {string} view */
export function readBlock(view) {
  return unpack(document.getElementById(`data-${view}`)?.textContent ?? "");
}

/** @param {string} block base64 of gzip of the length of a header, the header, and the columns */
export async function unpack(block) {
  const text = atob(block.trim());
  const packed = new Uint8Array(text.length);
  for (let at = 0; at < text.length; at += 1) packed[at] = text.charCodeAt(at);
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  const buffer = await new Response(stream).arrayBuffer();
  const length = new DataView(buffer).getUint32(0, true);
  const header = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 4, length)));
  return new Rows(header, buffer, Math.ceil((4 + length) / 8) * 8);
}

/** The rows of a view, in preorder: a parent precedes its children, and a subtree is a range. */
export class Rows {
  /** @param {BlockHeader} header @param {ArrayBuffer} buffer @param {number} start where the columns begin */
  constructor(header, buffer, start) {
    this.view = header.view;
    this.count = header.rows;
    this.leftOut = header.left_out;
    this.hasBase = header.has_base;
    this.statuses = header.statuses;
    this.buffer = buffer;
    this.start = start;
    this.headers = new Map(header.columns.map((column) => [column.name, column]));
    /** @type {Map<string, Numbers>} */
    this.unpacked = new Map();
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

  /** The header of a column, or of the earlier column that it repeats. @param {string} name @returns {ColumnHeader} */
  header(name) {
    const header = this.headers.get(name);
    if (!header) throw new Error(`no column ${name}`);
    return header.same ? this.header(header.same) : header;
  }

  /** @param {string} name @returns {string[]} */
  words(name) {
    if (!this.headers.has(name)) return [];
    const { offset = 0, count } = this.header(name);
    return JSON.parse(new TextDecoder().decode(new Uint8Array(this.buffer, this.start + offset, count)));
  }

  /** A column of small integers, all of them known; a list of another length than the rows has `count` of them.
   * @param {string} name @returns {Int32Array} */
  integers(name, count = this.count) {
    if (!this.headers.has(name)) return new Int32Array(count);
    const header = this.header(name);
    if (header.value !== undefined) return new Int32Array(count).fill(Number(header.value));
    return Int32Array.from(/** @type {Int32Array} */ (this.numbers(header)), Number);
  }

  /** The numbers of a column, before division. @param {ColumnHeader} header @returns {Numbers} */
  numbers(header) {
    let numbers = this.unpacked.get(header.name);
    if (!numbers) {
      const type = TYPES[/** @type {keyof typeof TYPES} */ (header.type)];
      numbers = new type(this.buffer, this.start + (header.offset ?? 0), header.count);
      if (header.plus) numbers = added(numbers, this.numbers(this.header(header.plus)));
      this.unpacked.set(header.name, numbers);
    }
    return numbers;
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

  /** A figure by the name of its column; null if it is unknown. @param {string} name @param {number} row @returns {Figure} */
  value(name, row) {
    if (!this.headers.has(name)) return null;
    const header = this.header(name);
    if (header.value !== undefined) return typeof header.value === "string" ? BigInt(header.value) : header.value;
    const value = this.numbers(header)[row];
    if (value === UNKNOWN_AS[header.type ?? ""] || Number.isNaN(value)) return null;
    return header.divisor ? Number(value) / header.divisor : value;
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
