// Opens models, as readers and links ask for them, and makes their charts live. Without this everything is static.

import { build, closeSections, everySection, open, sectionOf } from "../sections.js";
import { Charts } from "./charts.js";
import { unpackReports } from "./reports.js";

/** @import { ChartsMeta } from "./reports.js" */

/** @param {HTMLElement} section @param {ChartsMeta} meta */
async function makeLive(section, meta) {
  const place = section.querySelector(".charts");
  const block = document.getElementById(`data-${section.id}`)?.textContent;
  if (!block || !(place instanceof HTMLElement)) return;
  const reports = await unpackReports(block, meta);
  new Charts(place, reports, section.querySelector("h2")?.textContent ?? "");
}

/** A page whose data a browser cannot decompress keeps its pictures. */
export async function makeModelsLive() {
  const meta = "DecompressionStream" in globalThis &&
    JSON.parse(document.getElementById("meta")?.textContent ?? "null");
  /** @type {Map<HTMLElement, Promise<void>>} */
  const made = new Map();
  /** Opens a model. @param {HTMLElement} section */
  const show = async (section) => {
    open(section);
    build(section);
    if (meta && !made.has(section) && !matchMedia("print").matches) made.set(section, makeLive(section, meta));
    await made.get(section);
  };
  const follow = async () => {
    const anchor = location.hash.slice(1);
    const section = anchor && sectionOf(anchor);
    if (!section) return;
    await show(section);
    document.getElementById(anchor)?.scrollIntoView();
  };
  const isAtOnce = everySection().filter((section) => !section.querySelector("noscript"));
  closeSections(show);
  document.documentElement.dataset.scripts = "true";
  await Promise.all(isAtOnce.map(show));
  await follow();
  addEventListener("popstate", follow);
  document.documentElement.dataset.ready = "true";
}
