// Makes tables sortable, except those of views, which view.js replaces. Without scripts the page has the same content, in
// the order of the report.

/** @typedef {bigint | number | string | null} Key sort key of a row; null is unknown and comes last in both directions */
/** @typedef {"ascending" | "descending"} Direction */

/** The sort key of a figure from its exact decimal text. Integers are BigInt, because those beyond 2^53 do not fit a
 * number; JavaScript compares BigInt and number exactly. @param {string} text @returns {bigint | number | null} */
export function figureKey(text) {
  if (text === "") return null;
  return /^-?\d+$/.test(text) ? BigInt(text) : Number(text);
}

/** Rows sorted by their keys; rows with equal keys keep their order.
 * @template {{ key: Key }} T @param {T[]} rows @param {Direction} direction @returns {T[]} */
export function sorted(rows, direction) {
  const sign = direction === "ascending" ? 1 : -1;
  return [...rows].sort(({ key: a }, { key: b }) => {
    if (a === null || b === null) return Number(a === null) - Number(b === null);
    return a < b ? -sign : a > b ? sign : 0;
  });
}

/** @param {HTMLTableCellElement} cell @param {string | undefined} kind @returns {Key} */
function keyOf(cell, kind) {
  const text = cell.textContent;
  return kind === "number" ? figureKey(cell.dataset.key ?? text) : cell.title || text;
}

/** @param {HTMLTableRowElement | HTMLTableSectionElement} part */
function firstRow(part) {
  return part instanceof HTMLTableSectionElement ? part.rows[0] : part;
}

/** @param {HTMLTableElement} table */
function makeSortable(table) {
  // A row that opens is in a body of its own, with the rows that it opens to.
  const bodies = [...table.tBodies];
  const original = bodies.length > 1 ? bodies : [...bodies[0].rows];
  if (original.length < 2) return;
  // In a two-line header, columns without a group are in the first line and come first.
  /** @type {HTMLElement[]} */
  const headers = [...(table.tHead?.querySelectorAll("th") ?? [])].filter(({ dataset }) => dataset.kind);
  headers.forEach((header, column) => {
    const { kind } = header.dataset;
    /** @type {Direction[]} */
    const order = kind === "number" ? ["descending", "ascending"] : ["ascending", "descending"];
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = header.textContent;
    const name = header.getAttribute("aria-label");
    if (name) button.setAttribute("aria-label", name);
    button.addEventListener("click", () => {
      // first direction, second, then back to the order of the report
      const next = order[order.findIndex((each) => each === header.getAttribute("aria-sort")) + 1];
      for (const other of headers) other.removeAttribute("aria-sort");
      if (next) header.setAttribute("aria-sort", next);
      const keyed = original.map((part) => ({ part, key: keyOf(firstRow(part).cells[column], kind) }));
      const parts = next ? sorted(keyed, next).map(({ part }) => part) : original;
      if (bodies.length > 1) table.append(...parts);
      else bodies[0].replaceChildren(...parts); // as one change, which is much faster for thousands of rows
    });
    header.replaceChildren(button);
  });
}

/** @param {ParentNode} within */
export function makeTablesSortable(within) {
  for (const table of within.querySelectorAll("table")) if (!table.closest("[data-view]")) makeSortable(table);
}
