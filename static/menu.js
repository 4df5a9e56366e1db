// The menu's link to the page that is open leads to the page without what it shows: from a run to the list of runs.
// Streamlit runs such a page anew with the address as it is. Links open in the tab as those of lists do.
let known = null; // one listener for the page, however often the component is drawn

export function attend({ data }) {
  if (!known) document.addEventListener("click", onClick, true); // before Streamlit hears of it
  known = data;
}

const isConnected = () => document.querySelector("[data-test-connection-state]")?.dataset.testConnectionState === "CONNECTED";

function onClick(event) {
  const link = event.target instanceof Element ? event.target.closest('[data-testid="stSidebarNavLink"]') : null;
  if (link?.getAttribute("aria-current") !== "page") return;
  if (event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
  const asked = new URLSearchParams(window.location.search);
  if (!isConnected() || !known.names.some((name) => asked.has(name))) return;
  event.preventDefault();
  event.stopPropagation();
  const kept = new URLSearchParams([...asked].filter(([name]) => known.carried.includes(name))).toString();
  window.history.pushState({}, "", kept ? `${window.location.pathname}?${kept}` : window.location.pathname);
  window.dispatchEvent(new PopStateEvent("popstate", { state: {} }));
}
