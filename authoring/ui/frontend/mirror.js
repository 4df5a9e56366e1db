// What was typed and is not yet known to be stored on the server, kept in the browser until it is: [keys] start with
// "bw:" and name workspace, person, problemset, problem and field. Text that somebody else's save overtook is kept apart
// until the person decides.
const DAYS_MS = 7 * 24 * 60 * 60 * 1000;
const MOST_SEEN = 100;
let last = 0;

// Numbers that rise over the life of a page, and from one page to the next unless the clock is set back.
export function nextNumber() {
  last = Math.max(last + 1, Date.now());
  return last;
}

// 64 bits that tell texts apart; nothing rests on it against an attacker, who could only spoil the own text.
export function hashOf(text) {
  let one = 0xdeadbeef;
  let two = 0x41c6ce57;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    one = Math.imul(one ^ code, 2654435761);
    two = Math.imul(two ^ code, 1597334677);
    one ^= one >>> 15;
    two ^= two >>> 13;
  }
  return `${text.length}:${(one >>> 0).toString(36)}:${(two >>> 0).toString(36)}`;
}

export function addSeen(seen, text) {
  const hash = hashOf(text);
  if (!seen.includes(hash)) seen.push(hash);
  if (seen.length > MOST_SEEN) seen.splice(1, seen.length - MOST_SEEN); // the first is the revision's or autosave's
}

const foundKey = (key) => `${key}:found`;

function read(key) {
  try {
    const kept = JSON.parse(window.localStorage.getItem(key));
    if (kept && Date.now() - kept.at > DAYS_MS) window.localStorage.removeItem(key);
    else if (kept && typeof kept.text === "string") return kept;
  } catch {
    // no storage, or something else wrote there: then there is no mirror
  }
  return null;
}

function write(key, value) {
  try {
    window.localStorage.setItem(key, JSON.stringify({ ...value, at: Date.now() }));
  } catch {
    // storage is full or forbidden: the text is still sent after each pause
  }
}

function drop(key) {
  try {
    window.localStorage.removeItem(key);
  } catch {
    // nothing was kept
  }
}

export function readMirror(key) {
  const mirror = read(key);
  return mirror && Array.isArray(mirror.seen) ? mirror : null;
}

export const writeMirror = write;
export const dropMirror = drop;
export const readFound = (key) => read(foundKey(key));
export const keepFound = (key, text) => write(foundKey(key), { text });
export const dropFound = (key) => drop(foundKey(key));

function dropExpired() {
  try {
    for (const key of Object.keys(window.localStorage)) if (key.startsWith("bw:")) read(key);
  } catch {
    // no storage
  }
}
dropExpired();
