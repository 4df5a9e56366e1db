"""Checks the table of equality on random values: `python -m tests.inside.compare_equality [--cases N] [--seed N]`.

Each case is a value, a change to it, often written otherwise besides, and the answer of the table. It is compared
both ways as the comparator sees it: written and read again by the codec. Then every row of the table is walked.
"""

import argparse
import json
import random
import sys
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

import pandas as pd

from evaluator.inside.codec.codec import decode, encode
from evaluator.inside.compare.equality.lines import TABLE
from evaluator.inside.compare.match_model import Comparison, MatchOptions, presentation_cause
from evaluator.inside.compare.matchers import compare
from tests.inside.equality_changes import CHANGES, NO, PARTIAL, YES, Change, redress
from tests.inside.equality_values import NAMES, draw_value

_JUDGED: Final = {"correct": YES, "presentation": PARTIAL, "wrong": NO}
_TRIES: Final = 5_000
_HARMLESS: Final = {  # options that leave the answer as it is
    YES: ("ignore_order", "ignore_names", "ignore_dtypes", "match_partial", "value_only"),
    NO: ("ignore_order", "ignore_names"),
}


@dataclass(frozen=True)
class Asked:
    """Two values, and what the table answers."""

    number: int
    what: str
    expected: str  # Python expressions
    found: str
    answer: str
    causes: frozenset[str] = frozenset()
    option: str = ""  # as in a problem's file

    def __str__(self) -> str:
        option = f"{{{self.option}}}" if self.option else ""
        return f"compare({self.expected}, {self.found}, {option}) should be {self.answer} {'/'.join(self.causes)}"


def draw_case(seed: int, number: int) -> list[Asked]:
    """Return what is asked of one case: the same for the same seed and number, everywhere."""
    draw = random.Random(f"{seed}:{number}")
    change = CHANGES[number % len(CHANGES)]
    for _ in range(_TRIES):
        value = draw_value(draw)
        changed = change.apply(value, draw) if change.inside or value.wrap == "{}" else None
        if changed is not None and changed != value:
            if draw.random() < 0.4 and change.name != "slight nudge" and not change.one_way:
                changed = redress(changed, draw) or changed
            return list(_asked(number, change, value.expression(), changed.expression(), draw, wrap=value.wrap))
    raise AssertionError(f"no value was found that {change.name!r} changes")


def _asked(number: int, change: Change, one: str, other: str, draw: random.Random, *, wrap: str) -> Iterator[Asked]:
    yield Asked(number, change.name, one, other, change.answer, change.causes)
    if not change.one_way:
        yield Asked(number, change.name, other, one, change.answer, change.causes)
    elif change.answer == PARTIAL:  # what is a superset one way lacks something the other way
        yield Asked(number, change.name, other, one, NO)
    if change.loosened_by and wrap == "{}":
        yield Asked(number, change.name, one, other, YES, option=f"{change.loosened_by}: true")
    elif change.answer in _HARMLESS:
        option = f"{draw.choice(_HARMLESS[change.answer])}: true"
        yield Asked(number, change.name, one, other, change.answer, option=option)


def walk() -> Iterator[Asked]:
    """Yield what the rows of the table say of the values that stand in them."""
    for number, row in enumerate(TABLE):
        what, one, other, answer = f"table: {row['id']}", row["expected"], row["found"], _JUDGED[row["judged"]]
        causes = frozenset({row.get("cause", "DTYPE")}) if answer == PARTIAL else frozenset()
        yield Asked(number, what, one, other, answer, causes)
        yield from (Asked(number, what, each, each, YES) for each in (one, other))
        if not row.get("one_way"):
            yield Asked(number, what, other, one, answer, causes)
        if row.get("loosen"):
            yield Asked(number, what, one, other, YES, option=row["loosen"])
        if row.get("tighten"):
            cause = frozenset({row.get("cause", "DTYPE")})
            yield Asked(number, what, one, other, PARTIAL, cause, option=row["tighten"])


@lru_cache(maxsize=8)
def _payload(expression: str) -> bytes:
    return encode(eval(expression, dict(NAMES)))  # an expression of our own


def value_of(expression: str) -> Any:
    """Return a value as the comparator gets it."""
    try:
        return decode(_payload(expression))
    except Exception as error:
        raise ValueError(f"this is no value under pandas {pd.__version__}: {expression}") from error


def answer_to(asked: Asked) -> Comparison:
    name, _, setting = asked.option.partition(": ")
    options: dict[str, Any] = {name: setting == "true"} if name else {}
    return compare(value_of(asked.expected), value_of(asked.found), MatchOptions(**options))


def is_right(asked: Asked, comparison: Comparison) -> bool:
    cause = presentation_cause(comparison.causes)
    return comparison.answer == asked.answer and (
        not asked.causes or (cause is not None and cause.value in asked.causes)
    )


def tried(asked: Sequence[Asked]) -> tuple[list[str], list[str]]:
    """Return all answers, to be compared between versions, and what is wrong with them."""
    found = [(each, answer_to(each)) for each in asked]
    faults = [f"{each.number} {each.what}: {each}, is {got}" for each, got in found if not is_right(each, got)]
    return [f"{got.answer.value} {sorted(cause.value for cause in got.causes)}" for _, got in found], faults


def main(arguments: Sequence[str]) -> int:
    """Print what disagrees; exit code 1 if anything does."""
    parser = argparse.ArgumentParser(prog="tests.inside.compare_equality", description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--cases", type=int, default=4_100)
    parser.add_argument("--only", type=int, help="try one case and print it")
    parser.add_argument("--json", type=Path, help="also write what was answered there")
    chosen = parser.parse_args(arguments)
    warnings.simplefilter("ignore")
    numbers = range(chosen.cases) if chosen.only is None else [chosen.only]
    asked = [each for number in numbers for each in draw_case(chosen.seed, number)]
    answers, faults = tried([*asked, *(walk() if chosen.only is None else ())])
    if chosen.json:
        said = [[str(each), answer] for each, answer in zip(asked, answers, strict=False)]
        chosen.json.write_text(json.dumps(said), encoding="utf-8")
    print(*(map(str, asked) if chosen.only is not None else ()), *sorted(faults, key=len), sep="\n")
    print(f"pandas {pd.__version__}, seed {chosen.seed}: {len(numbers)} cases, {len(faults)} disagreements")
    return 1 if faults else 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
