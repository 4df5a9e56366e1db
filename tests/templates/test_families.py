"""Each family of tasks, and sketches that a person edited."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pandas as pd
import pytest

from authoring.languages import Language
from authoring.templates import FAMILIES, sketch_from_profile
from authoring.templates.board import Board
from authoring.templates.candidate_trials import Bench
from authoring.templates.identities import identity
from authoring.templates.names_in_words import shown
from authoring.templates.phrases import Ordinal
from authoring.templates.planning import TaskCandidate, next_board
from authoring.templates.template_draft import problem_of
from evaluator.errors import ContentError
from evaluator.language import Problem
from evaluator.session import Engine
from tests.templates.nasty_tables import two_tables, umlauts


def everything(folder: Path) -> None:
    """Three tables on which each family finds something to ask."""
    rng, rows = np.random.default_rng(1), 240
    customers = pd.DataFrame(
        {
            "customer": [f"c{i}" for i in range(34)],
            "branch": rng.choice(["bar", "shop"], 34),
            "region": rng.choice(["north", "south", "west"], 34),
            "contact": [f"person {i}" for i in range(34)],
        }
    )
    carriers = pd.DataFrame(
        {
            "carrier": list("klmnop"),
            "fleet": [12, 40, 7, 55, 23, 31],
            "home": ["Ulm", "Bonn", "Ulm", "Kiel", "Bonn", "Jena"],
        }
    )
    orders = pd.DataFrame(
        {
            "customer": rng.choice([*customers["customer"][:30], "c98", "c99"], rows),
            "placed": pd.date_range("2019-01-01", periods=rows, freq="6D").strftime("%d.%m.%Y"),
            "amount": rng.gamma(3, 50, rows).round(2),
            "weight": rng.normal(20, 3, rows).round(2),
            "volume": rng.gamma(5, 2, rows).round(2),
            "score": rng.normal(0, 1, rows).round(3),
            "rated": [None if i % 12 == 0 else 1 + i % 5 for i in range(rows)],
            "kind": rng.choice(["post", "Post", "rail", " road"], rows),
            "state": [None if i % 15 == 0 else ["open", "closed"][i % 2] for i in range(rows)],
            "paid": [f"${value:,.2f}" for value in rng.gamma(3, 900, rows)],
            "comment": [f"{word} parcel {i % 90}" for i, word in enumerate(rng.choice(["big", "small", "odd"], rows))],
            "fixed": 7,
            "desk": [None if i % 13 == 5 else ["left", "right", "back"][i % 3] for i in range(rows)],
            "due": pd.date_range("2021-01-01", periods=rows).strftime("%Y-%m-%d"),
            "carrier": rng.choice(list("klmnop"), rows),
            "length": rng.normal(60, 9, rows).round(1),
            "width": rng.gamma(9, 4, rows).round(1),
            "pieces": rng.integers(1, 400, rows),
            "lane": rng.choice(["a1", "b2", "c3"], rows),
            "units": [*map(str, rng.integers(100, 900, rows - 3)), "n/k", "none yet", "n/k"],
        }
    )
    orders["channel"] = rng.choice(list("abcdefgh"), rows, p=[0.3, 0.22, 0.16, 0.12, 0.08, 0.06, 0.04, 0.02])
    for place, gap in {"amount": 3, "weight": 4, "volume": 5, "score": 6}.items():
        orders.loc[gap::17, place] = np.nan
    pd.concat([orders, orders.head(5)]).to_csv(folder / "orders.csv", index=False)
    customers.to_csv(folder / "customers.csv", index=False)
    carriers.to_csv(folder / "carriers.csv", index=False)


def mixed_kinds(folder: Path) -> None:
    """A column that holds numbers and texts, as records may."""
    rng = np.random.default_rng(2)
    records = [{"mark": int(n) if n % 3 else f"no {n}", "level": float(n) / 7} for n in rng.integers(1, 90, 60)]
    (folder / "records.json").write_text(json.dumps(records), encoding="utf-8")


def try_families(engine: Engine, made: Any, names: list[str], rounds: int = 3) -> dict[str, list[str]]:
    """Make a problem of each family where that can be done; return the others with the reasons."""
    board, rng = Board(made.profile()), Random(4)
    problems: list[Problem] = []
    refused: dict[str, list[str]] = {name: [] for name in names}
    again = ["load_table", "parse_dates", "strip_spaces", "lower_case"]  # once more, for what comes after them
    with Bench(engine, made.inputs, "families") as bench:
        for _ in range(rounds):  # some families need what others leave
            for name in [*["load_table"] * 3, *(one for one in names if one in refused), *again]:
                family = FAMILIES[name]
                for raw in (raw for _ in range(4) for raw in family.propose(board, rng)):
                    slots = {**raw, "wording": rng.randrange(9)}
                    candidate = TaskCandidate(family, slots, family.build(board, slots))
                    problem = problem_of(candidate, problems, board)
                    refusal = bench.consider(candidate.task, problem)
                    if refusal is None:
                        problems.append(problem)
                        board = next_board(candidate, board)
                        refused.pop(name, None)
                        break
                    refused.setdefault(name, []).append(refusal.reason)
    return {name: reasons for name, reasons in refused.items() if name in names}


def test_each_family_makes_a_problem_that_holds(engine: Engine, author: Callable[..., Any]) -> None:
    made = author(everything)
    early = [
        "stray_values",
        "case_spellings",
        "not_numbers",
        "repeated_rows",
        "drop_duplicates",
        "by_other_table",
        "named_counts",
        "join_two",
    ]
    apart = ["value_types", "random_split", "train_model", "model_error"]
    assert try_families(engine, made, [*early, *(name for name in FAMILIES if name not in (*early, *apart))]) == {}
    assert try_families(engine, made, ["random_split", "train_model", "model_error"], rounds=1) == {}
    assert len(FAMILIES) >= 110


def test_a_column_of_mixed_types_is_asked_about(engine: Engine, author: Callable[..., Any]) -> None:
    assert try_families(engine, author(mixed_kinds), ["load_table", "value_types"], rounds=1) == {}


@pytest.mark.parametrize("name", FAMILIES)
def test_every_wording_can_be_filled_and_reads_as_sentences(name: str) -> None:
    for wording in FAMILIES[name].wordings:
        assert wording[0].isupper() or wording[0] == "{"
        assert wording.endswith((".", "?", "{wish}"))
        assert "  " not in wording
    assert len(FAMILIES[name].wordings) >= 2


def test_a_person_may_change_slots_and_drop_items(author: Callable[..., Any]) -> None:
    made = author(umlauts)
    profile = made.profile()
    items = sketch_from_profile(profile, rng_seed=7)
    edited = [replace(item, slots={**item.slots, "wording": 1}) for item in items]
    questions = [item for item in edited if not any(item.number in other.depends_on for other in edited)]
    drafted = made.draft(profile, items=[item for item in edited if item != questions[-1]])
    assert drafted.report["problems"] >= 10


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"family": "no_such"}, "no task family is called 'no_such'"),
        ({"family": ""}, "names no task family"),
        ({"slots": {"table": 0, "var": "1x"}}, "slot 'var' is '1x'"),
        ({"slots": {"table": 9, "var": "df"}}, "slot 'table' is 9"),
        ({"slots": {}}, "slot 'table' is None"),
        ({"slots": {"table": 0, "var": "df", "wording": "b"}}, "slot 'wording'"),
    ],
)
def test_an_item_that_names_nothing_is_refused_with_its_number(
    author: Callable[..., Any], change: dict[str, Any], message: str
) -> None:
    made = author(umlauts)
    profile = made.profile()
    first, *rest = sketch_from_profile(profile, rng_seed=0)
    with pytest.raises(ContentError, match=message) as raised:
        made.draft(profile, items=[replace(first, **change), *rest])
    assert raised.value.where == "sketch item 1"


def test_an_item_with_an_unknown_column_names_the_nearest(author: Callable[..., Any]) -> None:
    made = author(two_tables)
    profile = made.profile()
    items = list(sketch_from_profile(profile, rng_seed=0))
    place = next(i for i, item in enumerate(items) if item.family == "parse_dates")
    items[place] = replace(items[place], slots={**items[place].slots, "column": "orderd on"})
    with pytest.raises(ContentError, match="has no column 'orderd on'") as raised:
        made.draft(profile, items=items)
    assert "'ordered on'" in raised.value.fix


def test_more_than_fifteen_items_are_refused(author: Callable[..., Any]) -> None:
    made = author(umlauts)
    profile = made.profile()
    items = sketch_from_profile(profile, rng_seed=0)
    with pytest.raises(ContentError, match="at most 15"):
        made.draft(profile, items=[*items, *items])


def test_a_short_sketch_is_filled_up_to_ten(author: Callable[..., Any]) -> None:
    made = author(umlauts)
    profile = made.profile()
    drafted = made.draft(profile, items=sketch_from_profile(profile, rng_seed=0)[:3])
    assert drafted.report["problems"] == 10


def test_covered_knowledge_points_are_chosen_less_often(author: Callable[..., Any]) -> None:
    profile = author(everything).profile()
    covered = {point for family in FAMILIES.values() if family.theme == "grouping" for point in family.knowledge_points}
    fresh, tired = (
        sum(
            FAMILIES[item.family].theme == "grouping"
            for seed in range(40)
            for item in sketch_from_profile(profile, rng_seed=seed, covered=known)
        )
        for known in ((), covered)
    )
    assert tired < fresh


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (("group_deviation", {"group": "g", "number": "n"}), ("back_to_rows", {"group": "g", "number": "n"})),
        (("group_summary", {"group": "g", "number": "n"}), ("group_aggregate", {"group": "g", "number": "n"})),
        (("group_shares", {"group": "g"}), ("frequent_values", {"text": "g", "count": 3})),
        (("correlation", {"columns": ["a", "b"]}), ("correlation", {"columns": ["b", "a"]})),
    ],
)
def test_questions_that_are_nearly_the_same_do_not_stand_in_one_set(
    one: tuple[str, dict[str, Any]], other: tuple[str, dict[str, Any]]
) -> None:
    keys = {identity(name, {"frame": "df", **slots}) for name, slots in (one, other)}
    assert len(keys) == 1


def test_numbers_are_written_as_people_write_them() -> None:
    assert [Ordinal(n).say(Language.ENGLISH) for n in (1, 2, 3, 4, 11, 23, 100)] == [
        "1st",
        "2nd",
        "3rd",
        "4th",
        "11th",
        "23rd",
        "100th",
    ]
    assert [shown(value) for value in (3550.0, 2.5, 7, "x")] == ["3550", "2.5", "7", '"x"']
