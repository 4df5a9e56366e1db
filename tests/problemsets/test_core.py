"""The shipped benchmark: what it promises in its README, and every example answer in it."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from evaluator.agents import CheatAgent, VariedOracle
from evaluator.language import (
    VALIDATOR_SCHEMAS,
    Benchmark,
    LoadedSet,
    Problem,
    ValidatorSpec,
    names_read_and_written,
    problem_id,
    read_benchmark,
    render_problemset,
    resolve_validators,
    syntactic_difficulty,
    wanted_names,
)
from evaluator.running import Conditions, ExecutedCell, score_problemset
from evaluator.scoring import Judged, Verdict, judge_submission
from evaluator.session import CaptureSpec, CellLimits, Engine, Outcome, Session, record_probes

ROOT = Path(__file__).parents[2]
CORE = ROOT / "problemsets" / "core"
SETS = tuple(path.stem for path in sorted(CORE.glob("[!_]*.py")))
EACH_SET = [("time_series", 1), *(pytest.param(name, 99, marks=pytest.mark.deep) for name in SETS)]  # and examples
OPEN_LICENCES = ("CC0-1.0", "public domain", "CC-BY-3.0", "CC-BY-4.0")


@pytest.fixture(scope="module")
def core() -> Benchmark:
    return read_benchmark(CORE)


def loaded_set(core: Benchmark, name: str) -> LoadedSet:
    return next(loaded for loaded in core.sets if loaded.name == name)


def problems_of(loaded: LoadedSet) -> tuple[Problem, ...]:
    assert loaded.problemset is not None
    return loaded.problemset.problems


def nodes(spec: ValidatorSpec) -> Iterator[ValidatorSpec]:
    yield spec
    for child in spec.children:
        yield from nodes(child)


def test_the_benchmark_reads_without_diagnostics_and_round_trips(core: Benchmark) -> None:
    assert core.diagnostics == ()
    assert tuple(loaded.name for loaded in core.sets) == SETS == tuple(core.manifest.extra["sets"])
    for loaded in core.sets:
        assert loaded.problemset is not None
        assert render_problemset(loaded.problemset) == loaded.text
        assert "type_only" not in loaded.text  # no variable is compared by its type alone


def test_every_set_has_at_least_twelve_problems_that_build_on_each_other(core: Benchmark) -> None:
    """Steps: 0 reads files; 1 works on what was read; 2 on a result of that; 3 on one of these results."""
    steps: list[int] = []
    for loaded in core.sets:
        steps_of_name: dict[str, int] = {}
        dependent = 0
        for problem in problems_of(loaded):
            used = names_read_and_written(problem.code)
            known = used.reads & steps_of_name.keys()
            dependent += bool(known)
            reads_files = "inputs/" in problem.code
            steps.append(0 if reads_files else 1 + max((steps_of_name[name] for name in known), default=0))
            steps_of_name.update({name: steps[-1] for name in used.writes if not name.startswith("_")})
        assert len(problems_of(loaded)) >= 12
        assert dependent >= 0.8 * len(problems_of(loaded))
    assert sum(step >= 2 for step in steps) >= len(steps) / 2
    assert sum(step >= 3 for step in steps) >= len(steps) / 4


def test_the_card_tells_how_large_it_is_its_sets_and_their_licences(core: Benchmark) -> None:
    card = (CORE / "README.md").read_text()
    number = sum(len(problems_of(loaded)) for loaded in core.sets)
    assert f"Ten problemsets of twelve to sixteen problems, {number} in all" in card
    assert (len(core.sets), core.manifest.version, core.manifest.licence) == (10, "1.1.0", "CC-BY-4.0")
    assert [loaded.name for loaded in core.sets if f"`{loaded.name}`" not in card] == []
    assert [licence for licence in ("CC0 1.0", "CC BY 3.0", "public domain") if licence not in card] == []


def test_every_problem_says_what_it_is_about_and_shows_answers(core: Benchmark) -> None:
    problems = [problem for loaded in core.sets for problem in problems_of(loaded)]
    assert len({problem.metadata["id"] for problem in problems}) == len(problems)
    shown = [problem.metadata.get("examples", {}) for problem in problems]
    for kind in ("accept", "reject"):
        assert sum(kind in examples for examples in shown) >= 0.95 * len(problems)
    for problem, examples in zip(problems, shown, strict=True):
        assert problem.metadata["knowledge_points"], problem.metadata["id"]
        assert problem.metadata["tags"]
        assert problem.metadata["difficulty"] in ("easy", "medium", "hard")
        assert syntactic_difficulty(problem.code) > 0
        assert all(item["why"] for item in examples.get("reject", ())), problem.metadata["id"]


def test_harder_problems_are_longer_on_the_whole(core: Benchmark) -> None:
    by_level: dict[str, list[int]] = {"easy": [], "medium": [], "hard": []}
    for loaded in core.sets:
        for problem in problems_of(loaded):
            by_level[problem.metadata["difficulty"]].append(syntactic_difficulty(problem.code))
    means = [sum(values) / len(values) for values in by_level.values()]
    assert means == sorted(means)


def test_every_validator_that_compares_values_and_every_template_is_used(core: Benchmark) -> None:
    problems = [problem for loaded in core.sets for problem in problems_of(loaded)]
    used = {node.name for problem in problems for node in nodes(resolve_validators(problem))}
    written = {name for problem in problems for name in str(problem.validator).replace("'", " ").split()}
    assert used >= {name for name, schema in VALIDATOR_SCHEMAS.items() if not schema.graded}
    assert {"or", "and"} <= written
    templates = {(problem.validator or {}).get("template", "comparison") for problem in problems}
    assert templates == {"comparison", "intact", "basic", "empty"}
    assert any(problem.execution.forbid_names for problem in problems)


def test_input_files_are_copies_of_shipped_seeds_under_open_licences(core: Benchmark) -> None:
    described: Mapping[str, Any] = core.manifest.extra["sets"]
    for loaded in core.sets:
        assert loaded.inputs == CORE / "_inputs" / loaded.name
        facts = described[loaded.name]
        assert facts["licence"] in OPEN_LICENCES
        seeds = facts["data"] if isinstance(facts["data"], list) else [facts["data"]]
        files = {path.name: path for seed in seeds for path in (ROOT / "seeds" / seed).iterdir()}
        for path in loaded.inputs.iterdir():
            assert path.read_bytes() == files[path.name].read_bytes()
            assert path.stat().st_size < 2_000_000


@dataclass(frozen=True)
class Answer:
    """A submission and the verdicts that it may get."""

    label: str
    code: str
    verdicts: tuple[Verdict, ...] = ()  # empty: any but CORRECT


def answers_to(problem: Problem, most: int) -> Iterator[Answer]:
    yield Answer("reference", problem.code, (Verdict.CORRECT,))
    yield Answer("nothing", "")
    examples = problem.metadata.get("examples", {})
    for item in examples.get("accept", ())[:most]:
        yield Answer("accept", item if isinstance(item, str) else item["code"], (Verdict.CORRECT,))
    for item in examples.get("reject", ())[:most]:
        verdict = item.get("verdict") if isinstance(item, Mapping) else None
        code = item if isinstance(item, str) else item["code"]
        yield Answer("reject", code, (Verdict(verdict),) if verdict else ())


def judged_answers(
    engine: Engine, session: Session, problem: Problem, most: int
) -> Iterator[tuple[Answer, Judged, Outcome]]:
    validators = resolve_validators(problem)
    limits = CellLimits(wall_s=20.0, forbid_names=problem.execution.forbid_names)
    probes = record_probes(session, problem, limits)
    capture = CaptureSpec(names=wanted_names(validators), infer=True, probes=probes)
    answers = answers_to(problem, most)
    tried = [(answer, session.attempt(answer.code, capture=capture, limits=limits)) for answer in answers]
    reference = session.execute(problem.code, capture=capture, limits=limits)
    for answer, outcome in tried:
        yield answer, judge_submission(engine, reference, outcome, problem), outcome


@pytest.mark.kernel
@pytest.mark.parametrize(("name", "most"), EACH_SET)
def test_answers_get_their_verdicts_and_nothing_none(core: Benchmark, engine: Engine, name: str, most: int) -> None:
    loaded = loaded_set(core, name)
    assert loaded.problemset is not None
    wrong: list[str] = []
    index = 0
    with engine.open(key=name, inputs=loaded.inputs) as session:
        for cell in loaded.problemset.cells[: 9 if most == 1 else None]:
            if not isinstance(cell, Problem):
                assert session.execute(cell.source).ending == "ok"
                continue
            index += 1
            for answer, judged, outcome in judged_answers(engine, session, cell, most):
                is_as_expected = (
                    judged.verdict in answer.verdicts if answer.verdicts else judged.verdict is not Verdict.CORRECT
                )
                if not is_as_expected or judged.verdict is Verdict.NOT_JUDGED:
                    place = problem_id(loaded.problemset, index)
                    wrong.append(
                        f"{place} {answer.label}: {judged.verdict} {judged.reason} {outcome.error}\n{answer.code}"
                    )
    assert wrong == []


@pytest.mark.deep
@pytest.mark.kernel
@pytest.mark.parametrize("name", SETS)
def test_cheating_passes_nothing_and_a_varied_reference_everything(core: Benchmark, engine: Engine, name: str) -> None:
    agents = (CheatAgent(), VariedOracle())
    verdicts: dict[str, list[Verdict]] = {agent.describe().name: [] for agent in agents}

    def note(scored: ExecutedCell) -> None:
        for attempted in scored.attempts:
            verdicts[attempted.agent].append(attempted.judged.verdict)

    patient = Conditions(time_scale=20.0)  # a busy machine changes no verdict here
    assert score_problemset(engine, loaded_set(core, name), agents, conditions=patient, on_scored=note) == ()
    assert set(verdicts["oracle:varied"]) == {Verdict.CORRECT}
    assert not set(verdicts["cheat"]) & {Verdict.CORRECT, Verdict.NOT_JUDGED}
