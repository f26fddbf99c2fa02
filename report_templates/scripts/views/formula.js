// Puts the sizes of a node into the rule that counts its FLOPs.

import { grouped } from "../format.js";

/** @typedef {(number | null)[] | null} Shape null where a size, or all of it, is not known */

/** @param {string} text shapes as page data has them, such as `[128,?,3] []` @returns {Shape[]} */
export function readShapes(text) {
  return text.split(" ").filter(Boolean).map((each) =>
    each === "?" ? null : each.slice(1, -1).split(",").filter(Boolean).map((size) => size === "?" ? null : Number(size))
  );
}

/** The rule with numbers for `N(out)`, `in0[1]` and the like; what is not known stays as it is.
 * @param {string} rule @param {Shape[]} inputs @param {Shape[]} outputs */
export function putIn(rule, inputs, outputs) {
  /** @param {string} tensor */
  const shapeOf = (tensor) => (tensor === "out" ? outputs[0] : inputs[Number(tensor.slice(2))]) ?? null;
  const filled = rule
    .replace(/N\((in\d+|out)\)/g, (word, tensor) => {
      const shape = shapeOf(tensor);
      if (!shape || shape.includes(null)) return word;
      return grouped(shape.reduce((count, size) => count * BigInt(size ?? 0), 1n));
    })
    .replace(/\b(in\d+|out)\[(-?\d+)\]/g, (word, tensor, axis) => {
      const size = shapeOf(tensor)?.at(Number(axis));
      return size === null || size === undefined ? word : grouped(size);
    });
  // Rules write products without a sign, which numbers side by side need.
  return filled.replace(/(?<=[\d)\]]|\b[knrs]) (?=[\d(]|N\(|in\d|out\[|[knrs]\b)/g, " \u00d7 ");
}
