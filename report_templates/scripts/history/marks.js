// What a chart shows besides its line: levels, budgets, releases, breaks of counting, steps, failures, unknown figures.

/** @import uPlot from "uplot" */
/** @import { Line } from "./reports.js" */

/** The size of everything in pixels of the canvas. @param {number} size in pixels of the page */
const px = (size) => size * devicePixelRatio;

/** Draws within the plot, in its own state of the context. @param {uPlot} u @param {(ctx: CanvasRenderingContext2D) => void} paint */
function inside(u, paint) {
  const { ctx, bbox } = u;
  ctx.save();
  ctx.beginPath();
  ctx.rect(bbox.left - px(6), bbox.top - px(6), bbox.width + px(12), bbox.height + px(12));
  ctx.clip();
  paint(ctx);
  ctx.restore();
}

/** @param {CanvasRenderingContext2D} ctx @param {number[]} ends x and y of both @param {string} colour
 * @param {number[]} [dashes] @param {number} [width] */
function stroke(ctx, [x1, y1, x2, y2], colour, dashes = [], width = 1) {
  ctx.strokeStyle = colour;
  ctx.lineWidth = px(width);
  ctx.setLineDash(dashes.map(px));
  ctx.beginPath();
  ctx.moveTo(x1, y1);
  ctx.lineTo(x2, y2);
  ctx.stroke();
}

/** The rows between the ends of the shown range. @param {uPlot} u @param {Iterable<number>} rows */
function* shown(u, rows) {
  const { min = 0, max = 0 } = u.scales.x;
  for (const row of rows) if (u.data[0][row] >= min && u.data[0][row] <= max) yield row;
}

/** What lies under the line. @param {uPlot} u @param {Line} line @param {string} ink */
export function drawUnder(u, line, ink) {
  const { reports } = line;
  const { colours } = reports.meta;
  const { left, top, width, height } = u.bbox;
  /** @param {number} number */
  const across = (number) => Math.round(u.valToPos(number, "x", true));
  /** @param {number} value */
  const down = (value) => Math.round(u.valToPos(value, "y", true));
  inside(u, (ctx) => {
    ctx.globalAlpha = 0.45;
    for (const [first, last, value] of line.levels) {
      const y = down(value);
      stroke(ctx, [across(u.data[0][first]), y, across(u.data[0][last]), y], colours.line, [], 5);
    }
    ctx.globalAlpha = 1;
    for (const row of line.reports.breaks) {
      const x = across((u.data[0][row - 1] + u.data[0][row]) / 2);
      stroke(ctx, [x, top, x, top + height], colours.step, [8, 4]);
    }
    ctx.font = `${px(11)}px system-ui, sans-serif`;
    ctx.fillStyle = ink;
    ctx.textAlign = "right";
    ctx.textBaseline = "bottom";
    for (const [most, text, since] of line.budgets) {
      if (most < (u.scales.y.min ?? 0) || most > (u.scales.y.max ?? 0)) continue;
      const y = down(most);
      const begin = since ? Math.max(left, across(since)) : left;
      stroke(ctx, [begin, y, left + width, y], colours.limit, [6, 3]);
      ctx.fillText(`${since ? "limit" : "budget"} ${text}`, left + width, y - px(2), width);
    }
  });
  drawReleases(u, line, ink, across);
}

/** The releases, the newest first: names that would overlap others are left out. @param {uPlot} u @param {Line} line
 * @param {string} ink @param {(number: number) => number} across */
function drawReleases(u, line, ink, across) {
  const { ctx, bbox } = u;
  ctx.save();
  ctx.font = `${px(11)}px system-ui, sans-serif`;
  ctx.fillStyle = ink;
  ctx.textAlign = "left";
  ctx.textBaseline = "bottom";
  let free = Infinity;
  const rows = [...shown(u, line.reports.tags.keys())].sort((a, b) => b - a);
  for (const row of rows) {
    const x = across(u.data[0][row]);
    stroke(ctx, [x, bbox.top - px(4), x, bbox.top + bbox.height], line.reports.meta.colours.quiet, [2, 3]);
    const text = line.reports.tagsOf(row).join(", ");
    const width = Math.min(ctx.measureText(text).width, px(160));
    const begin = Math.min(Math.max(x - width / 2, bbox.left), bbox.left + bbox.width - width);
    if (begin + width > free) continue;
    ctx.fillText(text, begin, bbox.top - px(5), width);
    free = begin - px(8);
  }
  ctx.restore();
}

/** What lies over the line. @param {uPlot} u @param {Line} line */
export function drawOver(u, line) {
  const { reports } = line;
  const { colours } = reports.meta;
  /** @param {number} row */
  const place = (row) => [u.valToPos(u.data[0][row], "x", true), u.valToPos(line.values[row] ?? 0, "y", true)];
  inside(u, (ctx) => {
    /** @param {Iterable<number>} rows @param {number} size @param {string} colour */
    const dots = (rows, size, colour) => {
      ctx.fillStyle = colour;
      for (const row of shown(u, rows)) {
        const [x, y] = place(row);
        ctx.beginPath();
        ctx.arc(x, y, px(size), 0, 2 * Math.PI);
        ctx.fill();
      }
    };
    dots(line.alone, 2.5, colours.line);
    dots(line.steps.keys(), 4, colours.step);
    const ground = u.bbox.top + u.bbox.height;
    const size = px(4);
    for (const row of shown(u, line.values.keys())) {
      const [x, y] = place(row);
      if (line.values[row] === null) {
        ctx.strokeStyle = colours.quiet;
        ctx.lineWidth = px(1);
        ctx.beginPath();
        ctx.moveTo(x - size, ground);
        ctx.lineTo(x + size, ground);
        ctx.lineTo(x, ground - 1.75 * size);
        ctx.closePath();
        ctx.stroke();
      } else if (reports.hasFailed(row)) {
        stroke(ctx, [x - size, y - size, x + size, y + size], colours.limit, [], 1.5);
        stroke(ctx, [x - size, y + size, x + size, y - size], colours.limit, [], 1.5);
      }
    }
  });
}
