// The pictures of the first screen of one model, which zoom: the layers that take a figure. Without scripts they are static.

import { readBlock } from "../data.js";
import { make } from "../elements.js";
import { linkTo } from "../links.js";
import { describe, wholeLabel } from "./describe.js";
import { Icicle } from "./icicle.js";
import { Listing } from "./listing.js";

/** @import { Meta, Metric, Rows } from "../data.js" */

/** The picture of one figure. */
class LayersPicture {
  /** @param {Rows} rows @param {Metric} metric @param {Meta} meta */
  constructor(rows, metric, meta) {
    this.rows = rows;
    this.metric = metric;
    this.listing = new Listing(rows);
    this.isDifferential = false;
    this.selected = -1;
    this.zoom = -1;
    const scale = meta.scales[metric.unit];
    this.detail = make("p", { class: "note", role: "status" });
    this.icicle = new Icicle(this, {
      select: (row) => {
        this.selected = row;
        this.icicle.drawSelected();
        this.detail.replaceChildren(...this.words(describe(rows, row, metric, scale)));
      },
      zoom: (row) => {
        this.zoom = row;
        this.icicle.hideTip();
        this.icicle.update();
      },
      describe: (row) => describe(rows, row, metric, scale),
      whole: () => wholeLabel(rows, metric, scale, false),
    }, `Layers by ${metric.label}`);
    this.element = make("div", { class: "live" }, this.icicle.element, this.detail);
  }

  /** The chosen layer: its name, which leads to its scope if the page has it, and its figures. @param {string[]} words */
  words([name, ...lines]) {
    const title = this.rows.shown[this.selected]
      ? make("a", { class: "name", href: linkTo("scope", name) }, name)
      : make("span", { class: "name" }, name);
    return [title, `: ${lines.join("; ")}`];
  }
}

/** Replaces the static pictures by live ones, each when its figure is first shown. @param {Meta} meta */
export function makeLayersLive(meta) {
  for (const box of document.querySelectorAll(".taken")) {
    if (!(box instanceof HTMLElement)) continue;
    const { stem = "", label = "", unit = "" } = box.dataset;
    if (!document.getElementById(`data-layers-${stem}`)) continue;
    const shown = new IntersectionObserver(async (entries) => {
      if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
      shown.disconnect();
      const rows = await readBlock(`layers-${stem}`);
      const picture = new LayersPicture(rows, { stem, label, unit, doc: "", source: "" }, meta);
      box.prepend(picture.element);
      picture.icicle.update();
    });
    shown.observe(box);
  }
}
