// report_templates/scripts/sort.js
function figureKey(text) {
  if (text === "") return null;
  return /^-?\d+$/.test(text) ? BigInt(text) : Number(text);
}
function sorted(rows, direction) {
  const sign = direction === "ascending" ? 1 : -1;
  return [
    ...rows
  ].sort(({ key: a }, { key: b }) => {
    if (a === null || b === null) return Number(a === null) - Number(b === null);
    return a < b ? -sign : a > b ? sign : 0;
  });
}
function keyOf(cell, kind) {
  const text = cell.textContent;
  return kind === "number" ? figureKey(cell.dataset.key ?? text) : cell.title || text;
}
function makeSortable(table) {
  const body = table.tBodies[0];
  const original = [
    ...body.rows
  ];
  if (original.length < 2) return;
  const headers = [
    ...table.tHead?.querySelectorAll("th") ?? []
  ].filter(({ dataset }) => dataset.kind);
  headers.forEach((header, column) => {
    const { kind } = header.dataset;
    const order = kind === "number" ? [
      "descending",
      "ascending"
    ] : [
      "ascending",
      "descending"
    ];
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = header.textContent;
    const name = header.getAttribute("aria-label");
    if (name) button.setAttribute("aria-label", name);
    button.addEventListener("click", () => {
      const next = order[order.findIndex((each) => each === header.getAttribute("aria-sort")) + 1];
      for (const other of headers) other.removeAttribute("aria-sort");
      if (next) header.setAttribute("aria-sort", next);
      const keyed = original.map((row) => ({
        row,
        key: keyOf(row.cells[column], kind)
      }));
      body.append(...next ? sorted(keyed, next).map(({ row }) => row) : original);
    });
    header.replaceChildren(button);
  });
}
function makeTablesSortable(within) {
  for (const table of within.querySelectorAll("table")) if (!table.closest("[data-view]")) makeSortable(table);
}

// report_templates/scripts/history.js
makeTablesSortable(document);
