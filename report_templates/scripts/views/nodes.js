// What a page tells of single nodes beside their figures: node_block.py defines the columns. They are read when the first
// row is chosen.

import { readBlock } from "../data.js";

/** @import { Rows, Side } from "../data.js" */

/** Rows of the node table from the steps between them, -1 where a row is no node. @param {Int32Array} steps */
export function fromSteps(steps) {
  let last = -1;
  return steps.map((step) => (step ? (last += step) : -1));
}

/** The values of each place, `values[starts[place]]` up to that of the next place. */
class Lists {
  /** @param {Int32Array} counts @param {Int32Array} values */
  constructor(counts, values) {
    this.values = values;
    this.starts = new Int32Array(counts.length + 1);
    counts.forEach((count, place) => (this.starts[place + 1] = this.starts[place] + count));
  }

  /** @param {number} place */
  of(place) {
    return this.values.subarray(this.starts[place], this.starts[place + 1]);
  }
}

/** The nodes of a page; `node` is always a row of the node table. */
export class Nodes {
  /** @param {Rows} rows */
  constructor(rows) {
    this.rows = rows;
    const nodes = fromSteps(rows.integers("node"));
    this.places = new Map(Array.from(nodes, (node, place) => [node, place]));
    const counts = rows.integers("input_count");
    const inputs = rows.integers("input", counts.reduce((sum, count) => sum + count, 0));
    const used = new Int32Array(rows.count);
    let at = 0;
    counts.forEach((count, place) => {
      for (const end = at + count; at < end; at += 1) {
        inputs[at] = inputs[at] ? nodes[place] - inputs[at] : -1;
        const source = this.places.get(inputs[at]);
        if (source !== undefined) used[source] += 1;
      }
    });
    this.inputs = new Lists(counts, inputs);
    this.isControl = new Lists(counts, rows.integers("is_control", inputs.length));
    this.consumers = new Lists(used, new Int32Array(used.reduce((sum, count) => sum + count, 0)));
    const free = this.consumers.starts.slice();
    nodes.forEach((node, place) => {
      for (const input of this.inputs.of(place)) {
        const source = this.places.get(input);
        if (source !== undefined) this.consumers.values[free[source]++] = node;
      }
    });
    /** @type {Map<string, {codes: Int32Array, words: string[]}>} */
    this.texts = new Map();
  }

  /** Whether the node table has anything of a text. @param {string} column */
  has(column) {
    return this.rows.headers.has(column);
  }

  /** The text of a column for a node, empty if it is not known. @param {number} node @param {string} column */
  text(node, column) {
    let found = this.texts.get(column);
    if (!found) {
      const words = this.rows.words(column === "rule" ? "rules" : `${column}_words`);
      found = { codes: this.rows.integers(column), words };
      this.texts.set(column, found);
    }
    return found.words[found.codes[this.places.get(node) ?? -1]] ?? "";
  }

  /** Executions in one execution of the graph; null if that is not known. @param {number} node */
  multiplicity(node) {
    return this.rows.value("multiplicity", this.places.get(node) ?? 0);
  }

  /** The nodes whose outputs a node takes, each once; those of control inputs are not among them. @param {number} node */
  inputsOf(node) {
    const place = this.places.get(node) ?? -1;
    const isControl = this.isControl.of(place);
    return [...new Set(this.inputs.of(place).filter((input, at) => input >= 0 && !isControl[at]))];
  }

  /** The nodes that a node must wait for without taking an output. @param {number} node */
  controlsOf(node) {
    const place = this.places.get(node) ?? -1;
    const isControl = this.isControl.of(place);
    return [...new Set(this.inputs.of(place).filter((input, at) => input >= 0 && isControl[at]))];
  }

  /** The nodes that take an output of a node or wait for it, each once. @param {number} node */
  consumersOf(node) {
    return [...new Set(this.consumers.of(this.places.get(node) ?? -1))];
  }
}

/** @type {Map<Side, Promise<Nodes>>} */
const nodes = new Map();

/** The nodes of a side, read once: of base only those that head lacks. @param {Side} side */
export function readNodes(side) {
  const known = nodes.get(side) ?? readBlock(side === "base" ? "base-nodes" : "nodes").then((rows) => new Nodes(rows));
  nodes.set(side, known);
  return known;
}
