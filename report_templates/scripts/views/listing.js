// Which rows of a view are listed, and in which order: open rows, search, limit, and the order of siblings.

/** @import { Rows } from "../data.js" */
/** @import { Figure } from "../format.js" */

/** @typedef {{value: (row: number) => Figure | string, isDescending: boolean}} Order */
/** @typedef {{figures: Float64Array[], least: number}} Limit a row is listed if one of its figures reaches the least */

/** Maximum unbounded repeats: the time of a regular expression grows with the length of a name to this power. */
const MOST_REPEATS = 3;

/** How long a search may take before it gives up, in milliseconds. */
const SEARCH_MILLIS = 1500;

/** A predicate for the names that a search finds. `/like this/` is a regular expression; text in lower case ignores case.
 * @param {string} query @returns {((name: string) => boolean) | string} a sentence if the query is invalid */
export function makeMatcher(query) {
  const pattern = /^\/(.+)\/$/.exec(query)?.[1];
  if (pattern === undefined) {
    if (query !== query.toLowerCase()) return (name) => name.includes(query);
    return (name) => name.toLowerCase().includes(query);
  }
  const bare = pattern.replace(/\\./g, "x").replace(/\[[^\]]*\]/g, "x");
  const repeats = bare.match(/[*+]|\{\d+,\d*\}/g) ?? [];
  if (/\)([*+]|\{)/.test(bare) || repeats.length > MOST_REPEATS || /\\[1-9k]/.test(pattern)) {
    return `This expression could take too long: repeat no groups, and at most ${MOST_REPEATS} parts.`;
  }
  try {
    const expression = new RegExp(pattern, "u");
    return (name) => expression.test(name);
  } catch {
    return "This is not a valid regular expression.";
  }
}

/** Prefix sums: `sums[row]` adds up `value` of all rows before `row`. @param {number} count @param {(row: number) => number} value */
export function prefixSums(count, value) {
  const sums = new Float64Array(count + 1);
  for (let row = 0; row < count; row += 1) sums[row + 1] = sums[row] + value(row);
  return sums;
}

/** The state of one view's rows: open, kept by a search or limit, sorted; and the list that follows from it. */
export class Listing {
  /** @param {Rows} rows */
  constructor(rows) {
    this.rows = rows;
    this.open = new Uint8Array(rows.count);
    /** Rows that a search keeps, or null without one. @type {Uint8Array | null} */
    this.kept = null;
    this.isSearch = false;
    /** Rows that were closed during a search; a search opens every row. @type {Set<number>} */
    this.closed = new Set();
    /** Rows that the search itself finds; other kept rows are their ancestors. @type {Uint8Array | null} */
    this.found = null;
    this.foundCount = rows.count;
    /** Number of rows that the limit hides because their figure is unknown. */
    this.unknownCount = 0;
    /** @type {Order | null} */
    this.order = null;
    /** All rows in preorder, siblings sorted by `order`; null for the order of the file. @type {Int32Array | null} */
    this.preorder = null;
    /** @type {Int32Array} */
    this.listed = new Int32Array(0);
  }

  /** Keeps the rows whose name matches and whose figure reaches the limit, with their ancestors.
   * @param {((name: string) => boolean) | null} matches @param {Limit | null} limit
   * @returns {boolean} whether the search finished in time */
  keep(matches, limit) {
    const { count, parent, names, shown } = this.rows;
    this.closed.clear();
    this.isSearch = matches !== null;
    this.unknownCount = 0;
    this.foundCount = count;
    this.kept = this.found = null;
    if (!matches && !limit && !shown.includes(0)) return true;
    const found = new Uint8Array(count);
    const until = performance.now() + SEARCH_MILLIS;
    let foundCount = 0;
    for (let row = 0; row < count; row += 1) {
      if (row % 64 === 0 && performance.now() > until) return false;
      if (!shown[row] || (limit && !this.reaches(limit, row)) || (matches && !matches(names[row]))) continue;
      found[row] = 1;
      foundCount += 1;
    }
    const kept = found.slice();
    for (let row = count - 1; row >= 0; row -= 1) if (kept[row] && parent[row] >= 0) kept[parent[row]] = 1;
    this.foundCount = foundCount;
    this.found = found;
    this.kept = kept;
    this.keptSums = prefixSums(count, (row) => kept[row]);
    return true;
  }

  /** @param {Limit} limit @param {number} row */
  reaches({ figures, least }, row) {
    let isKnown = false;
    for (const column of figures) {
      if (column[row] >= least) return true;
      isKnown ||= !Number.isNaN(column[row]);
    }
    if (!isKnown) this.unknownCount += 1;
    return false;
  }

  /** @param {number} row */
  hasChildren(row) {
    const { size } = this.rows;
    if (this.kept && this.keptSums) return this.keptSums[row + size[row]] > this.keptSums[row + 1];
    return size[row] > 1;
  }

  /** @param {number} row */
  isOpen(row) {
    return this.hasChildren(row) && (this.isSearch ? !this.closed.has(row) : this.open[row] === 1);
  }

  /** @param {number} row @param {boolean} isOpen */
  setOpen(row, isOpen) {
    if (!this.isSearch) this.open[row] = Number(isOpen);
    else if (isOpen) this.closed.delete(row);
    else this.closed.add(row);
  }

  /** Opens the ancestors of a row. @param {number} row */
  reveal(row) {
    for (const above of this.rows.pathOf(row).slice(0, -1)) {
      this.open[above] = 1;
      this.closed.delete(above);
    }
  }

  /** @param {boolean} isOpen */
  setAll(isOpen) {
    this.closed.clear();
    if (!this.isSearch) this.open.fill(Number(isOpen));
    else if (!isOpen) { for (let row = 0; row < this.rows.count; row += 1) this.closed.add(row); }
  }

  /** Opens as many upper levels as list no more than `most` rows. @param {number} most */
  openFirst(most) {
    const { depth, count } = this.rows;
    const levels = new Int32Array(depth.reduce((deepest, each) => Math.max(deepest, each), 0) + 2);
    for (const each of depth) levels[each] += 1;
    let [listed, level] = [levels[1], 1];
    while (levels[level + 1] && (listed += levels[level + 1]) <= most) level += 1;
    for (let row = 0; row < count; row += 1) if (depth[row] < level) this.open[row] = 1;
  }

  /** Sorts siblings together with their subtrees; null restores the order of the file. @param {Order | null} order */
  sortBy(order) {
    this.order = order;
    this.preorder = order && sortedPreorder(this.rows, order);
  }

  /** All kept rows, whether or not their ancestors are open. */
  everyRow() {
    return this.walk(() => true);
  }

  /** Recomputes the list. */
  update() {
    this.listed = this.walk((row) => this.isOpen(row));
  }

  /** @param {(row: number) => boolean} isOpen */
  walk(isOpen) {
    const { count, size } = this.rows;
    const { preorder } = this;
    const listed = new Int32Array(count);
    let length = 0;
    for (let at = 0; at < count;) {
      const row = preorder ? preorder[at] : at;
      const isKept = !this.kept || this.kept[row] === 1;
      if (isKept) listed[length++] = row;
      at += isKept && isOpen(row) ? 1 : size[row]; // in either order a subtree directly follows its root
    }
    return listed.slice(0, length);
  }
}

/** All rows in preorder with siblings sorted. Unknown figures come last, ascending or descending.
 * @param {Rows} rows @param {Order} order */
function sortedPreorder({ count, parent, size }, { value, isDescending }) {
  const keys = Array.from({ length: count }, (_, row) => value(row));
  const sign = isDescending ? -1 : 1;
  /** @param {number} one @param {number} other */
  const compare = (one, other) => {
    const [a, b] = [keys[one], keys[other]];
    if (a === null || b === null) return (a === null ? 1 : 0) - (b === null ? 1 : 0) || one - other;
    return a < b ? -sign : a > b ? sign : one - other;
  };
  // Counting sort by parent: starts[row + 1] is where the children of a row begin, those of -1 (top rows) at 0.
  const starts = new Int32Array(count + 2);
  for (let row = 0; row < count; row += 1) starts[parent[row] + 2] += 1;
  for (let at = 1; at < starts.length; at += 1) starts[at] += starts[at - 1];
  const children = new Int32Array(count);
  const filled = starts.slice();
  for (let row = 0; row < count; row += 1) children[filled[parent[row] + 1]++] = row;
  const preorder = new Int32Array(count);
  const next = new Int32Array(count + 1); // place of the next child of each row
  for (let above = -1; above < count; above += 1) { // a parent precedes its children, so its own place is known
    const siblings = children.subarray(starts[above + 1], starts[above + 2]);
    for (const row of siblings.length > 1 ? siblings.sort(compare) : siblings) {
      const at = next[above + 1];
      preorder[at] = row;
      next[above + 1] = at + size[row];
      next[row + 1] = at + 1;
    }
  }
  return preorder;
}
