// Columns as typed arrays. A block of a page holds them compressed; it is unpacked when it is first needed.

/** @import { Figure } from "./format.js" */

/** @typedef {Int8Array | Int16Array | Int32Array | Float64Array | BigInt64Array | Uint8Array} Numbers */
/** @typedef {{name: string, value?: number | string | null, same?: string, type?: string, offset?: number, count?: number,
 *   divisor?: number, plus?: string}} ColumnHeader packed_columns.py defines these fields */
/** @typedef {{columns: ColumnHeader[]}} Packed */

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

/** The sum of two columns of one type, which wraps at its width. @param {Numbers} numbers @param {Numbers} others @returns {Numbers} */
function added(numbers, others) {
  const sums = numbers.slice();
  if (sums instanceof BigInt64Array) { for (let at = 0; at < sums.length; at += 1) sums[at] += BigInt(others[at]); }
  else for (let at = 0; at < sums.length; at += 1) sums[at] += Number(others[at]);
  return sums;
}

/** The header of a block, its bytes, and where its columns begin.
 * @param {string} block base64 of gzip of the length of a header, the header, and the columns */
export async function unpackBytes(block) {
  const text = atob(block.trim());
  const packed = new Uint8Array(text.length);
  for (let at = 0; at < text.length; at += 1) packed[at] = text.charCodeAt(at);
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  const buffer = await new Response(stream).arrayBuffer();
  const length = new DataView(buffer).getUint32(0, true);
  const header = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 4, length)));
  return { header, buffer, start: Math.ceil((4 + length) / 8) * 8 };
}

/** Columns of equal length, read when they are asked for. */
export class Columns {
  /** @param {Packed} header @param {number} count of rows @param {ArrayBuffer} buffer @param {number} start where the columns begin */
  constructor(header, count, buffer, start) {
    this.count = count;
    this.buffer = buffer;
    this.start = start;
    this.headers = new Map(header.columns.map((column) => [column.name, column]));
    /** @type {Map<string, Numbers>} */
    this.unpacked = new Map();
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

  /** A figure by the name of its column; null if it is unknown. @param {string} name @param {number} row @returns {Figure} */
  value(name, row) {
    if (!this.headers.has(name)) return null;
    const header = this.header(name);
    if (header.value !== undefined) return typeof header.value === "string" ? BigInt(header.value) : header.value;
    const value = this.numbers(header)[row];
    if (value === UNKNOWN_AS[header.type ?? ""] || Number.isNaN(value)) return null;
    return header.divisor ? Number(value) / header.divisor : value;
  }
}
