// The theme: light, dark, or the system's. The framework follows the system and has no choice that holds on all pages;
// here it is told what the system wants. Read in the head of the page, before the framework draws anything, and again by
// the component that shows the choice at the foot of the sidebar.
window.benchwrightTheme ??= (() => {
  const KEPT = "benchwright-theme";
  const CHOICES = ["Light", "Dark", "System"];
  const SLOW_MS = 1500; // a framework that has not followed by then does so when the page is loaded again
  const STYLE = `
    fieldset { border: 0; margin: 0; padding: 0; display: flex; font: 400 0.875rem var(--st-font); color: var(--st-text-color); }
    legend { padding: 0 0 0.25rem; }
    label { flex: 1 1 0; text-align: center; padding: 0.2rem 0; border: 1px solid var(--st-border-color); cursor: pointer; }
    label + label { border-left: 0; }
    label:first-of-type { border-radius: var(--st-base-radius) 0 0 var(--st-base-radius); }
    label:last-of-type { border-radius: 0 var(--st-base-radius) var(--st-base-radius) 0; }
    label:has(:checked) { background: var(--st-background-color); color: var(--st-link-color); font-weight: 600; }
    label:has(:focus-visible) { outline: 2px solid var(--st-link-color); outline-offset: -2px; }
    input { position: absolute; opacity: 0; pointer-events: none; }
  `;
  const ask = window.matchMedia.bind(window);
  let choice = read();

  function read() {
    try {
      const kept = window.localStorage.getItem(KEPT);
      return CHOICES.includes(kept) ? kept : "System";
    } catch {
      return "System"; // no storage
    }
  }

  function write() {
    try {
      window.localStorage.setItem(KEPT, choice);
    } catch {
      // storage is full or forbidden: the choice holds as long as the page stands
    }
  }

  // What the framework keeps for single pages would go before the choice for all of them.
  function forget() {
    try {
      for (const key of Object.keys(window.localStorage)) if (key.startsWith("stActiveTheme")) window.localStorage.removeItem(key);
    } catch {
      // no storage
    }
  }

  const isDark = () => (choice === "System" ? ask("(prefers-color-scheme: dark)").matches : choice === "Dark");
  const wanted = () => (isDark() ? "dark" : "light");
  const isFollowed = () => getComputedStyle(document.querySelector('[data-testid="stApp"]') ?? document.body).colorScheme === wanted();

  window.matchMedia = (query) => {
    const list = ask(query);
    const scheme = /prefers-color-scheme:\s*(light|dark)/.exec(query)?.[1];
    if (!scheme) return list;
    return new Proxy(list, {
      get(target, name) {
        if (name === "matches" && choice !== "System") return scheme === wanted();
        const value = Reflect.get(target, name, target);
        return typeof value === "function" ? value.bind(target) : value;
      },
    });
  };

  function follow() {
    if (choice !== "System") forget();
    // Lists, dialogs and hints are drawn outside the framework's own element.
    document.documentElement.style.colorScheme = choice === "System" ? "" : wanted();
    window.dispatchEvent(new Event("afterprint")); // after printing, the framework asks again which theme the system wants
  }

  function choose(chosen) {
    choice = chosen;
    write();
    forget();
    follow();
    window.setTimeout(() => isFollowed() || window.location.reload(), SLOW_MS);
  }

  function draw({ parentElement }) {
    if (parentElement.querySelector("fieldset")) return;
    const group = document.createElement("fieldset");
    group.append(Object.assign(document.createElement("legend"), { textContent: "Theme" }));
    for (const each of CHOICES) {
      const label = document.createElement("label");
      const input = Object.assign(document.createElement("input"), { type: "radio", name: "theme", value: each });
      input.checked = each === choice;
      input.addEventListener("change", () => choose(each));
      label.append(input, each);
      group.append(label);
    }
    parentElement.append(Object.assign(document.createElement("style"), { textContent: STYLE }), group);
  }

  follow();
  return { draw };
})();
