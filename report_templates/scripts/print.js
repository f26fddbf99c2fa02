// Builds and opens everything while the page is printed.

import { build, everySection } from "./sections.js";

export function unfoldForPrint() {
  /** @type {HTMLDetailsElement[]} opened only for printing */
  let opened = [];
  const unfold = () => {
    everySection().forEach(build);
    for (const details of document.querySelectorAll("details:not([open])")) {
      opened.push(/** @type {HTMLDetailsElement} */ (details));
      details.setAttribute("open", "");
    }
  };
  const fold = () => {
    for (const details of opened) details.open = false;
    opened = [];
  };
  addEventListener("beforeprint", unfold);
  addEventListener("afterprint", fold);
  // A browser that shows a page as it will be on paper prints nothing.
  matchMedia("print").addEventListener("change", ({ matches }) => (matches ? unfold() : fold()));
}
