// Which commits charts show: a range of commit numbers, whose ends need not be whole.

/** @typedef {[number, number]} Range */

/** Fewest commits that a chart can show. */
export const LEAST = 3;

/** The range of all commits, with some room at its ends. @param {number} first @param {number} last @returns {Range} */
export function wholeRange(first, last) {
  const room = Math.max(0.5, (last - first) / 100);
  return [first - room, last + room];
}

/** A range moved and cut so that it is within another, and shows at least `LEAST` commits, or all there are.
 * @param {Range} range @param {Range} whole @returns {Range} */
export function within([from, to], [low, high]) {
  const size = Math.min(Math.max(to - from, LEAST), high - low);
  const middle = Math.min(Math.max((from + to) / 2, low + size / 2), high - size / 2);
  return [middle - size / 2, middle + size / 2];
}

/** A range `factor` times as long; the commit `about` stays where it is, if it is inside.
 * @param {Range} range @param {Range} whole @param {number} factor @param {number} about @returns {Range} */
export function zoomed([from, to], whole, factor, about) {
  const centre = about >= from && about <= to ? about : (from + to) / 2;
  const size = Math.max((to - from) * factor, LEAST);
  const before = size * (centre - from) / (to - from);
  return within([centre - before, centre - before + size], whole);
}

/** A range moved by a share of its length. @param {Range} range @param {Range} whole @param {number} share @returns {Range} */
export function moved([from, to], whole, share) {
  const by = (to - from) * share;
  return within([from + by, to + by], whole);
}

/** A range moved as far as it must be to show a commit. @param {Range} range @param {Range} whole @param {number} number @returns {Range} */
export function showing([from, to], whole, number) {
  if (number >= from && number <= to) return [from, to];
  const size = to - from;
  return within(
    number < from ? [number - size / 10, number + size * 0.9] : [number - size * 0.9, number + size / 10],
    whole,
  );
}
