// Searches the rows of a table: those that have every word of the search stay. Without this all rows are there.

import { make } from "./elements.js";

/** Whether a text has every word of a search, whatever their case. @param {string} query */
export function finder(query) {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  /** @param {string} text in lower case */
  return (text) => words.every((word) => text.includes(word));
}

/** The text of a row by which it is found: what is shown, and whole names. @param {HTMLTableRowElement} row */
function textOf(row) {
  const names = [...row.querySelectorAll(".name[title]")].map((cell) => cell.getAttribute("title"));
  return [...row.cells].map((cell) => cell.textContent).concat(/** @type {string[]} */ (names)).join("\n")
    .toLowerCase();
}

/** Adds a search box above a table, which "/" leads to. @param {HTMLElement} place @param {HTMLTableElement} table
 * @param {string} noun what a row is, in the plural */
export function makeSearchable(place, table, noun) {
  const rows = [...table.tBodies[0].rows];
  /** @type {string[] | undefined} read when they are first searched */
  let texts;
  const status = make("output", { class: "note", role: "status" });
  const show = () => {
    texts ??= rows.map(textOf);
    const finds = finder(box.value);
    let count = 0;
    rows.forEach((row, number) => {
      const isFound = finds(/** @type {string[]} */ (texts)[number]);
      if (row.hidden === isFound) row.hidden = !isFound;
      count += Number(isFound);
    });
    const all = rows.length.toLocaleString("en");
    status.textContent = box.value.trim() ? `${count.toLocaleString("en")} of ${all} ${noun}` : "";
  };
  const box = make("input", { type: "search", id: "query", autocomplete: "off", spellcheck: "false", input: show });
  place.replaceChildren(make("div", { class: "search" }, make("label", { for: "query" }, "Search"), box, status));
  addEventListener("keydown", (event) => {
    const isTyping = event.target instanceof HTMLElement && event.target.matches("input");
    if (event.key !== "/" || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    box.focus();
  });
  if (box.value) show(); // a browser may restore it
}
