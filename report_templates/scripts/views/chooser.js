// The menu for choosing the columns of a view.

import { wayLabel, WAYS } from "./columns.js";
import { make } from "../elements.js";

/** @import { Metric, Rows } from "../data.js" */

/** @typedef {{rows: Rows, metrics: Metric[], chosen: Set<string>, showColumn: (key: string, isShown: boolean) => void}} ChooserView */

/** A table with a checkbox per figure and way. @param {ChooserView} view */
export function makeChooser(view) {
  const ways = Object.keys(WAYS).filter((way) => view.rows.hasBase || !WAYS[way].ofBase);
  const heads = ways.map((way) => make("th", { scope: "col", title: WAYS[way].title }, wayLabel(way, view.rows)));
  const lines = view.metrics.map(({ stem, label, doc }) =>
    make(
      "tr",
      {},
      make("th", { scope: "row", title: doc }, label),
      ...ways.map((way) =>
        make(
          "td",
          {},
          make("input", {
            type: "checkbox",
            "aria-label": `${label}, ${wayLabel(way, view.rows)}`,
            "data-column-key": `${stem}:${way}`,
            checked: view.chosen.has(`${stem}:${way}`),
            change: (/** @type {Event} */ event) =>
              view.showColumn(`${stem}:${way}`, /** @type {HTMLInputElement} */ (event.target).checked),
          }),
        )
      ),
    )
  );
  /** @type {HTMLDetailsElement} */
  const box = make(
    "details",
    {
      class: "chooser",
      keydown: (/** @type {KeyboardEvent} */ event) => event.key === "Escape" && box.removeAttribute("open"),
    },
    make("summary", {}, "Columns"),
    make(
      "div",
      { class: "choices" },
      make("table", {}, make("thead", {}, make("tr", {}, make("td"), ...heads)), make("tbody", {}, ...lines)),
    ),
  );
  document.addEventListener("click", (event) => {
    if (event.target instanceof Node && !box.contains(event.target)) box.removeAttribute("open");
  });
  return box;
}
