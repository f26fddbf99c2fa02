// Paper has no folds: opens what is folded while the page is printed, where the style sheet alone cannot.

export function unfoldForPrint() {
  /** @type {HTMLDetailsElement[]} what was opened for the print */
  let opened = [];
  addEventListener("beforeprint", () => {
    opened = [...document.querySelectorAll("details")].filter(({ open }) => !open);
    for (const details of opened) details.open = true;
  });
  addEventListener("afterprint", () => {
    for (const details of opened) details.open = false;
  });
}
