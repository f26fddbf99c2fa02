// One figure as a chart that readers zoom, hover over and go through with the keyboard. Without scripts it is an SVG.

import uPlot from "uplot";
import { make } from "../elements.js";
import { formatNumber } from "../format.js";
import { drawOver, drawUnder } from "./marks.js";

/** @import { Line } from "./reports.js" */
/** @import { Range } from "./zoom.js" */

/** What a chart asks of those that share its commits.
 * @typedef {{show: (row: number) => void, hold: (row: number) => void, zoom: (range: Range) => void, all: () => void,
 *   press: (event: KeyboardEvent, line: Line) => void}} Hand */

const HEIGHT = 220;
/** Room for the names of releases, and at the right. */
const PADDING = /** @type {uPlot.Padding} */ ([20, 10, 0, 0]);
/** Width of the axis of figures, the same for all, so that commits are below each other. */
const AXIS = 80;
/** Room above and below the line, as a share of its range. */
const MARGIN = 0.08;
/** Pixels that a date needs. */
const DATE = 92;

/** @param {string} name of a colour of the page */
const colour = (name) => () => getComputedStyle(document.documentElement).getPropertyValue(name);

/** Distances of marks on the axis: whole figures, and for bytes powers of two. @param {string} unit */
function distances(unit) {
  if (unit === "bytes") return Array.from({ length: 62 }, (_, power) => 2 ** power);
  const lowest = unit === "count" ? 0 : -3;
  return Array.from({ length: 20 - lowest }, (_, power) => [1, 2, 5].map((step) => step * 10 ** (power + lowest)))
    .flat();
}

/** The range of figures with room around it, and with the budgets that are near. @param {Line} line
 * @param {number | null} low @param {number | null} high @returns {Range} */
export function heights(line, low, high) {
  if (low === null || high === null) return [0, 1];
  const near = line.budgets.map(([most]) => most).filter((most) => most <= high * line.reports.meta.far);
  const [least, most] = [Math.min(low, ...near), Math.max(high, ...near)];
  const room = (most - least || Math.abs(most) || 1) * MARGIN;
  return [least - room, most + room];
}

export class Chart {
  /** @param {HTMLElement} figure with the SVG @param {Line} line @param {string} name what it is the figure of @param {Hand} hand */
  constructor(figure, line, name, hand) {
    this.line = line;
    this.hand = hand;
    this.row = 0;
    this.words = make("p", { class: "at" });
    this.live = make("div", {
      class: "live",
      role: "slider",
      tabindex: 0,
      "aria-label": `${line.label} of ${name}, report by report`,
      "aria-valuemin": 1,
      "aria-valuemax": line.reports.count,
      keydown: (/** @type {KeyboardEvent} */ event) => hand.press(event, line),
    });
    const still = /** @type {HTMLElement} */ (figure.querySelector(".chart"));
    still.classList.add("is-live");
    still.append(this.live);
    still.before(this.words);
    this.u = new uPlot(this.options(), [line.reports.numbers, line.values], this.live);
    this.follow();
    new ResizeObserver(() => {
      const width = this.live.clientWidth;
      if (width && width !== this.u.width) this.u.setSize({ width, height: HEIGHT });
      queueMicrotask(() => this.mark(this.row)); // after uPlot, which has moved the cursor with the size by then
    }).observe(this.live);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.u.redraw());
  }

  /** @returns {uPlot.Options} */
  options() {
    const { line, hand } = this;
    const { colours } = line.reports.meta;
    const axis = {
      stroke: colour("--quiet"),
      font: "11px system-ui, sans-serif",
      grid: { stroke: colour("--line"), width: 1 },
      ticks: { stroke: colour("--line"), width: 1, size: 4 },
    };
    return {
      width: this.live.clientWidth,
      height: HEIGHT,
      padding: PADDING,
      legend: { show: false },
      scales: { x: { time: false }, y: { range: (_, low, high) => heights(line, low, high) } },
      axes: [
        {
          ...axis,
          grid: { show: false },
          size: 30,
          splits: (u) => this.dates(u),
          values: (_, splits) => splits.map((each) => line.reports.dayOf(line.reports.nearest(each))),
        },
        {
          ...axis,
          space: 36,
          incrs: distances(line.unit),
          size: AXIS,
          values: (_, splits) => splits.map((each) => formatNumber(each, line.scale)),
        },
      ],
      series: [
        {},
        {
          stroke: colours.line,
          width: 1.5,
          // A steep line is wider than its ends, so its gap is too.
          gaps: (u) => line.cuts.map(([before, row]) => [across(u, before) - 1, across(u, row) + 1]),
          points: { size: 5, fill: colours.line },
        },
      ],
      cursor: {
        y: false,
        points: { size: 11, width: 2, fill: "transparent", stroke: colour("--ink") },
        drag: { x: true, y: false, setScale: false, dist: 5 },
        bind: { dblclick: () => null },
      },
      hooks: {
        drawAxes: [(u) => drawUnder(u, line, colour("--ink")())],
        draw: [(u) => drawOver(u, line)],
        setCursor: [({ cursor }) => (typeof cursor.idx === "number" ? hand.show(cursor.idx) : this.mark(this.row))],
        setSelect: [(u) => {
          const { left, width } = u.select;
          u.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
          hand.zoom([u.posToVal(left, "x"), u.posToVal(left + width, "x")]);
        }],
      },
    };
  }

  /** Listens to clicks, which hold a point unless they end a drag, and to fingers. */
  follow() {
    const { over } = this.u;
    let start = 0;
    over.addEventListener("pointerdown", (event) => (start = event.clientX));
    over.addEventListener("click", (event) => {
      if (Math.abs(event.clientX - start) < 5) {
        this.hand.hold(this.u.posToIdx(event.clientX - over.getBoundingClientRect().left));
      }
    });
    over.addEventListener("dblclick", () => this.hand.all());
    over.addEventListener("pointermove", (event) => {
      if (event.pointerType === "touch") {
        this.hand.show(this.u.posToIdx(event.clientX - over.getBoundingClientRect().left));
      }
    });
  }

  /** The commits at which the axis has a date: some reports at about equal distances, none too near to the one before.
   * @param {uPlot} u */
  dates(u) {
    const { min = 0, max = 1 } = u.scales.x;
    const least = (max - min) * DATE / (u.bbox.width / devicePixelRatio);
    const { numbers } = this.line.reports;
    /** @type {number[]} */
    const chosen = [];
    for (let next = min + least / 2; next <= max - least / 2;) {
      const number = numbers[this.line.reports.nearest(next)];
      const isFree = number >= next - least / 4 && number <= max - least / 2;
      if (isFree) chosen.push(number);
      next = (isFree ? number : next) + least;
    }
    return chosen;
  }

  /** Marks a report, and says its figure. @param {number} row */
  mark(row) {
    const { line, u } = this;
    const { reports } = line;
    this.row = row;
    const words = line.words(row);
    this.words.textContent = words;
    this.live.setAttribute("aria-valuenow", String(row + 1));
    this.live.setAttribute("aria-valuetext", `${reports.commitOf(row)}, ${reports.factsOf(row).join(", ")}: ${words}`);
    const number = reports.numbers[row];
    const isShown = number >= (u.scales.x.min ?? 0) && number <= (u.scales.x.max ?? 0);
    const left = isShown ? u.valToPos(number, "x") : -10;
    u.setCursor({ left, top: isShown ? u.valToPos(line.values[row] ?? 0, "y") : -10 }, false);
  }

  /** @param {Range} range */
  zoom([min, max]) {
    this.u.setScale("x", { min, max });
  }
}

/** Where a report is on the canvas. @param {uPlot} u @param {number} row */
function across(u, row) {
  return u.valToPos(u.data[0][row], "x", true);
}
