// The tree table, virtualised: only visible rows are elements. Keys work as in any ARIA treegrid.

import { make } from "../elements.js";

/** @import { Column } from "./columns.js" */
/** @import { Rows } from "../data.js" */
/** @import { Listing } from "./listing.js" */

/** Rows drawn beyond the visible ones, so that scrolling shows no gap. */
const SPARE_ROWS = 8;

/** Maximum levels of indentation; deeper rows are indented as much as these. */
const DEEPEST = 24;

/** Maximum height in pixels: browsers do not scroll further, so in longer lists a row has less than its height. */
const MOST_PIXELS = 8_000_000;

/** @typedef {{rows: Rows, listing: Listing, columns: Column[], selected: number, sortedBy: string | null}} TableState */
/** @typedef {{select: (row: number, isStep: boolean) => void, toggle: (row: number) => void, sort: (key: string) => void,
 *   enter: (row: number) => void, leave: () => void}} TableActions */

/** Draws the rows of a listing into a scrolling box, and calls the actions for clicks and keys. */
export class TreeTable {
  /** @param {TableState} state @param {TableActions} actions @param {string} name for screen readers @param {string} id */
  constructor(state, actions, name, id) {
    this.state = state;
    this.actions = actions;
    this.id = id;
    /** Elements of visible rows, reused while only the scroll position changes. @type {Map<number, HTMLElement>} */
    this.drawn = new Map();
    /** @type {number | undefined} */
    this.frame = undefined;
    this.head = make("div", { class: "row head", role: "row", "aria-rowindex": 1 });
    this.body = make("div", { class: "rows", role: "rowgroup" });
    this.element = make(
      "div",
      {
        class: "tree-table",
        role: "treegrid",
        tabindex: 0,
        "aria-label": name,
        id,
        scroll: () => this.schedule(),
        keydown: (/** @type {KeyboardEvent} */ event) => this.press(event),
        click: (/** @type {MouseEvent} */ event) => this.click(event),
      },
      make("div", { role: "rowgroup", class: "heads" }, this.head),
      this.body,
    );
    new ResizeObserver(() => this.schedule()).observe(this.element);
  }

  schedule() {
    this.frame ??= requestAnimationFrame(() => {
      this.frame = undefined;
      this.drawRows();
    });
  }

  /** Redraws everything. */
  update() {
    const { columns, listing } = this.state;
    this.drawn.clear();
    this.element.setAttribute("aria-rowcount", String(listing.listed.length + 1));
    this.element.setAttribute("aria-colcount", String(columns.length + 1));
    this.element.style.setProperty("--columns", String(columns.length));
    const focused = document.activeElement instanceof HTMLElement ? document.activeElement.dataset.key : undefined;
    const figures = columns.map(({ key, metric, label }) => this.header(key, metric.label, label));
    this.head.replaceChildren(this.header("name", "", "Name"), ...figures);
    if (focused) /** @type {HTMLElement | null} */ (this.head.querySelector(`[data-key="${focused}"]`))?.focus();
    this.drawRows();
  }

  /** @param {string} key @param {string} group @param {string} label */
  header(key, group, label) {
    const { sortedBy, listing } = this.state;
    const sort = sortedBy !== key ? "none" : listing.order?.isDescending ? "descending" : "ascending";
    const words = [...(group ? [make("span", { class: "group" }, group), " "] : []), make("span", {}, label)];
    const press = make("button", { type: "button", "data-key": key }, ...words);
    return make(
      "div",
      { role: "columnheader", class: group ? "n" : "name", "aria-sort": sort, "data-column": key },
      press,
    );
  }

  rowHeight() {
    return parseFloat(getComputedStyle(this.element).getPropertyValue("--row-height")) || 28;
  }

  /** Pixels of scroll height per row: the row's height, or less in giant lists. @param {number} height */
  pitch(height) {
    return Math.min(height, MOST_PIXELS / (this.state.listing.listed.length || 1));
  }

  drawRows() {
    const { listed } = this.state.listing;
    const height = this.rowHeight();
    const pitch = this.pitch(height);
    const top = this.element.scrollTop;
    const fit = Math.ceil(this.element.clientHeight / height);
    const first = Math.max(0, Math.min(Math.floor(top / pitch), listed.length - fit) - SPARE_ROWS);
    const last = Math.min(listed.length, first + fit + 2 * SPARE_ROWS);
    const elements = [];
    const drawn = new Map();
    for (let at = first; at < last; at += 1) {
      const row = listed[at];
      const element = this.drawn.get(row) ?? this.row(row, at);
      drawn.set(row, element);
      elements.push(element);
    }
    this.drawn = drawn;
    const whole = listed.length * pitch;
    const before = pitch === height ? first * height : Math.min(first * pitch, whole - elements.length * height);
    this.body.style.setProperty("--before", `${Math.max(before, 0)}px`);
    this.body.style.setProperty("--whole", `${whole}px`);
    // Moving an element that stays would lose a mouse press on it.
    if (
      elements.length !== this.body.children.length ||
      elements.some((element, at) => element !== this.body.children[at])
    ) {
      this.body.replaceChildren(...elements);
    }
    this.markSelected();
  }

  /** @param {number} row @param {number} at */
  row(row, at) {
    const { rows, listing, columns } = this.state;
    const isOpen = listing.isOpen(row);
    const hasChildren = listing.hasChildren(row);
    const status = rows.statusOf(row);
    const sign = hasChildren ? (isOpen ? "\u25be" : "\u25b8") : "";
    const isWay = listing.found !== null && !listing.found[row];
    const name = make(
      "div",
      { role: "rowheader", class: "name", title: rows.names[row] },
      make("span", { class: hasChildren ? "toggle" : "toggle none", "aria-hidden": "true" }, sign),
      make("span", { class: "leaf" }, rows.leafOf(row)),
      ...(status === "new" || status === "removed" ? [make("span", { class: `badge ${status}` }, status)] : []),
    );
    const element = make(
      "div",
      {
        role: "row",
        class: `row${isWay ? " way" : ""}`,
        id: `${this.id}-${row}`,
        "data-row": row,
        "aria-level": rows.depth[row],
        "aria-rowindex": at + 2,
        "aria-expanded": hasChildren ? String(isOpen) : null,
        "aria-selected": "false",
      },
      name,
      ...columns.map((column) => {
        const { text, title, tone, share } = column.cell(row);
        const cell = make("div", { role: "gridcell", class: `n ${tone ?? ""}`, title }, text);
        if (share !== undefined) cell.style.setProperty("--share", `${100 * Math.max(0, Math.min(share, 1))}%`);
        return cell;
      }),
    );
    element.style.setProperty("--level", String(Math.min(rows.depth[row] - 1, DEEPEST)));
    return element;
  }

  markSelected() {
    for (const element of this.body.querySelectorAll('[aria-selected="true"]')) {
      element.setAttribute("aria-selected", "false");
    }
    const element = this.drawn.get(this.state.selected);
    element?.setAttribute("aria-selected", "true");
    if (element) this.element.setAttribute("aria-activedescendant", element.id);
    else this.element.removeAttribute("aria-activedescendant");
  }

  /** Scrolls a row into view. @param {number} row @param {boolean} [toMiddle] */
  show(row, toMiddle = false) {
    const at = this.state.listing.listed.indexOf(row);
    if (at < 0) return;
    const height = this.rowHeight();
    const top = at * this.pitch(height);
    const room = this.element.clientHeight - this.head.offsetHeight;
    const { scrollTop } = this.element;
    if (toMiddle) this.element.scrollTop = top - room / 2;
    else if (top < scrollTop) this.element.scrollTop = top;
    else if (top + height > scrollTop + room) this.element.scrollTop = top + height - room;
    this.drawRows();
  }

  /** @param {MouseEvent} event */
  click(event) {
    const target = /** @type {Element} */ (event.target);
    const key = target.closest("button")?.dataset.key;
    if (key) return this.actions.sort(key);
    const row = Number(target.closest("[data-row]")?.getAttribute("data-row") ?? NaN);
    if (Number.isNaN(row)) return;
    this.actions.select(row, true);
    if (target.closest(".toggle")) this.actions.toggle(row);
  }

  /** @param {KeyboardEvent} event */
  press(event) {
    if (event.target !== this.element || event.altKey || event.ctrlKey || event.metaKey) return;
    const { rows, listing, selected } = this.state;
    const { listed } = listing;
    const at = listed.indexOf(selected);
    const page = Math.max(1, Math.floor(this.element.clientHeight / this.rowHeight()) - 2);
    /** @param {number} place */
    const go = (place) =>
      listed.length && this.actions.select(listed[Math.max(0, Math.min(place, listed.length - 1))], false);
    switch (event.key) {
      case "ArrowDown":
        go(at + 1);
        break;
      case "ArrowUp":
        go(at - 1);
        break;
      case "PageDown":
        go(at + page);
        break;
      case "PageUp":
        go(at - page);
        break;
      case "Home":
        go(0);
        break;
      case "End":
        go(listed.length - 1);
        break;
      case "ArrowRight":
        if (at < 0) go(0);
        else if (listing.hasChildren(selected)) listing.isOpen(selected) ? go(at + 1) : this.actions.toggle(selected);
        break;
      case "ArrowLeft":
        if (at < 0) go(0);
        else if (listing.isOpen(selected)) this.actions.toggle(selected);
        else if (rows.parent[selected] >= 0) this.actions.select(rows.parent[selected], false);
        break;
      case "Enter":
      case " ":
        if (at >= 0) this.actions.enter(selected);
        break;
      case "Escape":
        this.actions.leave();
        break;
      default:
        return;
    }
    event.preventDefault();
  }
}
