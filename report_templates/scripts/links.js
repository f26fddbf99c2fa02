// Links to rows: `#scope=unit_1_0/sub1`, or to a row and what its view shows: `#scope=unit_1_0&find=conv&sort=params:total`.
// They survive a reload, and Back returns to the previous row.

/** @typedef {{find?: string, sort?: string, columns?: string}} Shown what a view shows other than at first: its search; the
 * column that sorts it, `-` before it if ascending, or `none`; the keys of its columns with commas between them */

const OPTIONS = /** @type {const} */ (["find", "sort", "columns"]);

/** @param {string} text */
function encode(text) {
  return encodeURIComponent(text).replace(/%2F/g, "/").replace(/%3A/g, ":").replace(/%2C/g, ",");
}

/** @param {string} view @param {string} name of the chosen row, empty for none @param {Shown} [shown] */
export function linkTo(view, name, shown = {}) {
  const options = OPTIONS.map((option) => shown[option] === undefined ? "" : `&${option}=${encode(shown[option])}`);
  return `#${view}=${encode(name)}${options.join("")}`;
}

/** The view, the full name of the row and what else a link leads to; null for other links.
 * @param {string} hash @returns {(Shown & {view: string, name: string}) | null} */
export function readLink(hash) {
  const found = /^#([a-z]+)=([^&]*)((?:&[a-z]+=[^&]*)*)$/s.exec(hash);
  if (!found || (!found[2] && !found[3])) return null;
  try {
    /** @type {Shown & {view: string, name: string}} */
    const link = { view: found[1], name: decodeURIComponent(found[2]) };
    for (const part of found[3].split("&").slice(1)) {
      const [option, text] = part.split(/=(.*)/s);
      const known = OPTIONS.find((each) => each === option);
      if (known) link[known] = decodeURIComponent(text);
    }
    return link;
  } catch {
    return null; // an incomplete percent escape: not a link of ours
  }
}

/** Delay of writing the address: browsers reject changes as frequent as the repeats of a held key. */
const LINK_MILLIS = 100;
/** @type {ReturnType<typeof setTimeout> | undefined} */
let waitingLink;

/** Puts a link into the address: as a step in the history, or, after a pause of the keyboard, in place of the last one.
 * @param {string} link @param {boolean} isStep */
export function writeLink(link, isStep) {
  clearTimeout(waitingLink);
  if (link === location.hash) return;
  if (isStep) history.pushState(null, "", link);
  else waitingLink = setTimeout(() => history.replaceState(null, "", link), LINK_MILLIS);
}
