// Rows as text for spreadsheets: full names and exact figures. An unknown figure is an empty cell, never 0; a lower bound
// is no number, but says what it is.

import { bounded } from "./columns.js";
import { make } from "../elements.js";

/** @import { Column } from "./columns.js" */
/** @import { Rows } from "../data.js" */

/** Spreadsheets evaluate cells that start like this as formulas; an apostrophe makes them text. @param {string} name */
function harmless(name) {
  return /^[=+\-@\t\r]/.test(name) ? `'${name}` : name;
}

/** @param {string} text */
function quoted(text) {
  return /[",\r\n]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text;
}

/** @param {Rows} rows @param {Int32Array} listed @param {Column[]} columns @param {"\t" | ","} separator */
export function exportRows(rows, listed, columns, separator) {
  /** @param {string} text */
  const cell = (text) => (separator === "," ? quoted(text) : text.replace(/[\t\r\n]+/g, " "));
  const heads = ["name", "op", ...(rows.hasBase ? ["status"] : []), ...columns.map(({ key }) => key.replace(":", " "))];
  const lines = Array.from(listed, (row) => {
    const words = [harmless(rows.names[row]), harmless(rows.opOf(row)), ...(rows.hasBase ? [rows.statusOf(row)] : [])];
    const figures = columns.map(({ value, isBound }) => {
      const figure = value(row);
      return figure === null ? "" : bounded(String(figure), isBound?.(row) ? 1 : 0);
    });
    return [...words, ...figures].map(cell).join(separator);
  });
  return `${[heads.join(separator), ...lines].join("\n")}\n`;
}

/** @param {string} text @param {string} file */
export function download(text, file) {
  const address = URL.createObjectURL(new Blob([text], { type: "text/csv;charset=utf-8" }));
  make("a", { href: address, download: file }).click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

/** @param {string} text @returns {Promise<boolean>} whether it is on the clipboard */
export async function copyText(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    // Pages that are not from a secure context have no clipboard API.
    const area = make("textarea", { readonly: true });
    area.value = text;
    document.body.append(area);
    area.select();
    const isCopied = document.execCommand("copy");
    area.remove();
    return isCopied;
  }
}
