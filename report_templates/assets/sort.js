// Makes tables sortable, but for those of views, which have scripts of their own. Without scripts the page says the
// same, in the order of the report.
"use strict";

(() => {
  // A figure sorts by its exact decimal text. BigInt, because integers beyond 2^53 do not fit a number; JavaScript
  // compares BigInt and number exactly. Null is unknown, and comes last in either direction.
  function figure(cell) {
    const key = cell.dataset.key ?? cell.textContent;
    if (key === "") return null;
    return /^-?\d+$/.test(key) ? BigInt(key) : Number(key);
  }

  function label(cell) {
    return cell.title || cell.textContent;
  }

  function compare(a, b) {
    return a < b ? -1 : a > b ? 1 : 0;
  }

  function sortRows(rows, column, kind, direction) {
    const value = kind === "number" ? figure : label;
    const keyed = rows.map((row) => ({ row, key: value(row.cells[column]) }));
    const known = keyed.filter(({ key }) => key !== null);
    known.sort((a, b) => (direction === "ascending" ? compare(a.key, b.key) : compare(b.key, a.key)));
    return [...known, ...keyed.filter(({ key }) => key === null)].map(({ row }) => row);
  }

  function makeSortable(table) {
    const body = table.tBodies[0];
    const original = [...body.rows];
    if (original.length < 2) return;
    // In a two-line header, columns without a group stand in the first line and come first.
    const headers = [...table.tHead.querySelectorAll("th[data-kind]")];
    headers.forEach((header, column) => {
      const { kind } = header.dataset;
      const order = kind === "number" ? ["descending", "ascending"] : ["ascending", "descending"];
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = header.textContent;
      const name = header.getAttribute("aria-label");
      if (name) button.setAttribute("aria-label", name);
      button.addEventListener("click", () => {
        // first direction, second, then back to the order of the report
        const next = order[order.indexOf(header.getAttribute("aria-sort")) + 1];
        headers.forEach((other) => other.removeAttribute("aria-sort"));
        if (next) header.setAttribute("aria-sort", next);
        body.append(...(next ? sortRows(original, column, kind, next) : original));
      });
      header.replaceChildren(button);
    });
  }

  document.querySelectorAll("table").forEach((table) => {
    if (!table.closest("[data-view]")) makeSortable(table);
  });
})();
