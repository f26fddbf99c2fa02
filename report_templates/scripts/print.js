// Opens folded sections while the page is printed, for browsers where the style sheet alone cannot.

export function unfoldForPrint() {
  /** @type {HTMLDetailsElement[]} opened only for printing */
  let opened = [];
  addEventListener("beforeprint", () => {
    opened = [...document.querySelectorAll("details")].filter(({ open }) => !open);
    for (const details of opened) details.open = true;
  });
  addEventListener("afterprint", () => {
    for (const details of opened) details.open = false;
  });
}
