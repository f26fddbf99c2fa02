// Hand-made rows of views for tests, packed in the format of packed_columns.py.

import { Rows } from "../../report_templates/scripts/data.js";

/** @import { ColumnHeader, Numbers } from "../../report_templates/scripts/columns.js" */
/** @import { Meta, Metric } from "../../report_templates/scripts/data.js" */

/** @typedef {Numbers | string[] | Omit<ColumnHeader, "name"> & { numbers?: Numbers }} Made
 * the content of a column, or fields of its header */
/** @typedef {{ view?: string, hasBase?: boolean, leftOut?: number }} About */

/** @type {Meta["scales"]} */
export const SCALES = {
  "": [[1, ""], [1000, "k"], [1e6, "M"], [1e9, "G"], [1e12, "T"], [1e15, "P"], [1e18, "E"]],
  bytes: [[1, "B"], [1024, "KiB"], [1024 ** 2, "MiB"], [1024 ** 3, "GiB"], [1024 ** 4, "TiB"]],
  micros: [[1, "us"], [1000, "ms"], [1e6, "s"], [60e6, "min"], [3600e6, "h"]],
};

/** @param {string} stem @param {string} unit @returns {Metric} */
export function metric(stem, unit = "") {
  return { stem, label: stem, unit, doc: "", source: "" };
}

/** @type {Record<string, string>} */
const TYPES = {
  Int8Array: "i8",
  Int16Array: "i16",
  Int32Array: "i32",
  Float64Array: "f64",
  BigInt64Array: "i64",
};

/** A header, and the buffers of columns.
 * @param {About} about @param {number} count @param {Record<string, Made>} made */
export function pack({ view = "scope", hasBase = false, leftOut = 0 }, count, made) {
  /** @type {ColumnHeader[]} */
  const columns = [];
  const bytes = [];
  for (const [name, column] of Object.entries(made)) {
    const isPlain = Array.isArray(column) || ArrayBuffer.isView(column);
    const { numbers, ...header } = isPlain ? { numbers: column } : column;
    if (!numbers) {
      columns.push({ name, ...header });
      continue;
    }
    const data = Array.isArray(numbers)
      ? new TextEncoder().encode(JSON.stringify(numbers))
      : new Uint8Array(numbers.buffer);
    const type = TYPES[numbers.constructor.name] ?? "utf8";
    const offset = bytes.length;
    columns.push({ name, ...header, type, offset, count: type === "utf8" ? data.length : numbers.length });
    bytes.push(...data, ...new Uint8Array(-data.length & 7));
  }
  const statuses = ["unchanged", "changed", "new", "removed"];
  const header = {
    view,
    rows: count,
    left_out: leftOut,
    is_tree: view !== "op",
    has_base: hasBase,
    statuses,
    columns,
  };
  return { header, buffer: Uint8Array.from(bytes).buffer };
}

/** The columns of a tree in preorder.
 * @param {[number, string][]} rows depth and leaf of each @returns {Record<string, Made>} */
export function tree(rows) {
  const above = [-1];
  const parent = rows.map(([depth], row) => {
    above[depth] = row;
    return above[depth - 1];
  });
  const size = rows.map(([depth], row) => {
    const next = rows.findIndex(([other], at) => at > row && other <= depth);
    return (next < 0 ? rows.length : next) - row;
  });
  return {
    parent: Int8Array.from(parent),
    depth: Int8Array.from(rows, ([depth]) => depth),
    size: Int8Array.from(size),
    leaf: Int8Array.from(rows.keys()),
    leaves: rows.map(([, leaf]) => leaf),
    op: { value: -1 },
    ops: [],
    shown: { value: 1 },
  };
}

/** @param {[number, string][]} rows @param {Record<string, Made>} [more] @param {About} [about] */
export function makeRows(rows, more = {}, about = {}) {
  const { header, buffer } = pack(about, rows.length, { ...tree(rows), ...more });
  return new Rows(header, buffer, 0);
}
