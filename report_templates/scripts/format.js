// Figures as text, with the same digits as in the rest of the report (formatting.py); the scales come with the page.
// A figure is a number, a bigint where a number would not be exact, or null for unknown, which is never 0.

/** @typedef {number | bigint | null} Figure */
/** @typedef {[number, string][]} Scale how many of a unit, and the suffix */

const MINUS = "\u2212";
export const UNKNOWN = "unknown";
const INT64 = 2 ** 63;

/** Integers as bigint, whose arithmetic is exact; null for anything that is not a finite number.
 * @param {Figure | undefined} value @returns {Figure} */
export function normalise(value) {
  if (value === undefined || value === null || typeof value === "bigint") return value ?? null;
  if (!Number.isFinite(value)) return null;
  return Number.isInteger(value) && Math.abs(value) < INT64 ? BigInt(value) : value;
}

/** @param {number | bigint} value @returns {number | bigint} */
function absolute(value) {
  return value < 0 ? -value : value;
}

/** Numerator and denominator of a figure, exactly. @param {number | bigint} value @returns {[bigint, bigint]} */
function ratio(value) {
  if (typeof value === "bigint") return [value, 1n];
  let below = 1n;
  while (!Number.isInteger(value)) {
    value *= 2;
    below *= 2n;
  }
  return [BigInt(value), below];
}

/** value / size in hundredths, rounded half up. @param {number | bigint} value @param {number} size */
function hundredths(value, size) {
  const [above, below] = ratio(value);
  return (200n * above + below * BigInt(size)) / (2n * below * BigInt(size));
}

/** @param {number | bigint | string} digits */
export function grouped(digits) {
  return String(digits).replace(/\B(?=(\d{3})+$)/g, ",");
}

/** `1 row`, `1,234 rows`. @param {number} count @param {string} noun */
export function countOf(count, noun) {
  return `${grouped(count)} ${noun}${count === 1 ? "" : "s"}`;
}

/** @param {bigint} digits hundredths */
function withDecimals(digits) {
  return `${grouped(digits / 100n)}.${String(digits % 100n).padStart(2, "0")}`;
}

/** Pads an exponent to two digits, as Python does. @param {string} text */
function longExponent(text) {
  return text.replace(/e([+-])(\d)$/, "e$10$2");
}

/** A figure too small for two decimals, with two significant digits. @param {number} value */
function small(value) {
  const text = value.toExponential(1).replace(".0e", "e");
  return value < 1e-4 ? longExponent(text) : String(Number(text));
}

/** @param {number | bigint} value not negative @param {Scale} scale */
function scaled(value, scale) {
  if (typeof value === "number" && value >= INT64) {
    return `${longExponent(value.toExponential(2))} ${scale[0][1]}`.trim();
  }
  for (let step = 0; step + 1 < scale.length; step += 1) {
    const [size, suffix] = scale[step];
    const limit = scale[step + 1][0];
    if (value >= limit) continue;
    const digits = hundredths(value, size);
    // Compared after rounding, so that 999.995 k becomes 1.00 M.
    if (digits * BigInt(size) >= BigInt(limit) * 100n) continue;
    if (size > 1) return `${withDecimals(digits)} ${suffix}`;
    const text = typeof value === "bigint" ? grouped(value) : digits ? withDecimals(digits) : small(value);
    return `${text} ${suffix}`.trim();
  }
  const [size, suffix] = scale[scale.length - 1];
  return `${withDecimals(hundredths(value, size))} ${suffix}`;
}

/** @param {number | bigint} value not negative @param {Scale} scale */
function allDigits(value, scale) {
  let text = String(value);
  if (typeof value === "number" && (value < 1e-4 || value >= 1e16)) text = longExponent(value.toExponential());
  else {
    const [whole, ...rest] = text.split(".");
    text = [grouped(whole), ...rest].join(".");
  }
  return `${text} ${scale[0][1]}`.trim();
}

/** @param {Figure} value @param {Scale} scale @param {typeof scaled} magnitude @param {string} plus */
function signed(value, scale, magnitude, plus) {
  const known = normalise(value);
  if (known === null) return UNKNOWN;
  return (known < 0 ? MINUS : known > 0 ? plus : "") + magnitude(absolute(known), scale);
}

/** `17.63 G`, `1.21 GiB`, `12.50 ms`. @param {Figure} value @param {Scale} scale */
export const formatNumber = (value, scale) => signed(value, scale, scaled, "");

/** Every digit: `1,299,227,648 B`. @param {Figure} value @param {Scale} scale */
export const formatExact = (value, scale) => signed(value, scale, allDigits, "");

/** A difference, always with its sign. @param {Figure} value @param {Scale} scale */
export const formatDelta = (value, scale) => signed(value, scale, scaled, "+");

/** @param {Figure} value @param {Scale} scale */
export const formatExactDelta = (value, scale) => signed(value, scale, allDigits, "+");

/** A relative change, `+1.25 %`, or the reason why there is none. @param {number | null} percent @param {string} [word] */
export function formatPercent(percent, word = UNKNOWN) {
  const known = normalise(percent);
  if (known === null) return word;
  if (!known) return "0 %";
  const digits = hundredths(absolute(known), 1);
  const size = digits >= 100000n ? grouped((digits + 50n) / 100n) : digits ? withDecimals(digits) : "<0.01";
  return `${known > 0 ? "+" : MINUS}${size} %`;
}

/** A share of a whole: `12.34 %`. @param {number} share */
export function formatShare(share) {
  return formatPercent(share * 100).replace("+", "");
}

/** Parses `1.5 M`, `10 MiB`, `20ms`; null for anything else. @param {string} text @param {Scale} scale */
export function parseAmount(text, scale) {
  const found = /^([\d,]*\.?\d+)\s*([a-zA-Z]*)$/.exec(text.trim());
  if (!found) return null;
  const suffix = found[2].toLowerCase();
  // For bytes, M and MB mean MiB, as most people who type them expect.
  const step = scale.find(([, name]) =>
    [name, name.replace("iB", "B"), name[0] ?? ""].some((one) => one.toLowerCase() === suffix)
  );
  if (suffix && !step) return null;
  return Number(found[1].replace(/,/g, "")) * (suffix && step ? step[0] : 1);
}
