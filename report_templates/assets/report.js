// report_templates/scripts/elements.js
var SVG = "http://www.w3.org/2000/svg";
function fill(made, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") made.addEventListener(name, value);
    else if (value !== null && value !== void 0 && value !== false) {
      made.setAttribute(name, value === true ? "" : String(value));
    }
  }
  made.append(...children);
  return made;
}
function make(tag, attributes = {}, ...children) {
  return fill(document.createElement(tag), attributes, children);
}
function draw(tag, attributes = {}, ...children) {
  return fill(document.createElementNS(SVG, tag), attributes, children);
}
function button(text, press, attributes = {}) {
  return make("button", {
    type: "button",
    click: press,
    ...attributes
  }, text);
}

// report_templates/scripts/format.js
var MINUS = "\u2212";
var UNKNOWN = "unknown";
var INT64 = 2 ** 63;
function normalise(value) {
  if (value === void 0 || value === null || typeof value === "bigint") return value ?? null;
  if (!Number.isFinite(value)) return null;
  return Number.isInteger(value) && Math.abs(value) < INT64 ? BigInt(value) : value;
}
function absolute(value) {
  return value < 0 ? -value : value;
}
function ratio(value) {
  if (typeof value === "bigint") return [
    value,
    1n
  ];
  let below = 1n;
  while (!Number.isInteger(value)) {
    value *= 2;
    below *= 2n;
  }
  return [
    BigInt(value),
    below
  ];
}
function hundredths(value, size) {
  const [above, below] = ratio(value);
  return (200n * above + below * BigInt(size)) / (2n * below * BigInt(size));
}
function grouped(digits) {
  return String(digits).replace(/\B(?=(\d{3})+$)/g, ",");
}
function countOf(count, noun) {
  return `${grouped(count)} ${noun}${count === 1 ? "" : "s"}`;
}
function withDecimals(digits) {
  return `${grouped(digits / 100n)}.${String(digits % 100n).padStart(2, "0")}`;
}
function longExponent(text) {
  return text.replace(/e([+-])(\d)$/, "e$10$2");
}
function small(value) {
  const text = value.toExponential(1).replace(".0e", "e");
  return value < 1e-4 ? longExponent(text) : String(Number(text));
}
function scaled(value, scale) {
  if (typeof value === "number" && value >= INT64) {
    return `${longExponent(value.toExponential(2))} ${scale[0][1]}`.trim();
  }
  for (let step = 0; step + 1 < scale.length; step += 1) {
    const [size2, suffix2] = scale[step];
    const limit = scale[step + 1][0];
    if (value >= limit) continue;
    const digits = hundredths(value, size2);
    if (digits * BigInt(size2) >= BigInt(limit) * 100n) continue;
    if (size2 > 1) return `${withDecimals(digits)} ${suffix2}`;
    const text = typeof value === "bigint" ? grouped(value) : digits ? withDecimals(digits) : small(value);
    return `${text} ${suffix2}`.trim();
  }
  const [size, suffix] = scale[scale.length - 1];
  return `${withDecimals(hundredths(value, size))} ${suffix}`;
}
function allDigits(value, scale) {
  let text = String(value);
  if (typeof value === "number" && (value < 1e-4 || value >= 1e16)) text = longExponent(value.toExponential());
  else {
    const [whole, ...rest] = text.split(".");
    text = [
      grouped(whole),
      ...rest
    ].join(".");
  }
  return `${text} ${scale[0][1]}`.trim();
}
function signed(value, scale, magnitude2, plus) {
  const known = normalise(value);
  if (known === null) return UNKNOWN;
  return (known < 0 ? MINUS : known > 0 ? plus : "") + magnitude2(absolute(known), scale);
}
var formatNumber = (value, scale) => signed(value, scale, scaled, "");
var formatExact = (value, scale) => signed(value, scale, allDigits, "");
var formatDelta = (value, scale) => signed(value, scale, scaled, "+");
var formatExactDelta = (value, scale) => signed(value, scale, allDigits, "+");
function formatPercent(percent, word = UNKNOWN) {
  const known = normalise(percent);
  if (known === null) return word;
  if (!known) return "0 %";
  const digits = hundredths(absolute(known), 1);
  const size = digits >= 100000n ? grouped((digits + 50n) / 100n) : digits ? withDecimals(digits) : "<0.01";
  return `${known > 0 ? "+" : MINUS}${size} %`;
}
function formatShare(share) {
  return formatPercent(share * 100).replace("+", "");
}
function parseAmount(text, scale) {
  const found = /^([\d,]*\.?\d+)\s*([a-zA-Z]*)$/.exec(text.trim());
  if (!found) return null;
  const suffix = found[2].toLowerCase();
  const step = scale.find(([, name]) => [
    name,
    name.replace("iB", "B"),
    name[0] ?? ""
  ].some((one) => one.toLowerCase() === suffix));
  if (suffix && !step) return null;
  return Number(found[1].replace(/,/g, "")) * (suffix && step ? step[0] : 1);
}

// report_templates/scripts/views/columns.js
var WAYS = {
  total: {
    label: "total",
    title: "of the row and all below it"
  },
  self: {
    label: "self",
    title: "of the row alone"
  },
  share: {
    label: "% of all",
    title: "total, as a share of the whole view"
  },
  base: {
    label: "base",
    title: "total in base",
    ofBase: true
  },
  delta: {
    label: "delta",
    title: "total: head less base",
    ofBase: true
  },
  change: {
    label: "change",
    title: "total: change in percent of base",
    ofBase: true
  },
  selfDelta: {
    label: "self delta",
    title: "of the row alone: head less base",
    ofBase: true
  }
};
var FIRST_STEMS = [
  "float_ops",
  "params",
  "bytes",
  "micros"
];
var ABSENT = {
  text: "\u2013",
  tone: "absent"
};
function difference(base, head) {
  const [from, to] = [
    normalise(base),
    normalise(head)
  ];
  if (from === null || to === null) return null;
  return typeof from === "bigint" && typeof to === "bigint" ? to - from : Number(to) - Number(from);
}
function percentOf(base, head) {
  const delta = difference(base, head);
  if (delta === null || base === null) return null;
  if (Number(base) === 0) return Number(delta) === 0 ? 0 : null;
  return Number(head) === 0 ? -100 * Math.sign(Number(base)) : Number(delta) * 100 / Math.abs(Number(base));
}
function stateWord(base, head, lacks = null) {
  if (lacks && base !== null && head !== null) {
    if (!lacks[0] === !lacks[1]) return "not comparable";
    return lacks[1] ? "lost" : "now known";
  }
  if (base === null) return head === null ? UNKNOWN : "now known";
  return head === null ? "lost" : "new from 0";
}
function magnitude(change) {
  return change === null || change >= 0 ? change : -change;
}
function tone(value) {
  return value === null ? "unknown" : value > 0 ? "up" : value < 0 ? "down" : "";
}
function cellText(text, exact, tone2) {
  return {
    text,
    title: exact === text ? void 0 : exact,
    tone: tone2 || (/^0\b/.test(text) && !/[1-9]/.test(text) ? "zero" : "")
  };
}
function bounded(text, lacks) {
  return lacks && text !== UNKNOWN ? `at least ${text}` : text;
}
function wayLabel(way, rows, stem) {
  if (way === "share" && stem && rows.hasBounds(stem)) return "% of known";
  return way === "total" && rows.hasBase ? "head" : WAYS[way].label;
}
function makeColumn(rows, metric, way, scale) {
  const { stem } = metric;
  const part = way.startsWith("self") ? "self" : "total";
  const head = (row) => rows.figure("head", part, stem, row);
  const base = (row) => rows.figure("base", part, stem, row);
  const delta = (row) => rows.isApart(stem, row) ? null : difference(rows.isIn("base", row) ? base(row) : 0, rows.isIn("head", row) ? head(row) : 0);
  const lacking = (side, row) => part === "total" ? rows.lacking(side, stem, row) : 0;
  const isInBoth = (row) => rows.isIn("base", row) && rows.isIn("head", row);
  const plain = (side, value) => (row) => {
    if (!rows.isIn(side, row)) return ABSENT;
    const figure = value(row);
    const lacks = lacking(side, row);
    const exact = bounded(formatExact(figure, scale), lacks) + (lacks ? `; ${countOf(lacks, "node")} unknown` : "");
    const tone2 = figure === null ? "unknown" : lacks ? "inconclusive" : "";
    return cellText(bounded(formatNumber(figure, scale), lacks), exact, tone2);
  };
  const column = {
    key: `${stem}:${way}`,
    metric,
    label: wayLabel(way, rows, stem)
  };
  switch (way) {
    case "share": {
      const share = (row) => {
        const whole = rows.whole("head", stem);
        return head(row) === null || !whole ? null : Number(head(row)) / whole;
      };
      return {
        ...column,
        value: share,
        cell: (row) => {
          const part2 = share(row);
          if (!rows.isIn("head", row)) return ABSENT;
          return part2 === null ? {
            text: UNKNOWN,
            tone: "unknown"
          } : {
            text: formatShare(part2),
            share: part2
          };
        }
      };
    }
    case "base":
      return {
        ...column,
        value: base,
        cell: plain("base", base),
        isBound: (row) => lacking("base", row) > 0
      };
    case "delta":
    case "selfDelta":
      return {
        ...column,
        value: delta,
        rank: (row) => magnitude(delta(row)),
        cell: (row) => {
          const figure = delta(row);
          return cellText(formatDelta(figure, scale), formatExactDelta(figure, scale), tone(figure));
        }
      };
    case "change": {
      const change = (row) => isInBoth(row) && !rows.isApart(stem, row) ? percentOf(base(row), head(row)) : null;
      return {
        ...column,
        value: change,
        rank: (row) => magnitude(change(row)),
        cell: (row) => {
          if (!isInBoth(row)) return {
            text: rows.statusOf(row),
            tone: rows.statusOf(row)
          };
          const lacks = rows.lacksOf(stem, row);
          const percent = lacks ? null : percentOf(base(row), head(row));
          return {
            text: formatPercent(percent, stateWord(base(row), head(row), lacks)),
            tone: tone(percent)
          };
        }
      };
    }
    default:
      return {
        ...column,
        value: head,
        cell: plain("head", head),
        isBound: (row) => lacking("head", row) > 0
      };
  }
}
function makeColumns(rows, meta) {
  const ways = Object.keys(WAYS).filter((way) => rows.hasBase || !WAYS[way].ofBase);
  const place = ({ stem }) => FIRST_STEMS.includes(stem) ? FIRST_STEMS.indexOf(stem) : FIRST_STEMS.length;
  return meta.metrics.filter(({ stem }) => rows.has(stem)).sort((one, other) => place(one) - place(other)).flatMap((metric) => ways.map((way) => makeColumn(rows, metric, way, meta.scales[metric.unit])));
}
function firstOrder(columns, rows, orderBy) {
  const total = `${orderBy}:total`;
  if (!rows.hasBase || !columns.some(({ key }) => key === total)) return total;
  const stems = [
    orderBy,
    ...FIRST_STEMS.filter((stem) => stem !== orderBy)
  ];
  const deltas = stems.map((stem) => columns.find(({ key }) => key === `${stem}:delta`));
  const changed = deltas.find((column) => rows.depth.some((_, row) => Number(column?.rank?.(row) ?? 0) > 0));
  return changed?.key ?? total;
}
function firstColumns(rows, meta) {
  const known = meta.metrics.map(({ stem }) => stem).filter((stem) => rows.has(stem));
  const first = FIRST_STEMS.filter((stem) => known.includes(stem));
  const [most, ...others] = first.length ? first : known.slice(0, 3);
  if (!most) return /* @__PURE__ */ new Set();
  const keys = rows.hasBase ? [
    `${most}:total`,
    `${most}:delta`,
    `${most}:change`,
    ...others.flatMap((stem) => [
      `${stem}:total`,
      `${stem}:delta`
    ])
  ] : [
    `${most}:total`,
    `${most}:share`,
    `${most}:self`,
    ...others.map((stem) => `${stem}:total`)
  ];
  return new Set(keys);
}

// report_templates/scripts/views/export.js
function harmless(name) {
  return /^[=+\-@\t\r]/.test(name) ? `'${name}` : name;
}
function quoted(text) {
  return /[",\r\n]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text;
}
function exportRows(rows, listed, columns, separator) {
  const cell = (text) => separator === "," ? quoted(text) : text.replace(/[\t\r\n]+/g, " ");
  const heads = [
    "name",
    "op",
    ...rows.hasBase ? [
      "status"
    ] : [],
    ...columns.map(({ key }) => key.replace(":", " "))
  ];
  const lines = Array.from(listed, (row) => {
    const words = [
      harmless(rows.names[row]),
      harmless(rows.opOf(row)),
      ...rows.hasBase ? [
        rows.statusOf(row)
      ] : []
    ];
    const figures = columns.map(({ value, isBound }) => {
      const figure = value(row);
      return figure === null ? "" : bounded(String(figure), isBound?.(row) ? 1 : 0);
    });
    return [
      ...words,
      ...figures
    ].map(cell).join(separator);
  });
  return `${[
    heads.join(separator),
    ...lines
  ].join("\n")}
`;
}
function download(text, file) {
  const address = URL.createObjectURL(new Blob([
    text
  ], {
    type: "text/csv;charset=utf-8"
  }));
  make("a", {
    href: address,
    download: file
  }).click();
  setTimeout(() => URL.revokeObjectURL(address), 1e4);
}
async function copyText(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const area = make("textarea", {
      readonly: true
    });
    area.value = text;
    document.body.append(area);
    area.select();
    const isCopied = document.execCommand("copy");
    area.remove();
    return isCopied;
  }
}

// report_templates/scripts/copy.js
function makeCommandsCopyable() {
  for (const command of document.querySelectorAll("[data-copy]")) {
    const copy = button("Copy", async () => {
      const isCopied = await copyText(command.textContent ?? "");
      copy.textContent = isCopied ? "Copied" : "Copy it by hand";
    }, {
      class: "copy",
      "aria-live": "polite"
    });
    command.after(" ", copy);
  }
}

// report_templates/scripts/columns.js
var TYPES = {
  i8: Int8Array,
  i16: Int16Array,
  i32: Int32Array,
  f64: Float64Array,
  i64: BigInt64Array,
  u8: Uint8Array
};
var UNKNOWN_AS = {
  i8: -(2 ** 7),
  i16: -(2 ** 15),
  i32: -(2 ** 31),
  i64: -(2n ** 63n)
};
function added(numbers, others) {
  const sums = numbers.slice();
  if (sums instanceof BigInt64Array) {
    for (let at = 0; at < sums.length; at += 1) sums[at] += BigInt(others[at]);
  } else for (let at = 0; at < sums.length; at += 1) sums[at] += Number(others[at]);
  return sums;
}
async function unpackBytes(block) {
  const text = atob(block.trim());
  const packed = new Uint8Array(text.length);
  for (let at = 0; at < text.length; at += 1) packed[at] = text.charCodeAt(at);
  const stream = new Blob([
    packed
  ]).stream().pipeThrough(new DecompressionStream("gzip"));
  const buffer = await new Response(stream).arrayBuffer();
  const length = new DataView(buffer).getUint32(0, true);
  const header = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 4, length)));
  return {
    header,
    buffer,
    start: Math.ceil((4 + length) / 8) * 8
  };
}
var Columns = class {
  /** @param {Packed} header @param {number} count of rows @param {ArrayBuffer} buffer @param {number} start where the columns begin */
  constructor(header, count, buffer, start) {
    this.count = count;
    this.buffer = buffer;
    this.start = start;
    this.headers = new Map(header.columns.map((column) => [
      column.name,
      column
    ]));
    this.unpacked = /* @__PURE__ */ new Map();
  }
  /** The header of a column, or of the earlier column that it repeats. @param {string} name @returns {ColumnHeader} */
  header(name) {
    const header = this.headers.get(name);
    if (!header) throw new Error(`no column ${name}`);
    return header.same ? this.header(header.same) : header;
  }
  /** @param {string} name @returns {string[]} */
  words(name) {
    if (!this.headers.has(name)) return [];
    const { offset = 0, count } = this.header(name);
    return JSON.parse(new TextDecoder().decode(new Uint8Array(this.buffer, this.start + offset, count)));
  }
  /** A column of small integers, all of them known; a list of another length than the rows has `count` of them.
   * @param {string} name @returns {Int32Array} */
  integers(name, count = this.count) {
    if (!this.headers.has(name)) return new Int32Array(count);
    const header = this.header(name);
    if (header.value !== void 0) return new Int32Array(count).fill(Number(header.value));
    return Int32Array.from(
      /** @type {Int32Array} */
      this.numbers(header),
      Number
    );
  }
  /** The numbers of a column, before division. @param {ColumnHeader} header @returns {Numbers} */
  numbers(header) {
    let numbers = this.unpacked.get(header.name);
    if (!numbers) {
      const type = TYPES[
        /** @type {keyof typeof TYPES} */
        header.type
      ];
      numbers = new type(this.buffer, this.start + (header.offset ?? 0), header.count);
      if (header.plus) numbers = added(numbers, this.numbers(this.header(header.plus)));
      this.unpacked.set(header.name, numbers);
    }
    return numbers;
  }
  /** A figure by the name of its column; null if it is unknown. @param {string} name @param {number} row @returns {Figure} */
  value(name, row) {
    if (!this.headers.has(name)) return null;
    const header = this.header(name);
    if (header.value !== void 0) return typeof header.value === "string" ? BigInt(header.value) : header.value;
    const value = this.numbers(header)[row];
    if (value === UNKNOWN_AS[header.type ?? ""] || Number.isNaN(value)) return null;
    return header.divisor ? Number(value) / header.divisor : value;
  }
};

// report_templates/scripts/data.js
var SEPARATORS = (
  /** @type {Record<string, string>} */
  {
    scope: "/",
    layers: "/",
    code: " > "
  }
);
function readMeta() {
  return JSON.parse(document.getElementById("meta")?.textContent ?? "{}");
}
function readBlock(view) {
  return unpack(document.getElementById(`data-${view}`)?.textContent ?? "");
}
async function unpack(block) {
  const { header, buffer, start } = await unpackBytes(block);
  return new Rows(header, buffer, start);
}
var Rows = class extends Columns {
  /** @param {BlockHeader} header @param {ArrayBuffer} buffer @param {number} start where the columns begin */
  constructor(header, buffer, start) {
    super(header, header.rows, buffer, start);
    this.view = header.view;
    this.leftOut = header.left_out;
    this.hasBase = header.has_base;
    this.statuses = header.statuses;
    this.floats = /* @__PURE__ */ new Map();
    this.wholes = /* @__PURE__ */ new Map();
    this.counts = /* @__PURE__ */ new Map();
    this.parent = this.integers("parent");
    this.depth = this.integers("depth");
    this.size = this.integers("size");
    this.leaf = this.integers("leaf");
    this.op = this.integers("op");
    this.shown = this.integers("shown");
    this.status = this.integers("status");
    this.leaves = this.words("leaves");
    this.labels = this.view === "code" ? this.leaves.map((frame) => frame.replace(/^.*\/(?=[^/]+:\d+:)/, "")) : this.leaves;
    this.ops = this.words("ops");
  }
  /** Whether any row of any side has this figure. @param {string} stem */
  has(stem) {
    return [
      "head",
      "base"
    ].some((side) => this.headers.has(`${side}_total_${stem}`));
  }
  /** Whether a side has this row: the figures of a missing row are absent, not unknown.
   * @param {Side} side @param {number} row */
  isIn(side, row) {
    return this.statusOf(row) !== (side === "base" ? "new" : "removed");
  }
  /** `unchanged`, `changed`, `new` or `removed`; empty without a comparison. @param {number} row */
  statusOf(row) {
    return this.hasBase ? this.statuses[this.status[row]] : "";
  }
  /** @param {Side} side @param {"self" | "total"} part @param {string} stem @param {number} row @returns {Figure} */
  figure(side, part, stem, row) {
    return this.value(`${side}_${part}_${stem}`, row);
  }
  /** A count of a row, 0 if the page has no such column. @param {string} name @param {number} row */
  countOf(name, row) {
    if (!this.headers.has(name)) return 0;
    let counts = this.counts.get(name);
    if (!counts) {
      counts = this.integers(name);
      this.counts.set(name, counts);
    }
    return counts[row];
  }
  /** How many nodes the total of a row lacks: with any, it is a lower bound.
   * @param {Side} side @param {string} stem @param {number} row */
  lacking(side, stem, row) {
    return this.countOf(`${side}_unknown_${stem}`, row);
  }
  /** Whether any total of head is a lower bound. @param {string} stem */
  hasBounds(stem) {
    return this.headers.has(`head_unknown_${stem}`);
  }
  /** Whether the totals of a row cannot be compared, since nodes are unknown. @param {string} stem @param {number} row */
  isApart(stem, row) {
    return this.countOf(`apart_${stem}`, row) !== 0;
  }
  /** How many nodes base and head lack, if their totals can't be compared; else null. @param {string} stem @param {number} row
   * @returns {[number, number] | null} */
  lacksOf(stem, row) {
    return this.isApart(stem, row) ? [
      this.lacking("base", stem, row),
      this.lacking("head", stem, row)
    ] : null;
  }
  /** All figures of a column as floats, NaN where unknown: for widths and limits, which need not be exact.
   * @param {Side} side @param {"self" | "total"} part @param {string} stem @returns {Float64Array} */
  column(side, part, stem) {
    const name = `${side}_${part}_${stem}`;
    let floats = this.floats.get(name);
    if (!floats) {
      floats = new Float64Array(this.count);
      for (let row = 0; row < this.count; row += 1) {
        const value = this.figure(side, part, stem, row);
        floats[row] = value === null ? NaN : Number(value);
      }
      this.floats.set(name, floats);
    }
    return floats;
  }
  /** The sum over the top rows, as a float; NaN where nothing is known. @param {Side} side @param {string} stem @returns {number} */
  whole(side, stem) {
    const key = `${side} ${stem}`;
    let sum = this.wholes.get(key);
    if (sum === void 0) {
      sum = NaN;
      const totals = this.column(side, "total", stem);
      for (let row = 0; row < this.count; row += this.size[row]) {
        if (!Number.isNaN(totals[row])) sum = (Number.isNaN(sum) ? 0 : sum) + totals[row];
      }
      this.wholes.set(key, sum);
    }
    return sum;
  }
  /** The name of a row below its parent. @param {number} row */
  leafOf(row) {
    return this.labels[this.leaf[row]];
  }
  /** @param {number} row */
  opOf(row) {
    return this.ops[this.op[row]] ?? "";
  }
  /** The ancestors of a row from the top, and the row itself. @param {number} row */
  pathOf(row) {
    const path = [];
    for (let at = row; at >= 0; at = this.parent[at]) path.unshift(at);
    return path;
  }
  /** The full names of all rows. Browsers join the concatenated strings lazily, when they are read. */
  get names() {
    if (!this.joined) {
      const separator = SEPARATORS[this.view];
      const names = new Array(this.count);
      for (let row = 0; row < this.count; row += 1) {
        const parent = this.parent[row];
        const own = this.leaves[this.leaf[row]];
        names[row] = parent >= 0 && separator ? names[parent] + separator + own : own;
      }
      this.joined = names;
    }
    return this.joined;
  }
};

// report_templates/scripts/links.js
var OPTIONS = (
  /** @type {const} */
  [
    "find",
    "sort",
    "columns"
  ]
);
function encode(text) {
  return encodeURIComponent(text).replace(/%2F/g, "/").replace(/%3A/g, ":").replace(/%2C/g, ",");
}
function linkTo(view, name, shown = {}) {
  const options = OPTIONS.map((option) => shown[option] === void 0 ? "" : `&${option}=${encode(shown[option])}`);
  return `#${view}=${encode(name)}${options.join("")}`;
}
function readLink(hash) {
  const found = /^#([a-z]+)=([^&]*)((?:&[a-z]+=[^&]*)*)$/s.exec(hash);
  if (!found || !found[2] && !found[3]) return null;
  try {
    const link = {
      view: found[1],
      name: decodeURIComponent(found[2])
    };
    for (const part of found[3].split("&").slice(1)) {
      const [option, text] = part.split(/=(.*)/s);
      const known = OPTIONS.find((each) => each === option);
      if (known) link[known] = decodeURIComponent(text);
    }
    return link;
  } catch {
    return null;
  }
}
var LINK_MILLIS = 100;
var waitingLink;
function writeLink(link, isStep) {
  clearTimeout(waitingLink);
  if (link === location.hash) return;
  if (isStep) history.pushState(null, "", link);
  else waitingLink = setTimeout(() => history.replaceState(null, "", link), LINK_MILLIS);
}

// report_templates/scripts/sort.js
function figureKey(text) {
  if (text === "") return null;
  return /^-?\d+$/.test(text) ? BigInt(text) : Number(text);
}
function sorted(rows, direction) {
  const sign = direction === "ascending" ? 1 : -1;
  return [
    ...rows
  ].sort(({ key: a }, { key: b }) => {
    if (a === null || b === null) return Number(a === null) - Number(b === null);
    return a < b ? -sign : a > b ? sign : 0;
  });
}
function keyOf(cell, kind) {
  const text = cell.textContent;
  return kind === "number" ? figureKey(cell.dataset.key ?? text) : cell.title || text;
}
function firstRow(part) {
  return part instanceof HTMLTableSectionElement ? part.rows[0] : part;
}
function makeSortable(table) {
  const bodies = [
    ...table.tBodies
  ];
  const original = bodies.length > 1 ? bodies : [
    ...bodies[0].rows
  ];
  if (original.length < 2) return;
  const headers = [
    ...table.tHead?.querySelectorAll("th") ?? []
  ].filter(({ dataset }) => dataset.kind);
  headers.forEach((header, column) => {
    const { kind } = header.dataset;
    const order = kind === "number" ? [
      "descending",
      "ascending"
    ] : [
      "ascending",
      "descending"
    ];
    const button2 = document.createElement("button");
    button2.type = "button";
    button2.textContent = header.textContent;
    const name = header.getAttribute("aria-label");
    if (name) button2.setAttribute("aria-label", name);
    button2.addEventListener("click", () => {
      const next = order[order.findIndex((each) => each === header.getAttribute("aria-sort")) + 1];
      for (const other of headers) other.removeAttribute("aria-sort");
      if (next) header.setAttribute("aria-sort", next);
      const keyed = original.map((part) => ({
        part,
        key: keyOf(firstRow(part).cells[column], kind)
      }));
      const parts = next ? sorted(keyed, next).map(({ part }) => part) : original;
      if (bodies.length > 1) table.append(...parts);
      else bodies[0].replaceChildren(...parts);
    });
    header.replaceChildren(button2);
  });
}
function makeTablesSortable(within) {
  for (const table of within.querySelectorAll("table")) if (!table.closest("[data-view]")) makeSortable(table);
}

// report_templates/scripts/sections.js
function everySection() {
  return [
    ...document.querySelectorAll("main > section")
  ].filter((section) => section instanceof HTMLElement);
}
function build(section) {
  const source = section.querySelector("noscript");
  if (!source) return;
  const made = make("div", {
    class: "static"
  });
  made.innerHTML = source.textContent ?? "";
  source.replaceWith(made);
  makeTablesSortable(made);
}
function open(section) {
  section.querySelector("details")?.setAttribute("open", "");
}
function closeSections(opened) {
  for (const section of everySection().filter((each) => each.querySelector("noscript"))) {
    const fold = section.querySelector("details");
    fold?.removeAttribute("open");
    fold?.addEventListener("toggle", () => fold.open && opened(section));
  }
}
function sectionOf(anchor) {
  const found = document.getElementById(anchor);
  return everySection().find((section) => found ? section.contains(found) : section.querySelector("noscript")?.textContent?.includes(` id="${anchor}"`));
}

// report_templates/scripts/views/describe.js
function describe(rows, row, metric, scale) {
  const words = [
    rows.opOf(row),
    rows.statusOf(row)
  ].filter(Boolean).join(", ");
  const whole = rows.whole("head", metric.stem);
  const exact = (side, part) => {
    if (!rows.isIn(side, row)) return "not there";
    const lacks = part === "total" ? rows.lacking(side, metric.stem, row) : 0;
    const text = bounded(formatExact(rows.figure(side, part, metric.stem, row), scale), lacks);
    return lacks ? `${text}, ${countOf(lacks, "node")} unknown` : text;
  };
  const head = rows.figure("head", "total", metric.stem, row);
  const share = head !== null && whole ? ` (${formatShare(Number(head) / whole)} of ${rows.hasBounds(metric.stem) ? "what is known" : "all"})` : "";
  const lines = [
    `${metric.label}: ${exact("head", "total")}${share}`,
    `self: ${exact("head", "self")}`
  ];
  if (rows.hasBase) {
    const base = rows.figure("base", "total", metric.stem, row);
    const isInBoth = rows.isIn("base", row) && rows.isIn("head", row);
    const lacks = rows.lacksOf(metric.stem, row);
    const percent = formatPercent(lacks ? null : percentOf(base, head), stateWord(base, head, lacks));
    const delta = `, ${formatExactDelta(lacks ? null : difference(base, head), scale)} (${percent})`;
    lines.push(`base: ${exact("base", "total")}${isInBoth ? delta : ""}`);
  }
  return [
    rows.names[row],
    ...words ? [
      words
    ] : [],
    ...lines
  ];
}
function wholeLabel(rows, { stem, label }, scale, isDifferential) {
  const head = rows.whole("head", stem);
  const hasBounds = rows.hasBounds(stem);
  if (!isDifferential) return `${hasBounds ? "All that is known" : "All"}: ${formatNumber(head, scale)} ${label}`;
  const delta = formatDelta(difference(rows.whole("base", stem), head), scale);
  return `${hasBounds ? "Changes of what is known" : "All changes"}: ${delta} ${label}`;
}
function whereAllIs({ count, leftOut, hasBase }, { parquet, diff_parquet: difference2 }) {
  const files = difference2 && hasBase ? `${parquet}, and both sides in ${difference2}` : parquet;
  if (!leftOut) return `All rows are in ${files}.`;
  const missing = `${grouped(leftOut)} ${leftOut === 1 ? "is" : "are"} left out`;
  const held = `Has ${grouped(count)} of ${countOf(count + leftOut, "row")}, upper levels first`;
  return `${held}; ${missing}. All are in ${files}.`;
}

// report_templates/scripts/views/listing.js
var MOST_REPEATS = 3;
var SEARCH_MILLIS = 1500;
function makeMatcher(query) {
  const pattern = /^\/(.+)\/$/.exec(query)?.[1];
  if (pattern === void 0) {
    if (query !== query.toLowerCase()) return (name) => name.includes(query);
    return (name) => name.toLowerCase().includes(query);
  }
  const bare = pattern.replace(/\\./g, "x").replace(/\[[^\]]*\]/g, "x");
  const repeats = bare.match(/[*+]|\{\d+,\d*\}/g) ?? [];
  if (/\)([*+]|\{)/.test(bare) || repeats.length > MOST_REPEATS || /\\[1-9k]/.test(pattern)) {
    return `This expression could take too long: repeat no groups, and at most ${MOST_REPEATS} parts.`;
  }
  try {
    const expression = new RegExp(pattern, "u");
    return (name) => expression.test(name);
  } catch {
    return "This is not a valid regular expression.";
  }
}
function prefixSums(count, value) {
  const sums = new Float64Array(count + 1);
  for (let row = 0; row < count; row += 1) sums[row + 1] = sums[row] + value(row);
  return sums;
}
var Listing = class {
  /** @param {Rows} rows */
  constructor(rows) {
    this.rows = rows;
    this.open = new Uint8Array(rows.count);
    this.kept = null;
    this.isSearch = false;
    this.closed = /* @__PURE__ */ new Set();
    this.found = null;
    this.foundCount = rows.count;
    this.unknownCount = 0;
    this.order = null;
    this.preorder = null;
    this.listed = new Int32Array(0);
  }
  /** Keeps the rows whose name matches and whose figure reaches the limit, with their ancestors.
   * @param {((name: string) => boolean) | null} matches @param {Limit | null} limit
   * @returns {boolean} whether the search finished in time */
  keep(matches, limit) {
    const { count, parent, names, shown } = this.rows;
    this.closed.clear();
    this.isSearch = matches !== null;
    this.unknownCount = 0;
    this.foundCount = count;
    this.kept = this.found = null;
    if (!matches && !limit && !shown.includes(0)) return true;
    const found = new Uint8Array(count);
    const until = performance.now() + SEARCH_MILLIS;
    let foundCount = 0;
    for (let row = 0; row < count; row += 1) {
      if (row % 64 === 0 && performance.now() > until) return false;
      if (!shown[row] || limit && !this.reaches(limit, row) || matches && !matches(names[row])) continue;
      found[row] = 1;
      foundCount += 1;
    }
    const kept = found.slice();
    for (let row = count - 1; row >= 0; row -= 1) if (kept[row] && parent[row] >= 0) kept[parent[row]] = 1;
    this.foundCount = foundCount;
    this.found = found;
    this.kept = kept;
    this.keptSums = prefixSums(count, (row) => kept[row]);
    return true;
  }
  /** @param {Limit} limit @param {number} row */
  reaches({ figures, least }, row) {
    let isKnown = false;
    for (const column of figures) {
      if (column[row] >= least) return true;
      isKnown ||= !Number.isNaN(column[row]);
    }
    if (!isKnown) this.unknownCount += 1;
    return false;
  }
  /** @param {number} row */
  hasChildren(row) {
    const { size } = this.rows;
    if (this.kept && this.keptSums) return this.keptSums[row + size[row]] > this.keptSums[row + 1];
    return size[row] > 1;
  }
  /** @param {number} row */
  isOpen(row) {
    return this.hasChildren(row) && (this.isSearch ? !this.closed.has(row) : this.open[row] === 1);
  }
  /** @param {number} row @param {boolean} isOpen */
  setOpen(row, isOpen) {
    if (!this.isSearch) this.open[row] = Number(isOpen);
    else if (isOpen) this.closed.delete(row);
    else this.closed.add(row);
  }
  /** Opens the ancestors of a row. @param {number} row */
  reveal(row) {
    for (const above of this.rows.pathOf(row).slice(0, -1)) {
      this.open[above] = 1;
      this.closed.delete(above);
    }
  }
  /** @param {boolean} isOpen */
  setAll(isOpen) {
    this.closed.clear();
    if (!this.isSearch) this.open.fill(Number(isOpen));
    else if (!isOpen) {
      for (let row = 0; row < this.rows.count; row += 1) this.closed.add(row);
    }
  }
  /** Opens as many upper levels as list no more than `most` rows. @param {number} most */
  openFirst(most) {
    const { depth, count } = this.rows;
    const levels = new Int32Array(depth.reduce((deepest, each) => Math.max(deepest, each), 0) + 2);
    for (const each of depth) levels[each] += 1;
    let [listed, level] = [
      levels[1],
      1
    ];
    while (levels[level + 1] && (listed += levels[level + 1]) <= most) level += 1;
    for (let row = 0; row < count; row += 1) if (depth[row] < level) this.open[row] = 1;
  }
  /** Sorts siblings together with their subtrees; null restores the order of the file. @param {Order | null} order */
  sortBy(order) {
    this.order = order;
    this.preorder = order && sortedPreorder(this.rows, order);
  }
  /** All kept rows, whether or not their ancestors are open. */
  everyRow() {
    return this.walk(() => true);
  }
  /** Recomputes the list. */
  update() {
    this.listed = this.walk((row) => this.isOpen(row));
  }
  /** @param {(row: number) => boolean} isOpen */
  walk(isOpen) {
    const { count, size } = this.rows;
    const { preorder } = this;
    const listed = new Int32Array(count);
    let length = 0;
    for (let at = 0; at < count; ) {
      const row = preorder ? preorder[at] : at;
      const isKept = !this.kept || this.kept[row] === 1;
      if (isKept) listed[length++] = row;
      at += isKept && isOpen(row) ? 1 : size[row];
    }
    return listed.slice(0, length);
  }
};
function sortedPreorder({ count, parent, size }, { value, isDescending }) {
  const keys = Array.from({
    length: count
  }, (_, row) => value(row));
  const sign = isDescending ? -1 : 1;
  const compare = (one, other) => {
    const [a, b] = [
      keys[one],
      keys[other]
    ];
    if (a === null || b === null) return (a === null ? 1 : 0) - (b === null ? 1 : 0) || one - other;
    return a < b ? -sign : a > b ? sign : one - other;
  };
  const starts = new Int32Array(count + 2);
  for (let row = 0; row < count; row += 1) starts[parent[row] + 2] += 1;
  for (let at = 1; at < starts.length; at += 1) starts[at] += starts[at - 1];
  const children = new Int32Array(count);
  const filled = starts.slice();
  for (let row = 0; row < count; row += 1) children[filled[parent[row] + 1]++] = row;
  const preorder = new Int32Array(count);
  const next = new Int32Array(count + 1);
  for (let above = -1; above < count; above += 1) {
    const siblings = children.subarray(starts[above + 1], starts[above + 2]);
    for (const row of siblings.length > 1 ? siblings.sort(compare) : siblings) {
      const at = next[above + 1];
      preorder[at] = row;
      next[above + 1] = at + size[row];
      next[row + 1] = at + 1;
    }
  }
  return preorder;
}

// report_templates/scripts/views/icicle.js
var LEVEL = 22;
var MOST_LEVELS = 14;
var NARROWEST = 0.5;
var NARROW = 3;
var LETTER = 7.3;
function sizeSums(rows, stem) {
  const self = rows.column("head", "self", stem);
  return prefixSums(rows.count, (row) => self[row] > 0 ? self[row] : 0);
}
function changeSums(rows, stem) {
  const [base, head] = [
    rows.column("base", "self", stem),
    rows.column("head", "self", stem)
  ];
  const delta = (row) => {
    const change = (rows.isIn("head", row) ? head[row] : 0) - (rows.isIn("base", row) ? base[row] : 0);
    return Number.isNaN(change) ? 0 : change;
  };
  return {
    gross: prefixSums(rows.count, (row) => Math.abs(delta(row))),
    net: prefixSums(rows.count, delta)
  };
}
function tint(name) {
  let hash = 0;
  for (let at = 0; at < Math.min(name.length, 40); at += 1) hash = hash * 31 + name.charCodeAt(at) | 0;
  return `tint-${(hash >>> 4) % 4}`;
}
var Icicle = class {
  /** @param {IcicleState} state @param {IcicleActions} actions @param {string} name */
  constructor(state, actions, name) {
    this.state = state;
    this.actions = actions;
    this.name = name;
    this.places = [];
    this.rests = [];
    this.width = 0;
    this.key = "";
    this.widths = new Float64Array();
    this.net = null;
    this.levels = 1;
    this.picture = draw("svg", {
      width: "100%",
      "aria-hidden": "true"
    });
    this.tip = make("div", {
      class: "tip",
      hidden: true
    });
    this.path = make("nav", {
      class: "zoom-path",
      "aria-label": `Zoom of ${name}`
    });
    this.note = make("p", {
      class: "note"
    });
    this.box = make("div", {
      class: "icicle",
      role: "application",
      tabindex: 0,
      click: (event) => this.click(event),
      mousemove: (event) => this.hover(event),
      mouseleave: () => this.hideTip(),
      blur: () => this.hideTip(),
      keydown: (event) => this.press(event)
    }, this.picture, this.tip);
    this.element = make("div", {
      class: "picture"
    }, this.path, this.box, this.note);
    new ResizeObserver(() => this.width !== this.box.clientWidth && this.update()).observe(this.box);
  }
  /** The prefix sums of widths, cached by figure and kind. */
  sums() {
    const { rows, metric, isDifferential } = this.state;
    const key = `${metric.stem} ${isDifferential}`;
    if (this.key !== key) {
      this.key = key;
      const changes = isDifferential ? changeSums(rows, metric.stem) : null;
      this.net = changes?.net ?? null;
      this.widths = changes?.gross ?? sizeSums(rows, metric.stem);
      this.levels = 1;
    }
    return this.widths;
  }
  /** The range of rows that fills the picture. */
  range() {
    const { rows, zoom } = this.state;
    return zoom < 0 ? [
      0,
      rows.count
    ] : [
      zoom,
      zoom + rows.size[zoom]
    ];
  }
  /** The places of the rows that are wide enough to see. @returns {Place[]} */
  layOut() {
    const { rows, zoom } = this.state;
    const sums = this.sums();
    const [from, to] = this.range();
    const scale = this.width / (sums[to] - sums[from]);
    const top = zoom < 0 ? 0 : rows.depth[zoom];
    const places = [
      {
        row: zoom,
        x: 0,
        width: this.width,
        level: 0
      }
    ];
    this.rests = [];
    for (let row = zoom < 0 ? 0 : from + 1; row < to; ) {
      const x = (sums[row] - sums[from]) * scale;
      const width = (sums[row + rows.size[row]] - sums[row]) * scale;
      const level = rows.depth[row] - top;
      if (level < MOST_LEVELS && width >= NARROWEST) {
        places.push({
          row: row++,
          x,
          width,
          level
        });
        continue;
      }
      if (level < MOST_LEVELS) this.addRest(x, width, level);
      row += rows.size[row];
    }
    return places;
  }
  /** @param {number} x @param {number} width @param {number} level */
  addRest(x, width, level) {
    const last = this.rests[this.rests.length - 1];
    if (last && last.level === level && Math.abs(last.x + last.width - x) < 1e-6) last.width += width;
    else this.rests.push({
      x,
      width,
      level
    });
  }
  update() {
    this.width = this.box.clientWidth;
    if (!this.width) return;
    const { metric, isDifferential } = this.state;
    const [from, to] = this.range();
    const sums = this.sums();
    const isEmpty = !(sums[to] - sums[from] > 0);
    this.places = isEmpty ? [] : this.layOut();
    const what = isDifferential ? `increases and decreases of ${metric.label}` : metric.label;
    this.box.hidden = isEmpty;
    const keys = "Arrow keys move, Enter zooms in, Escape zooms out. The table below has the same rows.";
    this.box.setAttribute("aria-label", `${this.name}: a picture of ${what}. ${keys}`);
    this.note.textContent = isEmpty ? isDifferential ? `No row changed its own ${metric.label}.` : `No row has ${metric.label} of its own above 0.` : `Width: ${what}. Click to zoom in, on the top line to zoom out.${isDifferential ? " \u25B2 orange: more than base, \u25BC blue: less; hatched: removed." : ""} The table has what is too narrow (pale) or too deep to draw, and what is unknown.`;
    for (const { level } of this.places) this.levels = Math.max(this.levels, level + 1);
    this.picture.setAttribute("height", String(this.levels * LEVEL));
    this.picture.setAttribute("viewBox", `0 0 ${this.width} ${this.levels * LEVEL}`);
    this.picture.dataset.drawn = String(this.places.length);
    if (isEmpty) this.rests = [];
    this.drawPlaces();
    this.drawPath();
    this.drawSelected();
  }
  /** The class of a row in the style sheet. @param {number} row */
  look(row) {
    const { rows, listing } = this.state;
    if (row < 0) return "all";
    if (listing.found && !this.net) return listing.found[row] ? "found" : "dim";
    if (!this.net) return tint(rows.leafOf(row));
    const change = this.change(row);
    return change > 0 ? "more" : change < 0 ? "less" : "even";
  }
  /** The net change of a row's subtree. @param {number} row */
  change(row) {
    if (!this.net) return 0;
    return row < 0 ? this.net[this.state.rows.count] : this.net[row + this.state.rows.size[row]] - this.net[row];
  }
  drawPlaces() {
    const { rows } = this.state;
    const narrow = /* @__PURE__ */ new Map();
    const wide = this.rests.filter(({ width }) => width >= 1);
    const boxes = wide.map(({ x, width, level }) => draw("rect", {
      x,
      y: level * LEVEL,
      width,
      height: LEVEL - 1,
      class: "rest"
    }));
    const labels = [];
    for (const { row, x, width, level } of this.places) {
      const look = this.look(row);
      const isRemoved = row >= 0 && rows.statusOf(row) === "removed";
      const y = level * LEVEL;
      if (width < NARROW) {
        const box = `M${x.toFixed(2)} ${y}h${width.toFixed(2)}v${LEVEL - 1}h-${width.toFixed(2)}z`;
        narrow.set(look, (narrow.get(look) ?? "") + box);
        continue;
      }
      const size = {
        x: x.toFixed(2),
        y,
        width: (width - 1).toFixed(2),
        height: LEVEL - 1
      };
      boxes.push(draw("rect", {
        ...size,
        class: look,
        "data-row": row
      }));
      if (isRemoved) boxes.push(draw("rect", {
        ...size,
        class: "removed",
        fill: `url(#${this.hatchId()})`
      }));
      const text = this.label(row, Math.floor((width - 9) / LETTER));
      if (text) labels.push(draw("text", {
        x: (x + 4).toFixed(2),
        y: y + 15,
        class: look
      }, text));
    }
    const paths = Array.from(narrow, ([look, d]) => draw("path", {
      d,
      class: look
    }));
    this.marker = draw("rect", {
      class: "selected",
      width: 0,
      height: LEVEL - 1
    });
    this.picture.replaceChildren(this.hatch(), ...paths, ...boxes, ...labels, this.marker);
  }
  hatchId() {
    return `hatch-${this.state.rows.view}`;
  }
  hatch() {
    const line = draw("path", {
      d: "M-2 2l4 -4M0 8l8 -8M6 10l4 -4",
      class: "hatch"
    });
    return draw("defs", {}, draw("pattern", {
      id: this.hatchId(),
      width: 8,
      height: 8,
      patternUnits: "userSpaceOnUse"
    }, line));
  }
  /** The label of a row, in at most `letters` characters. @param {number} row @param {number} letters */
  label(row, letters) {
    const change = this.change(row);
    const mark = change > 0 ? "\u25B2" : change < 0 ? "\u25BC" : "";
    const name = row < 0 ? this.actions.whole() : this.state.rows.leafOf(row);
    const text = mark ? `${mark} ${name}` : name;
    if (text.length <= letters) return text;
    return letters >= 4 ? `${text.slice(0, letters - 1)}\u2026` : letters >= 1 ? mark : "";
  }
  drawPath() {
    const { rows, zoom } = this.state;
    const path = zoom < 0 ? [] : rows.pathOf(zoom);
    const steps = [
      -1,
      ...path
    ].map((row) => {
      const attributes = {
        "aria-current": row === zoom ? "true" : null,
        title: row < 0 ? null : rows.names[row]
      };
      return button(row < 0 ? "All" : rows.leafOf(row), () => this.actions.zoom(row), attributes);
    });
    const shown = steps.length > 8 ? [
      ...steps.slice(0, 2),
      make("span", {}, "\u2026"),
      ...steps.slice(-5)
    ] : steps;
    this.path.replaceChildren(...shown);
  }
  drawSelected() {
    const place = this.places.find(({ row }) => row === this.state.selected && row >= 0);
    if (!this.marker) return;
    this.marker.setAttribute("width", String(place ? Math.max(place.width - 1, 2) : 0));
    this.marker.setAttribute("x", String(place?.x ?? 0));
    this.marker.setAttribute("y", String((place?.level ?? 0) * LEVEL));
  }
  /** @param {MouseEvent} event @returns {Place | undefined} */
  placeAt(event) {
    const { left, top } = this.picture.getBoundingClientRect();
    const [x, level] = [
      event.clientX - left,
      Math.floor((event.clientY - top) / LEVEL)
    ];
    return this.places.find((place) => place.level === level && place.x <= x && x < place.x + Math.max(place.width, 1));
  }
  /** @param {MouseEvent} event */
  click(event) {
    const place = this.placeAt(event);
    if (!place) return;
    if (place.row >= 0) this.actions.select(place.row, true);
    if (place.level === 0) this.zoomOut();
    else if (this.state.listing.hasChildren(place.row)) this.actions.zoom(place.row);
  }
  zoomOut() {
    const { rows, zoom } = this.state;
    if (zoom >= 0) this.actions.zoom(rows.parent[zoom]);
  }
  /** @param {MouseEvent} event */
  hover(event) {
    const place = this.placeAt(event);
    if (!place || place.row < 0) return this.hideTip();
    this.showTip(place, event.clientX - this.box.getBoundingClientRect().left);
  }
  /** @param {Place} place @param {number} x */
  showTip(place, x) {
    const [name, ...lines] = this.actions.describe(place.row);
    this.tip.replaceChildren(make("strong", {}, name), ...lines.map((line) => make("span", {}, line)));
    this.tip.hidden = false;
    this.tip.style.top = `${(place.level + 1) * LEVEL + 4}px`;
    this.tip.style.left = `${Math.max(0, Math.min(x + 12, this.width - this.tip.offsetWidth))}px`;
  }
  hideTip() {
    this.tip.hidden = true;
  }
  /** The neighbour on the same level, to the left (-1) or right (1). @param {Place} from @param {number} step */
  neighbour(from, step) {
    const level = this.places.filter((place) => place.level === from.level).sort((one, other) => one.x - other.x);
    return level[level.indexOf(from) + step];
  }
  /** @param {KeyboardEvent} event */
  press(event) {
    const { rows, listing, selected, zoom } = this.state;
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const here = this.places.find(({ row }) => row === selected) ?? this.places[0];
    let next;
    switch (event.key) {
      case "ArrowLeft":
        next = this.neighbour(here, -1);
        break;
      case "ArrowRight":
        next = this.neighbour(here, 1);
        break;
      case "ArrowUp":
        next = this.places.find(({ row }) => here.row >= 0 && row === rows.parent[here.row]);
        break;
      case "ArrowDown":
        next = this.places.find(({ row, level }) => level > 0 && rows.parent[row] === here.row);
        break;
      case "Enter":
      case " ":
        if (here.row >= 0 && here.row !== zoom && listing.hasChildren(here.row)) this.actions.zoom(here.row);
        break;
      case "Escape":
        this.zoomOut();
        break;
      default:
        return;
    }
    event.preventDefault();
    if (next && next.row >= 0) {
      this.actions.select(next.row, false);
      this.showTip(next, next.x);
    }
  }
};

// report_templates/scripts/views/layers.js
var LayersPicture = class {
  /** @param {Rows} rows @param {Metric} metric @param {Meta} meta */
  constructor(rows, metric, meta) {
    this.rows = rows;
    this.metric = metric;
    this.listing = new Listing(rows);
    this.isDifferential = false;
    this.selected = -1;
    this.zoom = -1;
    const scale = meta.scales[metric.unit];
    this.detail = make("p", {
      class: "note",
      role: "status"
    });
    this.icicle = new Icicle(this, {
      select: (row) => {
        this.selected = row;
        this.icicle.drawSelected();
        this.detail.replaceChildren(...this.words(describe(rows, row, metric, scale)));
      },
      zoom: (row) => {
        this.zoom = row;
        this.icicle.hideTip();
        this.icicle.update();
      },
      describe: (row) => describe(rows, row, metric, scale),
      whole: () => wholeLabel(rows, metric, scale, false)
    }, `Layers by ${metric.label}`);
    this.element = make("div", {
      class: "live"
    }, this.icicle.element, this.detail);
  }
  /** The chosen layer: its name, which leads to its scope if the page has it, and its figures. @param {string[]} words */
  words([name, ...lines]) {
    const title = this.rows.shown[this.selected] ? make("a", {
      class: "name",
      href: linkTo("scope", name)
    }, name) : make("span", {
      class: "name"
    }, name);
    return [
      title,
      `: ${lines.join("; ")}`
    ];
  }
};
function makeLayersLive(meta) {
  for (const box of document.querySelectorAll(".taken")) {
    if (!(box instanceof HTMLElement)) continue;
    const { stem = "", label = "", unit = "" } = box.dataset;
    if (!document.getElementById(`data-layers-${stem}`)) continue;
    const shown = new IntersectionObserver(async (entries) => {
      if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
      shown.disconnect();
      const rows = await readBlock(`layers-${stem}`);
      const picture = new LayersPicture(rows, {
        stem,
        label,
        unit,
        doc: "",
        source: ""
      }, meta);
      box.prepend(picture.element);
      picture.icicle.update();
    });
    shown.observe(box);
  }
}

// report_templates/scripts/views/chooser.js
function makeChooser(view) {
  const ways = Object.keys(WAYS).filter((way) => view.rows.hasBase || !WAYS[way].ofBase);
  const heads = ways.map((way) => make("th", {
    scope: "col",
    title: WAYS[way].title
  }, wayLabel(way, view.rows)));
  const lines = view.metrics.map(({ stem, label, doc }) => make("tr", {}, make("th", {
    scope: "row",
    title: doc
  }, label), ...ways.map((way) => make("td", {}, make("input", {
    type: "checkbox",
    "aria-label": `${label}, ${wayLabel(way, view.rows)}`,
    "data-column-key": `${stem}:${way}`,
    checked: view.chosen.has(`${stem}:${way}`),
    change: (event) => view.showColumn(
      `${stem}:${way}`,
      /** @type {HTMLInputElement} */
      event.target.checked
    )
  })))));
  const box = make("details", {
    class: "chooser",
    keydown: (event) => event.key === "Escape" && box.removeAttribute("open")
  }, make("summary", {}, "Columns"), make("div", {
    class: "choices"
  }, make("table", {}, make("thead", {}, make("tr", {}, make("td"), ...heads)), make("tbody", {}, ...lines))));
  document.addEventListener("click", (event) => {
    if (event.target instanceof Node && !box.contains(event.target)) box.removeAttribute("open");
  });
  return box;
}

// report_templates/scripts/views/formula.js
function readShapes(text) {
  return text.split(" ").filter(Boolean).map((each) => each === "?" ? null : each.slice(1, -1).split(",").filter(Boolean).map((size) => size === "?" ? null : Number(size)));
}
function putIn(rule, inputs, outputs) {
  const shapeOf = (tensor) => (tensor === "out" ? outputs[0] : inputs[Number(tensor.slice(2))]) ?? null;
  const filled = rule.replace(/N\((in\d+|out)\)/g, (word, tensor) => {
    const shape = shapeOf(tensor);
    if (!shape || shape.includes(null)) return word;
    return grouped(shape.reduce((count, size) => count * BigInt(size ?? 0), 1n));
  }).replace(/\b(in\d+|out)\[(-?\d+)\]/g, (word, tensor, axis) => {
    const size = shapeOf(tensor)?.at(Number(axis));
    return size === null || size === void 0 ? word : grouped(size);
  });
  return filled.replace(/(?<=[\d)\]]|\b[knrs]) (?=[\d(]|N\(|in\d|out\[|[knrs]\b)/g, " \xD7 ");
}

// report_templates/scripts/views/nodes.js
function fromSteps(steps) {
  let last = -1;
  return steps.map((step) => step ? last += step : -1);
}
var Lists = class {
  /** @param {Int32Array} counts @param {Int32Array} values */
  constructor(counts, values) {
    this.values = values;
    this.starts = new Int32Array(counts.length + 1);
    counts.forEach((count, place) => this.starts[place + 1] = this.starts[place] + count);
  }
  /** @param {number} place */
  of(place) {
    return this.values.subarray(this.starts[place], this.starts[place + 1]);
  }
};
var Nodes = class {
  /** @param {Rows} rows */
  constructor(rows) {
    this.rows = rows;
    const nodes2 = fromSteps(rows.integers("node"));
    this.places = new Map(Array.from(nodes2, (node, place) => [
      node,
      place
    ]));
    const counts = rows.integers("input_count");
    const inputs = rows.integers("input", counts.reduce((sum, count) => sum + count, 0));
    const used = new Int32Array(rows.count);
    let at = 0;
    counts.forEach((count, place) => {
      for (const end = at + count; at < end; at += 1) {
        inputs[at] = inputs[at] ? nodes2[place] - inputs[at] : -1;
        const source = this.places.get(inputs[at]);
        if (source !== void 0) used[source] += 1;
      }
    });
    this.inputs = new Lists(counts, inputs);
    this.isControl = new Lists(counts, rows.integers("is_control", inputs.length));
    this.consumers = new Lists(used, new Int32Array(used.reduce((sum, count) => sum + count, 0)));
    const free = this.consumers.starts.slice();
    nodes2.forEach((node, place) => {
      for (const input of this.inputs.of(place)) {
        const source = this.places.get(input);
        if (source !== void 0) this.consumers.values[free[source]++] = node;
      }
    });
    this.texts = /* @__PURE__ */ new Map();
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
      found = {
        codes: this.rows.integers(column),
        words
      };
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
    return [
      ...new Set(this.inputs.of(place).filter((input, at) => input >= 0 && !isControl[at]))
    ];
  }
  /** The nodes that a node must wait for without taking an output. @param {number} node */
  controlsOf(node) {
    const place = this.places.get(node) ?? -1;
    const isControl = this.isControl.of(place);
    return [
      ...new Set(this.inputs.of(place).filter((input, at) => input >= 0 && isControl[at]))
    ];
  }
  /** The nodes that take an output of a node or wait for it, each once. @param {number} node */
  consumersOf(node) {
    return [
      ...new Set(this.consumers.of(this.places.get(node) ?? -1))
    ];
  }
};
var nodes = /* @__PURE__ */ new Map();
function readNodes(side) {
  const known = nodes.get(side) ?? readBlock(side === "base" ? "base-nodes" : "nodes").then((rows) => new Nodes(rows));
  nodes.set(side, known);
  return known;
}

// report_templates/scripts/views/drawer.js
var MOST_NEIGHBOURS = 8;
var SHAPE_SOURCES = {
  graph: "from the graph",
  user: "as given on the command line",
  run_metadata: "as seen in a run",
  batch: "with an assumed batch",
  inferred: "inferred"
};
var FLOPS_SOURCES = {
  op_log: "from the op log",
  tfprof_rules: "by TensorFlow's rule",
  extended_rules: "by a rule of this tool",
  user_rules: "by your own rule"
};
var TOLD = [
  [
    "device",
    "device"
  ],
  [
    "shapes in",
    "input_shapes"
  ],
  [
    "shapes out",
    "output_shapes"
  ],
  [
    "source of FLOPs",
    "float_ops_source"
  ],
  [
    "layer",
    "layer"
  ],
  [
    "phase",
    "phase"
  ],
  [
    "code",
    "code_line"
  ],
  [
    "neighbours",
    "input_count"
  ]
];
var Drawer = class {
  /** @param {Rows} rows @param {DrawerActions} actions */
  constructor(rows, actions) {
    this.rows = rows;
    this.actions = actions;
    this.row = -1;
    this.nodeOf = {
      head: fromSteps(rows.integers("node")),
      base: fromSteps(rows.integers("base_node"))
    };
    this.rowOf = /* @__PURE__ */ new Map();
    this.element = make("div", {
      class: "detail",
      role: "group",
      "aria-label": "The chosen row"
    });
    this.show(-1);
  }
  /** @param {number} row -1 for none */
  async show(row) {
    this.row = row;
    this.element.classList.toggle("drawer", row >= 0);
    if (row < 0) return this.element.replaceChildren("Choose a row to read its exact figures.");
    const [name, ...lines] = this.actions.describe(row);
    this.element.replaceChildren(make("strong", {
      class: "name"
    }, name), button("Close", this.actions.close, {
      class: "close"
    }), make("ul", {}, ...lines.map((line) => make("li", {}, line))));
    const side = this.sideOf(row);
    if (this.nodeOf[side][row] < 0) return;
    const nodes2 = await readNodes(side);
    if (this.row === row) this.element.append(this.facts(nodes2, row));
  }
  /** The side that tells what a row is: base where head lacks it. @param {number} row @returns {Side} */
  sideOf(row) {
    return this.rows.hasBase && !this.rows.isIn("head", row) ? "base" : "head";
  }
  /** @param {Nodes} nodes @param {number} row */
  facts(nodes2, row) {
    const side = this.sideOf(row);
    const node = this.nodeOf[side][row];
    const missing = side === "base" ? TOLD.filter(([, column]) => !nodes2.has(column)).map(([label]) => label) : [];
    const text = (column) => nodes2.text(node, column);
    const facts = [
      [
        "Op",
        [
          this.rows.opOf(row)
        ]
      ],
      [
        "Device",
        [
          text("device")
        ]
      ],
      [
        "Shapes in",
        [
          text("input_shapes")
        ]
      ],
      [
        "Shapes out",
        [
          `${text("output_shapes")} ${SHAPE_SOURCES[text("shape_source")] ?? text("shape_source")}`.trim()
        ]
      ],
      [
        "FLOPs",
        [
          this.flops(nodes2, row)
        ]
      ],
      ...this.rule(nodes2, node),
      [
        "Executions",
        [
          this.executions(nodes2, row)
        ]
      ],
      [
        "Layer",
        [
          text("layer")
        ]
      ],
      [
        "Phase",
        [
          text("phase")
        ]
      ],
      [
        "Code",
        [
          text("code_line")
        ]
      ],
      [
        "Inputs",
        this.neighbours(side, nodes2.inputsOf(node))
      ],
      [
        "Waits for",
        this.neighbours(side, nodes2.controlsOf(node))
      ],
      [
        "Consumers",
        this.neighbours(side, nodes2.consumersOf(node))
      ],
      [
        "Base does not say",
        [
          missing.join(", ")
        ]
      ]
    ];
    return make("dl", {}, ...facts.filter(([, words]) => words.some(Boolean)).flatMap(([label, words]) => [
      make("dt", {}, label),
      make("dd", {}, ...words)
    ]));
  }
  /** The FLOPs of a node, with their source, or why they are unknown. @param {Nodes} nodes @param {number} row */
  flops(nodes2, row) {
    const side = this.sideOf(row);
    const node = this.nodeOf[side][row];
    const figure = this.rows.figure(side, "self", "float_ops", row);
    const reason = nodes2.text(node, "float_ops_reason");
    if (figure === null) return reason && `unknown: ${reason}`;
    const source = nodes2.text(node, "float_ops_source");
    const assumed = nodes2.text(node, "float_ops_assumes");
    const basis = assumed === "batch" ? ", with an assumed batch" : assumed ? ", with shapes seen in a run" : "";
    return `${grouped(figure)} ${FLOPS_SOURCES[source] ?? source}${basis}`;
  }
  /** The rule of the op, and the same with the sizes of the node. @param {Nodes} nodes @param {number} node
   * @returns {[string, string[]][]} */
  rule(nodes2, node) {
    const rule = nodes2.text(node, "rule");
    if (!rule || rule === "0") return [];
    const filled = putIn(rule, readShapes(nodes2.text(node, "input_shapes")), readShapes(nodes2.text(node, "output_shapes")));
    return [
      [
        "Rule",
        [
          rule
        ]
      ],
      ...filled === rule ? [] : (
        /** @type {[string, string[]][]} */
        [
          [
            "In numbers",
            [
              filled
            ]
          ]
        ]
      )
    ];
  }
  /** @param {Nodes} nodes @param {number} row */
  executions(nodes2, row) {
    const side = this.sideOf(row);
    const times = nodes2.multiplicity(this.nodeOf[side][row]);
    const runs = this.rows.figure(side, "self", "run_count", row);
    return [
      ...times === null || Number(times) === 1 ? [] : [
        `${grouped(times)} in each execution of the graph`
      ],
      ...runs === null ? [] : [
        `${grouped(Number(Number(runs).toFixed(2)))} in each step of the run`
      ]
    ].join("; ");
  }
  /** Buttons that choose the rows of nodes of a side. @param {Side} side @param {number[]} found */
  neighbours(side, found) {
    const rowOf = this.rowOf.get(side) ?? new Map(Array.from(this.nodeOf[side], (node, row) => [
      node,
      row
    ]));
    this.rowOf.set(side, rowOf);
    const rows = found.map((node) => rowOf.get(node)).filter((row) => row !== void 0);
    const shown = rows.slice(0, MOST_NEIGHBOURS).map((row) => button(this.rows.names[row], () => this.actions.select(row, true), {
      class: "name"
    }));
    const more = found.length - shown.length;
    return more > 0 ? [
      ...shown,
      `and ${grouped(more)} more`
    ] : shown;
  }
};

// report_templates/scripts/views/table.js
var SPARE_ROWS = 8;
var DEEPEST = 24;
var MOST_PIXELS = 8e6;
var TreeTable = class {
  /** @param {TableState} state @param {TableActions} actions @param {string} name for screen readers @param {string} id */
  constructor(state, actions, name, id) {
    this.state = state;
    this.actions = actions;
    this.id = id;
    this.drawn = /* @__PURE__ */ new Map();
    this.frame = void 0;
    this.head = make("div", {
      class: "row head",
      role: "row",
      "aria-rowindex": 1
    });
    this.body = make("div", {
      class: "rows",
      role: "rowgroup"
    });
    this.element = make("div", {
      class: "tree-table",
      role: "treegrid",
      tabindex: 0,
      "aria-label": name,
      id,
      scroll: () => this.schedule(),
      keydown: (event) => this.press(event),
      click: (event) => this.click(event)
    }, make("div", {
      role: "rowgroup",
      class: "heads"
    }, this.head), this.body);
    new ResizeObserver(() => this.schedule()).observe(this.element);
  }
  schedule() {
    this.frame ??= requestAnimationFrame(() => {
      this.frame = void 0;
      this.drawRows();
    });
  }
  /** Redraws everything. */
  update() {
    const { columns, listing } = this.state;
    this.drawn.clear();
    this.element.setAttribute("aria-rowcount", String(listing.listed.length + 1));
    this.element.setAttribute("aria-colcount", String(columns.length + 1));
    this.element.style.setProperty("--columns", String(columns.length));
    const focused = document.activeElement instanceof HTMLElement ? document.activeElement.dataset.key : void 0;
    const figures = columns.map(({ key, metric, label }) => this.header(key, metric.label, label));
    this.head.replaceChildren(this.header("name", "", "Name"), ...figures);
    if (focused) this.head.querySelector(`[data-key="${focused}"]`)?.focus();
    this.drawRows();
  }
  /** @param {string} key @param {string} group @param {string} label */
  header(key, group, label) {
    const { sortedBy, listing } = this.state;
    const sort = sortedBy !== key ? "none" : listing.order?.isDescending ? "descending" : "ascending";
    const words = [
      ...group ? [
        make("span", {
          class: "group"
        }, group),
        " "
      ] : [],
      make("span", {}, label)
    ];
    const press = make("button", {
      type: "button",
      "data-key": key
    }, ...words);
    return make("div", {
      role: "columnheader",
      class: group ? "n" : "name",
      "aria-sort": sort,
      "data-column": key
    }, press);
  }
  rowHeight() {
    return parseFloat(getComputedStyle(this.element).getPropertyValue("--row-height")) || 28;
  }
  /** Pixels of scroll height per row: the row's height, or less in giant lists. @param {number} height */
  pitch(height) {
    return Math.min(height, MOST_PIXELS / (this.state.listing.listed.length || 1));
  }
  drawRows() {
    const { listed } = this.state.listing;
    const height = this.rowHeight();
    const pitch = this.pitch(height);
    const top = this.element.scrollTop;
    const fit = Math.ceil(this.element.clientHeight / height);
    const first = Math.max(0, Math.min(Math.floor(top / pitch), listed.length - fit) - SPARE_ROWS);
    const last = Math.min(listed.length, first + fit + 2 * SPARE_ROWS);
    const elements = [];
    const drawn = /* @__PURE__ */ new Map();
    for (let at = first; at < last; at += 1) {
      const row = listed[at];
      const element = this.drawn.get(row) ?? this.row(row, at);
      drawn.set(row, element);
      elements.push(element);
    }
    this.drawn = drawn;
    const whole = listed.length * pitch;
    const before = pitch === height ? first * height : Math.min(first * pitch, whole - elements.length * height);
    this.body.style.setProperty("--before", `${Math.max(before, 0)}px`);
    this.body.style.setProperty("--whole", `${whole}px`);
    if (elements.length !== this.body.children.length || elements.some((element, at) => element !== this.body.children[at])) {
      this.body.replaceChildren(...elements);
    }
    this.markSelected();
  }
  /** @param {number} row @param {number} at */
  row(row, at) {
    const { rows, listing, columns } = this.state;
    const isOpen = listing.isOpen(row);
    const hasChildren = listing.hasChildren(row);
    const status = rows.statusOf(row);
    const sign = hasChildren ? isOpen ? "\u25BE" : "\u25B8" : "";
    const isWay = listing.found !== null && !listing.found[row];
    const name = make("div", {
      role: "rowheader",
      class: "name",
      title: rows.names[row]
    }, make("span", {
      class: hasChildren ? "toggle" : "toggle none",
      "aria-hidden": "true"
    }, sign), make("span", {
      class: "leaf"
    }, rows.leafOf(row)), ...status === "new" || status === "removed" ? [
      make("span", {
        class: `badge ${status}`
      }, status)
    ] : []);
    const element = make("div", {
      role: "row",
      class: `row${isWay ? " way" : ""}`,
      id: `${this.id}-${row}`,
      "data-row": row,
      "aria-level": rows.depth[row],
      "aria-rowindex": at + 2,
      "aria-expanded": hasChildren ? String(isOpen) : null,
      "aria-selected": "false"
    }, name, ...columns.map((column) => {
      const { text, title, tone: tone2, share } = column.cell(row);
      const cell = make("div", {
        role: "gridcell",
        class: `n ${tone2 ?? ""}`,
        title
      }, text);
      if (share !== void 0) cell.style.setProperty("--share", `${100 * Math.max(0, Math.min(share, 1))}%`);
      return cell;
    }));
    element.style.setProperty("--level", String(Math.min(rows.depth[row] - 1, DEEPEST)));
    return element;
  }
  markSelected() {
    for (const element2 of this.body.querySelectorAll('[aria-selected="true"]')) {
      element2.setAttribute("aria-selected", "false");
    }
    const element = this.drawn.get(this.state.selected);
    element?.setAttribute("aria-selected", "true");
    if (element) this.element.setAttribute("aria-activedescendant", element.id);
    else this.element.removeAttribute("aria-activedescendant");
  }
  /** Scrolls a row into view. @param {number} row @param {boolean} [toMiddle] */
  show(row, toMiddle = false) {
    const at = this.state.listing.listed.indexOf(row);
    if (at < 0) return;
    const height = this.rowHeight();
    const top = at * this.pitch(height);
    const room = this.element.clientHeight - this.head.offsetHeight;
    const { scrollTop } = this.element;
    if (toMiddle) this.element.scrollTop = top - room / 2;
    else if (top < scrollTop) this.element.scrollTop = top;
    else if (top + height > scrollTop + room) this.element.scrollTop = top + height - room;
    this.drawRows();
  }
  /** @param {MouseEvent} event */
  click(event) {
    const target = (
      /** @type {Element} */
      event.target
    );
    const key = target.closest("button")?.dataset.key;
    if (key) return this.actions.sort(key);
    const row = Number(target.closest("[data-row]")?.getAttribute("data-row") ?? NaN);
    if (Number.isNaN(row)) return;
    this.actions.select(row, true);
    if (target.closest(".toggle")) this.actions.toggle(row);
  }
  /** @param {KeyboardEvent} event */
  press(event) {
    if (event.target !== this.element || event.altKey || event.ctrlKey || event.metaKey) return;
    const { rows, listing, selected } = this.state;
    const { listed } = listing;
    const at = listed.indexOf(selected);
    const page = Math.max(1, Math.floor(this.element.clientHeight / this.rowHeight()) - 2);
    const go = (place) => listed.length && this.actions.select(listed[Math.max(0, Math.min(place, listed.length - 1))], false);
    switch (event.key) {
      case "ArrowDown":
        go(at + 1);
        break;
      case "ArrowUp":
        go(at - 1);
        break;
      case "PageDown":
        go(at + page);
        break;
      case "PageUp":
        go(at - page);
        break;
      case "Home":
        go(0);
        break;
      case "End":
        go(listed.length - 1);
        break;
      case "ArrowRight":
        if (at < 0) go(0);
        else if (listing.hasChildren(selected)) listing.isOpen(selected) ? go(at + 1) : this.actions.toggle(selected);
        break;
      case "ArrowLeft":
        if (at < 0) go(0);
        else if (listing.isOpen(selected)) this.actions.toggle(selected);
        else if (rows.parent[selected] >= 0) this.actions.select(rows.parent[selected], false);
        break;
      case "Enter":
      case " ":
        if (at >= 0) this.actions.enter(selected);
        break;
      case "Escape":
        this.actions.leave();
        break;
      default:
        return;
    }
    event.preventDefault();
  }
};

// report_templates/scripts/views/view.js
var FIRST_ROWS = 25;
var View = class {
  /** @param {HTMLElement} section @param {ViewMeta} about @param {Rows} rows @param {Meta} meta */
  constructor(section, about, rows, meta) {
    this.section = section;
    this.about = about;
    this.rows = rows;
    this.meta = meta;
    this.listing = new Listing(rows);
    this.allColumns = makeColumns(rows, meta);
    this.chosen = firstColumns(rows, meta);
    this.metrics = meta.metrics.filter(({ stem }) => rows.has(stem));
    this.metric = this.metrics.find(({ stem }) => stem === FIRST_STEMS[0]) ?? this.metrics[0];
    this.isDifferential = false;
    this.selected = -1;
    this.zoom = -1;
    this.sortedBy = null;
    this.table = new TreeTable(this, {
      select: (row, isStep) => this.select(row, isStep),
      toggle: (row) => this.toggle(row),
      sort: (key) => this.sort(key),
      enter: (row) => this.toggle(row),
      leave: () => this.clear()
    }, about.title, `table-${about.name}`);
    const isTree = rows.depth.some((depth) => depth > 1);
    this.icicle = isTree && this.metric ? new Icicle(this, {
      select: (row, isStep) => this.select(row, isStep),
      zoom: (row) => this.zoomTo(row),
      describe: (row) => describe(rows, row, this.metric, this.scale),
      whole: () => wholeLabel(rows, this.metric, this.scale, this.isDifferential)
    }, about.title) : null;
    this.status = make("p", {
      class: "status",
      role: "status"
    });
    this.drawer = new Drawer(rows, {
      select: (row, isStep) => this.select(row, isStep),
      describe: (row) => describe(rows, row, this.metric, this.scale),
      close: () => {
        this.unselect();
        this.table.element.focus();
        this.writeLink(false);
      }
    });
    this.listing.openFirst(FIRST_ROWS);
    this.sortBy(firstOrder(this.allColumns, rows, meta.order_by), true);
    this.first = this.shown();
  }
  /** The search, order and columns, as links have them. */
  shown() {
    const sign = this.listing.order?.isDescending ?? true ? "" : "-";
    return {
      find: this.search?.value.trim() ?? "",
      sort: this.sortedBy ? sign + this.sortedBy : "none",
      columns: this.columns.map(({ key }) => key).join()
    };
  }
  /** Puts the chosen row and what else differs from the first sight of the view into the address. @param {boolean} isStep */
  writeLink(isStep) {
    const now = this.shown();
    for (const option of [
      "find",
      "sort",
      "columns"
    ]) {
      if (now[option] === this.first[option]) delete now[option];
    }
    const name = this.selected < 0 ? "" : this.rows.names[this.selected];
    const isFirst = !name && Object.keys(now).length === 0;
    writeLink(isFirst ? `#view-${this.about.name}` : linkTo(this.about.name, name, now), isStep);
  }
  /** Shows what a link says; what it does not mention stays. @param {Shown} link */
  restore({ find, sort, columns }) {
    if (columns !== void 0) {
      this.chosen = new Set(columns.split(","));
      for (const box of this.section.querySelectorAll("[data-column-key]")) {
        if (box instanceof HTMLInputElement) box.checked = this.chosen.has(box.dataset.columnKey ?? "");
      }
    }
    if (sort !== void 0) this.sortBy(sort.replace(/^-/, ""), !sort.startsWith("-"));
    if (find !== void 0 && this.search) this.search.value = find;
    this.filter();
  }
  /** The columns that are shown. */
  get columns() {
    return this.allColumns.filter(({ key }) => this.chosen.has(key));
  }
  get scale() {
    return this.meta.scales[this.metric.unit];
  }
  /** Puts the live view before the static table, which remains for printing. */
  mount() {
    this.search = make("input", {
      type: "search",
      class: "search",
      spellcheck: "false",
      placeholder: "Search names, or /regex/",
      "aria-label": `Search ${this.about.title}`,
      input: () => {
        this.filter();
        this.writeLink(false);
      },
      keydown: (event) => this.pressInSearch(event)
    });
    this.least = make("input", {
      type: "text",
      class: "least",
      placeholder: "1 % or 10 M",
      size: 8,
      spellcheck: "false",
      input: () => this.filter()
    });
    const figure = make("select", {
      change: () => this.choose(figure.value)
    }, ...this.metrics.map(({ stem, label }) => make("option", {
      value: stem,
      selected: stem === this.metric.stem
    }, label)));
    const kinds = this.icicle && this.rows.hasBase ? [
      this.makeKinds()
    ] : [];
    const live = make("div", {
      class: "live"
    }, make("div", {
      class: "controls"
    }, make("label", {}, "Figure ", figure), ...kinds), ...this.icicle ? [
      this.icicle.element
    ] : [], make("div", {
      class: "controls"
    }, this.search, make("label", {
      title: "Rows whose total is less, and rows whose total is unknown"
    }, "Hide below ", this.least), makeChooser(this), make("span", {
      class: "group"
    }, button("Open all", () => this.openAll(true)), button("Close all", () => this.openAll(false))), make("span", {
      class: "group"
    }, button("Copy", () => this.copy(), {
      title: "Copy the listed rows, tabs between their cells"
    }), button("CSV", () => this.save(), {
      title: "Save every row that is not hidden, open or not, with exact figures"
    }))), this.status, make("div", {
      class: "beside"
    }, this.table.element, this.drawer.element), make("p", {
      class: "note"
    }, whereAllIs(this.rows, this.about)));
    this.section.querySelector("noscript, .static")?.before(live);
    this.filter();
    this.icicle?.update();
    this.section.dataset.ready = "true";
    globalThis.requestIdleCallback?.(() => this.rows.names.some((name) => name.includes("\0")));
  }
  /** The switch between sizes and changes. */
  makeKinds() {
    const kinds = [
      false,
      true
    ].map((isDifferential) => button(isDifferential ? "Changes" : "Size", (event) => {
      this.isDifferential = isDifferential;
      for (const kind of kinds) kind.setAttribute("aria-pressed", String(kind === event.currentTarget));
      this.icicle?.update();
    }, {
      "aria-pressed": String(!isDifferential)
    }));
    return make("span", {
      class: "group",
      role: "group",
      "aria-label": "What the picture shows"
    }, ...kinds);
  }
  /** @param {string} key @param {boolean} isShown */
  showColumn(key, isShown) {
    if (isShown) this.chosen.add(key);
    else this.chosen.delete(key);
    this.table.update();
    this.writeLink(false);
  }
  /** Chooses the figure for the picture and the limit. @param {string} stem */
  choose(stem) {
    this.metric = this.metrics.find((metric) => metric.stem === stem) ?? this.metric;
    if (this.least?.value) this.filter();
    if (!this.chosen.has(`${stem}:total`)) this.showColumn(`${stem}:total`, true);
    const box = this.section.querySelector(`.chooser [aria-label="${this.metric.label}, ${wayLabel("total", this.rows)}"]`);
    if (box instanceof HTMLInputElement) box.checked = true;
    this.icicle?.update();
    this.drawer.show(this.selected);
  }
  /** Lists the rows that the search and the limit keep, and reports how many. */
  filter() {
    this.section.setAttribute("aria-busy", "true");
    const query = this.search?.value.trim() ?? "";
    const least = this.least?.value.trim() ?? "";
    const matches = query ? makeMatcher(query) : null;
    const limit = least ? this.limit(least) : null;
    const trouble = typeof matches === "string" ? matches : typeof limit === "string" ? limit : this.listing.keep(matches, limit) ? "" : "This search takes too long; try a simpler one.";
    this.search?.setAttribute("aria-invalid", String(typeof matches === "string"));
    this.least?.setAttribute("aria-invalid", String(typeof limit === "string"));
    this.relist();
    this.icicle?.drawPlaces();
    this.icicle?.drawSelected();
    if (trouble) this.status.textContent = trouble;
    this.section.dataset.query = query;
    this.section.setAttribute("aria-busy", "false");
  }
  /** @param {string} text @returns {Limit | string} */
  limit(text) {
    const share = /^([\d.]+)\s*%$/.exec(text);
    const sides = (
      /** @type {Side[]} */
      this.rows.hasBase ? [
        "head",
        "base"
      ] : [
        "head"
      ]
    );
    const figures = sides.map((side) => this.rows.column(side, "total", this.metric.stem));
    const amount = share ? null : parseAmount(text, this.scale);
    if (share) {
      const whole = Math.max(...sides.map((side) => this.rows.whole(side, this.metric.stem) || 0));
      return {
        figures,
        least: Number(share[1]) / 100 * whole
      };
    }
    if (amount === null) {
      return `Hide below what? A share such as 1 %, or an amount of ${this.metric.label} such as 10 ${this.scale[2][1]}.`;
    }
    return {
      figures,
      least: amount
    };
  }
  countWords() {
    const { listing, rows } = this;
    const listed = `${countOf(listing.listed.length, "row")} listed`;
    if (!listing.kept) return `${listed} of ${grouped(rows.count)}.`;
    const unknown = listing.unknownCount ? `, ${grouped(listing.unknownCount)} of them because their ${this.metric.label} are unknown` : "";
    const hidden = this.least?.value ? `; ${grouped(rows.count - listing.foundCount)} hidden${unknown}` : "";
    return `${grouped(listing.foundCount)} of ${countOf(rows.count, "row")} found${hidden}; ${listed}, with the rows above them.`;
  }
  relist() {
    this.listing.update();
    this.section.dataset.listed = String(this.listing.listed.length);
    this.section.dataset.found = String(this.listing.foundCount);
    this.status.textContent = this.countWords();
    this.table.update();
  }
  /** Clears the search and the limit; the selected row stays visible. */
  clear() {
    if (this.search) this.search.value = "";
    if (this.least) this.least.value = "";
    if (this.selected >= 0) this.listing.reveal(this.selected);
    this.filter();
    this.table.show(this.selected);
    this.writeLink(false);
  }
  /** @param {KeyboardEvent} event */
  pressInSearch(event) {
    if (event.key === "Escape") this.clear();
    else if (event.key === "ArrowDown" || event.key === "Enter") {
      const { listed, found } = this.listing;
      const first = listed.find((row) => !found || found[row] === 1);
      this.table.element.focus();
      if (first !== void 0) this.select(first, event.key === "Enter");
    } else return;
    event.preventDefault();
  }
  /** Cycles through descending, ascending and the order of the file; names start ascending. @param {string} key */
  sort(key) {
    const isDescending = key !== "name";
    const { order } = this.listing;
    if (this.sortedBy !== key) this.sortBy(key, isDescending);
    else this.sortBy(order?.isDescending === isDescending ? key : "none", !isDescending);
    this.relist();
    this.writeLink(false);
  }
  /** Sorts by a column, or by names; by nothing if there is no such column. @param {string} key @param {boolean} isDescending */
  sortBy(key, isDescending) {
    const column = this.allColumns.find((column2) => column2.key === key);
    const value = key === "name" ? (row) => this.rows.leafOf(row) : column?.rank ?? column?.value;
    this.listing.sortBy(value ? {
      value,
      isDescending
    } : null);
    this.sortedBy = value ? key : null;
  }
  /** @param {number} row */
  toggle(row) {
    if (!this.listing.hasChildren(row)) return;
    this.listing.setOpen(row, !this.listing.isOpen(row));
    this.relist();
  }
  /** @param {boolean} isOpen */
  openAll(isOpen) {
    this.listing.setAll(isOpen);
    this.relist();
  }
  /** Selects a row in the picture and in the table, and puts it into the address. @param {number} row @param {boolean} isStep */
  select(row, isStep) {
    this.selected = row;
    if (!this.listing.listed.includes(row)) {
      if (this.listing.kept && !this.listing.kept[row]) this.clear();
      this.listing.reveal(row);
      this.relist();
    }
    this.table.show(row);
    this.icicle?.drawSelected();
    this.drawer.show(row);
    this.writeLink(isStep);
  }
  /** Chooses no row. */
  unselect() {
    this.selected = -1;
    this.drawer.show(-1);
    this.table.markSelected();
    this.icicle?.drawSelected();
  }
  /** Goes to a row by its full name, and shows what else a link says. @param {Shown & {name: string}} link */
  go(link) {
    const { name } = link;
    this.restore(link);
    const row = this.rows.names.indexOf(name);
    this.section.scrollIntoView();
    if (!name) return this.unselect();
    if (row < 0) {
      this.status.textContent = this.noRow(name);
      return;
    }
    this.select(row, false);
    this.table.show(row, true);
    this.table.element.scrollIntoView({
      block: "center"
    });
    this.table.element.focus({
      preventScroll: true
    });
  }
  /** Why a row can't be gone to: a large page lacks the lower levels, and their file has them. @param {string} name */
  noRow(name) {
    const { count, leftOut } = this.rows;
    if (!leftOut) return `No row of this view is called ${name}.`;
    const files = [
      this.about.diff_parquet,
      this.about.parquet,
      "nodes.parquet"
    ].filter(Boolean).join(" or ");
    const all = grouped(count + leftOut);
    return `This page does not carry ${name}: it has ${grouped(count)} of the ${all} rows of this view. Look for it in ${files}.`;
  }
  /** @param {number} row the row to fill the picture, -1 for all */
  zoomTo(row) {
    this.zoom = row;
    this.icicle?.hideTip();
    this.icicle?.update();
  }
  async copy() {
    const { listed } = this.listing;
    const isCopied = await copyText(exportRows(this.rows, listed, this.columns, "	"));
    this.status.textContent = isCopied ? `Copied ${countOf(listed.length, "row")}.` : "The browser did not let the page copy.";
  }
  save() {
    const rows = this.listing.everyRow();
    download(exportRows(this.rows, rows, this.columns, ","), `${this.about.name}.csv`);
    this.status.textContent = `Saved ${countOf(rows.length, "row")} as ${this.about.name}.csv.`;
  }
};

// report_templates/scripts/live.js
function makeViews(meta) {
  const views = /* @__PURE__ */ new Map();
  const make2 = async (section, about) => {
    const rows = await readBlock(about.name);
    if (!meta.metrics.some(({ stem }) => rows.count && rows.has(stem))) return null;
    const view = new View(section, about, rows, meta);
    view.mount();
    return view;
  };
  return (name) => {
    const section = document.querySelector(`[data-view="${name}"]`);
    const about = meta.views.find((view) => view.name === name);
    if (!views.has(name) && about && section instanceof HTMLElement) views.set(name, make2(section, about));
    return views.get(name);
  };
}
function viewInSight() {
  const focused = document.activeElement?.closest("[data-view]");
  const inSight = Array.from(document.querySelectorAll("[data-view]:has(> [open])")).find((section) => {
    const { top, bottom } = section.getBoundingClientRect();
    return bottom > innerHeight / 4 && top < innerHeight;
  });
  return focused ?? inSight ?? document.querySelector("[data-view]");
}
async function makeSectionsLive() {
  const hasViews = "DecompressionStream" in globalThis && document.getElementById("meta");
  const viewOf = hasViews ? makeViews(readMeta()) : () => void 0;
  const show = async (section) => {
    open(section);
    const view = section.dataset.view && await viewOf(section.dataset.view);
    if (!view) build(section);
    return view || null;
  };
  const follow = async () => {
    const anchor = location.hash.slice(1);
    const link = readLink(location.hash);
    const section = sectionOf(link ? `view-${link.view}` : anchor);
    const view = section && await show(section);
    if (view && link) view.go(link);
    else if (section) document.getElementById(anchor)?.scrollIntoView();
  };
  closeSections(show);
  if (hasViews) makeLayersLive(readMeta());
  document.documentElement.dataset.scripts = "true";
  await follow();
  addEventListener("popstate", follow);
  addEventListener("click", ({ target }) => {
    const link = target instanceof Element && target.closest("a");
    if (link && link.hash && link.getAttribute("href") === location.hash) follow();
  });
  addEventListener("keydown", async (event) => {
    const isTyping = event.target instanceof HTMLElement && event.target.matches("input, select, textarea");
    if (event.key !== "/" || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    const section = viewInSight();
    const view = section instanceof HTMLElement && await show(section);
    if (view) view.search?.focus();
  });
  document.documentElement.dataset.ready = "true";
}

// report_templates/scripts/print.js
function unfoldForPrint() {
  let opened = [];
  const unfold = () => {
    everySection().forEach(build);
    for (const details of document.querySelectorAll("details:not([open])")) {
      opened.push(
        /** @type {HTMLDetailsElement} */
        details
      );
      details.setAttribute("open", "");
    }
  };
  const fold = () => {
    for (const details of opened) details.open = false;
    opened = [];
  };
  addEventListener("beforeprint", unfold);
  addEventListener("afterprint", fold);
  matchMedia("print").addEventListener("change", ({ matches }) => matches ? unfold() : fold());
}

// report_templates/scripts/report.js
unfoldForPrint();
makeCommandsCopyable();
makeSectionsLive();
