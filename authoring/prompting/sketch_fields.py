"""The fields of a sketch's item, declared once: prompts, readers of answers and files, and the table on the screen."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

LEVELS: Final = ("easy", "medium", "hard")
MAX_ITEMS: Final = 40  # of one sketch


class FieldKind(StrEnum):
    """What a field of an item holds."""

    TEXT = "text"
    WORDS = "words"  # a list of short texts
    NUMBERS = "numbers"  # a list of numbers of earlier items
    CHOICE = "choice"  # one of some words, or nothing


@dataclass(frozen=True)
class SketchField:
    """One field of an item: prompts, the readers of answers and files, and the table on the screen read it here."""

    name: str  # of the attribute of `SketchItem`
    kind: FieldKind
    title: str  # on the screen
    meaning: str  # what a model is told to write; `${...}` are places of the prompt
    keys: tuple[str, ...] = ()  # other names under which models write it
    most: int = 0  # characters of a text, entries of a list
    choices: tuple[str, ...] = ()


SKETCH_FIELDS: Final = (
    SketchField(
        name="query_idea",
        kind=FieldKind.TEXT,
        title="Query idea",
        meaning="one or two sentences that say precisely what is asked and what form the answer has",
        keys=("query", "idea", "question", "task", "description", "problem", "text", "goal", "title"),
        most=4_000,
    ),
    SketchField(
        name="knowledge_points",
        kind=FieldKind.WORDS,
        title="Knowledge points",
        meaning="list of short names of what must be known (methods, ideas)",
        keys=("knowledge_point", "knowledge", "points", "skills", "concepts", "tags"),
        most=20,
    ),
    SketchField(
        name="depends_on",
        kind=FieldKind.NUMBERS,
        title="Builds on",
        meaning="list of the numbers (from 1) of earlier items whose variables it uses",
        keys=("dependencies", "depends", "requires", "uses"),
        most=MAX_ITEMS,
    ),
    SketchField(
        name="difficulty",
        kind=FieldKind.CHOICE,
        title="Difficulty",
        meaning="easy, medium or hard; in all about ${mix}",
        keys=("level",),
        choices=LEVELS,
    ),
)
"""What people and models write of an item, in the order in which it is asked for and shown."""
