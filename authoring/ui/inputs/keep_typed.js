// Sends what stands in a text area, or in a line of text, to the server without waiting for the field to lose focus: after a pause in typing
// and before a shortcut is handled. A link that is clicked right after typing waits until the text is on its way.
const PAUSE_MS = 700;
const HEAD_START_MS = 400; // for the text, before the page is left: a change of page would overtake it
const PATIENCE_MS = 5000; // how long a click waits at most for the run that stores the text

export default function () {
  let timer = 0;
  let unsent = false; // something was typed that the field has not reported
  let sentAt = 0;
  let composing = false; // an input method is open: leaving the field would end it

  const isRunning = () => document.querySelector('[data-test-script-state="running"]') !== null;
  const isField = (element) =>
    element instanceof HTMLTextAreaElement ||
    (element instanceof HTMLInputElement && element.type === "text" && element.closest(".stTextInput") !== null);
  const commit = () => {
    window.clearTimeout(timer);
    const field = document.activeElement;
    if (!isField(field) || composing) return;
    const { selectionStart, selectionEnd, selectionDirection, scrollTop } = field;
    field.blur(); // a field reports its text when it loses focus
    field.focus({ preventScroll: true });
    field.setSelectionRange(selectionStart, selectionEnd, selectionDirection);
    field.scrollTop = scrollTop;
  };
  const onInput = (event) => {
    if (!isField(event.target)) return;
    unsent = true;
    window.clearTimeout(timer);
    timer = window.setTimeout(commit, PAUSE_MS);
  };
  const onLeave = (event) => {
    if (!isField(event.target) || !unsent) return;
    unsent = false;
    sentAt = Date.now();
  };
  const onKey = (event) => {
    const saves = (event.ctrlKey || event.metaKey) && !event.altKey && event.key.toLowerCase() === "s";
    if (saves) event.preventDefault(); // or the browser offers to save the page
    if (saves || event.altKey || (event.key === "Enter" && (event.ctrlKey || event.metaKey))) commit();
  };
  const onClick = (event) => {
    const link = event.target instanceof Element ? event.target.closest("a[href]") : null;
    const age = Date.now() - sentAt;
    if (!link || !event.isTrusted || age > (isRunning() ? PATIENCE_MS : 2 * HEAD_START_MS)) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    window.setTimeout(() => follow(link, Date.now() + PATIENCE_MS), HEAD_START_MS);
  };
  const follow = (link, until) => {
    if (isRunning() && Date.now() < until) {
      window.setTimeout(() => follow(link, until), 50);
      return;
    }
    const again = () => [...document.querySelectorAll("a[href]")].find((other) => other.href === link.href);
    (link.isConnected ? link : again())?.click();
  };
  const onCompose = (event) => {
    composing = event.type === "compositionstart";
  };
  const onUnload = (event) => {
    if (!unsent) return;
    commit();
    event.preventDefault(); // the browser asks, and meanwhile the text is sent
  };
  const listeners = [
    [document, "input", onInput],
    [document, "focusout", onLeave],
    [document, "keydown", onKey],
    [document, "click", onClick],
    [document, "compositionstart", onCompose],
    [document, "compositionend", onCompose],
    [document, "visibilitychange", commit],
    [window, "beforeunload", onUnload],
  ];
  for (const [target, name, listener] of listeners) target.addEventListener(name, listener, true);
  return () => {
    window.clearTimeout(timer);
    for (const [target, name, listener] of listeners) target.removeEventListener(name, listener, true);
  };
}
