// A list of rows of which each leads to a page, as one table: a few hundred elements of the framework, each with its own
// message and its own place in the page, take seconds until they stand. All text arrives as data and becomes text nodes.
const SELECT = "select";

function element(name, className, ...children) {
  const made = document.createElement(name);
  if (className) made.className = className;
  made.append(...children);
  return made;
}

function piece({ text, icon, colour, kind, href }) {
  const parts = [];
  if (icon) {
    const drawn = element("span", "bw-icon", icon);
    drawn.setAttribute("aria-hidden", "true");
    parts.push(drawn);
  }
  parts.push(text);
  if (kind === "link") {
    const link = element("a", "bw-link", ...parts);
    link.href = new URL(href, document.baseURI).href;
    return link;
  }
  return element("span", kind === "chip" ? `bw-chip bw-on-${colour}` : `bw-${kind}`, ...parts);
}

function box(row, onChange) {
  const input = element("input");
  Object.assign(input, { type: "checkbox", name: SELECT, value: row.key });
  input.setAttribute("aria-label", row.select);
  input.addEventListener("change", onChange);
  return element("td", "bw-box", input);
}

function build({ columns, rows, selectable, label }, onChange) {
  const heads = columns.map(({ title }) => Object.assign(element("th", "", title), { scope: "col" }));
  const widths = columns.map(({ width }) => {
    const column = element("col");
    column.style.width = `${width}%`;
    return column;
  });
  if (selectable) {
    heads.unshift(element("td", "bw-box"));
    widths.unshift(element("col", "bw-box"));
  }
  const lines = rows.map((row) => {
    const cells = row.cells.map((pieces) => element("td", "", ...pieces.flatMap((each) => [piece(each), " "])));
    const line = element("tr", "", ...(selectable ? [box(row, onChange)] : []), ...cells);
    line.dataset.key = row.key;
    return line;
  });
  const parts = [element("colgroup", "", ...widths), element("thead", "", element("tr", "", ...heads)), element("tbody", "", ...lines)];
  const table = element("table", "bw-rows", ...parts);
  table.setAttribute("aria-label", label);
  return table;
}

// Each drawing of a list keeps what the person selected and the server has not had yet.
const lists = new WeakMap(); // place -> what stands there

export function drawRows({ data, parentElement, setTriggerValue }) {
  let list = lists.get(parentElement);
  if (!list) {
    list = { shown: "", sent: data.seq, table: null, setTriggerValue };
    lists.set(parentElement, list);
    parentElement.addEventListener("click", (event) => follow(event, list));
  }
  list.setTriggerValue = setTriggerValue;
  const shown = JSON.stringify([data.columns, data.rows, data.selectable, data.label]);
  if (shown !== list.shown || !list.table.isConnected) {
    const focused = nameOf(document.activeElement, list.table);
    list.table?.remove();
    list.table = build(data, () => tell(list));
    list.shown = shown;
    parentElement.append(list.table);
    if (focused) [...list.table.querySelectorAll("a, input")].find((each) => nameOf(each, list.table) === focused)?.focus();
  }
  if (data.seq < list.sent) return; // the answer to an earlier selection
  list.sent = data.seq;
  const picked = new Set(data.picked);
  for (const input of boxes(list)) input.checked = picked.has(input.value);
}

const boxes = ({ table }) => [...table.querySelectorAll("input")];
const nameOf = (node, table) => (table?.contains(node) ? `${node.closest("tr")?.dataset.key} ${node.localName}` : "");

function tell(list) {
  list.sent += 1;
  const picked = boxes(list).filter((each) => each.checked);
  list.setTriggerValue("picked", { seq: list.sent, picked: picked.map((each) => each.value) });
}

// A plain click opens the page in this tab without loading the app anew; others are the browser's.
function follow(event, list) {
  const link = event.target instanceof Element ? event.target.closest("a") : null;
  if (!link || event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
  event.preventDefault();
  list.setTriggerValue("opened", { key: link.closest("tr").dataset.key, href: link.getAttribute("href"), at: Date.now() });
}
