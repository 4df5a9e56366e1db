"""Drafts of awkward tables, from their files to problems that an engine has judged."""

import re
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from authoring.seeds import Profile
from authoring.seeds.meanings import infer_semantics
from authoring.store.drafting.sketches import SketchItem
from authoring.templates import FAMILIES
from authoring.templates.board import Board
from authoring.templates.planning import MAX_PROBLEMS, MIN_PROBLEMS
from authoring.templates.sketched_thread import sketch_from_profile
from evaluator.errors import ContentError
from evaluator.language import Problem
from evaluator.scoring import Verdict
from evaluator.session import Engine
from tests.seeds.read_here import files_read_here
from tests.templates.judging import judged, parsed
from tests.templates.nasty_tables import NASTY, Write, large, two_tables, umlauts
from tests.templates.rich_tables import films, orders

SHOPS = ("north", "south", "east", "west")
DRAFTED = ("hostile_names", "hostile_values", "two_tables", "umlauts")


def _refuse_unclear(queries: list[str]) -> None:
    for query in queries:
        assert "{" not in query.replace("{braces}", "").replace('"{c}"', "")
        assert query.endswith((".", "?", ".)"))


@pytest.mark.parametrize("name", DRAFTED)
def test_an_awkward_table_gives_ten_to_fifteen_problems_with_clear_queries(
    drafted: Callable[..., Any], name: str
) -> None:
    problems = parsed(drafted(NASTY[name])[1].text).problems
    assert MIN_PROBLEMS <= len(problems) <= MAX_PROBLEMS
    assert len({problem.metadata["id"] for problem in problems}) == len(problems)
    _refuse_unclear([problem.query for problem in problems])
    for problem in problems:
        assert problem.metadata["knowledge_points"]
        assert problem.metadata["difficulty"] in {"easy", "medium", "hard"}


@pytest.mark.parametrize("name", NASTY)
def test_any_table_is_sketched_with_code_that_parses_or_refused_in_plain_words(
    author: Callable[..., Any], name: str
) -> None:
    made = author(NASTY[name])
    with files_read_here():  # sessions read the tables of the tests that draft
        profile = made.profile()
    try:
        items = sketch_from_profile(profile, rng_seed=2)
    except ContentError as error:
        refusal = error
    else:
        _refuse_broken(profile, items)
        return
    assert name not in DRAFTED
    assert re.search(r"carries a thread of only \d+ problems|has one column|too few", refusal.what)
    assert refusal.fix


def _refuse_broken(profile: Profile, items: tuple[SketchItem, ...]) -> None:
    board = Board(profile, infer_semantics(profile))
    for item in items:
        family = FAMILIES[item.family]
        task = family.build(board, item.slots)
        compile(task.code, item.family, "exec")
        _refuse_unclear([family.query(task, item.slots)])
        board = task.board.after()


def _examples(problem: Problem, kind: str) -> list[str]:
    kept: list[Any] = problem.metadata.get("examples", {}).get(kind, [])
    return [one if isinstance(one, str) else one["code"] for one in kept]


@pytest.mark.parametrize("write", [umlauts, orders, films])
def test_references_and_other_ways_are_right_and_mistakes_and_empty_answers_are_not(
    engine: Engine, drafted: Callable[..., Any], write: Write
) -> None:
    made, draft = drafted(write)

    def answers(problem: Problem) -> list[str]:
        return [problem.code, *_examples(problem, "accept"), *_examples(problem, "reject"), "", "pass", "None"]

    wrong, tried = [], 0
    for problem, code, verdict in judged(engine, made.inputs, parsed(draft.text), answers):
        is_right = code == problem.code or code in _examples(problem, "accept")
        tried += 1
        if (verdict is Verdict.CORRECT) is not is_right:
            wrong.append((problem.metadata["id"], verdict, code))
    assert wrong == []
    assert tried >= 60


def test_the_same_rng_seed_gives_the_same_bytes_and_another_one_other_problems(drafted: Callable[..., Any]) -> None:
    made, draft = drafted(umlauts)
    profile = made.profile()
    first, second, other = draft.text, *(made.draft(profile, rng_seed=seed).text for seed in (0, 2))
    assert first == second
    queries = [{problem.query for problem in parsed(text).problems} for text in (first, other)]
    assert len(queries[0] & queries[1]) < len(queries[0]) / 2


def test_problems_build_on_earlier_ones(author: Callable[..., Any]) -> None:
    made = author(two_tables)
    items = sketch_from_profile(made.profile(), rng_seed=2)
    assert all(number < item.number for item in items for number in item.depends_on)
    assert all(item.depends_on for item in items[1:])
    assert any(len(item.depends_on) > 1 for item in items)
    assert {"keys_without_partner", "bring_columns"} & {item.family for item in items}


@pytest.mark.parametrize("write", [umlauts, orders, films])
def test_the_report_says_how_much_of_a_draft_hangs_together(drafted: Callable[..., Any], write: Write) -> None:
    report = drafted(write)[1].report
    assert report["linked"] >= 0.5
    assert report["deep"] >= (0.05 if write is umlauts else 0.1)  # a few random rows leave little to look behind
    assert len(report["identities"]) >= report["problems"] / 2


LEGISLATED = re.compile(r"not rounded|do not round|unrounded|default_rng|random_state", re.IGNORECASE)
CALLS = re.compile(r"`([A-Za-z_]\w*)\(")


@pytest.mark.parametrize("write", [umlauts, orders, films, two_tables])
def test_queries_ask_questions_and_name_only_what_is_there(drafted: Callable[..., Any], write: Write) -> None:
    """A name between backquotes is a variable, a column, a file, or stands in the problem's own code."""
    made, draft = drafted(write)
    known = {column.name for table in made.profile().tables for column in table.columns}
    known |= {f"inputs/{table.file}" for table in made.profile().tables}
    code = ""
    for problem in parsed(draft.text).problems:
        assert not LEGISLATED.search(problem.query), problem.query
        code += f"\n{problem.code}"
        for name in re.findall(r"`([^`]+)`", problem.query):
            is_there = name in known or name in code or name.split("(")[0] in code
            assert is_there or name in EXPLAINED or re.fullmatch(r"%.*|\w+=\w+|[\d./-]+", name), (name, problem.query)


EXPLAINED = {"Monday", "Tuesday", "n", "True", "False", "NaN", "None"}
STORES = re.compile(r"\b(?:as|called|into|in|Store \w+|column|DataFrame) `([A-Za-z_]\w*)`")


@pytest.mark.parametrize("write", [umlauts, orders, films, two_tables])
def test_every_variable_that_a_query_asks_for_is_compared(drafted: Callable[..., Any], write: Write) -> None:
    """What the code stores under a name that the query says is in a validator, so that nobody may leave it out."""
    for problem in parsed(drafted(write)[1].text).problems:
        stored = set(re.findall(r"^([A-Za-z]\w*)(?:\[[^]]*\])? = ", problem.code, flags=re.MULTILINE))
        stored |= set(re.findall(r"^def ([A-Za-z]\w*)\(", problem.code, flags=re.MULTILINE))
        asked = {name for name in stored if f"`{name}`" in problem.query or f"`{name}(" in problem.query}
        told = str(problem.validator) + str(problem.metadata.get("probes", ""))
        assert {name for name in asked if name not in told} == set(), problem.query


def _csv(frame: pd.DataFrame) -> Write:
    return lambda folder: frame.to_csv(folder / "t.csv", index=False)


@pytest.mark.parametrize("rows", [1, 2, 4])
def test_a_table_of_a_few_rows_is_refused_in_plain_words(author: Callable[..., Any], rows: int) -> None:
    made = author(_csv(pd.DataFrame({"a": range(rows), "b": 1.5})))
    with pytest.raises(ContentError, match=rf"'t\.csv' has {rows} rows?: too few"):
        made.draft(made.profile())


def test_a_table_of_one_column_is_refused_with_the_reason(author: Callable[..., Any]) -> None:
    made = author(_csv(pd.DataFrame({"level": np.arange(80.0)})))
    with pytest.raises(ContentError, match="has one column: nothing can be compared") as raised:
        made.draft(made.profile())
    assert "a measure and something to compare it by" in raised.value.fix


def test_columns_that_no_query_can_name_are_given_as_the_reason(author: Callable[..., Any]) -> None:
    rng = np.random.default_rng(1)
    table = {"pri\nce": rng.normal(9, 2, 200), "ki`nd": rng.choice(["a", "b"], 200), "id": range(200)}
    made = author(_csv(pd.DataFrame(table)))
    with pytest.raises(ContentError, match="2 of them cannot be named in a query") as raised:
        sketch_from_profile(made.profile(), rng_seed=0)
    assert "rename these columns" in raised.value.fix


@pytest.mark.parametrize(
    "frame",
    [
        pd.DataFrame({"a": ["same"] * 30, "b": ["one"] * 30}),
        pd.DataFrame({"a": [f"text {i}" for i in range(40)], "b": [f"word {i}" for i in range(40)]}),
    ],
    ids=["constant", "all text"],
)
def test_a_table_that_carries_no_thread_is_refused_with_what_it_lacks(
    author: Callable[..., Any], frame: pd.DataFrame
) -> None:
    made = author(_csv(frame))
    with pytest.raises(
        ContentError, match=rf"carries a thread of only \d+ problems, {MIN_PROBLEMS} are needed"
    ) as raised:
        made.draft(made.profile())
    assert "it lacks a column of numbers that measures something" in raised.value.what
    assert "add such a column, or say under Meaning" in raised.value.fix


def test_a_table_without_a_value_is_refused_in_plain_words(author: Callable[..., Any]) -> None:
    made = author(_csv(pd.DataFrame({"a": [None] * 40, "b": [None] * 40})))
    with pytest.raises(ContentError, match="all of its 40 rows are missing values") as raised:
        made.profile()
    assert raised.value.fix


def test_two_files_that_have_nothing_to_do_with_each_other_are_drafted_from_one(author: Callable[..., Any]) -> None:
    def write(folder: Any) -> None:
        films(folder)
        pd.DataFrame({"metal": list("abcdefgh") * 5, "melts_c": np.arange(40) * 31.5}).to_csv(
            folder / "metals.csv", index=False
        )

    made = author(write)
    items = sketch_from_profile(made.profile(), rng_seed=0)
    assert MIN_PROBLEMS <= len(items) <= MAX_PROBLEMS
    assert items[0].slots["others"] == {}


def _repeated_orders() -> pd.DataFrame:
    """5,049 rows, 49 of them repeated, whose order number is otherwise unique."""
    rng, rows = np.random.default_rng(6), 5000
    table = pd.DataFrame({"order_no": np.arange(10_000, 10_000 + rows), "amount": rng.gamma(2, 80, rows).round(2)})
    table["region"] = rng.choice(["north", "south", "west"], rows, p=[0.5, 0.3, 0.2])
    table["order_date"] = (pd.Timestamp("2023-01-01") + pd.to_timedelta(rng.integers(0, 700, rows), "D")).strftime(
        "%Y-%m-%d"
    )
    return pd.concat([table, table.sample(49, random_state=1)])


def test_a_table_with_repeated_orders_is_drafted_under_every_rng_seed(author: Callable[..., Any]) -> None:
    made = author(_csv(_repeated_orders()))
    profile = made.profile()
    families = set()
    for rng_seed in range(5):
        items = sketch_from_profile(profile, rng_seed=rng_seed)
        families |= {item.family for item in items}
        if rng_seed < 2:
            assert made.draft(profile, items=items, rng_seed=rng_seed).report["problems"] >= MIN_PROBLEMS
    assert "drop_repeats" in families


def _regular_shops() -> pd.DataFrame:
    """Figures that repeat: much of what is planned does not fit them, and what only prepared it is left out."""
    days = [f"2024-0{1 + n % 6}-{1 + n % 28:02}" for n in range(60)]
    rows = [
        (shop, day, (7 * n + 2 * len(shop)) % 23 + len(shop), n % 9 + 0.5)
        for n, day in enumerate(days)
        for shop in SHOPS
    ]
    return pd.DataFrame(rows, columns=["shop", "day", "units", "price"])


@pytest.mark.parametrize("rng_seed", range(3))
def test_what_no_longer_fits_once_unused_columns_are_gone_is_replaced_too(
    author: Callable[..., Any], rng_seed: int
) -> None:
    shops = author(_csv(_regular_shops()))
    drafted = shops.draft(shops.profile(), rng_seed=rng_seed)
    problems = parsed(drafted.text).problems
    assert MIN_PROBLEMS <= len(problems) <= MAX_PROBLEMS
    assert len(drafted.report["replaced"]) >= 3
    assert all(one["reason"] for one in drafted.report["replaced"])
    stands = Counter(re.sub(r"-\d$", "", str(problem.metadata["id"])).replace("-", "_") for problem in problems)
    instead = Counter(one["instead"] for one in drafted.report["replaced"] if one["instead"])
    assert instead.total() >= 1
    assert instead <= stands, "what is said to stand there does"
    assert drafted.report["linked"] >= 0.3, "what stands there rests on other problems, too"


def _sensors(count: int) -> pd.DataFrame:
    rng = np.random.default_rng(7)
    wide = pd.DataFrame(rng.normal(50, 9, (60, count)).round(2), columns=[f"sensor {i}" for i in range(count)])
    wide.insert(0, "site", rng.choice(["hill", "lake", "town"], 60))
    return wide


def test_three_thousand_columns_are_refused_with_the_number_that_is_read(author: Callable[..., Any]) -> None:
    with pytest.raises(ContentError, match=r"has 3,001 columns; at most 500 are read") as raised:
        author(_csv(_sensors(3000))).profile()
    assert raised.value.fix == "keep the columns that matter"


@pytest.mark.slow
def test_as_many_columns_as_are_read_are_sketched(author: Callable[..., Any]) -> None:
    profile = author(_csv(_sensors(499))).profile()
    items = sketch_from_profile(profile, rng_seed=0)
    assert MIN_PROBLEMS <= len(items) <= MAX_PROBLEMS


@pytest.mark.slow
def test_two_hundred_thousand_rows_are_drafted_and_their_references_judged_right(
    engine: Engine, author: Callable[..., Any]
) -> None:
    made = author(large)
    problemset = parsed(made.draft(made.profile()).text)
    verdicts = [
        verdict for _, _, verdict in judged(engine, made.inputs, problemset, lambda problem: [problem.code, "None"])
    ]
    assert MIN_PROBLEMS <= len(problemset.problems) <= MAX_PROBLEMS
    assert verdicts[::2] == [Verdict.CORRECT] * len(problemset.problems)
    assert Verdict.CORRECT not in verdicts[1::2]


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
        assert MIN_PROBLEMS <= len(parsed(text).problems) <= MAX_PROBLEMS
        return
    assert refusal.what
    assert refusal.fix


def test_a_table_of_one_group_and_two_numbers_is_drafted(author: Callable[..., Any]) -> None:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"g": rng.choice(list("abc"), 2000), "x": rng.normal(size=2000), "y": rng.gamma(2, 3, 2000)})
    made = author(lambda folder: frame.to_csv(folder / "t.csv", index=False))
    assert len(parsed(made.draft(made.profile()).text).problems) >= MIN_PROBLEMS
