"""What runs came to, over the index of their attempts."""

import random
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from authoring.store.database import connections
from authoring.store.releases import list_guesses
from authoring.store.run_results import (
    AttemptPlace,
    CellCount,
    PairGroup,
    ProblemCount,
    ProblemFilter,
    SolvedBy,
    count_causes,
    count_correct,
    count_last_verdicts,
    count_masks,
    count_matrix,
    count_pairs,
    count_verdicts_of_runs,
    find_attempt,
    list_attempts_at,
    list_compared,
    list_matrix,
    list_other_agents,
    list_pairs,
    place_attempt,
)
from authoring.store.runs import count_runs, index_attempts, newest_runs
from authoring.store.runs import find as find_run
from authoring.store.runs import insert as insert_run
from authoring.store.workspace import Workspace
from evaluator.errors import UsageError


def record(index: int, verdict: str, problemset: str = "trips", **more: Any) -> dict[str, Any]:
    return {"problemset": problemset, "index": index, "verdict": verdict, "question": f"Question {index}?", **more}


def add_run(ws: Workspace, records: list[dict[str, Any]], release: str = "city 1", agent: str = "solver") -> int:
    with ws.read() as db:
        (number,) = db.execute("SELECT count(*) FROM run").fetchone()
    run = insert_run(ws, release=release, agent=agent, out_dir=f"/{number}", summary={})
    index_attempts(ws, run, records)
    return run


@pytest.fixture
def runs(workspace: Workspace) -> tuple[int, int]:
    """A solver that needed a second attempt at problem 2, and a guesser in two epochs."""
    tried = [record(1, "CORRECT"), record(2, "CRASH", attempt=1), record(2, "CORRECT", attempt=2)]
    guessed = [record(1, "CORRECT"), record(1, "CRASH", epoch=2), record(2, "WRONG_OUTPUT")]
    solver = add_run(workspace, [*tried, record(1, "NOT_JUDGED", "100%_safe")])
    return solver, add_run(workspace, [*guessed, record(2, "CRASH", epoch=2)], agent="guesser")


def test_the_last_attempt_of_each_epoch_counts(workspace: Workspace, runs: tuple[int, int]) -> None:
    solver, guesser = runs
    assert count_last_verdicts(workspace, solver) == {"100%_safe": {"NOT_JUDGED": 1}, "trips": {"CORRECT": 2}}
    assert count_verdicts_of_runs(workspace, runs)[guesser] == {"CORRECT": 1, "CRASH": 2, "WRONG_OUTPUT": 1}
    assert count_correct(workspace, solver)["100%_safe", 1] == ProblemCount(0, 0)
    assert count_correct(workspace, guesser)["trips", 1] == ProblemCount(1, 2)


def test_the_matrix_shows_every_run_on_every_problem(workspace: Workspace, runs: tuple[int, int]) -> None:
    solver, guesser = runs
    rows = list_matrix(workspace, runs, ProblemFilter())
    assert [(row.problemset, row.position, row.query) for row in rows] == [
        ("100%_safe", 1, "Question 1?"),
        ("trips", 1, "Question 1?"),
        ("trips", 2, "Question 2?"),
    ]
    assert set(rows[0].cells) == {solver}
    assert rows[1].cells[guesser]._replace(attempt_id=0) == CellCount(0, "CRASH", 1, 2)
    assert rows[2].cells[solver]._replace(attempt_id=0) == CellCount(0, "CORRECT", 1, 1)
    assert find_attempt(workspace, rows[2].cells[solver].attempt_id).attempt == 2


def test_the_matrix_is_filtered_by_verdict_set_and_text(workspace: Workspace, runs: tuple[int, int]) -> None:
    cases: list[tuple[ProblemFilter, list[tuple[str, int]]]] = [
        (ProblemFilter(verdict="WRONG_OUTPUT"), [("trips", 2)]),
        (ProblemFilter(problemset="100%_safe"), [("100%_safe", 1)]),
        (ProblemFilter(text="QUESTION 2"), [("trips", 2)]),
        (ProblemFilter(text="0%_s"), [("100%_safe", 1)]),
        (ProblemFilter(text="_rips"), []),
        (ProblemFilter(verdict="CRASH", text="question"), [("trips", 1), ("trips", 2)]),
    ]
    for chosen, found in cases:
        assert [(row.problemset, row.position) for row in list_matrix(workspace, runs, chosen)] == found
        assert count_matrix(workspace, runs, chosen) == len(found)
        assert list_matrix(workspace, runs, chosen, 50, len(found)) == []


def test_two_runs_are_compared_on_what_both_came_to(workspace: Workspace, runs: tuple[int, int]) -> None:
    solver, guesser = runs
    assert [tuple(pair) for pair in count_pairs(workspace, solver, guesser)] == [
        ("trips", "CORRECT", "CORRECT", 1),
        ("trips", "CORRECT", "WRONG_OUTPUT", 1),
    ]
    (changed,) = list_pairs(workspace, solver, guesser)
    seen = (changed.problemset, changed.position, changed.before, changed.after)
    assert seen == ("trips", 2, "CORRECT", "WRONG_OUTPUT")
    assert [find_attempt(workspace, each).run_id for each in (changed.before_id, changed.after_id)] == [*runs]
    listed = {group: [each.position for each in list_pairs(workspace, solver, guesser, group)] for group in PairGroup}
    assert listed == {
        **{PairGroup.CHANGED: [2], PairGroup.BOTH: [1], PairGroup.FIRST: [2]},
        **{PairGroup.SECOND: [], PairGroup.NEITHER: [], PairGroup.ALL: [2, 1]},
    }


def test_runs_on_two_releases_are_compared_where_the_query_is_the_same(
    workspace: Workspace, runs: tuple[int, int]
) -> None:
    later = add_run(workspace, [record(1, "CRASH"), record(2, "CORRECT", question="Asked otherwise?")], "city 2")
    assert [tuple(pair) for pair in count_pairs(workspace, runs[0], later, same_query=True)] == [
        ("trips", "CORRECT", "CRASH", 1)
    ]
    assert [each.position for each in list_pairs(workspace, runs[0], later, PairGroup.ALL, same_query=True)] == [1]
    assert len(list_pairs(workspace, runs[0], later, PairGroup.ALL)) == 2


def test_an_attempt_leads_to_its_run_s_others_and_to_other_agents(workspace: Workspace, runs: tuple[int, int]) -> None:
    solver, guesser = runs
    assert [mark.verdict for mark in list_attempts_at(workspace, solver, ("trips", 2))] == ["CRASH", "CORRECT"]
    others = list_other_agents(workspace, solver, "city 1", ("trips", 2))
    told = [(mark.agent, mark.epoch, mark.verdict) for mark in others]
    assert told == [("guesser", 1, "WRONG_OUTPUT"), ("guesser", 2, "CRASH")]
    with pytest.raises(UsageError, match="no attempt has the id 99"):
        find_attempt(workspace, 99)
    again = add_run(workspace, [])
    assert [run.id for run in newest_runs(workspace, "city 1", 5)] == [again, guesser]
    assert count_runs(workspace) == {"city 1": 3}


def test_an_attempt_knows_its_neighbours_and_the_next_that_failed(workspace: Workspace, runs: tuple[int, int]) -> None:
    solver, guesser = runs
    marks = [mark for number in (1, 2) for mark in list_attempts_at(workspace, guesser, ("trips", number))]
    ids = {(mark.epoch, number): mark.id for number, mark in zip((1, 1, 2, 2), marks, strict=True)}
    first, last = (find_attempt(workspace, ids[place]) for place in ((1, 1), (2, 2)))
    assert place_attempt(workspace, first, ProblemFilter()) == AttemptPlace(1, 4, True, None, ids[2, 1], ids[2, 1])
    crashed = ProblemFilter(verdict="CRASH")
    assert place_attempt(workspace, first, crashed) == AttemptPlace(0, 2, False, None, ids[2, 1], ids[2, 1])
    assert place_attempt(workspace, last, crashed) == AttemptPlace(2, 2, True, ids[2, 1], None, None)
    earlier = list_attempts_at(workspace, solver, ("trips", 2))[0]  # a later attempt followed: that one is listed
    assert place_attempt(workspace, find_attempt(workspace, earlier.id), ProblemFilter()).next_failing is None
    # what is not judged is no failure
    run = add_run(workspace, [record(1, "CORRECT"), record(2, "NOT_JUDGED"), record(3, "TIMEOUT")], "city 2")
    one, second, third = (list_attempts_at(workspace, run, ("trips", number))[0].id for number in (1, 2, 3))
    place = place_attempt(workspace, find_attempt(workspace, one), ProblemFilter())
    assert (place.next, place.next_failing) == (second, third)


def test_subverdicts_are_counted_filtered_and_shown_in_their_cells(workspace: Workspace) -> None:
    causes = ("KEY_ERROR", "NAME_ERROR", "KEY_ERROR")
    run = add_run(workspace, [record(n, "CRASH", subverdict=each) for n, each in enumerate(causes, 1)])
    assert count_causes(workspace, [run]) == [("CRASH", "KEY_ERROR", 2), ("CRASH", "NAME_ERROR", 1)]
    rows = list_matrix(workspace, [run], ProblemFilter(subverdict="KEY_ERROR"))
    assert [(row.position, row.cells[run].subverdict) for row in rows] == [(1, "KEY_ERROR"), (3, "KEY_ERROR")]


def test_several_runs_are_compared_by_who_solved_what(workspace: Workspace, runs: tuple[int, int]) -> None:
    verdicts = {1: "CORRECT", 2: "CRASH", 3: "CORRECT", 4: "TIMEOUT"}
    third = add_run(workspace, [record(number, verdict) for number, verdict in verdicts.items()], agent="third")
    ids = [*runs, third]
    listed = {group: [(r.problemset, r.position) for r in list_compared(workspace, ids, group)] for group in SolvedBy}
    trips = [("trips", number) for number in (1, 2, 3, 4)]
    assert listed == {
        **{SolvedBy.ALL: [("100%_safe", 1), *trips], SolvedBy.EVERY: [], SolvedBy.NONE: [("100%_safe", 1), trips[3]]},
        **{SolvedBy.DIFFER: trips[:2], SolvedBy.SOME: trips[:2]},  # the guesser got both verdicts at problem 1
    }
    masks = count_masks(workspace, ids)
    assert {g: sum(m.problems for m in masks if m.is_in(g, 3)) for g in SolvedBy} == {g: len(listed[g]) for g in listed}
    assert [(m.asked, m.solved, m.unsolved) for m in masks if m.differs] == [(7, 1, 6), (7, 7, 2)]
    assert [row.position for row in list_compared(workspace, [runs[0], third], SolvedBy.EVERY)] == [1]
    assert [row.position for row in list_compared(workspace, ids, SolvedBy.ALL, 2, 1)] == [1, 2]
    (row,) = list_compared(workspace, ids, SolvedBy.ALL, 1, 4)
    assert {run_id: cell.verdict for run_id, cell in row.cells.items()} == {third: "TIMEOUT"}


def test_counts_that_are_kept_follow_every_later_record(workspace: Workspace, runs: tuple[int, int]) -> None:
    solver, _ = runs
    before = find_run(workspace, solver).newest_attempt
    index_attempts(workspace, solver, [record(1, "TIMEOUT", "100%_safe"), record(2, "CRASH", attempt=3)])
    last = {"100%_safe": {"TIMEOUT": 1}, "trips": {"CORRECT": 1, "CRASH": 1}}
    assert count_last_verdicts(workspace, solver) == last
    assert count_verdicts_of_runs(workspace, [solver]) == {solver: {"CORRECT": 1, "CRASH": 1, "TIMEOUT": 1}}
    index_attempts(workspace, solver, [record(2, "CORRECT", attempt=1)])  # judged again, and still followed by others
    assert count_causes(workspace, [solver]) == [("CORRECT", "", 1), ("CRASH", "", 1), ("TIMEOUT", "", 1)]
    index_attempts(workspace, solver, [record(2, "CORRECT", attempt=3)])
    assert count_causes(workspace, [solver]) == [("CORRECT", "", 2), ("TIMEOUT", "", 1)]
    assert find_run(workspace, solver).newest_attempt > before


def test_counts_that_are_kept_are_those_that_counting_gives(workspace: Workspace) -> None:
    rng, run = random.Random(0), add_run(workspace, [])

    def drawn() -> dict[str, Any]:
        place = {"attempt": rng.randint(1, 4), "epoch": rng.randint(1, 2), "subverdict": rng.choice(("", "KeyError"))}
        verdict, name = rng.choice(("CORRECT", "CRASH", "NOT_JUDGED")), rng.choice(("trips", "ships"))
        return record(rng.randint(1, 3), verdict, name, **place)

    for _ in range(30):
        index_attempts(workspace, run, [drawn() for _ in range(rng.randint(1, 6))])
    with workspace.read() as db:
        last = db.execute(
            """SELECT verdict, subverdict, count(*) FROM (SELECT *, max(attempt) FROM attempt
            GROUP BY problemset, position, epoch) GROUP BY 1, 2 ORDER BY 3 DESC, 1, 2"""
        ).fetchall()
    assert count_causes(workspace, [run]) == last


def test_a_record_whose_numbers_are_no_json_hides_no_other_one(workspace: Workspace) -> None:
    run = add_run(workspace, [record(1, "CORRECT", agent_stats={"cost": float("nan")}), record(2, "CRASH")])
    assert [row.query for row in list_matrix(workspace, [run], ProblemFilter())] == ["", "Question 2?"]
    assert count_matrix(workspace, [run], ProblemFilter(text="question 2")) == 1


def steps_of(workspace: Workspace, ask: Callable[[], object], monkeypatch: pytest.MonkeyPatch) -> int:
    """Return how many hundreds of steps SQLite takes for a question: about ten for each row that it looks at."""
    found, connect = [0], connections.connect

    def counted(*arguments: Any, **options: Any) -> Any:
        db = connect(*arguments, **options)
        db.conn.set_progress_handler(lambda: found.__setitem__(0, found[0] + 1), 100)
        return db

    with monkeypatch.context() as patched:
        patched.setattr(connections, "connect", counted)
        ask()
    return found[0]


QUESTIONS: dict[str, Callable[[Workspace], object]] = {
    "verdicts of runs": lambda ws: count_verdicts_of_runs(ws, [1, 2]),
    "causes": lambda ws: count_causes(ws, [1, 2]),
    "verdicts by set": lambda ws: count_last_verdicts(ws, 1),
    "the problems of a run": lambda ws: list_matrix(ws, [1], ProblemFilter(), 10),
    "those with a verdict": lambda ws: count_matrix(ws, [1], ProblemFilter(verdict="CRASH")),
    "those with a text": lambda ws: list_matrix(ws, [1], ProblemFilter(text="question 7"), 10),
    "two runs": lambda ws: count_pairs(ws, 1, 2),
    "two runs on several releases": lambda ws: list_pairs(ws, 1, 2, same_query=True),
    "several runs": lambda ws: list_compared(ws, [1, 2], SolvedBy.DIFFER, 10),
    "other agents": lambda ws: list_other_agents(ws, 1, "city 1", ("trips", 1)),
    "the place of an attempt": lambda ws: place_attempt(ws, find_attempt(ws, 1), ProblemFilter()),
    "agents that solve nothing": list_guesses,
}


def test_what_is_asked_of_a_run_costs_as_much_however_many_runs_there_are(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    def add(number: int, release: str) -> None:
        records = [record(n, ("CORRECT", "CRASH")[(n + number) % 2]) for n in range(1, 301)]
        add_run(workspace, records, release, f"agent {number}")

    for number in range(3):
        add(number, "city 1")
    few = {name: steps_of(workspace, partial(ask, workspace), monkeypatch) for name, ask in QUESTIONS.items()}
    for number in range(3, 20):
        add(number, "city 2")
    many = {name: steps_of(workspace, partial(ask, workspace), monkeypatch) for name, ask in QUESTIONS.items()}
    assert {name: steps for name, steps in many.items() if steps > few[name] * 1.2 + 5} == {}
    kept = [many[name] for name in ("verdicts of runs", "causes", "verdicts by set")]
    assert max(kept) <= 15, "counts are kept beside the attempts, and none of them is looked at"
