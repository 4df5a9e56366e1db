"""Each family of tasks, tried in sessions over tables that were made for it."""

import ast
from dataclasses import dataclass, field, replace
from itertools import islice
from random import Random
from typing import Any, Final

import pytest

from authoring.languages import Language
from authoring.seeds.meanings import infer_semantics
from authoring.templates import FAMILIES
from authoring.templates.board import Board, Focus
from authoring.templates.candidate_trials import Bench
from authoring.templates.names_in_words import shown
from authoring.templates.phrases import Ordinal
from authoring.templates.planning import FIGURES, STAGES, TaskCandidate
from authoring.templates.template_draft import problem_of
from evaluator.errors import ContentError
from evaluator.language import Problem
from tests.templates.bench_here import BenchHere
from tests.templates.conftest import profile_here
from tests.templates.rich_tables import RICH

MEASURES: Final = ("weight_kg", "life_expectancy", "temperature_c", "votes", "recovery_days")
MAKERS: Final = frozenset(  # what others need is asked on each table
    ("load_tables", "latest_rows", "change_over_time", "period_table", "group_table", "inside_leader")
) | {"quartiles_by_group"}
TRIES: Final = 3  # proposals of a family on one table
ROUNDS: Final = 2  # some families need what later ones leave


@dataclass(frozen=True)
class Taken:
    """A problem that a session took, with the state before it."""

    candidate: TaskCandidate
    problem: Problem
    board: Board


@dataclass
class Walk:
    """What became of each family, tried on each of the rich tables in the order of a sitting."""

    taken: list[Taken] = field(default_factory=list)
    built: set[str] = field(default_factory=set)
    refused: dict[str, list[str]] = field(default_factory=dict)

    @property
    def not_taken(self) -> dict[str, list[str]]:
        """The families of which no problem was taken, with the reasons."""
        names = {one.candidate.family.name for one in self.taken}
        return {name: self.refused.get(name, ["nothing fits"]) for name in FAMILIES if name not in names}

    def table(self, bench: Bench, board: Board, measure: str) -> None:
        rng, problems, here = Random(4), list[Problem](), set[str]()
        for name, family in [*FAMILIES.items()] * ROUNDS:
            if name not in self.not_taken and not (name in MAKERS and name not in here):
                continue
            for raw in islice(family.propose(board, rng), TRIES):
                slots = {**raw, "wording": rng.randrange(9), "focus": Focus(measure=measure).to_slots()}
                task = family.build(board, slots)
                if name not in self.not_taken:
                    task = replace(task, mistakes=(), others=())
                candidate = TaskCandidate(family, slots, task)
                self.built.add(name)
                problem = problem_of(candidate, problems, board)
                refusal = bench.consider(candidate.task, problem)
                if refusal is None:
                    problems.append(problem)
                    here.add(name)
                    self.taken.append(Taken(candidate, problem, board))
                    board = candidate.task.board.after()
                    break
                self.refused.setdefault(name, []).append(refusal.reason)


@pytest.fixture(scope="module", params=[BenchHere, pytest.param(Bench, marks=pytest.mark.deep)])
def walk(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Walk:
    walk, engine = Walk(), request.getfixturevalue("engine") if request.param is Bench else None
    for (name, write), measure in zip(RICH.items(), MEASURES, strict=True):
        (folder := tmp_path_factory.mktemp(name) / "inputs").mkdir()
        write(folder)
        profile = profile_here(folder)
        with request.param(engine, folder, name) as bench:  # pyrefly: ignore[bad-argument-type]
            walk.table(bench, Board(profile, infer_semantics(profile)), measure)
    return walk


def test_nearly_every_family_makes_a_problem_that_a_session_takes(walk: Walk) -> None:
    assert len(FAMILIES) >= 80
    assert walk.built == set(FAMILIES), walk.not_taken
    assert len(walk.not_taken) <= 2, walk.not_taken


def test_what_is_refused_is_refused_for_a_reason_of_the_data(walk: Walk) -> None:
    by_data = ("the data do not fit", "a wrong answer", "the result", "all values of the", "takes ", "IndexError")
    strange = [(name, why) for name, reasons in walk.refused.items() for why in reasons if not why.startswith(by_data)]
    assert strange == []


def test_each_problem_has_code_that_parses_and_queries_without_open_places(walk: Walk) -> None:
    for one in walk.taken:
        ast.parse(one.problem.code)
        family, slots, task = one.candidate
        for wording in range(len(family.wordings)):
            query = family.query(task, {**slots, "wording": wording})
            assert "{" not in query, (family.name, query)
            assert query.endswith((".", "?")), (family.name, query)
            assert "  " not in query, (family.name, query)
        assert "{" not in family.idea_text(task), family.name


def test_every_wording_reads_as_sentences_and_stands_in_a_stage() -> None:
    for name, family in FAMILIES.items():
        assert len(family.wordings) >= 2, name
        assert family.theme in (*STAGES, FIGURES), name
        for wording in family.wordings:
            assert wording[0].isupper() or wording[0] == "{", name
            assert wording.endswith((".", "?", "}")), name
            assert "  " not in wording, name


def test_nearly_every_family_knows_mistakes_that_are_kept_as_examples(walk: Walk) -> None:
    names = {one.candidate.family.name for one in walk.taken}
    rejecting = {one.candidate.family.name for one in walk.taken if one.candidate.task.mistakes}
    accepting = {one.candidate.family.name for one in walk.taken if one.candidate.task.others}
    assert len(rejecting) >= 0.95 * len(names), names - rejecting
    assert len(accepting) >= 0.9 * len(names), names - accepting
    for one in walk.taken:
        task = one.candidate.task
        kept: dict[str, Any] = one.problem.metadata.get("examples", {})
        assert kept.get("accept", []) == list(task.others)
        assert kept.get("reject", []) == [{"code": m.code, "why": m.why} for m in task.mistakes]


def test_an_item_with_an_unknown_column_names_the_nearest(walk: Walk) -> None:
    one = next(one for one in walk.taken if one.candidate.family.name == "group_table")
    with pytest.raises(ContentError, match="has no column 'weigth_kg'") as raised:
        one.candidate.family.build(one.board, {**one.candidate.slots, "number": "weigth_kg"})
    assert "'weight_kg'" in raised.value.fix


BAD_VALUES: tuple[Any, ...] = (None, 7, "no such thing", ["x", 3], {"a": 1}, -1.5)


def test_bad_slots_of_any_family_are_refused_in_plain_words(walk: Walk) -> None:
    """Whatever a person writes into a slot of a sketch, it works or says what is wrong."""
    broken, refused = [], 0
    for one in walk.taken:
        family, slots, _ = one.candidate
        for key in slots:
            for bad in BAD_VALUES if key not in ("wording", "focus") else ():
                try:
                    family.query(family.build(one.board, {**slots, key: bad}), slots)
                except ContentError:
                    refused += 1
                except Exception as error:  # noqa: BLE001  # any other is what this test looks for
                    broken.append((family.name, key, bad, repr(error)))
    assert broken == []
    assert refused >= 300


def test_numbers_are_written_as_people_write_them() -> None:
    said = [Ordinal(n).say(Language.ENGLISH) for n in (1, 2, 3, 4, 11, 12, 13, 22, 23, 100, 111)]
    assert said == ["1st", "2nd", "3rd", "4th", "11th", "12th", "13th", "22nd", "23rd", "100th", "111th"]
    assert [shown(value) for value in (3550.0, 2.5, 7, "x")] == ["3550", "2.5", "7", '"x"']
