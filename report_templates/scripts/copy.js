// A button beside each command of the page that puts it on the clipboard. Without scripts, a click selects the command.

import { button } from "./elements.js";
import { copyText } from "./views/export.js";

export function makeCommandsCopyable() {
  for (const command of document.querySelectorAll("[data-copy]")) {
    const copy = button("Copy", async () => {
      const isCopied = await copyText(command.textContent ?? "");
      copy.textContent = isCopied ? "Copied" : "Copy it by hand";
    }, { class: "copy", "aria-live": "polite" });
    command.after(" ", copy);
  }
}
