"""The words, icons and colours that name a state, and the escaping of labels made from data. No Streamlit here."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Final, Literal

from authoring.ui.drawing import ansi
from evaluator.scoring import MEANINGS, meaning_of
from evaluator.session import ENDING_WORDS

Colour = Literal["green", "orange", "red", "blue", "gray", "violet"]

_ICON: Final = ":material/"
_CODE = re.compile(r"`([^`]+)`")
_MARKDOWN = re.compile(r"([\\`*_{}\[\]()#+\-.!~|<>$:&])")
# What Streamlit replaces when the backslashes are gone: icons, its logo, emoji, arrows, dashes, signs of comparison.
_REPLACED = re.compile(r":(?=material[/_]|[\w+-]+:)|(?<!\S)(?:<->|->|<-|--|>=|<=|~=)(?!\S)")
NOTHING: Final = ":small[]"  # draws nothing, and parts what stands before and behind it


@dataclass(frozen=True)
class Chip:
    """A state as word, icon and colour: the word says it all, so nobody has to see the colour."""

    word: str
    icon: str
    colour: Colour
    about: str = ""  # what the word means, in a plain sentence


_STATUS: Final[Mapping[str, Chip]] = {
    "draft": Chip("draft", ":material/edit_note:", "blue"),
    "submitted": Chip("submitted", ":material/outbox:", "violet"),
    "accepted": Chip("accepted", ":material/verified:", "green"),
    "sent_back": Chip("sent back", ":material/reply:", "orange"),
    "queued": Chip("queued", ":material/schedule:", "gray"),
    "running": Chip("running", ":material/progress_activity:", "blue"),
    "done": Chip("done", ":material/check_circle:", "green"),
    "failed": Chip("failed", ":material/error:", "red"),
    "cancelled": Chip("cancelled", ":material/cancel:", "gray"),
    "interrupted": Chip("interrupted", ":material/power_off:", "orange"),
    "open": Chip("open", ":material/pending:", "blue"),
    "proposed": Chip("proposed", ":material/pending:", "blue"),
    "changed": Chip("accepted with changes", ":material/edit:", "green"),
    "refused": Chip("refused", ":material/block:", "gray"),
    "planned": Chip("planned", ":material/schedule:", "gray"),
    "sketched": Chip("sketched", ":material/draw:", "blue"),
    "drafted": Chip("drafted", ":material/edit_note:", "blue"),
    "kept": Chip("drafted anew", ":material/redo:", "gray"),
    "dropped": Chip("dropped", ":material/delete:", "orange"),
}
_VERDICT_CHIPS: Final[Mapping[str, Chip]] = {
    "CORRECT": Chip("CORRECT", ":material/check:", "green"),
    "none": Chip("not run", ":material/remove:", "gray"),
    "NOT_JUDGED": Chip("NOT_JUDGED", ":material/help:", "orange"),
    "INTACT_VIOLATION": Chip("INTACT_VIOLATION", ":material/warning:", "orange"),
    "PRESENTATION_ERROR": Chip("PRESENTATION_ERROR", ":material/format_align_left:", "orange"),
    "WRONG_OUTPUT": Chip("WRONG_OUTPUT", ":material/close:", "red"),
    "WRONG_VARIABLES": Chip("WRONG_VARIABLES", ":material/data_object:", "red"),
    "UNIT_TEST_FAILURE": Chip("UNIT_TEST_FAILURE", ":material/rule:", "red"),
    "BAD_MODEL": Chip("BAD_MODEL", ":material/trending_down:", "red"),
    "TIMEOUT": Chip("TIMEOUT", ":material/timer_off:", "red"),
    "CRASH": Chip("CRASH", ":material/bolt:", "red"),
    "SYNTAX_ERROR": Chip("SYNTAX_ERROR", ":material/code_off:", "red"),
    "UNKNOWN": Chip("UNKNOWN", ":material/question_mark:", "red"),
}
_NOTHING_CHIPS: Final[Mapping[bool, tuple[str, str, Colour]]] = {
    True: ("passes", ":material/error:", "red"),
    False: ("fails", ":material/check:", "green"),
}
MEANINGS_OF_WORDS: Final[Mapping[str, str]] = {
    **{str(name): meaning for name, meaning in MEANINGS.items()},
    "passes": "a submission without code passes: the validators ask for nothing",
    "fails": "a submission without code fails, as it must",
}
"""Verdicts, subverdicts and what badges say of the empty answer -> what they mean."""


def status_chip(status: str) -> Chip:
    """Return the chip of a problemset's status or a job's state."""
    return _STATUS.get(status, Chip(status.replace("_", " ") or "unknown", ":material/help:", "gray"))


def verdict_chip(verdict: str) -> Chip:
    """Return the chip of a verdict, each with an icon of its own; `none` means that nobody answered."""
    chip = _VERDICT_CHIPS.get(verdict or "none", Chip(verdict, ":material/close:", "red"))
    return replace(chip, about=meaning_of(verdict))


def cause_words(subverdict: str) -> str:
    """Return a subverdict as Markdown, spelled as everywhere; nothing where a verdict has no cause beside it."""
    return label(subverdict) if has_cause(subverdict) else ""


def nothing_chip(verdict: str) -> Chip:
    """Return the chip of the empty agent's verdict, where CORRECT is the bad news."""
    if verdict in ("", "none", "NOT_JUDGED"):
        return verdict_chip(verdict)
    word, icon, colour = _NOTHING_CHIPS[verdict == "CORRECT"]
    return Chip(word, icon, colour, MEANINGS_OF_WORDS[word])


def label(text: str, *, limit: int = 200) -> str:
    """Return text from data as a label: Markdown signs escaped, one line, invisible characters shown, capped."""
    return escaped(one_line(text, limit=limit))


def escaped(text: str) -> str:
    """Return one line of text as Markdown that shows just these characters: no icon, no colour, no emoji, no markup."""
    parts, done = [], 0
    for found in _REPLACED.finditer(text):
        signs = NOTHING.join(map(_with_backslashes, found[0]))
        parts += [_with_backslashes(text[done : found.start()]), signs, NOTHING if found[0] == ":" else ""]
        done = found.end()
    return "".join([*parts, _with_backslashes(text[done:])])


def _with_backslashes(text: str) -> str:
    return _MARKDOWN.sub(r"\\\1", text)


def ending_words(ending: str) -> str:
    """Return how the execution of a cell ended, as plain text; an ending that is none of ours stays as it is."""
    words = next((words for known, words in ENDING_WORDS.items() if known == ending), ending)
    return f"{words[:1].upper()}{words[1:]}"


def has_cause(subverdict: str) -> bool:
    """Return whether a verdict has a cause beside it."""
    return subverdict not in ("", "UNCATEGORIZED")


def one_line(text: str, *, limit: int = 200) -> str:
    """Return text from data as one plain line: invisible characters shown, capped."""
    flat = " ".join(ansi.plain_text(text).split())
    return f"{flat[: limit - 1]}…" if len(flat) > limit else flat


def prose(text: str, *, limit: int = 200) -> str:
    """Return a query or another text of people as a label in which only what stands in backticks is code."""
    parts = code_parts(text, limit=limit)
    return "".join(_code(part) if is_code else escaped(part) for part, is_code in parts)


def _code(part: str) -> str:
    return f"`{part}`" if _ICON not in part else escaped(f"`{part}`")  # Streamlit changes the name of an icon in code


def code_parts(text: str, *, limit: int = 200) -> list[tuple[str, bool]]:
    """Return a text of people as one line, in parts, each with whether it stood in backticks and so is code."""
    flat = " ".join(ansi.plain_text(text).split())
    if len(flat) > limit:
        flat = flat[: limit - 1]
        flat = f"{flat if flat.count('`') % 2 == 0 else ''.join(flat.rsplit('`', 1))}…"  # no backtick left alone
    return [(part, at % 2 == 1) for at, part in enumerate(_CODE.split(flat))]


def author_words(author: str, origin: str) -> str:
    """Return who wrote a revision: for what a program made at somebody's order it names both."""
    made_by = {"template": "the template author", "model": "a model", "import": "an import"}.get(origin)
    if made_by is None:
        return label(author)
    return made_by if author in ("", origin) else f"{made_by}, for {label(author)}"


def ago(moment: str | None, *, now: datetime | None = None) -> str:
    """Return how long ago a stored UTC time was, as Markdown; the time itself comes up under the pointer.

    Behind the words stand the seconds since 1970, transparent: `app.css` leaves them out of the page, and
    `static/hints.js` says them as a time of the reader's clock.
    """
    then = _read_moment(moment)
    words = label(time_since(moment, now=now))
    return words if then is None else f'{words}:color[{int(then.timestamp())}]{{foreground="transparent"}}'


def _read_moment(moment: str | None) -> datetime | None:
    try:
        then = datetime.fromisoformat(moment or "")
    except ValueError:
        return None
    return then if then.tzinfo is not None else then.replace(tzinfo=UTC)


def time_since(moment: str | None, *, now: datetime | None = None) -> str:
    """Return how long ago a stored UTC time was, as plain text; a dash when there is none."""
    then = _read_moment(moment)
    if then is None:
        return moment or "–"
    seconds = ((now or datetime.now(UTC)) - then).total_seconds()
    if seconds < 10:
        return "just now"
    for size, unit in ((86_400, "day"), (3_600, "hour"), (60, "minute"), (1, "second")):
        if seconds >= size:
            count = int(seconds // size)
            return f"{count} {unit}{'' if count == 1 else 's'} ago"
    return "just now"


def size_words(size_bytes: int) -> str:
    """Return a number of bytes as people say it."""
    size = float(size_bytes)
    for unit in ("B", "kB", "MB"):
        if size < 1000:
            return f"{size:.0f} {unit}" if unit == "B" or size >= 100 else f"{size:.1f} {unit}"
        size /= 1000
    return f"{size:.1f} GB"


def plural(count: int, noun: str) -> str:
    """Return `3 problems`, `1 problem`."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def numbered(numbers: Sequence[int], *, most: int) -> str:
    """Return `problem 1`, `problems 1, 3 and 2 more`: at most so many are named."""
    more = len(numbers) - most
    named = ", ".join(map(str, numbers[:most])) + (f" and {more} more" if more > 0 else "")
    return f"problem{'' if len(numbers) == 1 else 's'} {named}"
