"""The shipped sets in the manner of CIBench and of the Qwen benchmark: complete, told apart, right and wrong."""

import json
import re
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from evaluator.agents import (
    AgentCard,
    CheatAgent,
    EmptyAgent,
    OracleAgent,
    SessionInfo,
    SolveRequest,
    Submission,
    SubmissionStatus,
)
from evaluator.families.cibench.benchmark_folder import described_sets, export_folder, import_folder
from evaluator.families.cibench.problemset import family_of
from evaluator.families.live_run import rules_of_run
from evaluator.families.predicted_run import family_board
from evaluator.families.qwen.benchmark_folder import export_file, records_of
from evaluator.inside.grading.texts import rouge_1
from evaluator.language import Benchmark, Problem, read_benchmark
from evaluator.records import Record, read_records
from evaluator.running import ROUNDS, DetailsReader, Mode, RunConfig, policies_of, run_benchmark
from evaluator.scoring import last_attempts
from evaluator.scoring.grading import FigureJudge, JudgeQuestion
from evaluator.session import Engine
from evaluator.session.grader_pool import Grade

ROOT = Path(__file__).parents[2] / "problemsets"
CIBENCH, QWEN = ROOT / "cibench-mini", ROOT / "qwen-mini"
shipped = cache(read_benchmark)
SOLUTIONS = Path(__file__).parent / "qwen_mini_solutions.jsonl"


@pytest.fixture(scope="module")
def cibench() -> Benchmark:
    return shipped(CIBENCH)


@pytest.fixture(scope="module")
def qwen() -> Benchmark:
    return shipped(QWEN)


def problems_of(benchmark: Benchmark) -> dict[tuple[str, int], Problem]:
    return {
        (loaded.name, number): problem
        for loaded in benchmark.sets
        if loaded.problemset
        for number, problem in enumerate(loaded.problemset.problems, start=1)
    }


def test_every_module_type_and_language_of_cibench_is_there(cibench: Benchmark) -> None:
    assert cibench.diagnostics == ()
    problems = problems_of(cibench).values()
    assert (len(cibench.sets), len(problems)) == (10, 118)
    told = [family_of(problem) for problem in problems]
    assert len({each["modules"] for each in told}) >= 8
    assert all(each["thought"].strip() for each in told)
    types = Counter(each["step_type"] for each in told)
    assert set(types) == {"exec", "num", "text", "vis"}
    assert types["vis"] >= 30
    for loaded in cibench.sets:
        assert loaded.problemset is not None
        of_set = {family_of(problem)["step_type"] for problem in loaded.problemset.problems}
        assert of_set == set(types), loaded.name
    written = cibench.manifest.extra["sets"]
    assert {entry["language"] for entry in written.values()} == {"en", "zh"}
    assert set(written) == {loaded.name for loaded in cibench.sets}


def test_steps_ask_for_nothing_else_and_are_compared_by_numbers_too(cibench: Benchmark) -> None:
    """The likeness of texts sees no order: the busiest last would else be as right as the busiest first."""
    problems = problems_of(cibench)
    numbers = [" ".join(each.query.split()) for each in problems.values() if family_of(each)["step_type"] == "num"]
    assert [query for query in numbers if "Print nothing but " not in query and "以外不要打印" not in query] == []
    validators = {key: problem.validator or {} for key, problem in problems.items()}
    visual = [each["visual"] for each in validators.values() if each.get("visual")]
    assert {each["pass_at"] for each in visual if "scales" in each["facts"]} == {0}
    alone = [name for (name, _), each in validators.items() if "text" in each and "numeric" not in each]
    assert alone == ["pillow_pictures"]  # letters


def test_cibench_goes_out_as_notebooks_and_comes_back(cibench: Benchmark, tmp_path: Path) -> None:
    assert len(export_folder(cibench, tmp_path / "books")) == 10
    import_folder(tmp_path / "books", tmp_path / "again")
    again = read_benchmark(tmp_path / "again")
    told, before = (
        sorted((place.set_name, place.module, place.is_chinese) for place in described_sets(one).values())
        for one in (again, cibench)
    )
    assert told == before
    assert sum(is_chinese for _, _, is_chinese in told) == 2
    paths = export_folder(again, tmp_path / "third", has_data=False)
    assert [path.read_bytes() for path in sorted(paths)] == [
        path.read_bytes() for path in sorted((tmp_path / "books").rglob("*.ipynb"))
    ]
    cells = sorted((loaded.problemset.cells for loaded in again.sets if loaded.problemset), key=str)
    assert cells == sorted((loaded.problemset.cells for loaded in cibench.sets if loaded.problemset), key=str)


def ran(
    engine: Engine, path: Path, agent: Any, mode: Mode, out: Path, judge: FigureJudge | None = None, **asked: Any
) -> tuple[list[Record], dict[str, Any]]:
    about, policies = shipped(path), policies_of(mode)
    config = RunConfig(path, "scripted", out, policies=policies, max_attempts=ROUNDS, mode=mode, workers=2, **asked)
    family = rules_of_run(about, mode=mode, rules=None)
    run_benchmark(config, engine=engine, agent=agent, benchmark=about, family=family, figure_judge=judge)
    records = last_attempts(list(read_records(out / "records.jsonl")))
    board = family_board(records, {"mode": mode, "rules": about.rules})
    assert board is not None
    return list(records), board


@pytest.mark.parametrize("steps", [4, pytest.param(118, marks=pytest.mark.deep)])  # of each type but figures, or all
def test_the_oracle_of_cibench_is_right(engine: Engine, tmp_path: Path, steps: int) -> None:
    sets = ("pandas_penguins",) if steps == 4 else ()
    records, board = ran(engine, CIBENCH, OracleAgent(), Mode.END_TO_END, tmp_path / "oracle", sets=sets, limit=steps)
    assert Counter(record.verdict for record in records) == {"CORRECT": steps}
    scores = {metric: score["value"] for metric, score in board["all"].items() if score["n"]}
    assert scores == pytest.approx(dict.fromkeys(scores, 1.0), abs=1e-3)
    details = DetailsReader(tmp_path / "oracle" / "details.jsonl")
    assert_another_word_is_refused(records, details, is_whole=not sets)


@pytest.mark.deep
@pytest.mark.parametrize("agent", [EmptyAgent(), CheatAgent()], ids=["nothing", "cheat"])
def test_nothing_and_cheats_are_never_right_on_cibench(engine: Engine, tmp_path: Path, agent: Any) -> None:
    records, board = ran(engine, CIBENCH, agent, Mode.ORACLE_FROM_TRUTH, tmp_path / "out")
    assert [record.key for record in records if record.verdict == "CORRECT"] == []
    assert isinstance(agent, CheatAgent) or board["all"]["tool"]["value"] == 0.0


def assert_another_word_is_refused(records: list[Record], details: DetailsReader, *, is_whole: bool) -> None:
    """Each word of every text step, and each sign of a Chinese one, is put wrong alone; numbers are told by numeric."""
    told = {key: problem.validator or {} for key, problem in problems_of(shipped(CIBENCH)).items()}
    tried, accepted = Counter[tuple[str, int]](), []
    for record in records:
        asked = told[record.problemset, record.index].get("text")
        kept = details.find(record.key)
        if asked is None or kept is None:
            continue
        shown = "".join(str(each.get("text") or each.get("data", {}).get("text/plain", "")) for each in kept.outputs)
        for word in re.finditer(r"[a-zA-Z]+|[\u4e00-\u9fff]", shown):
            wrong = "错" if word.group() > "z" else "wrong"
            changed = shown[: word.start()] + wrong + shown[word.end() :]
            tried[record.problemset, record.index] += 1
            if rouge_1(shown, changed, sound=True) >= asked["pass_at"]:
                accepted.append((record.problemset, record.index, word.group()))
    assert accepted == []
    assert sum(tried.values()) >= (160 if is_whole else 2)
    if not is_whole:
        return
    texts = {key for key, validator in told.items() if "text" in validator}
    assert (len(texts), texts - set(tried)) == (17, {("pandas_weather_zh", 9)})  # that one holds numbers alone


def test_every_tag_of_qwen_is_there_in_both_languages(qwen: Benchmark, tmp_path: Path) -> None:
    assert qwen.diagnostics == ()
    records = records_of(qwen)
    assert len(records) == 46
    tags = Counter(tag for record in records.values() for tag in record.task_tags)
    counts = {"visualization-hard": 10, "visualization-easy": 8, "math": 10, "general": 8, "gsm8k": 10}
    assert tags == counts
    assert {record.language for record in records.values()} == {"en", "zh"}
    assert export_file(qwen, tmp_path / "records.jsonl") == 46
    assert (tmp_path / "records.jsonl").read_bytes() == (QWEN / "_recorded" / "records.jsonl").read_bytes()


class Solver:
    """Answers figures and mathematics with solutions, word problems with their answers, all else with a number."""

    def __init__(self, benchmark: Benchmark) -> None:
        lines = [json.loads(line) for line in SOLUTIONS.read_text(encoding="utf-8").splitlines()]
        by_line = {entry["line"]: entry["code"] for entry in lines}
        written = benchmark.manifest.extra["sets"]
        self.codes = {name: by_line.get(entry["line"], "1 + 1") for name, entry in written.items()}
        self.answers = {name: str(record.fields.get("answer", "")) for name, record in records_of(benchmark).items()}

    def describe(self) -> AgentCard:
        return AgentCard("solver")

    def start(self, session: SessionInfo) -> None:
        pass

    def solve(self, request: SolveRequest, _tools: object = None) -> Submission:
        if request.attempt > 1:
            return Submission("", SubmissionStatus.GAVE_UP, answer=self.answers[request.problemset])
        return Submission(self.codes[request.problemset])

    def end(self, session_id: str) -> None:
        pass


class Eyes:
    """Takes every figure for right, and counts them."""

    def __init__(self) -> None:
        self.asked: list[JudgeQuestion] = []

    def opinion(self, question: JudgeQuestion) -> Grade:
        self.asked.append(question)
        return Grade(1.0)


@pytest.mark.kernel
@pytest.mark.parametrize("is_whole", [False, pytest.param(True, marks=pytest.mark.deep)])
def test_records_of_qwen_can_be_solved(stocked_engine: Engine, qwen: Benchmark, tmp_path: Path, is_whole: bool) -> None:
    """Each begins by importing much."""
    judge, sets = Eyes(), () if is_whole else ("q11", "q19", "q37")  # a figure, mathematics, a word problem
    records, board = ran(stocked_engine, QWEN, Solver(qwen), Mode.QWEN, tmp_path / "solved", judge, sets=sets)
    assert Counter(record.verdict for record in records) == {"CORRECT": 46 if is_whole else 3}
    executable = {tag: scores["executable"]["value"] for tag, scores in board["tags"].items() if tag != "gsm8k"}
    tags = ("math", "visualization-easy", *(("visualization-hard", "general") if is_whole else ()))
    assert {tag: value for tag, value in executable.items() if value is not None} == dict.fromkeys(tags, 1.0)
    assert board["tags"]["gsm8k"]["accuracy"] == {"value": 1.0, "n": 10 if is_whole else 1}
    assert len({question.query for question in judge.asked}) == (18 if is_whole else 1)
    assert {question.language for question in judge.asked} == ({"en", "zh"} if is_whole else {"en"})


@pytest.mark.parametrize("folder", [CIBENCH, QWEN], ids=lambda folder: folder.name)
def test_a_card_tells_of_every_file_of_data(folder: Path) -> None:
    card = (folder / "README.md").read_text(encoding="utf-8")
    files = {path.name for path in (folder / "_inputs").rglob("*") if path.is_file()}
    assert len(files) >= 6
    assert [name for name in sorted(files) if f"`{name}`" not in card] == []
