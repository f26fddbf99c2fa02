// One view: its controls, icicle and table, which share selection, search and limit.

import { makeChooser } from "./chooser.js";
import { FIRST_STEMS, firstColumns, firstOrder, makeColumns, wayLabel } from "./columns.js";
import { describe, whereAllIs, wholeLabel } from "./describe.js";
import { Drawer } from "./drawer.js";
import { button, make } from "../elements.js";
import { copyText, download, exportRows } from "./export.js";
import { countOf, grouped, parseAmount } from "../format.js";
import { Icicle } from "./icicle.js";
import { linkTo, writeLink } from "../links.js";
import { Listing, makeMatcher } from "./listing.js";
import { TreeTable } from "./table.js";

/** @import { Meta, Rows, Side, ViewMeta } from "../data.js" */
/** @import { Shown } from "../links.js" */
/** @import { Limit, Order } from "./listing.js" */

/** Maximum rows that are listed initially, if the top level has no more. */
const FIRST_ROWS = 25;

/** A live view. Everything it shows comes from its rows; no state is kept in elements. */
export class View {
  /** @param {HTMLElement} section @param {ViewMeta} about @param {Rows} rows @param {Meta} meta */
  constructor(section, about, rows, meta) {
    this.section = section;
    this.about = about;
    this.rows = rows;
    this.meta = meta;
    this.listing = new Listing(rows);
    this.allColumns = makeColumns(rows, meta);
    this.chosen = firstColumns(rows, meta);
    this.metrics = meta.metrics.filter(({ stem }) => rows.has(stem));
    this.metric = this.metrics.find(({ stem }) => stem === FIRST_STEMS[0]) ?? this.metrics[0];
    this.isDifferential = false;
    this.selected = -1;
    this.zoom = -1;
    /** @type {string | null} */
    this.sortedBy = null;
    this.table = new TreeTable(
      this,
      {
        select: (row, isStep) => this.select(row, isStep),
        toggle: (row) => this.toggle(row),
        sort: (key) => this.sort(key),
        enter: (row) => this.toggle(row),
        leave: () => this.clear(),
      },
      about.title,
      `table-${about.name}`,
    );
    const isTree = rows.depth.some((depth) => depth > 1);
    this.icicle = isTree && this.metric
      ? new Icicle(this, {
        select: (row, isStep) => this.select(row, isStep),
        zoom: (row) => this.zoomTo(row),
        describe: (row) => describe(rows, row, this.metric, this.scale),
        whole: () => wholeLabel(rows, this.metric, this.scale, this.isDifferential),
      }, about.title)
      : null;
    this.status = make("p", { class: "status", role: "status" });
    this.drawer = new Drawer(rows, {
      select: (row, isStep) => this.select(row, isStep),
      describe: (row) => describe(rows, row, this.metric, this.scale),
      close: () => {
        this.unselect();
        this.table.element.focus();
        this.writeLink(false);
      },
    });
    this.listing.openFirst(FIRST_ROWS);
    this.sortBy(firstOrder(this.allColumns, rows, meta.order_by), true);
    this.first = this.shown();
  }

  /** The search, order and columns, as links have them. */
  shown() {
    const sign = (this.listing.order?.isDescending ?? true) ? "" : "-";
    return {
      find: this.search?.value.trim() ?? "",
      sort: this.sortedBy ? sign + this.sortedBy : "none",
      columns: this.columns.map(({ key }) => key).join(),
    };
  }

  /** Puts the chosen row and what else differs from the first sight of the view into the address. @param {boolean} isStep */
  writeLink(isStep) {
    /** @type {Shown} */
    const now = this.shown();
    for (const option of /** @type {const} */ (["find", "sort", "columns"])) {
      if (now[option] === this.first[option]) delete now[option];
    }
    const name = this.selected < 0 ? "" : this.rows.names[this.selected];
    const isFirst = !name && Object.keys(now).length === 0;
    writeLink(isFirst ? `#view-${this.about.name}` : linkTo(this.about.name, name, now), isStep);
  }

  /** Shows what a link says; what it does not mention stays. @param {Shown} link */
  restore({ find, sort, columns }) {
    if (columns !== undefined) {
      this.chosen = new Set(columns.split(","));
      for (const box of this.section.querySelectorAll("[data-column-key]")) {
        if (box instanceof HTMLInputElement) box.checked = this.chosen.has(box.dataset.columnKey ?? "");
      }
    }
    if (sort !== undefined) this.sortBy(sort.replace(/^-/, ""), !sort.startsWith("-"));
    if (find !== undefined && this.search) this.search.value = find;
    this.filter();
  }

  /** The columns that are shown. */
  get columns() {
    return this.allColumns.filter(({ key }) => this.chosen.has(key));
  }

  get scale() {
    return this.meta.scales[this.metric.unit];
  }

  /** Puts the live view before the static table, which remains for printing. */
  mount() {
    this.search = make("input", {
      type: "search",
      class: "search",
      spellcheck: "false",
      placeholder: "Search names, or /regex/",
      "aria-label": `Search ${this.about.title}`,
      input: () => {
        this.filter();
        this.writeLink(false);
      },
      keydown: (/** @type {KeyboardEvent} */ event) => this.pressInSearch(event),
    });
    this.least = make("input", {
      type: "text",
      class: "least",
      placeholder: "1 % or 10 M",
      size: 8,
      spellcheck: "false",
      input: () => this.filter(),
    });
    const figure = make(
      "select",
      { change: () => this.choose(figure.value) },
      ...this.metrics.map(({ stem, label }) =>
        make("option", { value: stem, selected: stem === this.metric.stem }, label)
      ),
    );
    const kinds = this.icicle && this.rows.hasBase ? [this.makeKinds()] : [];
    const live = make(
      "div",
      { class: "live" },
      make("div", { class: "controls" }, make("label", {}, "Figure ", figure), ...kinds),
      ...(this.icicle ? [this.icicle.element] : []),
      make(
        "div",
        { class: "controls" },
        this.search,
        make(
          "label",
          { title: "Rows whose total is less, and rows whose total is unknown" },
          "Hide below ",
          this.least,
        ),
        makeChooser(this),
        make(
          "span",
          { class: "group" },
          button("Open all", () => this.openAll(true)),
          button("Close all", () => this.openAll(false)),
        ),
        make(
          "span",
          { class: "group" },
          button("Copy", () => this.copy(), { title: "Copy the listed rows, tabs between their cells" }),
          button("CSV", () => this.save(), {
            title: "Save every row that is not hidden, open or not, with exact figures",
          }),
        ),
      ),
      this.status,
      make("div", { class: "beside" }, this.table.element, this.drawer.element),
      make("p", { class: "note" }, whereAllIs(this.rows, this.about)),
    );
    this.section.querySelector("noscript, .static")?.before(live);
    this.filter();
    this.icicle?.update();
    this.section.dataset.ready = "true";
    // Reads all names while the browser is idle, so that they are joined before the first search.
    globalThis.requestIdleCallback?.(() => this.rows.names.some((name) => name.includes("\0")));
  }

  /** The switch between sizes and changes. */
  makeKinds() {
    const kinds = [false, true].map((isDifferential) =>
      button(isDifferential ? "Changes" : "Size", (event) => {
        this.isDifferential = isDifferential;
        for (const kind of kinds) kind.setAttribute("aria-pressed", String(kind === event.currentTarget));
        this.icicle?.update();
      }, { "aria-pressed": String(!isDifferential) })
    );
    return make("span", { class: "group", role: "group", "aria-label": "What the picture shows" }, ...kinds);
  }

  /** @param {string} key @param {boolean} isShown */
  showColumn(key, isShown) {
    if (isShown) this.chosen.add(key);
    else this.chosen.delete(key);
    this.table.update();
    this.writeLink(false);
  }

  /** Chooses the figure for the picture and the limit. @param {string} stem */
  choose(stem) {
    this.metric = this.metrics.find((metric) => metric.stem === stem) ?? this.metric;
    if (this.least?.value) this.filter();
    if (!this.chosen.has(`${stem}:total`)) this.showColumn(`${stem}:total`, true);
    const box = this.section.querySelector(
      `.chooser [aria-label="${this.metric.label}, ${wayLabel("total", this.rows)}"]`,
    );
    if (box instanceof HTMLInputElement) box.checked = true;
    this.icicle?.update();
    this.drawer.show(this.selected);
  }

  /** Lists the rows that the search and the limit keep, and reports how many. */
  filter() {
    this.section.setAttribute("aria-busy", "true");
    const query = this.search?.value.trim() ?? "";
    const least = this.least?.value.trim() ?? "";
    const matches = query ? makeMatcher(query) : null;
    const limit = least ? this.limit(least) : null;
    const trouble = typeof matches === "string"
      ? matches
      : typeof limit === "string"
      ? limit
      : this.listing.keep(matches, limit)
      ? ""
      : "This search takes too long; try a simpler one.";
    this.search?.setAttribute("aria-invalid", String(typeof matches === "string"));
    this.least?.setAttribute("aria-invalid", String(typeof limit === "string"));
    this.relist();
    this.icicle?.drawPlaces();
    this.icicle?.drawSelected();
    if (trouble) this.status.textContent = trouble;
    this.section.dataset.query = query;
    this.section.setAttribute("aria-busy", "false");
  }

  /** @param {string} text @returns {Limit | string} */
  limit(text) {
    const share = /^([\d.]+)\s*%$/.exec(text);
    const sides = /** @type {Side[]} */ (this.rows.hasBase ? ["head", "base"] : ["head"]);
    const figures = sides.map((side) => this.rows.column(side, "total", this.metric.stem));
    const amount = share ? null : parseAmount(text, this.scale);
    if (share) {
      const whole = Math.max(...sides.map((side) => this.rows.whole(side, this.metric.stem) || 0));
      return { figures, least: (Number(share[1]) / 100) * whole };
    }
    if (amount === null) {
      return `Hide below what? A share such as 1 %, or an amount of ${this.metric.label} such as 10 ${
        this.scale[2][1]
      }.`;
    }
    return { figures, least: amount };
  }

  countWords() {
    const { listing, rows } = this;
    const listed = `${countOf(listing.listed.length, "row")} listed`;
    if (!listing.kept) return `${listed} of ${grouped(rows.count)}.`;
    const unknown = listing.unknownCount
      ? `, ${grouped(listing.unknownCount)} of them because their ${this.metric.label} are unknown`
      : "";
    const hidden = this.least?.value ? `; ${grouped(rows.count - listing.foundCount)} hidden${unknown}` : "";
    return `${grouped(listing.foundCount)} of ${
      countOf(rows.count, "row")
    } found${hidden}; ${listed}, with the rows above them.`;
  }

  relist() {
    this.listing.update();
    this.section.dataset.listed = String(this.listing.listed.length);
    this.section.dataset.found = String(this.listing.foundCount);
    this.status.textContent = this.countWords();
    this.table.update();
  }

  /** Clears the search and the limit; the selected row stays visible. */
  clear() {
    if (this.search) this.search.value = "";
    if (this.least) this.least.value = "";
    if (this.selected >= 0) this.listing.reveal(this.selected);
    this.filter();
    this.table.show(this.selected);
    this.writeLink(false);
  }

  /** @param {KeyboardEvent} event */
  pressInSearch(event) {
    if (event.key === "Escape") this.clear();
    else if (event.key === "ArrowDown" || event.key === "Enter") {
      const { listed, found } = this.listing;
      const first = listed.find((row) => !found || found[row] === 1);
      this.table.element.focus();
      if (first !== undefined) this.select(first, event.key === "Enter");
    } else return;
    event.preventDefault();
  }

  /** Cycles through descending, ascending and the order of the file; names start ascending. @param {string} key */
  sort(key) {
    const isDescending = key !== "name";
    const { order } = this.listing;
    if (this.sortedBy !== key) this.sortBy(key, isDescending);
    else this.sortBy(order?.isDescending === isDescending ? key : "none", !isDescending);
    this.relist();
    this.writeLink(false);
  }

  /** Sorts by a column, or by names; by nothing if there is no such column. @param {string} key @param {boolean} isDescending */
  sortBy(key, isDescending) {
    const column = this.allColumns.find((column) => column.key === key);
    /** @type {Order["value"] | undefined} */
    const value = key === "name" ? (row) => this.rows.leafOf(row) : column?.rank ?? column?.value;
    this.listing.sortBy(value ? { value, isDescending } : null);
    this.sortedBy = value ? key : null;
  }

  /** @param {number} row */
  toggle(row) {
    if (!this.listing.hasChildren(row)) return;
    this.listing.setOpen(row, !this.listing.isOpen(row));
    this.relist();
  }

  /** @param {boolean} isOpen */
  openAll(isOpen) {
    this.listing.setAll(isOpen);
    this.relist();
  }

  /** Selects a row in the picture and in the table, and puts it into the address. @param {number} row @param {boolean} isStep */
  select(row, isStep) {
    this.selected = row;
    if (!this.listing.listed.includes(row)) {
      if (this.listing.kept && !this.listing.kept[row]) this.clear();
      this.listing.reveal(row);
      this.relist();
    }
    this.table.show(row);
    this.icicle?.drawSelected();
    this.drawer.show(row);
    this.writeLink(isStep);
  }

  /** Chooses no row. */
  unselect() {
    this.selected = -1;
    this.drawer.show(-1);
    this.table.markSelected();
    this.icicle?.drawSelected();
  }

  /** Goes to a row by its full name, and shows what else a link says. @param {Shown & {name: string}} link */
  go(link) {
    const { name } = link;
    this.restore(link);
    const row = this.rows.names.indexOf(name);
    this.section.scrollIntoView();
    if (!name) return this.unselect();
    if (row < 0) {
      this.status.textContent = this.noRow(name);
      return;
    }
    this.select(row, false);
    this.table.show(row, true);
    this.table.element.scrollIntoView({ block: "center" });
    this.table.element.focus({ preventScroll: true });
  }

  /** Why a row can't be gone to: a large page lacks the lower levels, and their file has them. @param {string} name */
  noRow(name) {
    const { count, leftOut } = this.rows;
    if (!leftOut) return `No row of this view is called ${name}.`;
    const files = [this.about.diff_parquet, this.about.parquet, "nodes.parquet"].filter(Boolean).join(" or ");
    const all = grouped(count + leftOut);
    return `This page does not carry ${name}: it has ${
      grouped(count)
    } of the ${all} rows of this view. Look for it in ${files}.`;
  }

  /** @param {number} row the row to fill the picture, -1 for all */
  zoomTo(row) {
    this.zoom = row;
    this.icicle?.hideTip();
    this.icicle?.update();
  }

  async copy() {
    const { listed } = this.listing;
    const isCopied = await copyText(exportRows(this.rows, listed, this.columns, "\t"));
    this.status.textContent = isCopied
      ? `Copied ${countOf(listed.length, "row")}.`
      : "The browser did not let the page copy.";
  }

  save() {
    const rows = this.listing.everyRow();
    download(exportRows(this.rows, rows, this.columns, ","), `${this.about.name}.csv`);
    this.status.textContent = `Saved ${countOf(rows.length, "row")} as ${this.about.name}.csv.`;
  }
}
