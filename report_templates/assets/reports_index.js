// report_templates/scripts/elements.js
function fill(made, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") made.addEventListener(name, value);
    else if (value !== null && value !== void 0 && value !== false) {
      made.setAttribute(name, value === true ? "" : String(value));
    }
  }
  made.append(...children);
  return made;
}
function make(tag, attributes = {}, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

// report_templates/scripts/search.js
function finder(query) {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  return (text) => words.every((word) => text.includes(word));
}
function textOf(row) {
  const names = [
    ...row.querySelectorAll(".name[title]")
  ].map((cell) => cell.getAttribute("title"));
  return [
    ...row.cells
  ].map((cell) => cell.textContent).concat(
    /** @type {string[]} */
    names
  ).join("\n").toLowerCase();
}
function makeSearchable(place2, table2, noun) {
  const rows = [
    ...table2.tBodies[0].rows
  ];
  let texts;
  const status = make("output", {
    class: "note",
    role: "status"
  });
  const show = () => {
    texts ??= rows.map(textOf);
    const finds = finder(box.value);
    let count = 0;
    rows.forEach((row, number) => {
      const isFound = finds(
        /** @type {string[]} */
        texts[number]
      );
      if (row.hidden === isFound) row.hidden = !isFound;
      count += Number(isFound);
    });
    const all = rows.length.toLocaleString("en");
    status.textContent = box.value.trim() ? `${count.toLocaleString("en")} of ${all} ${noun}` : "";
  };
  const box = make("input", {
    type: "search",
    id: "query",
    autocomplete: "off",
    spellcheck: "false",
    input: show
  });
  place2.replaceChildren(make("div", {
    class: "search"
  }, make("label", {
    for: "query"
  }, "Search"), box, status));
  addEventListener("keydown", (event) => {
    const isTyping = event.target instanceof HTMLElement && event.target.matches("input");
    if (event.key !== "/" || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    box.focus();
  });
  if (box.value) show();
}

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
function firstRow(part) {
  return part instanceof HTMLTableSectionElement ? part.rows[0] : part;
}
function makeSortable(table2) {
  const bodies = [
    ...table2.tBodies
  ];
  const original = bodies.length > 1 ? bodies : [
    ...bodies[0].rows
  ];
  if (original.length < 2) return;
  const headers = [
    ...table2.tHead?.querySelectorAll("th") ?? []
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
      const keyed = original.map((part) => ({
        part,
        key: keyOf(firstRow(part).cells[column], kind)
      }));
      const parts = next ? sorted(keyed, next).map(({ part }) => part) : original;
      if (bodies.length > 1) table2.append(...parts);
      else bodies[0].replaceChildren(...parts);
    });
    header.replaceChildren(button);
  });
}
function makeTablesSortable(within) {
  for (const table2 of within.querySelectorAll("table")) if (!table2.closest("[data-view]")) makeSortable(table2);
}

// report_templates/scripts/reports_index.js
var table = document.querySelector("table");
var place = document.getElementById("search");
makeTablesSortable(document);
if (table && place) makeSearchable(place, table, "reports");
document.documentElement.dataset.ready = "true";
