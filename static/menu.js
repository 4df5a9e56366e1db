// Links of the menu and of pages. The menu's link to the page that is open leads to the page without what it shows: from
// a run to the list of runs; Streamlit runs such a page anew with the address as it is. Links open in the tab as those
// of lists do, and in a tab of their own where the keys say so, with who writes in this tab.
let known = null; // one listener for the page, however often the component is drawn

const LINKS = '[data-testid="stSidebarNavLink"], [data-testid="stPageLink-NavLink"]';

export function attend({ data }) {
  if (!known) {
    document.addEventListener("click", onClick, true); // before Streamlit hears of it
    for (const name of ["pointerdown", "focusin", "contextmenu"]) document.addEventListener(name, carry, true);
  }
  known = data;
}

const isConnected = () => document.querySelector("[data-test-connection-state]")?.dataset.testConnectionState === "CONNECTED";
const linkAt = ({ target }) => (target instanceof Element ? target.closest(LINKS) : null);
const isElsewhere = (event) => event.ctrlKey || event.metaKey || event.shiftKey;

// Streamlit's own links name no more than the page; it adds the rest when it goes there in this tab.
function carry(event) {
  const link = linkAt(event);
  if (!link?.hasAttribute("href")) return;
  const here = new URLSearchParams(window.location.search);
  const address = new URL(link.href);
  for (const name of known.carried) {
    if (here.has(name)) address.searchParams.set(name, here.get(name));
    else address.searchParams.delete(name);
  }
  if (address.href !== link.href) link.href = address.href;
}

function onClick(event) {
  const link = linkAt(event);
  if (!link || event.button !== 0 || event.altKey) return;
  if (isElsewhere(event)) {
    carry(event);
    event.stopPropagation(); // Streamlit would go there in this tab
    return;
  }
  if (link.dataset.testid !== "stSidebarNavLink" || link.getAttribute("aria-current") !== "page") return;
  const asked = new URLSearchParams(window.location.search);
  if (!isConnected() || !known.names.some((name) => asked.has(name))) return;
  event.preventDefault();
  event.stopPropagation();
  const kept = new URLSearchParams([...asked].filter(([name]) => known.carried.includes(name))).toString();
  window.history.pushState({}, "", kept ? `${window.location.pathname}?${kept}` : window.location.pathname);
  window.dispatchEvent(new PopStateEvent("popstate", { state: {} }));
}
