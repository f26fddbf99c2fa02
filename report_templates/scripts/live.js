// Makes the views live, each when it scrolls into view or a link leads to it. Without this the static tables stay.

import { readBlock, readMeta } from "./data.js";
import { readLink } from "./links.js";
import { View } from "./view.js";

/** @import { Meta, ViewMeta } from "./data.js" */

/** @param {Meta} meta */
function makeViews(meta) {
  /** @type {Map<string, Promise<View | null>>} */
  const views = new Map();
  /** @param {HTMLElement} section @param {ViewMeta} about */
  const open = async (section, about) => {
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
    if (!views.has(name) && about && section instanceof HTMLElement) views.set(name, open(section, about));
    return views.get(name);
  };
}

/** The view that a reader looks at: the one with the focus, else the first that is visible. */
function viewInSight() {
  const focused = document.activeElement?.closest("[data-view]");
  const inSight = Array.from(document.querySelectorAll("[data-view]")).find((section) => {
    const { top, bottom } = section.getBoundingClientRect();
    return bottom > innerHeight / 4 && top < innerHeight;
  });
  return focused ?? inSight ?? document.querySelector("[data-view]");
}

/** Does nothing if the page has no data, or the browser cannot decompress it. */
export async function makeViewsLive() {
  if (!("DecompressionStream" in globalThis) || !document.getElementById("meta")) return;
  const meta = readMeta();
  const viewOf = makeViews(meta);
  const follow = async () => {
    const link = readLink(location.hash);
    const view = link && (await viewOf(link.view));
    if (view) view.go(link.name);
  };
  await follow();
  const watcher = new IntersectionObserver((entries) => {
    for (const { isIntersecting, target } of entries) {
      if (!isIntersecting) continue;
      watcher.unobserve(target);
      viewOf(/** @type {HTMLElement} */ (target).dataset.view ?? "");
    }
  }, { rootMargin: "300px" });
  for (const section of document.querySelectorAll("[data-view]")) watcher.observe(section);
  addEventListener("popstate", follow);
  addEventListener("keydown", async (event) => {
    const isTyping = event.target instanceof HTMLElement && event.target.matches("input, select, textarea");
    if (event.key !== "/" || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    const section = viewInSight();
    const view = section instanceof HTMLElement && (await viewOf(section.dataset.view ?? ""));
    if (view) view.search?.focus();
  });
  document.documentElement.dataset.ready = "true";
}
