"""A family of tasks: typed slots, code made from them, wordings, and the checks that keep the answer single."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import lru_cache
from random import Random
from typing import Any, Final

from authoring.languages import Language
from authoring.templates.board import Board, Column, Frame, Slots
from authoring.templates.names_in_words import fold, literal, warn_once
from authoring.templates.phrasebook import ROWS
from authoring.templates.phrases import FamilyWords, Place, Said, fill, join_sentences, translated_family
from evaluator.errors import ContentError

WORDING: Final = "wording"  # slot of every item: which wording is used


class Form(StrEnum):
    """What of an answer's form counts; its values always do."""

    VALUE = "value"  # one value or a few in a row, in any container
    VALUES = "values"  # several values of one kind in a row, perhaps with labels beside them
    TABLE = "table"  # rows in any order, labels as an index or as a column, columns under any names
    RANKING = "ranking"  # like TABLE, but the rows have the order that the query asks for
    LABELLED = "labelled"  # rows in any order, each under its own label
    EXACT = "exact"  # as the table of equality has it


@dataclass(frozen=True)
class Mistake:
    """A wrong answer that somebody in a hurry would give; it must be rejected, else the problem is not asked."""

    code: str
    why: str
    may_agree: bool = False  # on some data it gives the right answer; there it is no mistake and is left out


@lru_cache(maxsize=4096)  # planning builds the same answers again for thread after thread
def _apart(source: str) -> str:
    """Return code with other scratch names than the reference code has."""
    return re.sub(r"(?<![\w.\"'])_([a-z]\w*)", r"its_\1", source)


@dataclass(frozen=True, kw_only=True)
class Task:
    """One problem made from slots, before it has been executed."""

    words: Mapping[str, Place]  # what the wordings' places are filled with
    board: Board  # the state after it
    body: str = ""  # statements of the reference code
    result: str = ""  # its last expression; empty: it stores variables only
    form: Form = Form.EXACT  # of the result
    stores: tuple[str, ...] = ()  # variables that are compared
    stored_form: Form = Form.EXACT  # of these, but for the names of columns, which later problems use
    makes: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # of big frames: columns that are compared
    atol: float = 0.0  # how far numbers may be off, so that rounding is no mistake
    rtol: float = 0.0  # the same as a fraction, where the size of the numbers is not known; goes before `atol`
    stored_rtol: float = 0.0  # the same for the stored variables alone
    look: str = ""  # expression that says whether it is worth asking, when there is no result and nothing stored
    notes: tuple[Said | None, ...] = ()  # sentences that only some slots need
    validators: Mapping[str, Any] = field(default_factory=dict)  # beside those of the result and the variables
    closing: Said | None = None  # the last sentence: what else to return
    uses: tuple[tuple[str, tuple[str, ...]], ...] = ()  # variables read, with the columns read from them
    checks: tuple[str, ...] = ()  # expressions that are true after the code when there is one answer only
    mistakes: tuple[Mistake, ...] = ()
    others: tuple[str, ...] = ()  # other right ways; they must be accepted
    conventions: int = 0  # rules that the query states because they decide: ties, bounds, ddof, missing values
    cost: float = 0.15  # seconds on 200,000 rows, generously
    startup_s: float = 0.0  # seconds on any table

    def __post_init__(self) -> None:
        """Give scratch names of other answers names of their own: those that references leave behind are protected."""
        object.__setattr__(self, "mistakes", tuple(replace(m, code=_apart(m.code)) for m in self.mistakes))
        object.__setattr__(self, "others", tuple(map(_apart, self.others)))

    @property
    def code(self) -> str:
        """The reference code, long lines folded."""
        return "\n".join(fold(line) for part in (self.body, self.result) if part for line in part.split("\n"))


Propose = Callable[[Board, Random], Iterator[dict[str, Any]]]
Build = Callable[[Board, Slots], Task]


@dataclass(frozen=True, kw_only=True)
class Family:
    """One kind of task; `@family` declares it."""

    name: str  # in sketches too, which keep it
    theme: str
    knowledge_points: tuple[str, ...]
    idea: str  # one line of a sketch, in English
    wordings: tuple[str, ...]  # whole queries, in English
    propose: Propose  # slots that fit the board, best first
    build: Build
    limit: int = 1  # times it may stand in one draft
    worth: float = 1.0  # how much it is favoured among those of its stage
    about: tuple[str, ...] | None = None  # slots that make two problems of it the same to a reader; None: all
    prepares: bool = False  # what it makes is there to be used: a set in which nothing uses it goes without it
    translations: Mapping[Language, FamilyWords] | None = None  # None: in the files of `translations/`

    def __post_init__(self) -> None:
        """Refuse words that no query can be made of."""
        if not self.wordings or not self.knowledge_points:
            raise ValueError(f"family {self.name!r} has no wordings or no knowledge points")
        if any(len(words.wordings) != len(self.wordings) for words in (self.translations or {}).values()):
            raise ValueError(f"a translation of family {self.name!r} has not as many wordings as the English one")

    def words_in(self, language: Language) -> FamilyWords:
        """Return the idea and the wordings in a language; in English where its own translations lack that language."""
        english = FamilyWords(self.idea, self.wordings)
        if language is Language.ENGLISH:
            return english
        if self.translations is not None:
            return self.translations.get(language, english)
        return translated_family(language, self.name)

    def query(self, task: Task, slots: Slots, language: Language = Language.ENGLISH) -> str:
        """Return the query as the user asks it."""
        number = slots.get(WORDING, 0)
        if not isinstance(number, int) or isinstance(number, bool):
            raise ContentError(f"slot {WORDING!r} of a {self.name!r} item is no number", fix="write a number from 0 on")
        wordings = self.words_in(language).wordings
        sentence = fill(wordings[number % len(wordings)], task.words, language).rstrip()  # a last place may be empty
        others = (part.say(language) for part in (*task.notes, task.closing) if part is not None)
        return warn_once(join_sentences((sentence, *others), language), language)

    def idea_text(self, task: Task, language: Language = Language.ENGLISH) -> str:
        """Return the line that a sketch shows."""
        return warn_once(fill(self.words_in(language).idea, task.words, language), language)


def family(
    *,
    theme: str,
    knowledge_points: tuple[str, ...],
    idea: str,
    wordings: tuple[str, ...],
    propose: Propose,
    limit: int = 1,
    worth: float = 1.0,
    about: tuple[str, ...] | None = None,
    prepares: bool = False,
    translations: Mapping[Language, FamilyWords] | None = None,
) -> Callable[[Build], Family]:
    """Make a family of the function that builds its tasks; the function's name becomes the family's.

    Args:
        theme: The stage of an analysis that it belongs to (`planning.STAGES`).
        knowledge_points: What a problem of it teaches; the first one counts as its main point.
        idea: One line of a sketch, in English, with places such as `{column}` that `Task.words` fills.
        wordings: Whole queries, in English, with the same kind of places; at least one.
        propose: Yields slots that fit a board, best first.
        limit: Times it may stand in one draft.
        worth: How much it is favoured among those of its stage.
        about: Slots that make two problems of it the same to a reader; all of them, if not given.
        prepares: Whether what it makes, such as a column or a function, is worth asking for only when it is used later.
        translations: Its words in other languages, for families of other packages; ours are in `translations/`.
    """

    def declare(build: Build) -> Family:
        return Family(
            name=build.__name__,
            theme=theme,
            knowledge_points=knowledge_points,
            idea=idea,
            wordings=wordings,
            propose=propose,
            build=build,
            limit=limit,
            worth=worth,
            about=about,
            prepares=prepares,
            translations=translations,
        )

    return declare


class UnfitColumnError(ContentError):
    """A column is there, but a family cannot work with what it holds or means; nobody wrote anything wrong."""


def text_slot(slots: Slots, key: str, allowed: tuple[str, ...] = ()) -> str:
    """Return a slot that holds text.

    Raises:
        ContentError: If it is missing, no text, or not among `allowed`.
    """
    value = slots.get(key)
    if not isinstance(value, str) or (allowed and value not in allowed):
        wish = f"one of {', '.join(map(repr, allowed))}" if allowed else "text"
        raise ContentError(f"slot {key!r} is {value!r}", fix=f"write {wish}")
    return value


def number_slot(slots: Slots, key: str) -> int | float:
    """Return a slot that holds a number.

    Raises:
        ContentError: If it is missing or no number.
    """
    value = slots.get(key)
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ContentError(f"slot {key!r} is {value!r}", fix="write a number")
    return value


def count_slot(slots: Slots, key: str) -> int:
    """Return a slot that holds a whole number from 0 on.

    Raises:
        ContentError: If it does not.
    """
    value = number_slot(slots, key)
    if not isinstance(value, int) or value < 0:
        raise ContentError(f"slot {key!r} is {value!r}", fix="write a whole number")
    return value


def numbers_slot(slots: Slots, key: str) -> list[float]:
    """Return a slot that holds a list of numbers.

    Raises:
        ContentError: If it does not.
    """
    value = list_slot(slots, key)
    if any(isinstance(one, bool) or not isinstance(one, int | float) for one in value):
        raise ContentError(f"slot {key!r} is {value!r}", fix="write a list of numbers")
    return [float(one) for one in value]


def list_slot(slots: Slots, key: str) -> list[Any]:
    """Return a slot that holds a list of texts or numbers, not empty.

    Raises:
        ContentError: If it does not.
    """
    value = slots.get(key)
    if not isinstance(value, (list, tuple)) or not value:
        raise ContentError(f"slot {key!r} is {value!r}", fix="write a list")
    return list(value)


def column_slot(frame: Frame, slots: Slots, key: str, among: Iterable[Column] | None = None) -> Column:
    """Return the column of `frame` that a slot names.

    Raises:
        ContentError: If there is no such column.
        UnfitColumnError: If it is not `among` those that the task can work with.
    """
    column = frame.column(text_slot(slots, key))
    allowed = None if among is None else [one.name for one in among]
    if allowed is not None and column.name not in allowed:
        fit = ", ".join(map(repr, allowed[:8])) or "another family"
        raise UnfitColumnError(f"slot {key!r} cannot be column {column.name!r}", fix=f"use one of {fit}")
    return column


def frame_slot(board: Board, slots: Slots) -> Frame:
    """Return the frame that the slot `frame` names.

    Raises:
        ContentError: If no earlier problem stores it.
    """
    return board.frame(text_slot(slots, "frame"))


def at(frame: Frame | str, column: Column | str) -> str:
    """Return the code that reads a column of a frame."""
    var = frame if isinstance(frame, str) else frame.var
    return f"{var}[{literal(column if isinstance(column, str) else column.name)}]"


@dataclass(frozen=True)
class RowNoun:
    """What the rows of a table are called: by their noun where it is known and of the query's language."""

    noun: str

    def say(self, language: Language) -> str:
        """Return the noun, or the word for rows."""
        return self.noun if self.noun and language is Language.ENGLISH else ROWS.say(language)


def noun_of(frame: Frame) -> RowNoun:
    """Return what the rows of a frame are called in a query."""
    return RowNoun(frame.noun)


def lit(column: Column) -> str:
    """Return a column's name as Python code."""
    return literal(column.name)


def rounding(*typical: float | None) -> float:
    """Return how far numbers of a typical size may be off when they are rounded to three or more digits.

    It is below 1, so that counts in the same table stay exact.
    """
    known = [abs(value) for value in typical if value]
    size = min(known, default=1.0)
    return next((atol for bound, atol in ((1, 6e-4), (100, 6e-3), (10_000, 0.06)) if size < bound), 0.6)
