// Sections below the first screen: closed until a reader or a link opens one. Their tables and pictures are built then,
// so that a page has few elements whatever the size of its report.

import { make } from "./elements.js";
import { makeTablesSortable } from "./sort.js";

/** @returns {HTMLElement[]} */
export function everySection() {
  return [...document.querySelectorAll("main > section")].filter((section) => section instanceof HTMLElement);
}

/** Builds the tables and pictures of a section; nothing happens a second time. @param {HTMLElement} section */
export function build(section) {
  const source = section.querySelector("noscript");
  if (!source) return;
  const made = make("div", { class: "static" });
  // With scripts, browsers read what is inside noscript as text. It is markup of the template, where names are escaped.
  made.innerHTML = source.textContent ?? "";
  source.replaceWith(made);
  makeTablesSortable(made);
}

/** @param {HTMLElement} section */
export function open(section) {
  section.querySelector("details")?.setAttribute("open", "");
}

/** Closes all sections that are to be built. @param {(section: HTMLElement) => void} opened is called for each that is opened later */
export function closeSections(opened) {
  for (const section of everySection().filter((each) => each.querySelector("noscript"))) {
    const fold = section.querySelector("details");
    fold?.removeAttribute("open");
    fold?.addEventListener("toggle", () => fold.open && opened(section));
  }
}

/** The section that has an anchor, built or not. @param {string} anchor @returns {HTMLElement | undefined} */
export function sectionOf(anchor) {
  const found = document.getElementById(anchor);
  return everySection().find((section) =>
    found ? section.contains(found) : section.querySelector("noscript")?.textContent?.includes(` id="${anchor}"`)
  );
}
