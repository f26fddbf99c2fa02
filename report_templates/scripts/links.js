// Links to rows: `#scope=unit_1_0/sub1`. They survive a reload, and Back returns to the previous row.

/** @param {string} view @param {string} name */
export function linkTo(view, name) {
  return `#${view}=${encodeURIComponent(name).replace(/%2F/g, "/").replace(/%3A/g, ":")}`;
}

/** The view and the full name of the row that a link leads to; null for other links. @param {string} hash */
export function readLink(hash) {
  const found = /^#([a-z]+)=(.+)$/s.exec(hash);
  if (!found) return null;
  try {
    return { view: found[1], name: decodeURIComponent(found[2]) };
  } catch {
    return null; // an incomplete percent escape: not a link of ours
  }
}

/** Delay of writing the address: browsers reject changes as frequent as the repeats of a held key. */
const LINK_MILLIS = 100;
/** @type {ReturnType<typeof setTimeout> | undefined} */
let waitingLink;

/** Puts a row into the address: as a step in the history, or, after a pause of the keyboard, in place of the last one.
 * @param {string} view @param {string} name @param {boolean} isStep */
export function writeLink(view, name, isStep) {
  const link = linkTo(view, name);
  clearTimeout(waitingLink);
  if (link === location.hash) return;
  if (isStep) history.pushState(null, "", link);
  else waitingLink = setTimeout(() => history.replaceState(null, "", link), LINK_MILLIS);
}
