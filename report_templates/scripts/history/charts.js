// The charts of a model: they show the same commits, and the same report is chosen in all of them.

import { button, make } from "../elements.js";
import { Chart } from "./chart.js";
import { moved, showing, wholeRange, within, zoomed } from "./zoom.js";

/** @import { Line, Reports } from "./reports.js" */
/** @import { Range } from "./zoom.js" */

const HELP =
  "Drag over a chart to zoom; a click holds a report until the next one. In a chart with the focus, arrow keys " +
  "go from report to report, with Shift from step to step; + and \u2212 zoom, 0 shows all, Enter leads to the links.";

export class Charts {
  /** @param {HTMLElement} place with a figure for each line @param {Reports} reports @param {string} name of the model */
  constructor(place, reports, name) {
    this.reports = reports;
    this.row = reports.count - 1;
    this.isHeld = false;
    this.whole = wholeRange(reports.numbers[0], reports.numbers[this.row]);
    this.range = this.whole;
    this.chosen = make("p", { class: "chosen" });
    const buttons = /** @type {[string, string, () => void][]} */ ([
      ["+", "Zoom in", () => this.zoomBy(1 / 2)],
      ["\u2212", "Zoom out", () => this.zoomBy(2)],
      ["\u2190", "Earlier", () => this.zoom(moved(this.range, this.whole, -1 / 2))],
      ["\u2192", "Later", () => this.zoom(moved(this.range, this.whole, 1 / 2))],
      ["All", "All commits", () => this.zoom(this.whole)],
    ]);
    const zooms = buttons.map(([text, name, press]) => button(text, press, { "aria-label": name, title: name }));
    const group = make(
      "div",
      { class: "zoom", role: "group", "aria-label": `Commits of ${name} in the charts` },
      ...zooms,
    );
    place.prepend(make("div", { class: "strip" }, group, this.chosen), make("p", { class: "note help" }, HELP));
    const figures = /** @type {NodeListOf<HTMLElement>} */ (place.querySelectorAll("figure"));
    const hand = {
      show: (/** @type {number} */ row) => this.isHeld || this.choose(row),
      hold: (/** @type {number} */ row) => this.hold(row),
      zoom: (/** @type {Range} */ range) => this.zoom(within(range, this.whole)),
      all: () => this.zoom(this.whole),
      press: (/** @type {KeyboardEvent} */ event, /** @type {Line} */ line) => this.press(event, line),
    };
    this.charts = reports.lines.map((line, place) => new Chart(figures[place], line, name, hand));
    this.zoom(this.whole);
    this.choose(this.row);
  }

  /** Shows a report: its commit and its links here, its figure in each chart. @param {number} row */
  choose(row) {
    this.row = row;
    const { reports } = this;
    const commit = make("span", { class: "name", title: reports.commits[row] }, reports.commitOf(row));
    const parts = reports.factsOf(row).map((fact) =>
      make("span", { class: fact === "gates failed" ? "failed" : "" }, fact)
    );
    const [url, report] = [reports.commitUrl(row), reports.reportUrl(row)];
    const links = report ? [make("a", { href: report, rel: "noreferrer" }, "report")] : [];
    const shown = url ? make("a", { href: url, rel: "noreferrer" }, commit) : commit;
    this.chosen.replaceChildren(shown, ...[...parts, ...links].flatMap((part) => [" \u00b7 ", part]));
    this.chosen.classList.toggle("is-held", this.isHeld);
    for (const chart of this.charts) chart.mark(row);
  }

  /** Holds a report, or lets go of the one that is held. @param {number} row */
  hold(row) {
    this.isHeld = !(this.isHeld && this.row === row);
    this.choose(row);
  }

  /** @param {Range} range */
  zoom(range) {
    this.range = range;
    for (const chart of this.charts) {
      chart.zoom(range);
      chart.mark(this.row);
    }
  }

  /** @param {number} factor */
  zoomBy(factor) {
    this.zoom(zoomed(this.range, this.whole, factor, this.reports.numbers[this.row]));
  }

  /** Chooses a report that may be out of sight. @param {number} row */
  go(row) {
    const to = Math.min(Math.max(row, 0), this.reports.count - 1);
    const range = showing(this.range, this.whole, this.reports.numbers[to]);
    if (range[0] !== this.range[0]) this.zoom(range);
    this.choose(to);
  }

  /** @param {KeyboardEvent} event @param {Line} line of the chart with the focus */
  press(event, line) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    /** @type {Record<string, () => void>} */
    const keys = {
      ArrowLeft: () => this.go(event.shiftKey ? line.stepFrom(this.row, -1) : this.row - 1),
      ArrowRight: () => this.go(event.shiftKey ? line.stepFrom(this.row, 1) : this.row + 1),
      Home: () => this.go(0),
      End: () => this.go(this.reports.count - 1),
      "+": () => this.zoomBy(1 / 2),
      "=": () => this.zoomBy(1 / 2),
      "-": () => this.zoomBy(2),
      "0": () => this.zoom(this.whole),
      Escape: () => {
        this.isHeld = false;
        this.choose(this.row);
      },
      Enter: () => this.chosen.querySelector("a")?.focus(),
    };
    const answer = keys[event.key];
    if (!answer) return;
    event.preventDefault();
    answer();
  }
}
