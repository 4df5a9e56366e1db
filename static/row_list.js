// The lists of rows: links open in the tab without loading the app anew, and the server learns what is selected.
// A list stands before this script is there, and may be drawn anew at any time: so one listener serves all lists.
const lists = new Map(); // name -> what speaks for the list, what is selected and which element has the focus

const tableOf = (name) => document.querySelector(`table.bw-rows[data-list="${CSS.escape(name)}"]`);
const boxesOf = (name) => [...(tableOf(name)?.querySelectorAll("tbody input") ?? [])];
const placeOf = (node) => `${node.closest("tr")?.dataset.key} ${node.getAttribute("href") ?? node.localName}`;

function listAt(target) {
  const table = target instanceof Element ? target.closest("table.bw-rows") : null;
  return table ? [table.dataset.list, lists.get(table.dataset.list)] : [];
}

const isConnected = () => document.querySelector("[data-test-connection-state]")?.dataset.testConnectionState === "CONNECTED";

export function attend({ data, parentElement, setTriggerValue }) {
  const list = lists.get(data.list) ?? { focused: "" };
  lists.set(data.list, list);
  list.tell = setTriggerValue;
  // A server that forgot the tab, or a list that was gone meanwhile: what was told before has not been heard.
  if (list.tab !== data.tab || list.place !== parentElement) list.told = data.told;
  Object.assign(list, { tab: data.tab, place: parentElement });
  if (data.told < list.told) return; // the answer to an earlier selection
  Object.assign(list, { told: data.told, picked: new Set(data.picked) });
  show(data.list, list);
}

function show(name, list) {
  for (const box of boxesOf(name)) box.checked = list.picked.has(box.value);
}

// A plain click opens the page in this tab, as Back and Forward do; all others are the browser's.
document.addEventListener("click", (event) => {
  const link = event.target instanceof Element ? event.target.closest("table.bw-rows a") : null;
  if (!link || event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
  event.preventDefault();
  if (!isConnected()) return;
  window.history.pushState({}, "", link.href);
  window.dispatchEvent(new PopStateEvent("popstate", { state: {} }));
});

// The whole selection goes each time: of two that follow each other fast, only the last one arrives.
document.addEventListener("change", ({ target }) => {
  const [name, list] = listAt(target);
  if (!list) return;
  if (!isConnected()) {
    show(name, list); // as Streamlit's own boxes, which cannot be ticked then
    return;
  }
  list.picked = new Set(boxesOf(name).filter((box) => box.checked).map((box) => box.value));
  list.told += 1;
  list.tell("picked", { told: list.told, keys: [...list.picked] });
});

// After a click beside the lists nothing of them is to get the focus back.
document.addEventListener("pointerdown", ({ target }) => {
  if (!listAt(target)[1]) for (const list of lists.values()) list.focused = "";
});

document.addEventListener("focusin", ({ target }) => {
  for (const list of lists.values()) list.focused = "";
  const [, list] = listAt(target);
  if (list) list.focused = placeOf(target);
});

// Rows that changed are another table: its boxes are empty, and the focus went with the old one.
new MutationObserver((changes) => {
  const isTable = (node) => node instanceof Element && (node.matches("table.bw-rows") || node.querySelector("table.bw-rows"));
  if (!changes.some((change) => [...change.addedNodes].some(isTable))) return;
  for (const [name, list] of lists) {
    show(name, list);
    if (!list.focused || document.activeElement !== document.body) continue;
    const again = [...(tableOf(name)?.querySelectorAll("a, input") ?? [])].find((node) => placeOf(node) === list.focused);
    again?.focus({ preventScroll: true });
  }
}).observe(document.body, { childList: true, subtree: true });
