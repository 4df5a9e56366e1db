"""Checks the table of equality on random values: `python -m tests.inside.compare_equality [--cases N] [--seed N]`.

Each case is a value, one or two changes to it, and the answer that the table gives for these. It is compared both ways
and with itself, as the comparator sees it: written and read again by the codec. Then every row of the table is walked.

Runs under each pandas that is compared: it needs the standard library, NumPy, pandas and `evaluator.inside` only.
"""

import argparse
import dataclasses
import datetime
import json
import random
import sys
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
import pandas as pd

from evaluator.inside.codec.codec import decode, encode
from evaluator.inside.codec.decode.decoder import BadPayload
from evaluator.inside.compare.equality.lines import TABLE
from evaluator.inside.compare.match_model import Comparison, MatchOptions, presentation_cause
from evaluator.inside.compare.matchers import compare
from tests.inside.equality_cells import namespace
from tests.inside.equality_changes import EQUAL, NO, PARTIAL, YES, Change
from tests.inside.equality_shown import SHOWN
from tests.inside.equality_values import Bundle, Spec, draw_value
from tests.inside.equality_wrong import WRONG

CHANGES: Final = (*EQUAL, *SHOWN, *WRONG)
WORSE: Final = {YES: 0, PARTIAL: 1, NO: 2}
_JUDGED: Final = {"correct": YES, "presentation": PARTIAL, "wrong": NO}
_NAMES: Final = {**namespace(), "datetime": datetime}
_OPTIONAL: Final = frozenset({"pa", "pytz", "tz"}) - _NAMES.keys()
_TRIES: Final = 5_000
# Options that leave the answer to these changes as it is.
_HARMLESS: Final = {
    YES: ("ignore_order", "ignore_names", "ignore_dtypes", "match_partial", "value_only"),
    NO: ("ignore_order", "ignore_names"),
}
_OFTEN_ITSELF: Final = 3  # of so many cases one is also compared with itself


@dataclass(frozen=True)
class Case:
    """Two values and what the table says of them."""

    number: int
    changes: tuple[str, ...]
    line: str  # of the table, in words
    expected: str  # Python expressions
    found: str
    forth: str  # the answer
    back: str  # the answer the other way round; "": not said
    causes: frozenset[str] = frozenset()  # of a partial answer: at least one of these
    option: str = ""  # under this option the answer is `answer_then`
    answer_then: str = ""


@dataclass(frozen=True)
class Fault:
    """Something that was answered otherwise than the table says."""

    number: int
    line: str
    what: str
    reproduce: str


@dataclass(frozen=True)
class Result:
    """What came of one case."""

    said: str  # all answers in short, to be compared between versions; "": it needs a package that is not here
    faults: tuple[Fault, ...] = ()


def draw_case(seed: int, number: int) -> Case:
    """Return a case: the same one for the same seed and number, everywhere."""
    draw = random.Random(f"{seed}:{number}")
    change = CHANGES[number % len(CHANGES)]
    for _ in range(_TRIES):
        value = draw_value(draw)
        made = change.made(value, draw)
        if made is not None and made.value != value:
            is_superset = change.one_way and change.answer == PARTIAL  # what is added must stay as it is
            second = _second(change, made.value, draw) if draw.random() < 0.4 and not is_superset else None
            if second is None:
                return _case(number, value, made.value, made.line, [change], draw)
            return _case(number, value, second[1], f"{made.line} + {second[2]}", [change, second[0]], draw)
    raise AssertionError(f"no value was found that {change.name!r} changes")


def _second(first: Change, value: Spec, draw: random.Random) -> tuple[Change, Spec, str] | None:
    for _ in range(6):
        change = draw.choice(CHANGES)
        both_wrong = change.answer == first.answer == NO
        if change is first or both_wrong or change.name in first.apart or first.name in change.apart:
            continue
        made = change.made(value, draw)
        if made is not None and made.value != value:
            return change, made.value, made.line
    return None


def _case(number: int, value: Spec, changed: Spec, line: str, changes: Sequence[Change], draw: random.Random) -> Case:
    forth = max((change.answer for change in changes), key=WORSE.__getitem__)
    option, answer_then = _option(changes, value, draw) if len(changes) == 1 else ("", "")
    return Case(
        number=number,
        changes=tuple(change.name for change in changes),
        line=line,
        expected=value.expression(),
        found=changed.expression(),
        forth=forth,
        back=_back(forth, changes),
        causes=frozenset().union(*(change.causes for change in changes)) if forth == PARTIAL else frozenset(),
        option=option,
        answer_then=answer_then,
    )


def _back(forth: str, changes: Sequence[Change]) -> str:
    """Return the answer the other way round: what is a superset one way lacks something the other way."""
    if any(change.answer == NO and not change.one_way for change in changes):
        return NO
    if any(change.one_way for change in changes):
        return NO if forth == PARTIAL else ""
    return forth


def _option(changes: Sequence[Change], value: Spec, draw: random.Random) -> tuple[str, str]:
    change = changes[0]
    if change.loosened_by:
        return ("", "") if isinstance(value, Bundle) else (change.loosened_by, YES)
    if change.answer == PARTIAL:
        return "", ""
    return draw.choice(_HARMLESS[change.answer]), change.answer


def judge_case(case: Case, seed: int = 0) -> Result:
    """Compare the two values of a case every way that the table says something about."""
    draw = random.Random(f"options:{seed}:{case.number}")
    faults: list[Fault] = []
    try:
        payloads = [_payload(expression) for expression in (case.expected, case.found)]
        expected, found = map(decode, payloads)
    except UnavailableError:
        return Result("")
    except BadPayload as error:
        return Result("codec", (Fault(case.number, "codec", f"a value cannot be read: {error}", _pair(case)),))
    forth, back = _compared(expected, found), _compared(found, expected)
    said = [_short(forth), _short(back)]
    if not _agrees(forth, case.forth, case):
        faults.append(_fault(case, f"{_wanted(case.forth, case)}, got {_short(forth)}"))
    if case.back and not _agrees(back, case.back, case):
        faults.append(_fault(case, f"the other way round {_wanted(case.back, case)}, got {_short(back)}"))
    if case.option:
        then = _compared(expected, found, **{case.option: True})
        said.append(_short(then))
        if then.answer != case.answer_then:
            what = f"{case.answer_then} under {case.option}, got {_short(then)}"
            faults.append(_fault(case, what, f"{case.option}=True"))
    if case.number % _OFTEN_ITSELF == 0:
        options = draw_options(draw)
        itself = _compared(found, decode(payloads[1]), **options)
        if itself.answer != YES:
            told = ", ".join(f"{name}={setting!r}" for name, setting in options.items())
            reproduce = f"compare({case.found}, {case.found}, MatchOptions({told}))"
            faults.append(Fault(case.number, "itself", f"expected yes, got {_short(itself)}", reproduce))
    return Result(" | ".join(said), tuple(faults))


class UnavailableError(Exception):
    """A value needs a package that is not installed here."""


def _payload(expression: str) -> bytes:
    """Return a value as it leaves a sandbox."""
    try:
        return encode(eval(expression, dict(_NAMES)))  # an expression of our own
    except NameError as error:
        if error.name in _OPTIONAL:
            raise UnavailableError from error
        raise
    except Exception as error:
        raise ValueError(f"this is no value under pandas {pd.__version__}: {expression}") from error


def value_of(expression: str) -> Any:
    """Return a value as the comparator gets it.

    Raises:
        UnavailableError: If it needs a package that is not installed.
    """
    return decode(_payload(expression))


def _compared(expected: Any, found: Any, **options: Any) -> Comparison:
    return compare(expected, found, MatchOptions(**options))


def _agrees(comparison: Comparison, answer: str, case: Case) -> bool:
    if comparison.answer != answer:
        return False
    if answer != PARTIAL or not case.causes:
        return True
    if len(case.changes) > 1:
        return bool(case.causes & {cause.value for cause in comparison.causes})
    cause = presentation_cause(comparison.causes)
    return cause is not None and cause.value in case.causes


def _wanted(answer: str, case: Case) -> str:
    return f"{answer} ({' or '.join(sorted(case.causes))})" if answer == PARTIAL and case.causes else answer


def _short(comparison: Comparison) -> str:
    causes = " ".join(sorted(cause.value for cause in comparison.causes)) if comparison.answer == PARTIAL else ""
    return f"{comparison.answer.value} ({causes})" if causes else str(comparison.answer.value)


def _pair(case: Case, option: str = "") -> str:
    return f"compare({case.expected}, {case.found}, MatchOptions({option}))"


def _fault(case: Case, what: str, option: str = "") -> Fault:
    return Fault(case.number, case.line, f"expected {what} [{' + '.join(case.changes)}]", _pair(case, option))


def draw_options(draw: random.Random) -> dict[str, Any]:
    """Return some matcher options, under all of which a value equals itself."""
    flags = [one.name for one in dataclasses.fields(MatchOptions) if one.default is None or one.default is False]
    found: dict[str, Any] = {name: True for name in flags if name != "metrictol" and draw.random() < 0.4}
    for name in ("ignore_names", "ignore_dtypes"):
        if draw.random() < 0.3:
            found[name] = False
    if draw.random() < 0.2:
        found |= {"atol": 0.0, "rtol": 0.0, "tolerances_set": frozenset({"atol", "rtol"})}
    if draw.random() < 0.2:
        found["metrictol"] = 0.9
    return found


# The rows of the table


def walk() -> Iterator[Fault]:
    """Yield what is answered otherwise than the rows of the table say, of the values that stand in them."""
    for number, row in enumerate(TABLE):
        expected, found = row["expected"], row["found"]
        answer = _JUDGED[row["judged"]]
        asked = [("", expected, found, answer), ("", expected, expected, YES), ("", found, found, YES)]
        if not row.get("one_way"):
            asked.append(("", found, expected, answer))
        if row.get("loosen"):
            asked.append((row["loosen"], expected, found, YES))
        if row.get("tighten"):
            asked.append((row["tighten"], expected, found, PARTIAL))
        for option, one, other, wanted in asked:
            said = _compared(value_of(one), value_of(other), **_settings(option))
            cause = presentation_cause(said.causes)
            right_cause = wanted != PARTIAL or (cause is not None and cause.value == row.get("cause", "DTYPE"))
            if said.answer != wanted or not right_cause:
                reproduce = f"compare({one}, {other}, MatchOptions({option}))"
                yield Fault(number, f"table: {row['id']}", f"expected {wanted}, got {_short(said)}", reproduce)


def _settings(option: str) -> dict[str, bool]:
    name, _, setting = option.partition(": ")
    return {name: setting == "true"} if name else {}


# The program


def run(seed: int, numbers: Sequence[int]) -> dict[int, tuple[Case, Result]]:
    """Return what came of each case."""
    found = {}
    for number in numbers:
        case = draw_case(seed, number)
        found[number] = (case, judge_case(case, seed))
    return found


def told(faults: Sequence[Fault], seed: int) -> str:
    """Return what disagrees in words: by line, how often, and the shortest case to reproduce it."""
    by_line: dict[str, list[Fault]] = {}
    for fault in faults:
        by_line.setdefault(fault.line, []).append(fault)
    parts = []
    for line, some in sorted(by_line.items(), key=lambda pair: -len(pair[1])):
        fault = min(some, key=lambda each: len(each.reproduce))
        command = f"python -m tests.inside.compare_equality --seed {seed} --only {fault.number}"
        parts.append(f"{line}: {len(some)} times, such as: {fault.what}\n    {fault.reproduce}\n    {command}")
    return "\n".join(parts)


def main(arguments: Sequence[str]) -> int:
    """Print what disagrees; exit code 1 if anything does."""
    parser = argparse.ArgumentParser(prog="tests.inside.compare_equality", description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--cases", type=int, default=4_100)
    parser.add_argument("--only", type=int, help="try one case and print it")
    parser.add_argument("--json", type=Path, help="also write what came of each case there")
    chosen = parser.parse_args(arguments)
    warnings.simplefilter("ignore")
    found = run(chosen.seed, range(chosen.cases) if chosen.only is None else [chosen.only])
    faults = [*(fault for _, result in found.values() for fault in result.faults)]
    if chosen.only is None:
        faults += walk()
    else:
        case, result = found[chosen.only]
        print(f"expected = {case.expected}\nfound = {case.found}\n{case.line}: {case.forth}; answered: {result.said}")
    if chosen.json:
        chosen.json.write_text(json.dumps(_summary(found, faults)), encoding="utf-8")
    if faults:
        print(told(faults, chosen.seed))
    skipped = sum(not result.said for _, result in found.values())
    print(
        f"pandas {pd.__version__}, numpy {np.__version__}, seed {chosen.seed}: {len(found) - skipped} cases,", end=" "
    )
    print(f"{skipped} skipped, {len(TABLE)} rows of the table, {len(faults)} disagreements")
    return 1 if faults else 0


def _summary(found: Mapping[int, tuple[Case, Result]], faults: Sequence[Fault]) -> dict[str, Any]:
    return {
        "numpy": np.__version__,
        "said": {number: result.said for number, (_, result) in found.items()},
        "cases": {number: [case.line, case.expected, case.found] for number, (case, _) in found.items()},
        "faults": [dataclasses.asdict(fault) for fault in faults],
        "rows": len(TABLE),
    }


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
