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
function button(text, press, attributes = {}) {
  return make("button", {
    type: "button",
    click: press,
    ...attributes
  }, text);
}

// report_templates/scripts/format.js
var INT64 = 2 ** 63;

// report_templates/scripts/views/export.js
async function copyText(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const area = make("textarea", {
      readonly: true
    });
    area.value = text;
    document.body.append(area);
    area.select();
    const isCopied = document.execCommand("copy");
    area.remove();
    return isCopied;
  }
}

// report_templates/scripts/copy.js
function makeCommandsCopyable() {
  for (const command of document.querySelectorAll("[data-copy]")) {
    const copy = button("Copy", async () => {
      const isCopied = await copyText(command.textContent ?? "");
      copy.textContent = isCopied ? "Copied" : "Copy it by hand";
    }, {
      class: "copy",
      "aria-live": "polite"
    });
    command.after(" ", copy);
  }
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
function makeSortable(table) {
  const bodies = [
    ...table.tBodies
  ];
  const original = bodies.length > 1 ? bodies : [
    ...bodies[0].rows
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
    const button2 = document.createElement("button");
    button2.type = "button";
    button2.textContent = header.textContent;
    const name = header.getAttribute("aria-label");
    if (name) button2.setAttribute("aria-label", name);
    button2.addEventListener("click", () => {
      const next = order[order.findIndex((each) => each === header.getAttribute("aria-sort")) + 1];
      for (const other of headers) other.removeAttribute("aria-sort");
      if (next) header.setAttribute("aria-sort", next);
      const keyed = original.map((part) => ({
        part,
        key: keyOf(firstRow(part).cells[column], kind)
      }));
      const parts = next ? sorted(keyed, next).map(({ part }) => part) : original;
      if (bodies.length > 1) table.append(...parts);
      else bodies[0].replaceChildren(...parts);
    });
    header.replaceChildren(button2);
  });
}
function makeTablesSortable(within) {
  for (const table of within.querySelectorAll("table")) if (!table.closest("[data-view]")) makeSortable(table);
}

// report_templates/scripts/models.js
makeTablesSortable(document);
makeCommandsCopyable();
