"""The table of equality: the page says what the code reads, and every line can be judged otherwise.

That each line holds both ways and under its options is tried in test_fuzz_equality.py.
"""

import datetime
import itertools
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import yaml

from evaluator.inside.compare.equality import lines
from evaluator.inside.compare.equality.lines import TABLE, Judgement, Line, ruling_of
from evaluator.inside.compare.match_model import (
    Answer,
    AuthorFaultError,
    MatchOptions,
    Rules,
    read_match_options,
)
from evaluator.inside.compare.matchers import compare
from evaluator.language.validators.equality_lines import EQUALITY_LINES, LineInForce, lines_in_force

PAGE = (Path(__file__).parents[2] / "docs" / "dseal.md").read_text(encoding="utf-8")
ANSWERS = {"correct": Answer.YES, "presentation": Answer.PARTIAL, "wrong": Answer.NO}
LINES = [row for row in TABLE if not row.get("fixed")]
LEAST_LINES = 23
EFFECTS = Path(lines.__file__).with_name("effects.json")
LEAST_SETTINGS = 400


def values(row: Any) -> tuple[Any, Any]:
    """Return the two values of a line's example."""
    names = {"np": np, "pd": pd, "datetime": datetime}
    with np.errstate(all="ignore"):
        expected, found = (eval(compile(row[side], row["id"], "eval"), names) for side in ("expected", "found"))
    return expected, found


def judged(expected: Any, found: Any, text: str) -> Any:
    options = read_match_options(yaml.safe_load(f"{{{text}}}"), rules=Rules.SOUND, where="result")
    return compare(expected, found, options)


def test_the_page_has_exactly_the_lines_that_the_comparison_reads() -> None:
    section = PAGE.split("### When two values are equal")[1].split("\n### ")[0]
    shown = re.findall(r"^\| `([a-z-]+)` \| (.*?) \| (.*?) \|(.*?)\| `(.*?)` \| `(.*?)` \|$", section, re.MULTILINE)
    wanted = [
        (
            line.name,
            line.what,
            f"`{line.subverdict}`" if line.judged == "presentation" else line.judged,
            ", ".join(f"`{option}`" for option in (line.loosen, line.tighten) if option),
            line.expected,
            line.found,
        )
        for line in EQUALITY_LINES.values()
    ]
    assert len(wanted) >= LEAST_LINES
    assert [tuple(part.strip() for part in row) for row in shown] == wanted


def test_every_line_has_a_name_in_the_code_and_the_other_way_round() -> None:
    assert [row["id"] for row in LINES] == [line.value for line in Line]
    assert len(LINES) >= LEAST_LINES - 1


def test_the_page_names_the_options_that_set_several_lines() -> None:
    section = PAGE.split("### When two values are equal")[1].split("\n### ")[0]
    shown = re.findall(r"^\| `([a-z_]+: [a-z]+)` \| ([a-z]+) \| (`.*`) \|$", section, re.MULTILINE)
    several = [effect for effect in json.loads(EFFECTS.read_text(encoding="utf-8")) if len(effect["lines"]) > 1]
    assert len(several) >= 5
    assert shown == [
        (f"{each['option']}: {str(each['value']).lower()}", each["judged"], ", ".join(f"`{n}`" for n in each["lines"]))
        for each in several
    ]


def test_every_line_can_be_judged_otherwise() -> None:
    for row, judgement in itertools.product(LINES, Judgement):
        found = judged(*values(row), f"equality: {{{row['id']}: {judgement.value}}}")
        assert found.answer is ANSWERS[judgement.value], (row["id"], judgement)


def test_other_values_are_wrong_whatever_is_written_and_equal_ones_right() -> None:
    for option in ("ignore_names: false", "ignore_dtypes: false", "strict_type: true", "rtol: 0"):
        for row in TABLE:
            assert judged(values(row)[0], values(row)[0], option).answer is Answer.YES, (row["id"], option)
        assert judged([1, 2], [1, 3], f"{option}, equality: {{container: correct, order: correct}}").answer is Answer.NO


def test_a_line_that_does_not_exist_is_the_authors_error() -> None:
    with pytest.raises(AuthorFaultError, match="no such line"):
        compare(1, 1, MatchOptions(equality={"containers": "correct"}))
    with pytest.raises(AuthorFaultError, match="cannot be judged as 'fine'"):
        read_match_options({"equality": {"container": "fine"}}, rules=Rules.SOUND, where="result")
    with pytest.raises(AuthorFaultError, match="no matcher option 'equality'"):
        read_match_options({"equality": {"container": "wrong"}}, rules=Rules.PUBLISHED, where="result")


def test_options_set_the_lines_that_they_are_about() -> None:
    changed = ruling_of(MatchOptions(ignore_order=True)).judged
    plain = ruling_of(MatchOptions()).judged
    assert {line for line in Line if changed[line] is not plain[line]} == {Line.ORDER, Line.COLUMN_ORDER}


def written(**options: bool | dict[str, str] | None) -> dict[str, Any]:
    return {name: value for name, value in options.items() if value is not None}


def every_setting() -> Iterator[dict[str, Any]]:
    """Every combination of the options that speak of lines, then every judgement of every line beside some of them."""
    both, three = (None, True), (None, True, False)
    for order, index, values_, partial in itertools.product(both, both, both, both):
        for names, dtypes, strict in itertools.product(three, three, both):
            yield written(
                **{"ignore_order": order, "ignore_index": index, "value_only": values_, "match_partial": partial},
                **{"ignore_names": names, "ignore_dtypes": dtypes, "strict_type": strict},
            )
    for line, judgement, strict in itertools.product(Line, Judgement, both):
        equality = {line.value: judgement.value}
        yield written(equality=equality, strict_type=strict, value_only=strict, ignore_order=strict)


def test_what_authors_are_shown_is_what_the_comparison_goes_by() -> None:
    settings = list(every_setting())
    assert len(settings) > LEAST_SETTINGS
    for options in settings:
        ruling = ruling_of(read_match_options(options, rules=Rules.SOUND, where="result"))
        shown = {each.line.name: each.judged for each in lines_in_force(options) if not each.line.is_fixed}
        assert shown == {line.value: judged.value for line, judged in ruling.judged.items()}, options


def test_an_option_that_changes_a_line_is_named_beside_it() -> None:
    for line in EQUALITY_LINES.values():
        for option, judgement in ((line.loosen, "correct"), (line.tighten, "presentation")):
            if option:
                assert LineInForce(line, judgement, option) in lines_in_force(yaml.safe_load(f"{{{option}}}"))
    as_written = {"equality": {"order": "wrong", "values": "correct", "index": "fine"}, "deep": True, "rtol": 1}
    changed = [each for each in lines_in_force(as_written) if each.is_changed]
    assert changed == [LineInForce(EQUALITY_LINES["order"], "wrong", "equality: {order: wrong}")]
    plain = [LineInForce(line, line.judged) for line in EQUALITY_LINES.values()]
    assert list(lines_in_force({"equality": ["order"], "ignore_order": "yes"})) == plain == list(lines_in_force({}))
