"""Drafts of awkward tables: judged by an engine, replaced where the data refuse, refused in plain words."""

import re
import zlib
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from random import Random
from typing import Any, TypeVar

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from authoring.seeds.meanings import infer_semantics
from authoring.seeds.semantics import Meaning, Semantics
from authoring.store.drafting.sketches import SketchItem
from authoring.templates import FAMILIES, planning, sketch_from_profile
from authoring.templates.board import Board
from authoring.templates.candidate_trials import Refusal
from authoring.templates.family import Task
from authoring.templates.planning import MAX_PROBLEMS, MIN_PROBLEMS, Plan, proposals_of
from authoring.templates.requirements import GROUPS, NUMBERS, missing_columns
from evaluator.errors import ContentError
from evaluator.language import Problem, Problemset, SetupCell, resolve_validators, wanted_names, wants_figures
from evaluator.scoring import Verdict, judge_submission
from evaluator.session import CaptureSpec, CellLimits, Engine, record_probes
from tests.templates.bench_here import BenchHere
from tests.templates.conftest import Agreeable, Author, parsed, profile_here
from tests.templates.nasty_tables import NASTY, Write, hostile_values, umlauts
from tests.templates.rich_tables import films, orders

DRAFTED = [umlauts, *(pytest.param(one, marks=pytest.mark.deep) for one in (orders, films, hostile_values))]
LIMITS = CellLimits(wall_s=60)  # test machines are busy
Make = Callable[..., Author]
Draft = Callable[[Write], tuple[Author, Any]]


@pytest.fixture(scope="module")
def drafted(tmp_path_factory: pytest.TempPathFactory) -> Draft:
    """Return who drafted from the files that a function writes, and the draft; the same for every test that asks."""

    @cache
    def make(write: Write) -> tuple[Author, Any]:
        (folder := tmp_path_factory.mktemp("drafted") / "inputs").mkdir()
        write(folder)
        made = Author(folder, BenchHere)
        items = sketch_from_profile(made.profile, rng_seed=0)
        return made, made.draft(items=items[: MIN_PROBLEMS if write is umlauts else None])

    return make


def csv(frame: pd.DataFrame) -> Write:
    return lambda folder: frame.to_csv(folder / "t.csv", index=False)


Made = TypeVar("Made")


def made_or_refused(make: Callable[[], Made]) -> Made | ContentError:
    try:
        return make()
    except ContentError as refusal:
        return refusal


def refuse_unclear(queries: Sequence[str]) -> None:
    for query in queries:
        assert "{" not in query.replace("{braces}", "").replace('"{c}"', "")
        assert query.endswith((".", "?", ".)"))


@pytest.mark.parametrize("write", DRAFTED)
def test_a_draft_has_ten_to_fifteen_problems_that_hang_together(drafted: Draft, write: Write) -> None:
    draft = drafted(write)[1]
    problems = parsed(draft.text).problems
    assert MIN_PROBLEMS <= len(problems) <= MAX_PROBLEMS
    assert len({problem.metadata["id"] for problem in problems}) == len(problems)
    refuse_unclear([problem.query for problem in problems])
    for problem in problems:
        assert problem.metadata["knowledge_points"]
        assert problem.metadata["difficulty"] in {"easy", "medium", "hard"}
    assert draft.report["problems"] == len(problems)
    assert draft.report["linked"] >= 0.3
    assert draft.report["deep"] > 0
    assert len(draft.report["identities"]) >= len(problems) / 2


def examples(problem: Problem, kind: str) -> list[str]:
    kept: list[Any] = problem.metadata.get("examples", {}).get(kind, [])
    return [one if isinstance(one, str) else one["code"] for one in kept]


def judged(
    engine: Engine, inputs: Path, problemset: Problemset, answers: Callable[[Problem], Sequence[str]]
) -> Iterator[tuple[Problem, str, Verdict]]:
    """Yield the verdict on each answer to each problem, independently of the session that drafted them."""
    with engine.open(key=problemset.name, inputs=inputs) as session:
        for cell in problemset.cells:
            if isinstance(cell, SetupCell):
                session.execute(cell.source)
                continue
            probes, validators = record_probes(session, cell, LIMITS), resolve_validators(cell)
            figures = wants_figures(validators)
            capture = CaptureSpec(names=wanted_names(validators), infer=True, probes=probes, figures=figures)
            submissions = [(code, session.attempt(code, capture=capture, limits=LIMITS)) for code in answers(cell)]
            reference = session.execute(cell.code, capture=capture, limits=LIMITS)
            for code, submission in submissions:
                yield cell, code, judge_submission(engine, reference, submission, cell).verdict


@pytest.mark.parametrize(
    ("write", "is_whole"),
    [(umlauts, False), *(pytest.param(one, True, marks=pytest.mark.deep) for one in (umlauts, orders, films))],
)
def test_references_and_other_ways_are_right_and_mistakes_are_not(
    engine: Engine, drafted: Draft, write: Write, is_whole: bool
) -> None:
    """One other way or mistake of each problem, or all, in a session."""
    made, draft = drafted(write)
    problemset = parsed(draft.text)

    def answers(problem: Problem) -> list[str]:
        accept, reject = examples(problem, "accept"), examples(problem, "reject")
        if is_whole:
            return [problem.code, *accept, *reject]
        return accept[:1] if problemset.problems.index(problem) % 2 else reject[:1]

    wrong, tried = [], 0
    for problem, code, verdict in judged(engine, made.inputs, problemset, answers):
        is_right = code == problem.code or code in examples(problem, "accept")
        tried += 1
        if (verdict is Verdict.CORRECT) is not is_right:
            wrong.append((problem.metadata["id"], verdict, code))
    assert wrong == []
    assert tried >= 7


LEGISLATED = re.compile(r"not rounded|do not round|unrounded|default_rng|random_state", re.IGNORECASE)
EXPLAINED = {"Monday", "Tuesday", "n", "True", "False", "NaN", "None"}


@pytest.mark.parametrize("write", DRAFTED)
def test_queries_name_only_what_is_there_and_what_they_ask_for_is_compared(drafted: Draft, write: Write) -> None:
    """A name between backquotes is a variable, a column, a file, or stands in the problem's own code."""
    made, draft = drafted(write)
    known = {column.name for table in made.profile.tables for column in table.columns}
    known |= {f"inputs/{table.file}" for table in made.profile.tables}
    code = ""
    for problem in parsed(draft.text).problems:
        assert not LEGISLATED.search(problem.query), problem.query
        code += f"\n{problem.code}"
        for name in re.findall(r"`([^`]+)`", problem.query):
            is_there = name in known or name in code or name.split("(")[0] in code
            assert is_there or name in EXPLAINED or re.fullmatch(r"%.*|\w+=\w+|[\d./-]+", name), (name, problem.query)
        stored = set(re.findall(r"^([A-Za-z]\w*)(?:\[[^]]*\])? = ", problem.code, flags=re.MULTILINE))
        stored |= set(re.findall(r"^def ([A-Za-z]\w*)\(", problem.code, flags=re.MULTILINE))
        asked = {name for name in stored if f"`{name}`" in problem.query or f"`{name}(" in problem.query}
        told = str(problem.validator) + str(problem.metadata.get("probes", ""))
        assert {name for name in asked if name not in told} == set(), problem.query


@pytest.mark.parametrize("name", NASTY)
def test_any_table_is_sketched_with_code_that_parses_or_refused(author: Make, name: str) -> None:
    profile = author(NASTY[name]).profile
    items = made_or_refused(lambda: sketch_from_profile(profile, rng_seed=2))
    if isinstance(items, ContentError):
        assert name not in ("umlauts", "two_tables", "hostile_names", "hostile_values")
        assert re.search(r"carries a thread of only \d+ problems", items.what)
        assert items.fix
        return
    board = Board(profile, infer_semantics(profile))
    for item in items:
        family = FAMILIES[item.family]
        task = family.build(board, item.slots)
        compile(task.code, item.family, "exec")
        refuse_unclear([family.query(task, item.slots)])
        board = task.board.after()


# what is decided without a session


class Choosy(Agreeable):
    """Refuses a third of all problems, the same ones each time."""

    def consider(self, task: Task, _: Problem) -> Refusal | None:  # pyrefly: ignore[bad-override]
        refuses = zlib.crc32(task.code.encode()) % 3 == 0 and "read_csv" not in task.code
        return Refusal("the data do not fit the question", "x > 1") if refuses else None


def test_what_does_not_fit_is_replaced_and_the_report_says_by_what(author: Make) -> None:
    made, replaced = author(films, Choosy), Counter[bool]()
    for rng_seed in range(2):
        draft = made.draft(rng_seed=rng_seed)
        problems = parsed(draft.text).problems
        assert MIN_PROBLEMS <= len(problems) <= MAX_PROBLEMS
        stands = Counter(re.sub(r"-\d$", "", str(problem.metadata["id"])).replace("-", "_") for problem in problems)
        instead = Counter(one["instead"] for one in draft.report["replaced"] if one["instead"])
        assert instead <= stands, "what is said to stand there does"
        assert draft.report["refused"] >= len(draft.report["replaced"])
        assert all(one["reason"] for one in draft.report["replaced"])
        assert {one.get("check") for one in draft.report["replaced"]} <= {"x > 1", None}
        replaced.update(one["instead"] is not None for one in draft.report["replaced"])
        assert draft.report["linked"] >= 0.3, "what stands there rests on other problems, too"
    assert replaced[True] >= 2
    assert replaced.total() >= 4


def test_the_same_rng_seed_gives_the_same_bytes_and_another_others(author: Make) -> None:
    made = author(umlauts)
    first, second, other = (made.draft(rng_seed=seed).text for seed in (0, 0, 2))
    assert first == second
    queries = [{problem.query for problem in parsed(text).problems} for text in (first, other)]
    assert len(queries[0] & queries[1]) < len(queries[0]) / 2


def test_an_item_that_names_nothing_is_refused_with_its_number(author: Make) -> None:
    item = SketchItem(1, "Load it.", family="load_tables", slots={"table": 0, "var": "df", "others": {}})
    made = author(umlauts)
    for changed, message in (
        (replace(item, family="no_such"), "no task family is called 'no_such'"),
        (replace(item, family=""), "names no task family"),
        (replace(item, slots={}), "slot 'table' is None"),
        *((replace(item, slots={"table": 0, "var": "df", **slots}), message) for slots, message in (
            ({"var": "1x"}, "slot 'var' is '1x'"),
            ({"table": 9}, "slot 'table' is 9"),
            ({"wording": "b"}, "slot 'wording'"),
            ({"others": [1]}, "slot 'others' is \\[1\\]"),
            ({"others": {"x": "y"}}, "slot 'others' is"),
            ({"focus": "Stadt"}, "slot 'focus' is 'Stadt'"),
        )),
    ):  # fmt: skip
        with pytest.raises(ContentError, match=message) as raised:
            made.draft(items=[changed])
        assert raised.value.where == "sketch item 1"


def test_an_edited_sketch_is_filled_up_or_refused_as_too_long(author: Make) -> None:
    made = author(umlauts)
    items = sketch_from_profile(made.profile, rng_seed=7)
    edited = [replace(item, slots={**item.slots, "wording": 1}) for item in items]
    ends = [item for item in edited if not any(item.number in other.depends_on for other in edited)]
    changed = made.draft(items=[item for item in edited if item != ends[-1]])
    assert changed.report["problems"] >= MIN_PROBLEMS
    assert made.draft(items=items[:3]).report["problems"] == MIN_PROBLEMS
    with pytest.raises(ContentError, match="at most 15"):
        made.draft(items=[*items, *items])


def test_items_about_a_column_that_was_set_aside_since_are_replaced(author: Make) -> None:
    made = author(films)
    items = sketch_from_profile(made.profile, rng_seed=0)
    known = infer_semantics(made.profile)
    focus = str(items[0].slots["focus"]["measure"])
    column = known.tables[0].column(focus)
    assert column is not None
    corrected = Semantics(tables=(known.tables[0].with_column(replace(column, meaning=Meaning.CODE)),))
    drafted = made.draft(items=items, semantics=corrected)
    assert len(parsed(drafted.text).problems) >= MIN_PROBLEMS
    assert any(f"cannot be column {focus!r}" in row["reason"] for row in drafted.report["replaced"])


# tables of many shapes

KINDS = ("amount", "count", "two values", "few words", "many words", "one word", "day", "key", "text", "gaps")


def column_of(kind: str, rows: int, rng: np.random.Generator) -> Any:
    days = pd.Timestamp("2023-01-01") + pd.to_timedelta(rng.integers(0, 700, rows), "D")
    made: dict[str, Callable[[], Any]] = {
        "amount": lambda: rng.gamma(2, 80, rows).round(2),
        "count": lambda: rng.integers(0, 9, rows),
        "two values": lambda: rng.integers(0, 2, rows) * 1.5,
        "few words": lambda: rng.choice(["north", "south", "west"], rows, p=[0.5, 0.3, 0.2]),
        "many words": lambda: rng.choice([f"town {n}" for n in range(60)], rows),
        "one word": lambda: np.repeat("same", rows),
        "day": lambda: days.strftime("%Y-%m-%d"),
        "key": lambda: np.arange(10_000, 10_000 + rows),
        "text": lambda: [f"a longer text about the number {n}" for n in rng.integers(0, rows, rows)],
        "gaps": lambda: np.where(np.arange(rows) % 7 > 0, np.nan, rng.normal(9, 2, rows)),
    }
    return made[kind]()


def table_of(kinds: Sequence[str], rows: int, repeated: float = 0.0, rng_seed: int = 1) -> pd.DataFrame:
    rng = np.random.default_rng(rng_seed)
    names = (f"{kind.replace(' ', '_')}_{place}" for place, kind in enumerate(kinds))
    table = pd.DataFrame(dict(zip(names, (column_of(kind, rows, rng) for kind in kinds), strict=True)))
    return pd.concat([table, table.sample(int(repeated * rows), replace=True, random_state=rng_seed)])


@settings(suppress_health_check=list(HealthCheck))
@given(
    kinds=st.lists(st.sampled_from(KINDS), min_size=2, max_size=6),
    rows=st.sampled_from([10, 60, 400]),
    repeated=st.sampled_from([0.0, 0.0098, 0.4, 1.0]),
    rng_seed=st.integers(0, 99),
)
def test_any_shape_of_table_is_drafted_or_refused_with_what_helps(
    tmp_path_factory: pytest.TempPathFactory, kinds: list[str], rows: int, repeated: float, rng_seed: int
) -> None:
    folder = tmp_path_factory.mktemp("shapes")
    csv(table_of(kinds, rows, repeated, rng_seed))(folder)
    profile = profile_here(folder)
    items = made_or_refused(lambda: sketch_from_profile(profile, rng_seed=rng_seed))
    if isinstance(items, ContentError):
        lacking = missing_columns(Board(profile, infer_semantics(profile)))
        assert "slot" not in items.what
        assert f"{MIN_PROBLEMS} are needed" in items.what
        assert "under Meaning, on the seed's page" in items.fix
        assert (NUMBERS in items.what, GROUPS in items.what) == (NUMBERS in lacking, GROUPS in lacking)
    else:
        drafted = Author(folder).draft(rng_seed=rng_seed, items=items)
        assert MIN_PROBLEMS <= len(parsed(drafted.text).problems) <= MAX_PROBLEMS


UNNAMED = {"pri\nce": [n * 37 % 90 for n in range(200)], "ki`nd": ["a", "b"] * 100, "id": range(200)}
LACKS_NUMBERS = "it lacks a column of numbers that measures something"
REFUSED: tuple[tuple[pd.DataFrame, str, str], ...] = (
    (pd.DataFrame({"a": range(1), "b": 1.5}), "'t.csv' has 1 row: too few", "at least 8 rows"),
    (pd.DataFrame({"a": range(7), "b": 1.5}), "'t.csv' has 7 rows: too few", "better 50 or more"),
    (pd.DataFrame({"level": np.arange(80.0)}), "has one column: nothing can be", "a measure and"),
    (pd.DataFrame(UNNAMED), "2 of them cannot be named in a query", "rename these columns"),
    (pd.DataFrame({"a": ["same"] * 30, "b": ["one"] * 30}), LACKS_NUMBERS, "add such a column, or say"),
    (table_of(["two values", "few words"], 900, 0.01), LACKS_NUMBERS, "a measure, a count, money or"),
    (table_of(["amount", "key"], 300), f"it lacks {GROUPS}", "a category, a flag or an ordinal"),
    (pd.DataFrame({"a": [None] * 40, "b": [None] * 40}), "all of its 40 rows are missing values", ""),
    (pd.DataFrame(np.ones((3, 501))), "has 501 columns; at most 500 are read", "keep the columns that matter"),
)  # fmt: skip


def test_a_table_that_carries_no_thread_is_refused_with_what_it_lacks(tmp_path: Path) -> None:
    for number, (frame, what, fix) in enumerate(REFUSED):
        (folder := tmp_path / str(number)).mkdir()
        csv(frame)(folder)
        with pytest.raises(ContentError) as raised:
            sketch_from_profile(profile_here(folder), rng_seed=0)
        assert what in raised.value.what
        assert raised.value.fix
        assert fix in raised.value.fix
        assert (NUMBERS in raised.value.what) is (what == LACKS_NUMBERS)


def test_a_family_that_refuses_its_own_choice_is_left_out(author: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    """It proposes a column that is no number, and one that is not there."""

    def propose_words(board: Board, rng: Random) -> Iterator[dict[str, Any]]:
        for frame in board.mains():
            yield {"frame": frame.var, "column": frame.groups()[0].name, "edges": [1.0, 2.0], "new": "class_of"}
            yield {"frame": frame.var, "column": frame.column("no such").name}

    broken = replace(FAMILIES["value_classes"], propose=propose_words)
    profile = author(csv(table_of(["amount", "few words", "many words", "day"], 500, 0, 3))).profile
    board = Board(profile, infer_semantics(profile))
    loaded = next(proposals_of(FAMILIES["load_tables"], board, Plan(1), Random(0))).task.board.after()
    assert list(proposals_of(broken, loaded, Plan(1), Random(0))) == []
    monkeypatch.setattr(planning, "FAMILIES", {**FAMILIES, broken.name: broken})
    items = sketch_from_profile(profile, rng_seed=0)
    assert len(items) >= MIN_PROBLEMS
    assert broken.name not in {item.family for item in items}


def test_of_two_files_that_nothing_joins_one_is_drafted_from(author: Make) -> None:
    def write(folder: Path) -> None:
        films(folder)
        metals = pd.DataFrame({"metal": list("abcdefgh") * 5, "melts_c": np.arange(40) * 31.5})
        metals.to_csv(folder / "metals.csv", index=False)

    items = sketch_from_profile(author(write).profile, rng_seed=0)
    assert MIN_PROBLEMS <= len(items) <= MAX_PROBLEMS
    assert items[0].slots["others"] == {}
