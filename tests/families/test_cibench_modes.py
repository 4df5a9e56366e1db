"""Agents that run on CIBench notebooks: rounds, modes, what is expected, and the scores of what they executed."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from evaluator.agents import (
    Agent,
    AgentCard,
    CheatAgent,
    OracleAgent,
    SessionInfo,
    SolveRequest,
    Submission,
)
from evaluator.families.cibench.benchmark_folder import import_folder
from evaluator.families.live_run import rules_of_run
from evaluator.families.predicted_run import family_board
from evaluator.language import read_benchmark
from evaluator.records import Record
from evaluator.running import ROUNDS, Mode, RunConfig, policies_of, read_records, run_benchmark
from evaluator.running.run_folder import RECORDS
from evaluator.scoring import last_attempts
from evaluator.session import Engine
from tests.families.notebooks import answer, ask, book, printed, shown, value, write

pytestmark = pytest.mark.kernel
DRAW = "import matplotlib.pyplot as plt\nplt.plot([1, 2, 3])"
THREE = (
    *(ask("Load it."), answer("x = 42"), ask("How many?"), answer("print(x)", printed("42\n"))),
    *(ask("Say it."), answer("'it is ' + str(x)", value("'it is 42'"))),
)
STEPS = book(
    *THREE,
    *(ask("Draw it."), answer(DRAW, shown(b"drawn elsewhere"))),
    modules=["pandas", "pandas", "pandas", "pandas&matplotlib"],
    step_types=["exec", "num", "text", "vis"],
)
UNDRAWN = book(*THREE, modules=["pandas"] * 3, step_types=["exec", "num", "text"])  # to draw takes half a second
Script = Mapping[int, Sequence[str]]  # of a problem, from 1: the code of each round


class Rounds:
    """Answers from a script, round by round, and keeps what it was asked."""

    def __init__(self, script: Script) -> None:
        self.script = script
        self.requests: list[SolveRequest] = []

    def describe(self) -> AgentCard:
        return AgentCard("rounds", history=True, variables=True, retry=True)

    def start(self, session: SessionInfo) -> None:
        pass

    def solve(self, request: SolveRequest, _tools: object = None) -> Submission:
        self.requests.append(request)
        return Submission(self.script[request.index][request.attempt - 1])

    def end(self, session_id: str) -> None:
        pass


def imported(folder: Path, notebook: dict[str, Any]) -> Path:
    write(folder / "cibench_generation" / "pandas" / "1.ipynb", notebook)
    import_folder(folder / "cibench_generation", folder / "bench")
    return folder / "bench"


@pytest.fixture
def bench(tmp_path: Path) -> Path:
    return imported(tmp_path, STEPS)


@pytest.fixture
def undrawn(tmp_path: Path) -> Path:
    return imported(tmp_path / "undrawn", UNDRAWN)


Run = Callable[..., tuple[dict[str, Any], list[Record]]]


@pytest.fixture
def run(engine: Engine, tmp_path: Path) -> Run:
    def ran(
        benchmark: Path, agent: Agent, mode: Mode = Mode.END_TO_END, *, executed: bool = True, rules: str | None = None
    ) -> tuple[dict[str, Any], list[Record]]:
        manifest = benchmark / "_manifest.yaml"
        if executed and "expected: executed" not in manifest.read_text(encoding="utf-8"):
            manifest.write_text(manifest.read_text(encoding="utf-8") + "expected: executed\n", encoding="utf-8")
        about = read_benchmark(benchmark)
        out = tmp_path / f"run{len(list(tmp_path.iterdir()))}"
        config = RunConfig(
            benchmark, "scripted", out, policies=policies_of(mode), max_attempts=ROUNDS, mode=mode, rules=rules
        )
        family = rules_of_run(about, mode=mode, rules=rules)
        run_benchmark(config, engine=engine, agent=agent, benchmark=about, family=family)
        records = list(read_records(out / RECORDS))
        board = family_board(last_attempts(records), {"mode": mode, "rules": rules or about.rules})
        assert board is not None
        return board, records

    return ran


FAILS = "1 / 0"
LOG: Script = {1: ["x = 42"], 2: [FAILS, FAILS, "print(42)"], 3: [FAILS, FAILS, FAILS], 4: [""]}


def values(board: Mapping[str, Any]) -> dict[str, float | None]:
    return {metric: score["value"] for metric, score in board["all"].items()}


def test_the_log_of_four_steps_has_the_published_scores(run: Run, bench: Path) -> None:
    board, records = run(bench, Rounds(LOG))
    wanted = {"tool": 0.75, "executable": 0.5, "numeric": 1.0, "text": 0.0, "visual": 0.0}
    assert values(board) == wanted
    assert [(record.index, record.attempt, record.verdict) for record in records if record.is_last] == [
        (1, 1, "CORRECT"), (2, 3, "CORRECT"), (3, 3, "CRASH"), (4, 1, "WRONG_OUTPUT"),
    ]  # fmt: skip
    assert [record.family.get("rounds") for record in records if record.is_last] == [1, 3, 3, 1]
    assert all(not record.family for record in records if not record.is_last)


def test_the_first_round_that_runs_is_the_last_whatever_it_shows(run: Run, bench: Path) -> None:
    agent = Rounds({1: [f"y = 7\n{FAILS}", "x = y * 6"], 2: ["print(41)", "print(42)"], 3: ["'it is 42'"], 4: [DRAW]})
    board, records = run(bench, agent)
    assert (values(board)["numeric"], values(board)["executable"]) == (0.0, 1.0)
    assert [record.attempt for record in records] == [1, 2, 1, 1, 1]
    assert values(board)["visual"] == pytest.approx(1.0, abs=1e-4)
    second = agent.requests[1]  # which is told what came of the round before, whose effects stay
    assert second.feedback is not None
    assert "ZeroDivisionError" in str(second.feedback.error)
    assert not second.starts_anew
    assert agent.requests[0].query == "Load it.Please use pandas modules.\n"
    assert agent.requests[4].query == "Draw it.Please use pandas and matplotlib modules.\n"


def test_outputs_that_were_stored_are_what_is_expected(run: Run, bench: Path) -> None:
    right: Script = {1: ["x = 42"], 2: ["print(x)"], 3: ["'it is ' + str(x)"], 4: [DRAW]}
    board, records = run(bench, Rounds(right), executed=False)
    assert values(board)["numeric"] == values(board)["text"] == 1.0
    assert board["all"]["visual"] == {"value": 0.0, "n": 1}  # no picture is like one that is none; the import said so
    assert "expected side cannot be read" in str(records[3].extended_verdict)


STATES: Script = {1: ["x = 1"], 2: ["print(x)"], 3: ["'it is ' + str(x)"]}  # the first step is wrong


def test_modes_differ_in_the_state_that_a_step_starts_from(run: Run, undrawn: Path) -> None:
    for mode, numeric in {
        Mode.END_TO_END: 0.0,  # on its own x
        Mode.ORACLE_AS_RUN: 1.0,  # the right x was set on top
        Mode.ORACLE_FROM_TRUTH: 1.0,  # on what the right code left
        Mode.ORACLE: 0.0,  # its own code ran, so that nothing was corrected
    }.items():
        board, _ = run(undrawn, Rounds(STATES), mode)
        assert (board["mode"], values(board)["numeric"]) == (mode, numeric)
        letter = "E" if mode is Mode.END_TO_END else "O"
        assert board["leaderboard"][f"{letter}-Num"]["value"] == numeric


def test_under_oracle_code_that_fails_is_replaced_by_the_right_one(run: Run, undrawn: Path) -> None:
    failing = {**STATES, 1: [FAILS, FAILS, FAILS]}
    board, records = run(undrawn, Rounds(failing), Mode.ORACLE)
    assert values(board)["numeric"] == 1.0
    assert next(record.state_after for record in records if record.index == 1 and record.is_last) == "corrected"


def test_a_step_that_cannot_be_done_twice_is_told_under_oracle_as_run(run: Run, undrawn: Path) -> None:
    path = next(undrawn.glob("*.py"))
    path.write_text(path.read_text(encoding="utf-8").replace("\nx = 42", "\nz = [1]\nx = 42\ndel once\n", 1).replace(
        "# %%\n", "# %%\nonce = 1\n\n# %%\n", 1), encoding="utf-8")  # fmt: skip
    agent = Rounds({**STATES, 1: ["x = 42\ndel once"]})
    _, records = run(undrawn, agent, Mode.ORACLE_AS_RUN)
    assert records[0].state_after == "correction-failed"


WALKED = (Mode.ORACLE, "sound")


@pytest.mark.parametrize(
    ("mode", "rules"),
    [
        pytest.param(mode, rules, marks=[] if (mode, rules) == WALKED else pytest.mark.deep)
        for mode in Mode
        if mode is not Mode.QWEN
        for rules in ("published", "sound")
    ],
)
def test_the_oracle_is_right_everywhere_and_cheats_are_not(
    run: Run, bench: Path, undrawn: Path, mode: Mode, rules: str
) -> None:
    board, records = run(bench, OracleAgent(), mode, rules=rules)
    assert {record.verdict for record in records} == {"CORRECT"}
    assert values(board) == pytest.approx(dict.fromkeys(values(board), 1.0), abs=1e-4)
    queries = [record.question for record in records]
    assert queries[3] == "Draw it.\nPlease use pandas and matplotlib modules.\n" or rules != "sound"
    board, records = run(undrawn, CheatAgent(), mode, executed=False, rules=rules)
    assert (values(board)["numeric"], values(board)["text"]) == (0.0, 0.0)
    assert not any(record.verdict == "CORRECT" for record in records if record.index > 1)


def test_a_set_of_no_family_is_scored_by_what_its_references_show(run: Run, tmp_path: Path) -> None:
    folder = tmp_path / "own"
    folder.mkdir()
    (folder / "_manifest.yaml").write_text("name: own\nversion: '1'\nlanguage_version: 3\n", encoding="utf-8")
    (folder / "one.py").write_text(
        f'# %%\n"""\nquery: Six times seven?\n"""\n6 * 7\n\n# %%\n"""\nquery: Draw.\n"""\n{DRAW}\nNone\n',
        encoding="utf-8",
    )
    board, _ = run(folder, Rounds({1: ["42"], 2: [DRAW.replace("3]", "9]")]}), executed=False)
    assert board["all"]["general"] == {"value": 1.0, "n": 1}
    assert 0 < board["all"]["visual"]["value"] < 1
    assert board["sets"].keys() == {"own"}
