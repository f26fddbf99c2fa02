// Opens sections, as readers and links ask for them, and makes those of views live. Without this everything is static.

import { readBlock, readMeta } from "./data.js";
import { readLink } from "./links.js";
import { build, closeSections, open, sectionOf } from "./sections.js";
import { makeLayersLive } from "./views/layers.js";
import { View } from "./views/view.js";

/** @import { Meta, ViewMeta } from "./data.js" */

/** @param {Meta} meta */
function makeViews(meta) {
  /** @type {Map<string, Promise<View | null>>} */
  const views = new Map();
  /** @param {HTMLElement} section @param {ViewMeta} about */
  const make = async (section, about) => {
    const rows = await readBlock(about.name);
    // Without rows, or without figures, the static table already shows everything.
    if (!meta.metrics.some(({ stem }) => rows.count && rows.has(stem))) return null;
    const view = new View(section, about, rows, meta);
    view.mount();
    return view;
  };
  /** The view of that name, made live if needed; undefined if there is no such view. @param {string} name */
  return (name) => {
    const section = document.querySelector(`[data-view="${name}"]`);
    const about = meta.views.find((view) => view.name === name);
    if (!views.has(name) && about && section instanceof HTMLElement) views.set(name, make(section, about));
    return views.get(name);
  };
}

/** The section of the view that a reader looks at: the one with the focus, else the first that is open and visible. */
function viewInSight() {
  const focused = document.activeElement?.closest("[data-view]");
  const inSight = Array.from(document.querySelectorAll("[data-view]:has(> [open])")).find((section) => {
    const { top, bottom } = section.getBoundingClientRect();
    return bottom > innerHeight / 4 && top < innerHeight;
  });
  return focused ?? inSight ?? document.querySelector("[data-view]");
}

/** A page without data, or a browser that cannot decompress it, has no live views. */
export async function makeSectionsLive() {
  const hasViews = "DecompressionStream" in globalThis && document.getElementById("meta");
  const viewOf = hasViews ? makeViews(readMeta()) : () => undefined;
  /** Opens a section; its view, if it has one. @param {HTMLElement} section */
  const show = async (section) => {
    open(section);
    const view = section.dataset.view && (await viewOf(section.dataset.view));
    if (!view) build(section);
    return view || null;
  };
  const follow = async () => {
    const anchor = location.hash.slice(1);
    const link = readLink(location.hash);
    const section = sectionOf(link ? `view-${link.view}` : anchor);
    const view = section && (await show(section));
    if (view && link) view.go(link);
    else if (section) document.getElementById(anchor)?.scrollIntoView();
  };
  closeSections(show);
  if (hasViews) makeLayersLive(readMeta());
  document.documentElement.dataset.scripts = "true";
  await follow();
  addEventListener("popstate", follow);
  addEventListener("click", ({ target }) => {
    // A second click on a link changes no address, but its section may have been closed since.
    const link = target instanceof Element && target.closest("a");
    if (link && link.hash && link.getAttribute("href") === location.hash) follow();
  });
  addEventListener("keydown", async (event) => {
    const isTyping = event.target instanceof HTMLElement && event.target.matches("input, select, textarea");
    if (event.key !== "/" || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    const section = viewInSight();
    const view = section instanceof HTMLElement && (await show(section));
    if (view) view.search?.focus();
  });
  document.documentElement.dataset.ready = "true";
}
