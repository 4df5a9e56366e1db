"""A family of tasks: typed slots, code made from them, wordings, and the checks that keep the answer single."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from random import Random
from typing import Any, Final, TypedDict

from authoring.languages import Language
from authoring.seeds import ColumnProfile
from authoring.templates.board import Board, Frame, Slots
from authoring.templates.levels import Level, level_of
from authoring.templates.names_in_words import code, fold, literal, warn_once
from authoring.templates.phrasebook import THEN_STATISTICS
from authoring.templates.phrases import FamilyWords, Place, Said, fill, join_sentences, translated_family
from evaluator.errors import ContentError

WORDING: Final = "wording"  # slot of every item: which wording is used


@dataclass(frozen=True, kw_only=True)
class Task:
    """One problem made from slots, before it has been executed."""

    words: Mapping[str, Place]  # what the wordings' places are filled with
    board: Board  # the state after it
    body: str = ""  # statements of the reference code
    result: str = ""  # its last expression; empty: it stores variables only
    stores: tuple[str, ...] = ()  # variables that are compared
    loose: tuple[str, ...] = ()  # flags among the matcher options that the stored variables need
    look: str = ""  # expression that says whether it is worth asking, when there is no result and nothing stored
    notes: tuple[Said | None, ...] = ()  # sentences that only some slots need
    validators: Mapping[str, Any] = field(default_factory=dict)  # beside those of the result and the variables
    closing: Said | None = None  # the last sentence: what else to return
    uses: tuple[tuple[str, tuple[str, ...]], ...] = ()  # variables read, with the columns read from them
    checks: tuple[str, ...] = ()  # expressions that are true after the code when there is one answer only
    cost: float = 0.15  # seconds on 200,000 rows, generously
    startup_s: float = 0.0  # seconds on any table

    @property
    def code(self) -> str:
        """The reference code, long lines folded."""
        return "\n".join(fold(line) for part in (self.body, self.result) if part for line in part.split("\n"))

    @property
    def level(self) -> Level:
        """How hard it is, measured on the reference code."""
        return level_of(self.code)


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
    limit: int = 2  # times it may stand in one draft
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
        sentence = fill(wordings[number % len(wordings)], task.words, language)
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
    limit: int = 2,
    translations: Mapping[Language, FamilyWords] | None = None,
) -> Callable[[Build], Family]:
    """Make a family of the function that builds its tasks; the function's name becomes the family's.

    Args:
        theme: Families of one theme are spread over a draft.
        knowledge_points: What a problem of it teaches; the first one counts as its main point.
        idea: One line of a sketch, in English, with places such as `{column}` that `Task.words` fills.
        wordings: Whole queries, in English, with the same kind of places; at least one.
        propose: Yields slots that fit a board, best first.
        limit: Times it may stand in one draft.
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
            translations=translations,
        )

    return declare


class KeptTable(TypedDict):
    """The part of a task that says how a changed table is compared."""

    stores: tuple[str, ...]
    result: str
    closing: Said | None


def kept(frame: Frame, digest: str, words: Said, *, var: str = "", always: bool = False) -> KeptTable:
    """Compare the table that a task stores; of a big one only a digest, which the query then asks for.

    Args:
        frame: The table the task starts from.
        digest: Expression whose value says enough about the result.
        words: The sentence that asks for it.
        var: The variable that is stored, if it is not the frame's.
        always: Ask for the digest of a small table too.
    """
    stores = () if frame.is_big else (var or frame.var,)
    asked = frame.is_big or always
    return KeptTable(stores=stores, result=digest if asked else "", closing=words if asked else None)


def column_digest(frame: Frame, column: str, *, always: bool = False) -> KeptTable:
    """Compare a numeric column that a task makes; `kept` for the commonest case."""
    digest = f'{at(frame, column)}.agg(["min", "mean", "max"])'
    return kept(frame, digest, THEN_STATISTICS(column=code(column)), always=always)


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


def list_slot(slots: Slots, key: str) -> list[Any]:
    """Return a slot that holds a list of texts or numbers, not empty.

    Raises:
        ContentError: If it does not.
    """
    value = slots.get(key)
    if not isinstance(value, list | tuple) or not value:
        raise ContentError(f"slot {key!r} is {value!r}", fix="write a list")
    return list(value)


def column_slot(frame: Frame, slots: Slots, key: str, among: list[ColumnProfile] | None = None) -> ColumnProfile:
    """Return the column of `frame` that a slot names.

    Raises:
        ContentError: If there is no such column, or it is not `among` those that the task can work with.
    """
    column = frame.column(text_slot(slots, key))
    if among is not None and column not in among:
        fit = ", ".join(repr(one.name) for one in among[:8]) or "another family"
        raise ContentError(f"slot {key!r} cannot be column {column.name!r}", fix=f"use one of {fit}")
    return column


def frame_slot(board: Board, slots: Slots) -> Frame:
    """Return the frame that the slot `frame` names.

    Raises:
        ContentError: If no earlier problem stores it.
    """
    return board.frame(text_slot(slots, "frame"))


def at(frame: Frame, column: ColumnProfile | str) -> str:
    """Return the code that reads a column of a frame."""
    name = column if isinstance(column, str) else column.name
    return f"{frame.var}[{literal(name)}]"


def pairs(
    first: list[ColumnProfile], second: list[ColumnProfile], most: int = 8
) -> Iterator[tuple[ColumnProfile, ColumnProfile]]:
    """Yield pairs of different columns, good ones of both lists early."""
    ordered = sorted((i + j, i, j) for i in range(len(first)) for j in range(len(second)))
    found = [(first[i], second[j]) for _, i, j in ordered if first[i].name != second[j].name]
    yield from found[:most]
