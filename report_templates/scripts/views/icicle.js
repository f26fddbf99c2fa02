// The icicle plot: a row of the tree is as wide as its share of a figure, below its parent. In preorder a subtree is a
// range, so widths are differences of prefix sums, and a row that is too narrow to see is skipped with its subtree.

import { button, draw, make } from "../elements.js";
import { prefixSums } from "./listing.js";

/** @import { Metric, Rows } from "../data.js" */
/** @import { Listing } from "./listing.js" */

/** Height of a level in pixels, and the maximum number of levels. */
const LEVEL = 22;
const MOST_LEVELS = 14;

/** Rows narrower than the first, in pixels, are not drawn; those below the second share a path element by colour. */
const NARROWEST = 0.5;
const NARROW = 3;

/** Approximate width of a character of a label, in pixels. */
const LETTER = 7.3;

/** @typedef {{row: number, x: number, width: number, level: number}} Place */
/** @typedef {{rows: Rows, listing: Listing, metric: Metric, isDifferential: boolean, selected: number, zoom: number}} IcicleState
 * `zoom` is the row that fills the picture, -1 for all */
/** @typedef {{select: (row: number, isStep: boolean) => void, zoom: (row: number) => void,
 *   describe: (row: number) => string[], whole: () => string}} IcicleActions `whole` returns the label of all rows */

/** Prefix sums of the rows' own figures, whose differences are the widths of subtrees; unknown and negative ones count 0.
 * @param {Rows} rows @param {string} stem */
export function sizeSums(rows, stem) {
  const self = rows.column("head", "self", stem);
  return prefixSums(rows.count, (row) => (self[row] > 0 ? self[row] : 0));
}

/** Prefix sums of the rows' own changes: absolute ones (gross), and signed ones (net). @param {Rows} rows @param {string} stem */
export function changeSums(rows, stem) {
  const [base, head] = [rows.column("base", "self", stem), rows.column("head", "self", stem)];
  /** @param {number} row */
  const delta = (row) => {
    const change = (rows.isIn("head", row) ? head[row] : 0) - (rows.isIn("base", row) ? base[row] : 0);
    return Number.isNaN(change) ? 0 : change;
  };
  return { gross: prefixSums(rows.count, (row) => Math.abs(delta(row))), net: prefixSums(rows.count, delta) };
}

/** One of a few muted colours for a name, by its hash. @param {string} name */
export function tint(name) {
  let hash = 0;
  for (let at = 0; at < Math.min(name.length, 40); at += 1) hash = (hash * 31 + name.charCodeAt(at)) | 0;
  return `tint-${(hash >>> 4) % 4}`;
}

/** Draws the tree of a view, and zooms. */
export class Icicle {
  /** @param {IcicleState} state @param {IcicleActions} actions @param {string} name */
  constructor(state, actions, name) {
    this.state = state;
    this.actions = actions;
    this.name = name;
    /** @type {Place[]} */
    this.places = [];
    /** Runs of adjacent rows that are too narrow to draw. @type {{x: number, width: number, level: number}[]} */
    this.rests = [];
    this.width = 0;
    /** Prefix sums of widths, and of net changes in a differential picture; recomputed when `key` changes. */
    this.key = "";
    this.widths = new Float64Array();
    /** @type {Float64Array | null} */
    this.net = null;
    /** Levels of the picture: the most drawn so far, so that zooming does not move what is below the picture. */
    this.levels = 1;
    this.picture = draw("svg", { width: "100%", "aria-hidden": "true" });
    this.tip = make("div", { class: "tip", hidden: true });
    this.path = make("nav", { class: "zoom-path", "aria-label": `Zoom of ${name}` });
    this.note = make("p", { class: "note" });
    this.box = make(
      "div",
      {
        class: "icicle",
        role: "application",
        tabindex: 0,
        click: (/** @type {MouseEvent} */ event) => this.click(event),
        mousemove: (/** @type {MouseEvent} */ event) => this.hover(event),
        mouseleave: () => this.hideTip(),
        blur: () => this.hideTip(),
        keydown: (/** @type {KeyboardEvent} */ event) => this.press(event),
      },
      this.picture,
      this.tip,
    );
    this.element = make("div", { class: "picture" }, this.path, this.box, this.note);
    new ResizeObserver(() => this.width !== this.box.clientWidth && this.update()).observe(this.box);
  }

  /** The prefix sums of widths, cached by figure and kind. */
  sums() {
    const { rows, metric, isDifferential } = this.state;
    const key = `${metric.stem} ${isDifferential}`;
    if (this.key !== key) {
      this.key = key;
      const changes = isDifferential ? changeSums(rows, metric.stem) : null;
      this.net = changes?.net ?? null;
      this.widths = changes?.gross ?? sizeSums(rows, metric.stem);
      this.levels = 1;
    }
    return this.widths;
  }

  /** The range of rows that fills the picture. */
  range() {
    const { rows, zoom } = this.state;
    return zoom < 0 ? [0, rows.count] : [zoom, zoom + rows.size[zoom]];
  }

  /** The places of the rows that are wide enough to see. @returns {Place[]} */
  layOut() {
    const { rows, zoom } = this.state;
    const sums = this.sums();
    const [from, to] = this.range();
    const scale = this.width / (sums[to] - sums[from]);
    const top = zoom < 0 ? 0 : rows.depth[zoom];
    const places = [{ row: zoom, x: 0, width: this.width, level: 0 }];
    this.rests = [];
    for (let row = zoom < 0 ? 0 : from + 1; row < to;) {
      const x = (sums[row] - sums[from]) * scale;
      const width = (sums[row + rows.size[row]] - sums[row]) * scale;
      const level = rows.depth[row] - top;
      if (level < MOST_LEVELS && width >= NARROWEST) {
        places.push({ row: row++, x, width, level });
        continue;
      }
      if (level < MOST_LEVELS) this.addRest(x, width, level);
      row += rows.size[row];
    }
    return places;
  }

  /** @param {number} x @param {number} width @param {number} level */
  addRest(x, width, level) {
    const last = this.rests[this.rests.length - 1];
    if (last && last.level === level && Math.abs(last.x + last.width - x) < 1e-6) last.width += width;
    else this.rests.push({ x, width, level });
  }

  update() {
    this.width = this.box.clientWidth;
    if (!this.width) return;
    const { metric, isDifferential } = this.state;
    const [from, to] = this.range();
    const sums = this.sums();
    const isEmpty = !(sums[to] - sums[from] > 0);
    this.places = isEmpty ? [] : this.layOut();
    const what = isDifferential ? `increases and decreases of ${metric.label}` : metric.label;
    this.box.hidden = isEmpty;
    const keys = "Arrow keys move, Enter zooms in, Escape zooms out. The table below has the same rows.";
    this.box.setAttribute("aria-label", `${this.name}: a picture of ${what}. ${keys}`);
    this.note.textContent = isEmpty
      ? isDifferential ? `No row changed its own ${metric.label}.` : `No row has ${metric.label} of its own above 0.`
      : `Width: ${what}. Click to zoom in, on the top line to zoom out.${
        isDifferential ? " \u25b2 orange: more than base, \u25bc blue: less; hatched: removed." : ""
      } The table has what is too narrow (pale) or too deep to draw, and what is unknown.`;
    for (const { level } of this.places) this.levels = Math.max(this.levels, level + 1);
    this.picture.setAttribute("height", String(this.levels * LEVEL));
    this.picture.setAttribute("viewBox", `0 0 ${this.width} ${this.levels * LEVEL}`);
    this.picture.dataset.drawn = String(this.places.length);
    if (isEmpty) this.rests = [];
    this.drawPlaces();
    this.drawPath();
    this.drawSelected();
  }

  /** The class of a row in the style sheet. @param {number} row */
  look(row) {
    const { rows, listing } = this.state;
    if (row < 0) return "all";
    if (listing.found && !this.net) return listing.found[row] ? "found" : "dim";
    if (!this.net) return tint(rows.leafOf(row));
    const change = this.change(row);
    return change > 0 ? "more" : change < 0 ? "less" : "even";
  }

  /** The net change of a row's subtree. @param {number} row */
  change(row) {
    if (!this.net) return 0;
    return row < 0 ? this.net[this.state.rows.count] : this.net[row + this.state.rows.size[row]] - this.net[row];
  }

  drawPlaces() {
    const { rows } = this.state;
    /** @type {Map<string, string>} */
    const narrow = new Map();
    const wide = this.rests.filter(({ width }) => width >= 1);
    const boxes = wide.map(({ x, width, level }) =>
      draw("rect", { x, y: level * LEVEL, width, height: LEVEL - 1, class: "rest" })
    );
    /** @type {SVGElement[]} */
    const labels = [];
    for (const { row, x, width, level } of this.places) {
      const look = this.look(row);
      const isRemoved = row >= 0 && rows.statusOf(row) === "removed";
      const y = level * LEVEL;
      if (width < NARROW) {
        const box = `M${x.toFixed(2)} ${y}h${width.toFixed(2)}v${LEVEL - 1}h-${width.toFixed(2)}z`;
        narrow.set(look, (narrow.get(look) ?? "") + box);
        continue;
      }
      const size = { x: x.toFixed(2), y, width: (width - 1).toFixed(2), height: LEVEL - 1 };
      boxes.push(draw("rect", { ...size, class: look, "data-row": row }));
      if (isRemoved) boxes.push(draw("rect", { ...size, class: "removed", fill: `url(#${this.hatchId()})` }));
      const text = this.label(row, Math.floor((width - 9) / LETTER));
      if (text) labels.push(draw("text", { x: (x + 4).toFixed(2), y: y + 15, class: look }, text));
    }
    const paths = Array.from(narrow, ([look, d]) => draw("path", { d, class: look }));
    this.marker = draw("rect", { class: "selected", width: 0, height: LEVEL - 1 });
    this.picture.replaceChildren(this.hatch(), ...paths, ...boxes, ...labels, this.marker);
  }

  hatchId() {
    return `hatch-${this.state.rows.view}`;
  }

  hatch() {
    const line = draw("path", { d: "M-2 2l4 -4M0 8l8 -8M6 10l4 -4", class: "hatch" });
    return draw(
      "defs",
      {},
      draw("pattern", { id: this.hatchId(), width: 8, height: 8, patternUnits: "userSpaceOnUse" }, line),
    );
  }

  /** The label of a row, in at most `letters` characters. @param {number} row @param {number} letters */
  label(row, letters) {
    const change = this.change(row);
    const mark = change > 0 ? "\u25b2" : change < 0 ? "\u25bc" : "";
    const name = row < 0 ? this.actions.whole() : this.state.rows.leafOf(row);
    const text = mark ? `${mark} ${name}` : name;
    if (text.length <= letters) return text;
    return letters >= 4 ? `${text.slice(0, letters - 1)}\u2026` : letters >= 1 ? mark : "";
  }

  drawPath() {
    const { rows, zoom } = this.state;
    const path = zoom < 0 ? [] : rows.pathOf(zoom);
    const steps = [-1, ...path].map((row) => {
      const attributes = { "aria-current": row === zoom ? "true" : null, title: row < 0 ? null : rows.names[row] };
      return button(row < 0 ? "All" : rows.leafOf(row), () => this.actions.zoom(row), attributes);
    });
    // The middle of a long path is left out.
    const shown = steps.length > 8 ? [...steps.slice(0, 2), make("span", {}, "\u2026"), ...steps.slice(-5)] : steps;
    this.path.replaceChildren(...shown);
  }

  drawSelected() {
    const place = this.places.find(({ row }) => row === this.state.selected && row >= 0);
    if (!this.marker) return;
    this.marker.setAttribute("width", String(place ? Math.max(place.width - 1, 2) : 0));
    this.marker.setAttribute("x", String(place?.x ?? 0));
    this.marker.setAttribute("y", String((place?.level ?? 0) * LEVEL));
  }

  /** @param {MouseEvent} event @returns {Place | undefined} */
  placeAt(event) {
    const { left, top } = this.picture.getBoundingClientRect();
    const [x, level] = [event.clientX - left, Math.floor((event.clientY - top) / LEVEL)];
    return this.places.find((place) => place.level === level && place.x <= x && x < place.x + Math.max(place.width, 1));
  }

  /** @param {MouseEvent} event */
  click(event) {
    const place = this.placeAt(event);
    if (!place) return;
    if (place.row >= 0) this.actions.select(place.row, true);
    if (place.level === 0) this.zoomOut();
    else if (this.state.listing.hasChildren(place.row)) this.actions.zoom(place.row);
  }

  zoomOut() {
    const { rows, zoom } = this.state;
    if (zoom >= 0) this.actions.zoom(rows.parent[zoom]);
  }

  /** @param {MouseEvent} event */
  hover(event) {
    const place = this.placeAt(event);
    if (!place || place.row < 0) return this.hideTip();
    this.showTip(place, event.clientX - this.box.getBoundingClientRect().left);
  }

  /** @param {Place} place @param {number} x */
  showTip(place, x) {
    const [name, ...lines] = this.actions.describe(place.row);
    this.tip.replaceChildren(make("strong", {}, name), ...lines.map((line) => make("span", {}, line)));
    this.tip.hidden = false;
    this.tip.style.top = `${(place.level + 1) * LEVEL + 4}px`;
    this.tip.style.left = `${Math.max(0, Math.min(x + 12, this.width - this.tip.offsetWidth))}px`;
  }

  hideTip() {
    this.tip.hidden = true;
  }

  /** The neighbour on the same level, to the left (-1) or right (1). @param {Place} from @param {number} step */
  neighbour(from, step) {
    const level = this.places.filter((place) => place.level === from.level).sort((one, other) => one.x - other.x);
    return level[level.indexOf(from) + step];
  }

  /** @param {KeyboardEvent} event */
  press(event) {
    const { rows, listing, selected, zoom } = this.state;
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const here = this.places.find(({ row }) => row === selected) ?? this.places[0];
    /** @type {Place | undefined} */
    let next;
    switch (event.key) {
      case "ArrowLeft":
        next = this.neighbour(here, -1);
        break;
      case "ArrowRight":
        next = this.neighbour(here, 1);
        break;
      case "ArrowUp":
        next = this.places.find(({ row }) => here.row >= 0 && row === rows.parent[here.row]);
        break;
      case "ArrowDown":
        next = this.places.find(({ row, level }) => level > 0 && rows.parent[row] === here.row);
        break;
      case "Enter":
      case " ":
        if (here.row >= 0 && here.row !== zoom && listing.hasChildren(here.row)) this.actions.zoom(here.row);
        break;
      case "Escape":
        this.zoomOut();
        break;
      default:
        return;
    }
    event.preventDefault();
    if (next && next.row >= 0) {
      this.actions.select(next.row, false);
      this.showTip(next, next.x);
    }
  }
}
