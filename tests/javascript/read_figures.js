// Reads a block from standard input as pages do and writes its figures; test_javascript.py compares them with the input.

import { readFileSync } from "node:fs";
import { stdout } from "node:process";

import { unpack } from "../../report_templates/scripts/data.js";

const rows = await unpack(readFileSync(0, "utf8"));
const read = ["a", "b", "c", "d", "e", "f", "g"].map((stem) =>
  /** @type {const} */ (["head", "base"]).map((side) =>
    Array.from({ length: rows.count }, (_, row) => rows.figure(side, "total", stem, row))
  )
);
stdout.write(JSON.stringify(read, (_, value) => typeof value === "bigint" ? String(value) : value));
