// Tells the person calmly when the server does not answer, and keeps what is typed meanwhile. Streamlit alone opens a
// dialog over the page, disables every field and forgets what a new server process did not receive. Here the dialog is
// closed as it opens, fields of text stay open, and what was typed into them is also kept in the browser's session until
// the server has had it. Code editors keep their own text; they only need the focus.
const STATE = "data-test-connection-state";
const LOST = "The server does not answer. Everything you type is kept in this tab and sent when it answers again.";
const BACK = "Connected again; what you typed is here.";
const QUIET_MS = 600; // a connection that comes back at once is not worth a word
const JUST_NOW_MS = 5000; // what was typed so shortly before may have been under way
const STILL_MS = 400; // for so long the page has to stand still before it is looked at
const SURE_MS = 10000; // for so long a field has to hold what was put back
const MOST_FILLS = 5; // of one field after one outage: a page that insists on another text has its reasons
const SHOWN_MS = 20000;
const KEPT = "bw:typed";

function createKeeper() {
  let component = null;
  let wasConnected = false;
  let lost = false;
  let asked = false; // the server to take what the page holds, and no run of the page has answered yet
  let filling = false; // what was kept is being put back: that is not typing
  let timer = 0;
  const recent = new Map(); // field -> when something was last typed into it
  const kept = new Map(read());

  function read() {
    try {
      return JSON.parse(window.sessionStorage.getItem(KEPT)) ?? [];
    } catch {
      return []; // no storage, or something else wrote there
    }
  }

  function write() {
    try {
      if (kept.size) window.sessionStorage.setItem(KEPT, JSON.stringify([...kept]));
      else window.sessionStorage.removeItem(KEPT);
    } catch {
      // storage is full or forbidden: the text still stands in the page
    }
  }

  const app = () => document.querySelector(`[${STATE}]`);
  const isStill = () => document.querySelector('[data-test-script-state="notRunning"]') !== null;
  const isField = (node) =>
    (node instanceof HTMLTextAreaElement && node.closest(".stTextArea") !== null) ||
    (node instanceof HTMLInputElement && node.type === "text" && node.closest(".stTextInput") !== null);
  const fields = () => [...document.querySelectorAll(".stTextArea textarea, .stTextInput input[type=text]")];
  const keyOf = (field) => {
    const names = field.closest('[class*="st-key-"]')?.classList ?? [];
    const name = [...names].find((each) => each.startsWith("st-key-")) ?? "";
    return JSON.stringify([window.location.pathname, name, field.getAttribute("aria-label"), window.location.search]);
  };
  // A new process counts from the start how often it replaced a field's text, and names the field by that number.
  const isSame = (one, other) => one === other || one.replace(/-\d+",/, '",') === other.replace(/-\d+",/, '",');
  const withoutCount = (name) => name.replace(/-\d+$/, "");

  // What is shown: a line at the upper edge, above what a page begins with, which moves nothing; nor does the
  // component, which takes no room.
  const style = document.createElement("style");
  style.textContent = `
    .st-key-connection { position: absolute; left: 0; width: 1px; overflow: hidden; }
    #bw-connection:not([hidden]) {
      position: fixed; top: 0; left: 50%; transform: translateX(-50%); z-index: 1000002;
      display: flex; gap: 0.8rem; align-items: center; width: max-content; max-width: calc(100vw - 2rem);
      padding: 0.15rem 0.9rem; border: 1px solid light-dark(#b86e00, #d99a3d); border-width: 0 1px 1px 4px;
      border-radius: 0 0 6px 6px; box-shadow: 0 2px 10px rgb(0 0 0 / 18%); font-size: 0.9rem; line-height: 1.3;
    }
    #bw-connection button:not([hidden]) {
      flex: none; font: inherit; color: inherit; background: transparent; cursor: pointer;
      border: 1px solid; border-radius: 6px; padding: 0 0.6rem;
    }
  `;
  document.head.append(style);
  const notice = document.createElement("div");
  const words = document.createElement("span");
  const close = document.createElement("button");
  notice.setAttribute("role", "status");
  notice.id = "bw-connection";
  close.type = "button";
  close.textContent = "Close";
  close.addEventListener("click", () => hide());
  notice.append(words, close);

  function show(text, closable) {
    const { backgroundColor, color, fontFamily } = getComputedStyle(app() ?? document.body);
    Object.assign(notice.style, { backgroundColor, color, fontFamily });
    if (!notice.isConnected) document.body.append(notice);
    notice.hidden = false;
    close.hidden = !closable;
    words.textContent = text;
    window.clearTimeout(timer);
    if (closable) timer = window.setTimeout(hide, SHOWN_MS);
  }

  function hide() {
    window.clearTimeout(timer);
    notice.hidden = true;
    words.textContent = "";
  }

  // While the server is away.
  let lastFocus = null; // of the person, not of the dialog
  const isStock = (dialog) => dialog?.textContent.includes("Connection error") ?? false;

  function openUp() {
    for (const field of fields()) field.disabled = false;
    for (const dialog of document.querySelectorAll('[role="dialog"]')) {
      if (!isStock(dialog)) continue;
      dialog.querySelector('button[aria-label="Close"]')?.click();
      dialog.style.visibility = "hidden"; // until it has gone
    }
  }

  function deepest() {
    let focused = document.activeElement ?? document.body;
    while (focused.shadowRoot?.activeElement) focused = focused.shadowRoot.activeElement;
    return focused;
  }

  const whileLost = new MutationObserver(() => {
    openUp();
    giveFocusBack();
  });

  // Only what the dialog, or a field that was closed for a moment, took away.
  function giveFocusBack() {
    const now = document.activeElement;
    const isTaken = !now || now === document.body || isStock(now.closest('[role="dialog"]'));
    if (lost && isTaken && lastFocus?.isConnected) lastFocus.focus({ preventScroll: true });
  }

  function onFocus() {
    const focused = deepest();
    if (!isStock(focused.closest('[role="dialog"]'))) lastFocus = focused;
  }

  function onLost() {
    lost = true;
    fills.clear();
    if (deepest() !== document.body) lastFocus = deepest();
    const since = Date.now() - JUST_NOW_MS;
    for (const field of fields()) if ((recent.get(keyOf(field)) ?? 0) > since) kept.set(keyOf(field), field.value);
    write();
    openUp();
    window.requestAnimationFrame(giveFocusBack);
    whileLost.observe(document.body, { subtree: true, childList: true, attributes: true, attributeFilter: ["disabled"] });
    window.clearTimeout(timer);
    timer = window.setTimeout(() => lost && show(LOST, false), QUIET_MS);
  }

  function onBack() {
    lost = false;
    whileLost.disconnect();
    window.clearTimeout(timer);
    if (notice.isConnected && !notice.hidden) show(BACK, true);
    const field = document.activeElement;
    if (isField(field)) report(field);
    asked = true;
    component?.setTriggerValue("again", Date.now()); // with it goes what all fields and editors of the page hold
  }

  function report(field) {
    const { selectionStart, selectionEnd, selectionDirection, scrollTop } = field;
    const wasFocused = document.activeElement === field;
    if (!wasFocused) field.focus({ preventScroll: true });
    field.blur(); // a field reports its text when it loses focus
    if (!wasFocused) return;
    field.focus({ preventScroll: true });
    field.setSelectionRange(selectionStart, selectionEnd, selectionDirection);
    field.scrollTop = scrollTop;
  }

  // Once the server has had everything: fields that a new process filled anew get back what was typed.
  let standing = 0;
  function lookAgain() {
    window.clearTimeout(standing);
    if (lost || !kept.size) return;
    standing = window.setTimeout(() => {
      if (lost) return;
      if (asked || !isStill()) lookAgain();
      else putBack();
    }, STILL_MS);
  }

  // A field may hold the text only because the page has not been drawn yet by the new process, which empties it then: so
  // it is forgotten once the field has held it for a while, and not before.
  const seen = new Map(); // field -> since when it has held what was kept
  const fills = new Map(); // field -> how often it was filled since the last outage
  function putBack() {
    let again = false;
    for (const field of fields()) {
      const key = [keyOf(field), ...kept.keys()].find((each) => kept.has(each) && isSame(each, keyOf(field)));
      if (key === undefined) continue;
      const text = kept.get(key);
      if (field.value !== text) {
        const times = (fills.get(key) ?? 0) + 1;
        if (times > MOST_FILLS) continue;
        fills.set(key, times);
        seen.set(key, Date.now());
        fill(field, text);
        report(field);
      } else if (!seen.has(key)) seen.set(key, Date.now());
      else if (Date.now() - seen.get(key) > SURE_MS) forget(key);
      again ||= kept.has(key);
    }
    write();
    if (again) lookAgain();
  }

  function forget(key) {
    kept.delete(key);
    seen.delete(key);
  }

  // What the server says of fields whose text it has had, or that the person gave up: it may stand empty afterwards.
  const told = new Set();
  function forgetSent(sent) {
    for (const [mark, name] of sent) {
      if (told.has(mark)) continue;
      told.add(mark);
      const shown = withoutCount(`st-key-${name.trim().replace(/[^a-zA-Z0-9_-]/g, "-")}`);
      for (const key of [...kept.keys()]) if (withoutCount(JSON.parse(key)[1]) === shown) forget(key);
    }
    write();
  }

  function fill(field, text) {
    const kind = field instanceof HTMLTextAreaElement ? HTMLTextAreaElement : HTMLInputElement;
    filling = true;
    Object.getOwnPropertyDescriptor(kind.prototype, "value").set.call(field, text);
    field.dispatchEvent(new Event("input", { bubbles: true }));
    filling = false;
  }

  function onInput(event) {
    if (filling || !isField(event.target)) return;
    const key = keyOf(event.target);
    recent.set(key, Date.now());
    if (!lost && !kept.has(key)) return;
    kept.set(key, event.target.value);
    write();
  }

  function check() {
    const connected = app()?.getAttribute(STATE) === "CONNECTED";
    if (connected && lost) onBack();
    else if (!connected && wasConnected && !lost) onLost();
    wasConnected ||= connected;
  }

  new MutationObserver(check).observe(document.body, { subtree: true, attributes: true, attributeFilter: [STATE] });
  document.addEventListener("input", onInput, true);
  document.addEventListener("focusin", onFocus, true);
  check();
  return (made) => {
    component = made;
    forgetSent(made.data?.sent ?? []);
    if (!lost) asked = false;
    lookAgain();
  };
}

let keeper = null; // one for the page, however often the component is drawn

export function watch(component) {
  keeper ??= createKeeper();
  keeper(component);
}
