// The columns that a view can show: each figure in up to seven ways, and the text of its cells.

import {
  countOf,
  formatDelta,
  formatExact,
  formatExactDelta,
  formatNumber,
  formatPercent,
  formatShare,
  normalise,
  UNKNOWN,
} from "../format.js";

/** @import { Meta, Metric, Rows, Side } from "../data.js" */
/** @import { Figure, Scale } from "../format.js" */

/** @typedef {{text: string, title?: string, tone?: string, share?: number}} CellText `share` is drawn as a bar, 0 to 1 */
/** @typedef {{key: string, metric: Metric, label: string, value: (row: number) => Figure, cell: (row: number) => CellText,
 *   isBound?: (row: number) => boolean, rank?: (row: number) => Figure}} Column
 * `isBound`: the value is a lower bound; `rank`: what rows are sorted by, if it is not the value */
/** @typedef {{label: string, title: string, ofBase?: boolean}} Way */

/** The ways to show a figure. @type {Record<string, Way>} */
export const WAYS = {
  total: { label: "total", title: "of the row and all below it" },
  self: { label: "self", title: "of the row alone" },
  share: { label: "% of all", title: "total, as a share of the whole view" },
  base: { label: "base", title: "total in base", ofBase: true },
  delta: { label: "delta", title: "total: head less base", ofBase: true },
  change: { label: "change", title: "total: change in percent of base", ofBase: true },
  selfDelta: { label: "self delta", title: "of the row alone: head less base", ofBase: true },
};

/** Figures that a view shows initially, if it has them. */
export const FIRST_STEMS = ["float_ops", "params", "bytes", "micros"];

const ABSENT = { text: "\u2013", tone: "absent" };

/** head - base, exactly where both are whole numbers; null unless both are known.
 * @param {Figure} base @param {Figure} head @returns {Figure} */
export function difference(base, head) {
  const [from, to] = [normalise(base), normalise(head)];
  if (from === null || to === null) return null;
  return typeof from === "bigint" && typeof to === "bigint" ? to - from : Number(to) - Number(from);
}

/** The change in percent of base; null from 0 to anything else, or where one is unknown. @param {Figure} base @param {Figure} head */
export function percentOf(base, head) {
  const delta = difference(base, head);
  if (delta === null || base === null) return null;
  if (Number(base) === 0) return Number(delta) === 0 ? 0 : null;
  return Number(head) === 0 ? -100 * Math.sign(Number(base)) : (Number(delta) * 100) / Math.abs(Number(base));
}

/** Why there is no percentage; `lacks` are the numbers of nodes that base and head lack, if they can't be compared.
 * @param {Figure} base @param {Figure} head @param {[number, number] | null} [lacks] */
export function stateWord(base, head, lacks = null) {
  if (lacks && base !== null && head !== null) {
    if (!lacks[0] === !lacks[1]) return "not comparable";
    return lacks[1] ? "lost" : "now known";
  }
  if (base === null) return head === null ? UNKNOWN : "now known";
  return head === null ? "lost" : "new from 0";
}

/** How large a change is, up or down. @param {Figure} change */
function magnitude(change) {
  return change === null || change >= 0 ? change : -change;
}

/** @param {Figure} value */
function tone(value) {
  return value === null ? "unknown" : value > 0 ? "up" : value < 0 ? "down" : "";
}

/** @param {string} text @param {string} exact @param {string} tone @returns {CellText} */
function cellText(text, exact, tone) {
  return {
    text,
    title: exact === text ? undefined : exact,
    tone: tone || (/^0\b/.test(text) && !/[1-9]/.test(text) ? "zero" : ""),
  };
}

/** A total that lacks nodes is a lower bound, and says so. @param {string} text @param {number} lacks */
export function bounded(text, lacks) {
  return lacks && text !== UNKNOWN ? `at least ${text}` : text;
}

/** The label of a way: in a comparison totals are those of head; shares are of what is known.
 * @param {string} way @param {Rows} rows @param {string} [stem] */
export function wayLabel(way, rows, stem) {
  if (way === "share" && stem && rows.hasBounds(stem)) return "% of known";
  return way === "total" && rows.hasBase ? "head" : WAYS[way].label;
}

/** @param {Rows} rows @param {Metric} metric @param {string} way @param {Scale} scale @returns {Column} */
function makeColumn(rows, metric, way, scale) {
  const { stem } = metric;
  const part = way.startsWith("self") ? "self" : "total";
  /** @param {number} row */
  const head = (row) => rows.figure("head", part, stem, row);
  /** @param {number} row */
  const base = (row) => rows.figure("base", part, stem, row);
  /** The change of a row; a side that lacks the row counts as 0. @param {number} row */
  const delta = (row) =>
    rows.isApart(stem, row)
      ? null
      : difference(rows.isIn("base", row) ? base(row) : 0, rows.isIn("head", row) ? head(row) : 0);
  /** How many nodes a total lacks; a row's own figure is known or unknown. @param {Side} side @param {number} row */
  const lacking = (side, row) => (part === "total" ? rows.lacking(side, stem, row) : 0);
  /** @param {number} row */
  const isInBoth = (row) => rows.isIn("base", row) && rows.isIn("head", row);
  /** @param {Side} side @param {(row: number) => Figure} value @returns {(row: number) => CellText} */
  const plain = (side, value) => (row) => {
    if (!rows.isIn(side, row)) return ABSENT;
    const figure = value(row);
    const lacks = lacking(side, row);
    const exact = bounded(formatExact(figure, scale), lacks) + (lacks ? `; ${countOf(lacks, "node")} unknown` : "");
    const tone = figure === null ? "unknown" : lacks ? "inconclusive" : "";
    return cellText(bounded(formatNumber(figure, scale), lacks), exact, tone);
  };
  const column = { key: `${stem}:${way}`, metric, label: wayLabel(way, rows, stem) };
  switch (way) {
    case "share": {
      /** @param {number} row */
      const share = (row) => {
        const whole = rows.whole("head", stem);
        return head(row) === null || !whole ? null : Number(head(row)) / whole;
      };
      return {
        ...column,
        value: share,
        cell: (row) => {
          const part = share(row);
          if (!rows.isIn("head", row)) return ABSENT;
          return part === null ? { text: UNKNOWN, tone: "unknown" } : { text: formatShare(part), share: part };
        },
      };
    }
    case "base":
      return { ...column, value: base, cell: plain("base", base), isBound: (row) => lacking("base", row) > 0 };
    case "delta":
    case "selfDelta":
      return {
        ...column,
        value: delta,
        rank: (row) => magnitude(delta(row)),
        cell: (row) => {
          const figure = delta(row);
          return cellText(formatDelta(figure, scale), formatExactDelta(figure, scale), tone(figure));
        },
      };
    case "change": {
      /** @param {number} row */
      const change = (row) => (isInBoth(row) && !rows.isApart(stem, row) ? percentOf(base(row), head(row)) : null);
      return {
        ...column,
        value: change,
        rank: (row) => magnitude(change(row)),
        cell: (row) => {
          if (!isInBoth(row)) return { text: rows.statusOf(row), tone: rows.statusOf(row) };
          const lacks = rows.lacksOf(stem, row);
          const percent = lacks ? null : percentOf(base(row), head(row));
          return { text: formatPercent(percent, stateWord(base(row), head(row), lacks)), tone: tone(percent) };
        },
      };
    }
    default:
      return { ...column, value: head, cell: plain("head", head), isBound: (row) => lacking("head", row) > 0 };
  }
}

/** Every column that the rows can show, by figure; initial figures come first. @param {Rows} rows @param {Meta} meta @returns {Column[]} */
export function makeColumns(rows, meta) {
  const ways = Object.keys(WAYS).filter((way) => rows.hasBase || !WAYS[way].ofBase);
  /** @param {Metric} metric */
  const place = ({ stem }) => (FIRST_STEMS.includes(stem) ? FIRST_STEMS.indexOf(stem) : FIRST_STEMS.length);
  return meta.metrics
    .filter(({ stem }) => rows.has(stem))
    .sort((one, other) => place(one) - place(other))
    .flatMap((metric) => ways.map((way) => makeColumn(rows, metric, way, meta.scales[metric.unit])));
}

/** The key of the column that sorts a view initially: in a comparison the first figure that changed anywhere, that of the
 * report before others; else the total of the report's figure. @param {Column[]} columns @param {Rows} rows @param {string} orderBy */
export function firstOrder(columns, rows, orderBy) {
  const total = `${orderBy}:total`;
  if (!rows.hasBase || !columns.some(({ key }) => key === total)) return total;
  const stems = [orderBy, ...FIRST_STEMS.filter((stem) => stem !== orderBy)];
  const deltas = stems.map((stem) => columns.find(({ key }) => key === `${stem}:delta`));
  const changed = deltas.find((column) => rows.depth.some((_, row) => Number(column?.rank?.(row) ?? 0) > 0));
  return changed?.key ?? total;
}

/** The keys of the columns that a view shows initially. @param {Rows} rows @param {Meta} meta @returns {Set<string>} */
export function firstColumns(rows, meta) {
  const known = meta.metrics.map(({ stem }) => stem).filter((stem) => rows.has(stem));
  const first = FIRST_STEMS.filter((stem) => known.includes(stem));
  const [most, ...others] = first.length ? first : known.slice(0, 3);
  if (!most) return new Set();
  const keys = rows.hasBase
    ? [
      `${most}:total`,
      `${most}:delta`,
      `${most}:change`,
      ...others.flatMap((stem) => [`${stem}:total`, `${stem}:delta`]),
    ]
    : [`${most}:total`, `${most}:share`, `${most}:self`, ...others.map((stem) => `${stem}:total`)];
  return new Set(keys);
}
