// Links to rows: `#scope=unit_1_0/sub1`. They survive a reload, and Back leads to the row before.

/** @param {string} view @param {string} name */
export function linkTo(view, name) {
  return `#${view}=${encodeURIComponent(name).replace(/%2F/g, "/").replace(/%3A/g, ":")}`;
}

/** The view and the full name that a link asks for; null for other links. @param {string} hash */
export function readLink(hash) {
  const found = /^#([a-z]+)=(.+)$/s.exec(hash);
  if (!found) return null;
  try {
    return { view: found[1], name: decodeURIComponent(found[2]) };
  } catch {
    return null; // half a percent escape: no link of ours
  }
}

/** Browsers refuse an address that changes as often as a held key repeats. */
const LINK_MILLIS = 100;
/** @type {ReturnType<typeof setTimeout> | undefined} */
let waitingLink;

/** Puts a row into the address: as a step that Back undoes, or, once the keyboard rests, in place of the last one.
 * @param {string} view @param {string} name @param {boolean} isStep */
export function writeLink(view, name, isStep) {
  const link = linkTo(view, name);
  clearTimeout(waitingLink);
  if (link === location.hash) return;
  if (isStep) history.pushState(null, "", link);
  else waitingLink = setTimeout(() => history.replaceState(null, "", link), LINK_MILLIS);
}
