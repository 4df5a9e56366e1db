// What comes up under the pointer: what verdicts mean, and the exact time of "3 minutes ago". The framework's lines of text
// have no hints for a part of them. The document holds the meanings; a time stands behind its words, unseen.
const MEANINGS = JSON.parse(document.getElementById("bw-meanings")?.textContent ?? "{}");
const KNOWN = new RegExp(`(?<!\\w)(?:${Object.keys(MEANINGS).sort((a, b) => b.length - a.length).join("|") || "(?!)"})(?!\\w)`, "g");
const TIME = ':scope > .stMarkdownColoredText[style*="color: transparent"]';
const SHAPE = {
  year: "numeric", month: "2-digit", day: "2-digit", hour: "2-digit", minute: "2-digit", second: "2-digit", timeZoneName: "short",
};
const told = new WeakSet(); // elements whose hint is ours, and not the framework's

document.addEventListener("pointerover", ({ target }) => {
  if (!(target instanceof Element)) return;
  const badge = target.closest(".stMarkdownBadge");
  if (badge) tell(badge, isHinted(badge) ? "" : meaningsOf(wordsIn(badge)));
  const cell = target.closest('[data-testid="stTable"] td');
  if (cell) tell(cell, meaningsOf(wordsIn(cell).filter((name) => name === name.toUpperCase())));
  const line = target.closest("p");
  if (line) tell(line, [...line.querySelectorAll(TIME)].map((time) => exactly(time.textContent)).join(", "));
});

// A link or a button that has a hint as a whole says it all.
const isHinted = (element) => Boolean(element.closest(".stTooltipHoverTarget"));

const wordsIn = (element) => [...new Set(element.textContent.match(KNOWN) ?? [])];

const meaningsOf = (names) =>
  names.length === 1 ? MEANINGS[names[0]] : names.map((name) => `${name}: ${MEANINGS[name]}`).join("\n");

// In the time zone of whoever reads it. Sweden writes years first, as we do.
const exactly = (seconds) => new Date(Number(seconds) * 1000).toLocaleString("sv-SE", SHAPE);

function tell(element, hint) {
  if (hint) {
    if (element.title !== hint) element.title = hint;
    told.add(element);
  } else if (told.delete(element)) element.removeAttribute("title");
}
