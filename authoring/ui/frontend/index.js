// The editor and the comparison of the app, on CodeMirror 6. Foreign text arrives in `data` and is drawn by CodeMirror or
// through textContent, never as HTML. build.sh bundles this file into static/cm6.js.
import { autocompletion, completeFromList, ifNotIn } from "@codemirror/autocomplete";
import { indentWithTab } from "@codemirror/commands";
import { markdown } from "@codemirror/lang-markdown";
import { globalCompletion, localCompletionSource, pythonLanguage } from "@codemirror/lang-python";
import { yaml } from "@codemirror/lang-yaml";
import { HighlightStyle, LanguageSupport, indentUnit, syntaxHighlighting } from "@codemirror/language";
import { lintGutter, setDiagnostics } from "@codemirror/lint";
import { MergeView, unifiedMergeView } from "@codemirror/merge";
import { Annotation, Compartment, EditorState, Prec, StateEffect, StateField } from "@codemirror/state";
import { Decoration, EditorView, keymap } from "@codemirror/view";
import { tags } from "@lezer/highlight";
import { basicSetup } from "codemirror";
import { addSeen, dropFound, dropMirror, hashOf, keepFound, nextNumber, readFound, readMirror, writeMirror } from "./mirror.js";

const PAUSE_MS = 400; // in typing, before the text is sent
const NARROW_PX = 640; // below, a comparison stands in one column
const fromServer = Annotation.define();
const reachable = { tabindex: "0" }; // editable text is in the order of Tab anyway; tools that check pages look for this

const colours = HighlightStyle.define([
  { tag: [tags.keyword, tags.operatorKeyword, tags.modifier], color: "var(--st-blue-text-color)", fontWeight: "600" },
  { tag: [tags.string, tags.special(tags.string), tags.monospace], color: "var(--st-green-text-color)" },
  { tag: [tags.number, tags.bool, tags.null, tags.atom], color: "var(--st-orange-text-color)" },
  { tag: [tags.comment, tags.quote], color: "var(--st-gray-text-color)", fontStyle: "italic" },
  { tag: [tags.function(tags.definition(tags.variableName)), tags.className], fontWeight: "600" },
  { tag: [tags.propertyName, tags.definition(tags.propertyName)], color: "var(--st-link-color)" },
  { tag: [tags.meta, tags.link, tags.url], color: "var(--st-link-color)" },
  { tag: tags.heading, fontWeight: "700" },
  { tag: tags.strong, fontWeight: "700" },
  { tag: tags.emphasis, fontStyle: "italic" },
  { tag: tags.invalid, color: "var(--st-red-text-color)" },
]);
// Tints stay under 16 %: on anything stronger the paler colours of code have less than 4.5:1. Lines say the rest.
const mixed = (name, percent) => `color-mix(in srgb, var(--st-${name}-text-color) ${percent}%, transparent)`;
const underlined = (name) => {
  const colour = `var(--st-${name}-text-color)`;
  return `linear-gradient(${colour}, ${colour}) bottom / 100% 2px no-repeat, ${mixed(name, 9)}`;
};
const look = EditorView.theme({
  "&": {
    color: "var(--st-code-text-color)",
    backgroundColor: "var(--st-code-background-color)",
    border: "1px solid var(--st-border-color)",
    borderRadius: "var(--st-base-radius)",
    fontSize: "var(--st-code-font-size)",
  },
  "&.cm-focused": { outline: "2px solid var(--st-link-color)", outlineOffset: "-1px" },
  ".cm-scroller": { fontFamily: "var(--st-code-font)", lineHeight: "1.5", overflow: "auto" },
  ".cm-content": { caretColor: "var(--st-text-color)", padding: "0.4rem 0" },
  ".cm-cursor, .cm-dropCursor": { borderLeftColor: "var(--st-text-color)" },
  ".cm-gutters": {
    color: "var(--st-gray-text-color)",
    backgroundColor: "var(--st-code-background-color)",
    borderRight: "1px solid var(--st-border-color)",
  },
  ".cm-activeLine, .cm-activeLineGutter": { backgroundColor: "transparent" },
  "&.bw-comments :is(.cm-lineNumbers, .cm-gutter-lint) .cm-gutterElement": { cursor: "pointer" },
  "&.bw-comments .cm-lineNumbers .cm-gutterElement:hover": { color: "var(--st-link-color)", textDecoration: "underline" },
  ".cm-line.bw-shown, &.cm-focused .cm-line.bw-shown": { backgroundColor: mixed("orange", 15), boxShadow: "inset 3px 0 var(--st-orange-text-color)" },
  "&.cm-focused .cm-activeLine, &.cm-focused .cm-activeLineGutter": { backgroundColor: mixed("gray", 10) },
  "&.bw-prose .cm-scroller": { fontFamily: "var(--st-font)" },
  ".cm-selectionBackground, &.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground": {
    background: mixed("blue", 15),
  },
  ".cm-selectionMatch, .cm-searchMatch": { backgroundColor: mixed("orange", 13) },
  ".cm-searchMatch": { outline: "1px solid var(--st-orange-text-color)" },
  ".cm-searchMatch-selected": { backgroundColor: mixed("orange", 15), outlineWidth: "2px" },
  "&.cm-focused .cm-matchingBracket": { backgroundColor: mixed("green", 15), outline: `1px solid ${mixed("green", 60)}` },
  "&.cm-focused .cm-nonmatchingBracket": { backgroundColor: mixed("red", 15), outline: `1px solid ${mixed("red", 60)}` },
  ".cm-panels, .cm-tooltip": {
    color: "var(--st-text-color)",
    backgroundColor: "var(--st-secondary-background-color)",
    borderColor: "var(--st-border-color)",
    fontFamily: "var(--st-font)",
    fontSize: "0.85rem",
  },
  ".cm-tooltip": { border: "1px solid var(--st-border-color)", borderRadius: "var(--st-base-radius)", zIndex: "100" },
  ".cm-tooltip-lint": { padding: "0" },
  ".cm-panel.cm-search": { padding: "0.4rem 1.6rem 0.4rem 0.5rem" },
  ".cm-panel.cm-search [name=close]": { color: "inherit", fontSize: "1.1rem", right: "0.4rem", cursor: "pointer" },
  ".cm-panel .cm-textfield, .cm-panel .cm-button": {
    color: "var(--st-text-color)",
    background: "var(--st-background-color)",
    border: "1px solid var(--st-border-color)",
    borderRadius: "4px",
    fontSize: "0.85rem",
  },
  ".cm-panel .cm-button:active": { background: mixed("gray", 20) },
  ".cm-panel :focus-visible": { outline: "2px solid var(--st-link-color)" },
  ".cm-tooltip.cm-tooltip-autocomplete > ul": { fontFamily: "var(--st-code-font)" },
  ".cm-tooltip-autocomplete ul li[aria-selected]": { color: "#fff", background: "var(--st-primary-color)" },
  ".cm-diagnostic": { padding: "0.3rem 0.6rem", whiteSpace: "pre-wrap", maxWidth: "36rem" },
  ".cm-diagnostic-error": { borderLeftColor: "var(--st-red-text-color)" },
  ".cm-diagnostic-warning": { borderLeftColor: "var(--st-orange-text-color)" },
  ".cm-lintRange-error": { backgroundImage: "none", textDecoration: "underline wavy var(--st-red-text-color)" },
  ".cm-lintRange-warning": { backgroundImage: "none", textDecoration: "underline wavy var(--st-orange-text-color)" },
  ".cm-collapsedLines": {
    color: "var(--st-gray-text-color)",
    background: "var(--st-secondary-background-color)",
    "&:before, &:after": { color: "inherit" },
  },
  "&.cm-merge-a .cm-changedLine, .cm-deletedChunk": { backgroundColor: mixed("red", 6) },
  "&.cm-merge-b .cm-changedLine, &.bw-unified .cm-changedLine": { backgroundColor: mixed("green", 6) },
  "&.cm-merge-a .cm-changedText, .cm-deletedChunk .cm-deletedText": { background: underlined("red") },
  "&.cm-merge-b .cm-changedText, &.bw-unified .cm-changedText": { background: underlined("green") },
  "&.bw-unified .cm-changedLine::before": { content: '"+ "', color: "var(--st-green-text-color)" },
  "&.bw-unified .cm-deletedChunk .cm-deletedLine::before": { content: '"− "', color: "var(--st-red-text-color)" },
  "&.cm-merge-a .cm-changedLineGutter, .cm-deletedLineGutter": { background: "var(--st-red-text-color)" },
  "&.cm-merge-b .cm-changedLineGutter, &.bw-unified .cm-changedLineGutter": { background: "var(--st-green-text-color)" },
});
const frame = `
  .bw-label { font: 400 0.9rem var(--st-font); color: var(--st-text-color); margin: 0 0 0.3rem; display: flex; gap: 1rem; }
  .bw-label > * { flex: 1 1 0; min-width: 0; }
  .cm-mergeView { border-radius: var(--st-base-radius); }
  .cm-mergeViewEditor { min-width: 0; flex: 1 1 0; }
  @media (prefers-reduced-motion: reduce) { .cm-cursorLayer { animation: none !important; } }
`;

// The line that somebody asked to see, for a moment.
const MARKED_MS = 4000;
const markLine = StateEffect.define();
const markedLine = StateField.define({
  create: () => Decoration.none,
  update(marked, transaction) {
    const effect = transaction.effects.find((each) => each.is(markLine));
    if (!effect) return marked.map(transaction.changes);
    if (effect.value === null) return Decoration.none;
    return Decoration.set(Decoration.line({ class: "bw-shown" }).range(effect.value));
  },
  provide: (field) => EditorView.decorations.from(field),
});
const linesShown = new Set(); // wishes that were followed: a new editor of the same text must not jump again

// A form that a wish to comment opens stands elsewhere on the page, once the server has drawn it.
const FORM_MS = 8000;
function focusForm(until = Date.now() + FORM_MS) {
  const form = document.querySelector('textarea[aria-label="New comment"]:not(:disabled)');
  const isDrawn = document.querySelector('[data-test-script-state="notRunning"]') !== null;
  if (form && isDrawn) form.focus();
  else if (Date.now() < until) window.setTimeout(() => focusForm(until), 100);
}

function languageOf(name, words) {
  if (name === "markdown") return markdown({ completeHTMLTags: false });
  const known = completeFromList(words.map((label) => ({ label, type: "variable", boost: 1 })));
  if (name === "yaml") return [yaml(), yaml().language.data.of({ autocomplete: known })];
  if (name !== "python") return [];
  const inCode = ifNotIn(["String", "Comment", "FormatString"], known);
  const sources = [localCompletionSource, globalCompletion, inCode];
  return new LanguageSupport(pythonLanguage, sources.map((autocomplete) => pythonLanguage.data.of({ autocomplete })));
}

function rootOf(parentElement) {
  return parentElement instanceof ShadowRoot ? parentElement : document;
}

function makeFrame(parentElement, titles) {
  const style = document.createElement("style");
  style.textContent = frame;
  const heading = document.createElement("div");
  heading.className = "bw-label";
  const entitle = (names) =>
    heading.replaceChildren(...names.map((name) => Object.assign(document.createElement("span"), { textContent: name })));
  entitle(titles);
  const place = document.createElement("div");
  parentElement.append(style, heading, place);
  return { nodes: [style, heading, place], place, entitle };
}

// A change of page overtakes text that is on its way, or is swallowed by it. So a link that is followed right after typing
// waits until the text has arrived; going back cannot wait, and the text stays in the mirror until the next visit.
const PATIENCE_MS = 4000;
const BACK_MS = 2000;
const open = new Set();

function onClick(event) {
  const link = event.composedPath().find((node) => node instanceof HTMLAnchorElement && node.href);
  if (!link || !event.isTrusted || event.ctrlKey || event.metaKey || event.shiftKey || !link.isConnected) return;
  if ([...open].every((editor) => editor.isSettled())) return;
  event.preventDefault();
  event.stopImmediatePropagation();
  for (const editor of open) editor.send();
  follow(link, Date.now() + PATIENCE_MS);
}

function follow(link, until) {
  if (Date.now() < until && ![...open].every((editor) => editor.isSettled())) {
    window.setTimeout(() => follow(link, until), 30);
    return;
  }
  const again = () => [...document.querySelectorAll("a[href]")].find((other) => other.href === link.href);
  (link.isConnected ? link : again())?.click();
}

document.addEventListener("click", onClick, true);
window.addEventListener("popstate", () => open.forEach((editor) => editor.wait(BACK_MS)));

// One editor. The text belongs to the person: the server replaces it only by raising `load_no`.
class Editor {
  constructor(component) {
    this.mount = crypto.getRandomValues(new Uint32Array(2)).join("-");
    this.number = 0; // of the last keystroke; rises over the life of the page
    this.sent = 0;
    this.dirty = false; // something was typed that the server has not confirmed to hold
    this.timer = 0;
    this.words = new Compartment();
    this.wordsShown = "";
    this.take(component);
    const { data } = this;
    const { parentElement } = component;
    this.seen = [hashOf(data.value)]; // texts that the server held while this editor was open, or was sent
    this.frame = makeFrame(parentElement, [data.label]);
    this.view = new EditorView({
      root: rootOf(parentElement),
      parent: this.frame.place,
      state: EditorState.create({ doc: data.value, extensions: this.extensions(data) }),
    });
    if (data.can_comment) this.view.dom.addEventListener("click", (event) => this.onGutter(event));
    this.session = data.session;
    this.loadNo = data.load_no;
    this.diagnosticsShown = "";
    this.onHide = () => this.send();
    document.addEventListener("visibilitychange", this.onHide);
    window.addEventListener("pagehide", this.onHide);
    if (!data.read_only) this.recover(readMirror(data.mirror_key));
    this.decorate();
    open.add(this);
  }

  take(component) {
    this.data = { ...component.data, value: component.data.value.replace(/\r\n?/g, "\n") };
    this.setStateValue = component.setStateValue;
    this.setTriggerValue = component.setTriggerValue;
  }

  extensions(data) {
    const run = (name, more) => () => {
      this.trigger(name, more);
      return true;
    };
    const ours = { preventDefault: true, stopPropagation: true }; // the page's shortcuts would act without the last text
    const keys = [
      { key: "Mod-Enter", run: run("run", { scope: "this" }), ...ours },
      { key: "Mod-Shift-Enter", run: run("run", { scope: "on" }), ...ours },
      { key: "Mod-s", run: run("save", {}), ...ours },
    ];
    if (data.can_comment) keys.push({ key: "Alt-m", run: () => this.comment(), ...ours });
    const leave = { key: "Escape", run: (view) => (view.setTabFocusMode(true), false) };
    const height = EditorView.theme({
      ".cm-scroller": { maxHeight: `${data.max_height}px` },
      ".cm-content, .cm-gutter": { minHeight: `${data.min_height}px` },
    });
    return [
      Prec.highest(keymap.of(data.read_only ? [] : keys)),
      basicSetup,
      keymap.of([indentWithTab, leave]),
      this.words.of(languageOf(data.language, data.words)),
      data.language === "markdown" ? autocompletion({ activateOnTyping: false }) : [],
      data.language === "yaml" ? [] : indentUnit.of("    "),
      EditorState.tabSize.of(4),
      syntaxHighlighting(colours),
      data.wrap ? EditorView.lineWrapping : [],
      data.prose ? EditorView.editorAttributes.of({ class: "bw-prose" }) : [],
      EditorState.readOnly.of(data.read_only),
      EditorView.contentAttributes.of({
        "aria-label": [
          `${data.spoken || data.label}. Press Escape, then Tab to leave the editor.`,
          ...(data.can_comment ? ["Press Alt+M to comment on the line."] : []),
        ].join(" "),
        ...reachable,
        ...(data.read_only ? { "aria-readonly": "true" } : {}),
      }),
      lintGutter(),
      markedLine,
      data.can_comment ? EditorView.editorAttributes.of({ class: "bw-comments" }) : [],
      look,
      height,
      EditorView.domEventHandlers({
        blur: (_event, view) => {
          view.setTabFocusMode(false);
          this.send();
        },
      }),
      EditorView.updateListener.of((update) => {
        if (!update.docChanged) return;
        update.view.setTabFocusMode(false);
        if (!update.transactions.some((transaction) => transaction.annotation(fromServer))) this.typed();
      }),
    ];
  }

  text() {
    return this.view.state.doc.toString();
  }

  typed() {
    this.number = nextNumber();
    this.dirty = true;
    this.remember();
    this.wait(PAUSE_MS);
  }

  wait(pause) {
    window.clearTimeout(this.timer);
    this.timer = window.setTimeout(() => this.send(), pause);
  }

  isSettled() {
    return !this.dirty || this.number <= this.data.last_seq;
  }

  remember() {
    writeMirror(this.data.mirror_key, { text: this.text(), seen: this.seen, mount: this.mount });
  }

  parcel(more) {
    window.clearTimeout(this.timer);
    this.sent = this.number;
    const text = this.text();
    addSeen(this.seen, text);
    if (this.dirty) this.remember();
    return { mount: this.mount, number: this.number, session: this.session, load_no: this.loadNo, text, ...more };
  }

  send() {
    if (this.dirty && this.sent !== this.number) this.setStateValue("text", this.parcel({}));
  }

  trigger(name, more) {
    this.setTriggerValue(name, this.parcel({ ...more, pressed: nextNumber() }));
  }

  // A comment on a line: the one whose number or mark was clicked, or the one of the cursor.
  onGutter(event) {
    if (!event.target.closest(".cm-lineNumbers, .cm-gutter-lint")) return;
    const block = this.view.lineBlockAtHeight(event.clientY - this.view.documentTop);
    this.comment(this.view.state.doc.lineAt(block.from).number);
  }

  comment(line = this.view.state.doc.lineAt(this.view.state.selection.main.head).number) {
    this.trigger("comment", { line });
    window.setTimeout(focusForm, PAUSE_MS); // the page is about to be drawn
    return true;
  }

  showLine({ number, line: wanted }) {
    const wish = `${this.data.session}:${number}`;
    if (!number || linesShown.has(wish)) return;
    linesShown.add(wish);
    const { doc } = this.view.state;
    const { from } = doc.line(Math.min(Math.max(wanted, 1), doc.lines));
    const effects = [markLine.of(from), EditorView.scrollIntoView(from, { y: "center" })];
    this.view.dispatch({ selection: { anchor: from }, effects });
    this.view.focus();
    window.setTimeout(() => this.view.dispatch({ effects: markLine.of(null) }), MARKED_MS);
  }

  // What an earlier editor of this field left unsent: sent now, or offered when somebody else saved since.
  recover(mirror) {
    const { mirror_key: key, value } = this.data;
    if (mirror && mirror.text === value) dropMirror(key);
    else if (mirror && mirror.seen.includes(hashOf(value))) {
      this.seen = mirror.seen;
      this.replace(mirror.text);
      this.typed();
    } else if (mirror) this.offer(mirror.text);
    const found = readFound(key);
    if (found && (found.text === value || found.text === this.text())) dropFound(key);
    else if (found) window.setTimeout(() => this.setTriggerValue("found", { text: found.text, pressed: nextNumber() }), 0);
  }

  offer(text) {
    keepFound(this.data.mirror_key, text);
    dropMirror(this.data.mirror_key);
  }

  update(component) {
    this.take(component);
    const { session, load_no: loadNo, value, mirror_key: key } = this.data;
    const moved = session !== this.session; // the server restarted, or forgot this tab
    const replaced = moved || loadNo !== this.loadNo;
    const behind = this.dirty && (moved || this.number > this.data.last_seq); // the server decided without the last keystrokes
    [this.session, this.loadNo] = [session, loadNo];
    if (replaced && !moved && !this.data.offered) dropFound(key);
    if (value === this.text()) this.confirm();
    else if (replaced && behind) this.keepOrOffer(moved || this.data.theirs);
    else if (replaced) {
      this.replace(value);
      this.confirm();
    }
    this.decorate();
  }

  keepOrOffer(theirs) {
    const mine = this.text();
    if (!theirs || this.seen.includes(hashOf(this.data.value))) {
      addSeen(this.seen, this.data.value);
      this.typed();
      return;
    }
    this.replace(this.data.value);
    this.confirm();
    this.offer(mine);
    this.recover(null);
  }

  confirm() {
    this.dirty = false;
    this.sent = this.number;
    this.seen = [hashOf(this.data.value)];
    window.clearTimeout(this.timer);
    const mirror = readMirror(this.data.mirror_key);
    if (mirror && (mirror.mount === this.mount || mirror.text === this.data.value)) dropMirror(this.data.mirror_key);
  }

  replace(text) {
    const { from, to, insert } = smallestChange(this.text(), text);
    this.view.dispatch({ changes: { from, to, insert }, annotations: fromServer.of(true) });
  }

  decorate() {
    const { data, view } = this;
    this.showLine(data.shown);
    const words = JSON.stringify(data.words);
    if (words !== this.wordsShown) {
      this.wordsShown = words;
      view.dispatch({ effects: this.words.reconfigure(languageOf(data.language, data.words)) });
    }
    const wanted = JSON.stringify(data.diagnostics);
    if (wanted === this.diagnosticsShown || (this.dirty && this.number > data.last_seq)) return;
    this.diagnosticsShown = wanted;
    const marks = data.diagnostics.map((found) => {
      const line = view.state.doc.line(Math.min(Math.max(found.line, 1), view.state.doc.lines));
      const indent = line.text.length - line.text.trimStart().length;
      return { from: line.from + indent, to: line.to, severity: found.severity, message: found.text };
    });
    view.dispatch(setDiagnostics(view.state, marks));
  }

  destroy() {
    open.delete(this);
    window.clearTimeout(this.timer);
    document.removeEventListener("visibilitychange", this.onHide);
    window.removeEventListener("pagehide", this.onHide);
    this.view.destroy();
    for (const node of this.frame.nodes) node.remove();
  }
}

// Replacing only what differs keeps the cursor, the scroll position and the undo history where they were.
function smallestChange(before, after) {
  let from = 0;
  const shorter = Math.min(before.length, after.length);
  while (from < shorter && before[from] === after[from]) from += 1;
  let end = 0;
  while (end < shorter - from && before[before.length - 1 - end] === after[after.length - 1 - end]) end += 1;
  return { from, to: before.length - end, insert: after.slice(from, after.length - end) };
}

// Two texts: side by side, or in one column where there is no room.
class Comparison {
  constructor(component) {
    const { data, parentElement } = component;
    this.root = rootOf(parentElement);
    this.frame = makeFrame(parentElement, [data.before_label, data.after_label]);
    this.watcher = new ResizeObserver(() => this.draw());
    this.watcher.observe(this.frame.place);
    this.shown = "";
    this.update(component);
  }

  update({ data }) {
    this.data = data;
    this.draw();
  }

  draw() {
    const narrow = this.frame.place.clientWidth > 0 && this.frame.place.clientWidth < NARROW_PX;
    const wanted = JSON.stringify([this.data, narrow]);
    if (wanted === this.shown) return;
    this.shown = wanted;
    this.view?.destroy();
    const { before_label: old, after_label: now } = this.data;
    this.frame.entitle(narrow ? [`− ${old} · + ${now}`] : [old, now]);
    this.view = narrow ? this.unified() : this.sideBySide();
  }

  extensions(label) {
    return [
      basicSetup,
      languageOf(this.data.language, []),
      syntaxHighlighting(colours),
      EditorView.lineWrapping,
      EditorState.readOnly.of(true),
      EditorView.contentAttributes.of({ "aria-label": `${this.data.label}: ${label}`, "aria-readonly": "true", ...reachable }),
      look,
    ];
  }

  sideBySide() {
    const { before, after, before_label: old, after_label: now } = this.data;
    return new MergeView({
      a: { doc: before, extensions: this.extensions(old) },
      b: { doc: after, extensions: this.extensions(now) },
      root: this.root,
      parent: this.frame.place,
      gutter: true,
      collapseUnchanged: { margin: 3, minSize: 4 },
    });
  }

  unified() {
    const { before, after, before_label: old, after_label: now } = this.data;
    const merged = unifiedMergeView({ original: before, mergeControls: false, collapseUnchanged: { margin: 3, minSize: 4 } });
    const marked = EditorView.editorAttributes.of({ class: "bw-unified" });
    const extensions = [this.extensions(`${old}, ${now}`), merged, marked];
    return new EditorView({ doc: after, extensions, root: this.root, parent: this.frame.place });
  }

  destroy() {
    this.watcher.disconnect();
    this.view.destroy();
    for (const node of this.frame.nodes) node.remove();
  }
}

function drawer(Kind) {
  const drawn = new WeakMap();
  return (component) => {
    const place = component.parentElement;
    if (drawn.has(place)) drawn.get(place).update(component);
    else drawn.set(place, new Kind(component));
    return () => {
      drawn.get(place)?.destroy();
      drawn.delete(place);
    };
  };
}

export const drawEditor = drawer(Editor);
export const drawComparison = drawer(Comparison);
