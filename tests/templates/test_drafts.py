"""Drafts of awkward tables, from their files to problems that an engine has judged."""

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from authoring.templates import FAMILIES
from authoring.templates.board import Board
from authoring.templates.planning import TaskCandidate, next_board, sketch_from_profile
from evaluator.errors import ContentError
from evaluator.language import Problemset, SetupCell, parse_problemset, resolve_validators, wanted_names
from evaluator.scoring import Verdict, judge_submission
from evaluator.session import CaptureSpec, CellLimits, Engine, record_probes
from tests.templates.nasty_tables import NASTY, Write, large, twelve_rows, two_tables, umlauts


def _parsed(text: str) -> Problemset:
    parsed = parse_problemset(text, name="draft")
    assert parsed.diagnostics == ()
    assert parsed.problemset is not None
    return parsed.problemset


def _verdicts(engine: Engine, inputs: Path, problemset: Problemset, *answers: str | None) -> list[set[Verdict]]:
    """Judge each answer (None: the reference) to each problem within the file's limits; return verdicts by answer."""
    verdicts: list[set[Verdict]] = [set() for _ in answers]
    with engine.open(key=problemset.name, inputs=inputs) as session:
        for cell in problemset.cells:
            if isinstance(cell, SetupCell):
                session.execute(cell.source)
                continue
            limits = CellLimits(wall_s=3 * cell.execution.max_time_s)  # test machines are busy
            probes = record_probes(session, cell, limits)
            capture = CaptureSpec(names=wanted_names(resolve_validators(cell)), infer=True, probes=probes)
            codes = [cell.code if answer is None else answer for answer in answers]
            submissions = [session.attempt(code, capture=capture, limits=limits) for code in codes]
            reference = session.execute(cell.code, capture=capture)
            for found, submission in zip(verdicts, submissions, strict=True):
                found.add(judge_submission(engine, reference, submission, cell).verdict)
    return verdicts


DRAFTED = ("hostile_names", "hostile_values", "like_names", "workbook", "infinities", "duplicates_only", "all_text")


def _refuse_unclear(queries: list[str]) -> None:
    for query in queries:
        assert "{" not in query.replace("{braces}", "").replace('"{c}"', "")
        assert query.endswith((".", "?", ".)"))


@pytest.mark.parametrize("name", DRAFTED)
def test_any_table_gives_ten_to_fifteen_problems_with_clear_queries(drafted: Callable[..., Any], name: str) -> None:
    problems = _parsed(drafted(NASTY[name])[1].text).problems
    assert 10 <= len(problems) <= 15
    assert len({problem.metadata["id"] for problem in problems}) == len(problems)
    _refuse_unclear([problem.query for problem in problems])
    for problem in problems:
        assert problem.metadata["knowledge_points"]
        assert problem.metadata["difficulty"] in {"easy", "medium", "hard"}


@pytest.mark.parametrize("name", [name for name in NASTY if name not in DRAFTED])
def test_any_table_can_be_sketched_with_code_that_parses(author: Callable[..., Any], name: str) -> None:
    profile = author(NASTY[name]).profile()
    board = Board(profile)
    for item in sketch_from_profile(profile, rng_seed=2):
        family = FAMILIES[item.family]
        task = family.build(board, item.slots)
        compile(task.code, item.family, "exec")
        _refuse_unclear([family.query(task, item.slots)])
        board = next_board(TaskCandidate(family, item.slots, task), board)


@pytest.mark.parametrize("write", [umlauts, two_tables, NASTY["zoned_parquet"], NASTY["mixed_types"]])
def test_every_reference_passes_and_an_empty_answer_fails(
    engine: Engine, drafted: Callable[..., Any], write: Write
) -> None:
    made, draft = drafted(write)
    itself, *nothing = _verdicts(engine, made.inputs, _parsed(draft.text), None, "", "pass", "None")
    assert itself == {Verdict.CORRECT}
    assert not any(Verdict.CORRECT in found for found in nothing)


def test_the_same_rng_seed_gives_the_same_bytes_and_another_one_other_problems(drafted: Callable[..., Any]) -> None:
    made, draft = drafted(umlauts)
    profile = made.profile()
    first, second, other = draft.text, *(made.draft(profile, rng_seed=seed).text for seed in (0, 2))
    assert first == second
    queries = [{problem.query for problem in _parsed(text).problems} for text in (first, other)]
    assert len(queries[0] & queries[1]) < len(queries[0]) / 2


def test_problems_build_on_earlier_ones(author: Callable[..., Any]) -> None:
    made = author(two_tables)
    items = sketch_from_profile(made.profile(), rng_seed=2)
    assert all(number < item.number for item in items for number in item.depends_on)
    assert all(item.depends_on for item in items[2:])
    assert any(len(item.depends_on) > 1 for item in items)
    assert {"join_tables", "parse_dates"} <= {item.family for item in items}


@pytest.mark.parametrize("rows", [1, 2, 4])
def test_a_table_of_a_few_rows_is_refused_in_plain_words(author: Callable[..., Any], rows: int) -> None:
    made = author(lambda folder: pd.DataFrame({"a": range(rows), "b": 1.5}).to_csv(folder / "t.csv", index=False))
    with pytest.raises(ContentError, match=rf"'t\.csv' has {rows} rows?: too few"):
        made.draft(made.profile())


def test_a_table_without_variety_is_refused_in_plain_words(author: Callable[..., Any]) -> None:
    made = author(lambda folder: pd.DataFrame({"a": ["same"] * 30}).to_csv(folder / "t.csv", index=False))
    with pytest.raises(ContentError, match="different problems with one clear answer") as raised:
        made.draft(made.profile())
    assert "more varied values" in raised.value.fix


def test_a_small_table_still_gives_a_set(engine: Engine, drafted: Callable[..., Any]) -> None:
    made, draft = drafted(twelve_rows)
    (nothing,) = _verdicts(engine, made.inputs, _parsed(draft.text), "")
    assert Verdict.CORRECT not in nothing


@pytest.mark.slow
def test_two_hundred_thousand_rows_stay_within_a_third_of_the_limits(
    engine: Engine, author: Callable[..., Any]
) -> None:
    made = author(large)
    problemset = _parsed(made.draft(made.profile()).text)
    with engine.open(key="large", inputs=made.inputs) as session:
        session.execute(problemset.cells[0].source if isinstance(problemset.cells[0], SetupCell) else "")
        slow = []
        for problem in problemset.problems:
            best = min(session.attempt(problem.code, limits=CellLimits(wall_s=60)).seconds for _ in range(3))
            if best > problem.execution.max_time_s / 3:
                slow.append((problem.code, best, problem.execution.max_time_s))
            session.execute(problem.code)
    assert slow == []


cells = st.one_of(st.none(), st.text(max_size=12), st.integers(-(10**6), 10**6), st.floats(width=32), st.booleans())
names = st.lists(
    st.text(st.characters(exclude_categories=("Cs", "Cc")), min_size=1, max_size=20), min_size=1, max_size=5
)


@settings(max_examples=8, suppress_health_check=list(HealthCheck))
@given(
    names=names,
    columns=st.lists(st.lists(cells, min_size=24, max_size=24), min_size=5, max_size=5),
    seed=st.integers(0, 99),
)
def test_any_generated_table_is_drafted_or_refused_in_plain_words(
    engine: Engine, tmp_path_factory: pytest.TempPathFactory, names: list[str], columns: list[list[object]], seed: int
) -> None:
    from authoring.seeds import build_profile
    from authoring.templates import draft_from_sketch

    folder = tmp_path_factory.mktemp("generated")
    frame = pd.DataFrame(dict(zip(names, columns, strict=False)))
    frame.to_csv(folder / "t.csv", index=False)
    try:
        profile = build_profile(engine, [folder / "t.csv"])
        items = sketch_from_profile(profile, rng_seed=seed)
        text = draft_from_sketch(engine, folder, profile, items, rng_seed=seed, name="draft").text
    except ContentError as error:
        refusal = error
    else:
        assert 10 <= len(_parsed(text).problems) <= 15
        return
    assert refusal.what
    assert refusal.fix


def test_a_normal_seed_is_drafted_within_seconds(author: Callable[..., Any]) -> None:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"g": rng.choice(list("abc"), 2000), "x": rng.normal(size=2000), "y": rng.gamma(2, 3, 2000)})
    made = author(lambda folder: frame.to_csv(folder / "t.csv", index=False))
    profile = made.profile()
    started = time.monotonic()
    made.draft(profile)
    assert time.monotonic() - started < 30  # about 3 on an idle machine
