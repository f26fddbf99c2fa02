// The drawer beside a table: the exact figures of the chosen row, and for a node what it is, where it comes from, how its
// FLOPs are counted, and its neighbours.

import { button, make } from "../elements.js";
import { grouped } from "../format.js";
import { putIn, readShapes } from "./formula.js";
import { fromSteps, readNodes } from "./nodes.js";

/** @import { Rows, Side } from "../data.js" */
/** @import { Nodes } from "./nodes.js" */

/** Maximum neighbours of a kind that are listed. */
const MOST_NEIGHBOURS = 8;

/** @type {Record<string, string>} */
const SHAPE_SOURCES = {
  graph: "from the graph",
  user: "as given on the command line",
  run_metadata: "as seen in a run",
  batch: "with an assumed batch",
  inferred: "inferred",
};

/** @type {Record<string, string>} */
const FLOPS_SOURCES = {
  op_log: "from the op log",
  tfprof_rules: "by TensorFlow's rule",
  extended_rules: "by a rule of this tool",
  user_rules: "by your own rule",
};

/** What the drawer tells of a node, and the column that has it. */
const TOLD = [
  ["device", "device"],
  ["shapes in", "input_shapes"],
  ["shapes out", "output_shapes"],
  ["source of FLOPs", "float_ops_source"],
  ["layer", "layer"],
  ["phase", "phase"],
  ["code", "code_line"],
  ["neighbours", "input_count"],
];

/** @typedef {{select: (row: number, isStep: boolean) => void, describe: (row: number) => string[], close: () => void}} DrawerActions */

/** Shows one row at a time. */
export class Drawer {
  /** @param {Rows} rows @param {DrawerActions} actions */
  constructor(rows, actions) {
    this.rows = rows;
    this.actions = actions;
    this.row = -1;
    /** The node of each row on each side, -1 for none. @type {Record<Side, Int32Array>} */
    this.nodeOf = { head: fromSteps(rows.integers("node")), base: fromSteps(rows.integers("base_node")) };
    /** The row of each node on each side, made when neighbours are first listed. @type {Map<Side, Map<number, number>>} */
    this.rowOf = new Map();
    this.element = make("div", { class: "detail", role: "group", "aria-label": "The chosen row" });
    this.show(-1);
  }

  /** @param {number} row -1 for none */
  async show(row) {
    this.row = row;
    this.element.classList.toggle("drawer", row >= 0);
    if (row < 0) return this.element.replaceChildren("Choose a row to read its exact figures.");
    const [name, ...lines] = this.actions.describe(row);
    this.element.replaceChildren(
      make("strong", { class: "name" }, name),
      button("Close", this.actions.close, { class: "close" }),
      make("ul", {}, ...lines.map((line) => make("li", {}, line))),
    );
    const side = this.sideOf(row);
    if (this.nodeOf[side][row] < 0) return;
    const nodes = await readNodes(side);
    // Another row may have been chosen meanwhile.
    if (this.row === row) this.element.append(this.facts(nodes, row));
  }

  /** The side that tells what a row is: base where head lacks it. @param {number} row @returns {Side} */
  sideOf(row) {
    return this.rows.hasBase && !this.rows.isIn("head", row) ? "base" : "head";
  }

  /** @param {Nodes} nodes @param {number} row */
  facts(nodes, row) {
    const side = this.sideOf(row);
    const node = this.nodeOf[side][row];
    const missing = side === "base" ? TOLD.filter(([, column]) => !nodes.has(column)).map(([label]) => label) : [];
    /** @param {string} column */
    const text = (column) => nodes.text(node, column);
    /** @type {[string, (Node | string)[]][]} */
    const facts = [
      ["Op", [this.rows.opOf(row)]],
      ["Device", [text("device")]],
      ["Shapes in", [text("input_shapes")]],
      ["Shapes out", [
        `${text("output_shapes")} ${SHAPE_SOURCES[text("shape_source")] ?? text("shape_source")}`.trim(),
      ]],
      ["FLOPs", [this.flops(nodes, row)]],
      ...this.rule(nodes, node),
      ["Executions", [this.executions(nodes, row)]],
      ["Layer", [text("layer")]],
      ["Phase", [text("phase")]],
      ["Code", [text("code_line")]],
      ["Inputs", this.neighbours(side, nodes.inputsOf(node))],
      ["Waits for", this.neighbours(side, nodes.controlsOf(node))],
      ["Consumers", this.neighbours(side, nodes.consumersOf(node))],
      ["Base does not say", [missing.join(", ")]],
    ];
    return make(
      "dl",
      {},
      ...facts.filter(([, words]) => words.some(Boolean)).flatMap(([label, words]) => [
        make("dt", {}, label),
        make("dd", {}, ...words),
      ]),
    );
  }

  /** The FLOPs of a node, with their source, or why they are unknown. @param {Nodes} nodes @param {number} row */
  flops(nodes, row) {
    const side = this.sideOf(row);
    const node = this.nodeOf[side][row];
    const figure = this.rows.figure(side, "self", "float_ops", row);
    const reason = nodes.text(node, "float_ops_reason");
    if (figure === null) return reason && `unknown: ${reason}`;
    const source = nodes.text(node, "float_ops_source");
    const assumed = nodes.text(node, "float_ops_assumes");
    const basis = assumed === "batch" ? ", with an assumed batch" : assumed ? ", with shapes seen in a run" : "";
    return `${grouped(figure)} ${FLOPS_SOURCES[source] ?? source}${basis}`;
  }

  /** The rule of the op, and the same with the sizes of the node. @param {Nodes} nodes @param {number} node
   * @returns {[string, string[]][]} */
  rule(nodes, node) {
    const rule = nodes.text(node, "rule");
    if (!rule || rule === "0") return [];
    const filled = putIn(
      rule,
      readShapes(nodes.text(node, "input_shapes")),
      readShapes(nodes.text(node, "output_shapes")),
    );
    return [
      ["Rule", [rule]],
      ...(filled === rule ? [] : /** @type {[string, string[]][]} */ ([["In numbers", [filled]]])),
    ];
  }

  /** @param {Nodes} nodes @param {number} row */
  executions(nodes, row) {
    const side = this.sideOf(row);
    const times = nodes.multiplicity(this.nodeOf[side][row]);
    const runs = this.rows.figure(side, "self", "run_count", row);
    return [
      ...(times === null || Number(times) === 1 ? [] : [`${grouped(times)} in each execution of the graph`]),
      ...(runs === null ? [] : [`${grouped(Number(Number(runs).toFixed(2)))} in each step of the run`]),
    ].join("; ");
  }

  /** Buttons that choose the rows of nodes of a side. @param {Side} side @param {number[]} found */
  neighbours(side, found) {
    const rowOf = this.rowOf.get(side) ?? new Map(Array.from(this.nodeOf[side], (node, row) => [node, row]));
    this.rowOf.set(side, rowOf);
    const rows = found.map((node) => rowOf.get(node)).filter((row) => row !== undefined);
    const shown = rows.slice(0, MOST_NEIGHBOURS).map((row) =>
      button(this.rows.names[row], () => this.actions.select(row, true), { class: "name" })
    );
    const more = found.length - shown.length;
    return more > 0 ? [...shown, `and ${grouped(more)} more`] : shown;
  }
}
