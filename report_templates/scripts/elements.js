// Creates elements. Text is always added as text nodes: no name of a report is ever parsed as markup.

const SVG = "http://www.w3.org/2000/svg";

/** @typedef {Record<string, string | number | boolean | null | undefined | ((event: any) => void)>} Attributes
 * a function becomes a listener of the event of that name; null, undefined and false omit the attribute */

/** @template {Element} T @param {T} made @param {Attributes} attributes @param {(Node | string)[]} children @returns {T} */
function fill(made, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") made.addEventListener(name, value);
    else if (value !== null && value !== undefined && value !== false) {
      made.setAttribute(name, value === true ? "" : String(value));
    }
  }
  made.append(...children);
  return made;
}

/** @template {keyof HTMLElementTagNameMap} K @param {K} tag @param {Attributes} [attributes] @param {...(Node | string)} children */
export function make(tag, attributes = {}, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

/** @template {keyof SVGElementTagNameMap} K @param {K} tag @param {Attributes} [attributes] @param {...(Node | string)} children */
export function draw(tag, attributes = {}, ...children) {
  return fill(document.createElementNS(SVG, tag), attributes, children);
}

/** @param {string} text @param {(event: Event) => void} press @param {Attributes} [attributes] */
export function button(text, press, attributes = {}) {
  return make("button", { type: "button", click: press, ...attributes }, text);
}
