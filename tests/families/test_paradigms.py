"""One agent under three systems' rules in one pass: what it loses, and that references are executed once for all."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from evaluator.agents import AgentCard, OracleAgent, SessionInfo, SolveRequest, Submission
from evaluator.families.cibench.benchmark_folder import import_folder
from evaluator.families.paradigms import PARADIGMS, compare_paradigms
from evaluator.language import read_benchmark
from evaluator.reporting.paradigm_page import paradigms_page
from evaluator.running import RunConfig, RunEvent, read_records
from evaluator.session import Engine, SandboxChoice, Session, probe_sandbox
from tests.families.notebooks import answer, ask, book, printed, write

pytestmark = pytest.mark.kernel

CHAIN = '''# %%
import pandas as pd
table = pd.DataFrame({"x": [1, 2, 3]})

# %%
"""
query: Store the sum of x as `total`.
validator: {namespace_check: {total: }}
"""
total = int(table["x"].sum())

# %%
"""
query: What is twice the total?
"""
total * 2

# %%
"""
query: What is the largest x?
"""
int(table["x"].max())

# %%
"""
query: How many rows are there?
"""
len(table)
'''
ANSWERS = {
    1: "total = 5",  # wrong, and on its own state the next one is, too
    2: "total * 2",
    3: "[3]",  # right in another form
    4: "table['y'] = 0\nlen(table)",  # right, and changed what is not its own
}


class Scripted:
    """Answers from a script; shows what it was asked."""

    def __init__(self, answers: dict[int, str]) -> None:
        self.answers = answers

    def describe(self) -> AgentCard:
        return AgentCard("scripted", history=True, retry=False)

    def start(self, session: SessionInfo) -> None:
        pass

    def solve(self, request: SolveRequest, _tools: object = None) -> Submission:
        shown = [cell.source for cell in request.history if cell.query]
        if request.index == 2 and "total = 5" in shown:  # beside its own wrong code it goes wrong
            return Submission(self.answers.get(-2, self.answers[2]))
        return Submission(self.answers[request.index])

    def end(self, session_id: str) -> None:
        pass


@pytest.fixture(scope="module")
def engine() -> Iterator[Engine]:
    choice = SandboxChoice.AUTO if probe_sandbox().available else SandboxChoice.NONE
    with Engine(sandbox=choice, trusted=True) as made:
        yield made


Compare = Callable[..., dict[str, Any]]


@pytest.fixture
def compare(engine: Engine, tmp_path: Path) -> Compare:
    path = tmp_path / "chain.py"
    path.write_text(CHAIN, encoding="utf-8")

    def compared(make: Callable[[], Any], out: str = "out") -> dict[str, Any]:
        config = RunConfig(path, "scripted", tmp_path / out)
        return compare_paradigms(config, read_benchmark(path), make, engine=engine).to_json()

    return compared


def rates(found: dict[str, Any], name: str) -> dict[str, float | None]:
    (row,) = [row for row in found["paradigms"] if row["name"] == name]
    assert isinstance(row["rates"], dict)
    return row["rates"]


def test_losses_are_split(compare: Compare) -> None:
    found = compare(lambda: Scripted(ANSWERS))
    assert [row["name"] for row in found["paradigms"]] == [each.name for each in PARADIGMS]
    assert rates(found, "dseval")["correct"] == 0.25  # twice the right total
    assert rates(found, "own-history")["correct"] == 0.25
    assert rates(found, "own-state")["correct"] == 0.0
    assert found["loss"] == {"history": 0.0, "state": 0.25, "presentation": 0.25, "side_effects": 0.25}
    assert rates(found, "dseval")["executable"] == 1.0
    second = dict.fromkeys(("dseval", "own-history", "oracle"), "CORRECT")
    second |= dict.fromkeys(("own-state", "end-to-end", "qwen"), "WRONG_OUTPUT")
    assert {"problem": "chain[2]", "verdicts": second} in found["differing"]
    page = paradigms_page(found)
    assert "chain[2]" in page
    assert "25.0%" in page


def test_a_loss_to_history_is_told_from_one_to_state(compare: Compare) -> None:
    found = compare(lambda: Scripted({**ANSWERS, -2: "13"}))
    assert found["loss"]["history"] == 0.25
    assert found["loss"]["state"] == 0.0


def test_the_oracle_loses_nothing_and_has_the_boards_of_both_families(compare: Compare) -> None:
    found = compare(OracleAgent)
    assert found["loss"] == {"history": 0.0, "state": 0.0, "presentation": 0.0, "side_effects": 0.0}
    assert {row["rates"]["correct"] for row in found["paradigms"]} == {1.0}
    families = [row["family_board"] and row["family_board"]["family"] for row in found["paradigms"]]
    assert families == [None, None, None, "cibench", "cibench", "qwen"]


def test_references_are_executed_for_all_runs_together(compare: Compare, monkeypatch: pytest.MonkeyPatch) -> None:
    executed: list[str] = []
    first, trial = Session.execute, Session.attempt

    def execute(session: Session, source: str, **wants: Any) -> Any:
        executed.append(source)
        return first(session, source, **wants)

    def attempt(session: Session, source: str, **wants: Any) -> Any:
        executed.append(source)
        return trial(session, source, **wants)

    monkeypatch.setattr(Session, "execute", execute)
    monkeypatch.setattr(Session, "attempt", attempt)
    compare(lambda: Scripted(ANSWERS))
    # once as a trial, by which rounds are judged before the next is asked for, and once for the state
    assert executed.count('total = int(table["x"].sum())') == 2


def test_a_share_is_of_all_problems_or_missing(tmp_path: Path, engine: Engine) -> None:
    path = tmp_path / "chain.py"
    path.write_text(CHAIN.replace("total * 2\n", "1 / 0\n"), encoding="utf-8")
    config = RunConfig(path, "oracle", tmp_path / "out")
    found = compare_paradigms(config, read_benchmark(path), OracleAgent, engine=engine).to_json()
    assert {(row["problems"], row["judged"], row["refused"]) for row in found["paradigms"]} == {(4, 1, 3)}
    assert {rate for row in found["paradigms"] for rate in row["rates"].values()} == {None}
    assert set(found["loss"].values()) == {None}
    assert "Not all problems were judged" in paradigms_page(found)


def test_it_tells_how_far_all_runs_together_are_after_each_problem(tmp_path: Path, engine: Engine) -> None:
    path = tmp_path / "chain.py"
    path.write_text(CHAIN, encoding="utf-8")
    config, events = RunConfig(path, "oracle", tmp_path / "out"), list[RunEvent]()
    for _ in range(2):
        compare_paradigms(config, read_benchmark(path), OracleAgent, engine=engine, on_event=events.append)
    ways = len(PARADIGMS)
    told = [(event.done, event.total, event.index) for event in events]
    first = [(0, 4 * ways, 0), *((number * ways, 4 * ways, number) for number in range(1, 5))]
    assert told == [*first, (4 * ways, 4 * ways, 0)]  # the second time nothing is left to do


def test_each_family_is_asked_in_its_own_words(tmp_path: Path, engine: Engine) -> None:
    notebook = book(ask("Show one."), answer("print(1)", printed("2\n")), modules=["pandas"], step_types=["num"])
    write(tmp_path / "cibench_template" / "pandas" / "1.ipynb", notebook)
    import_folder(tmp_path / "cibench_template", tmp_path / "bench")
    benchmark = read_benchmark(tmp_path / "bench")
    asked: list[str] = []

    class Asked(Scripted):
        def solve(self, request: SolveRequest, _tools: object = None) -> Submission:
            asked.append(request.query)
            return Submission("print(1)")

    config = RunConfig(tmp_path / "bench", "scripted", tmp_path / "out")
    found = compare_paradigms(config, benchmark, lambda: Asked({}), engine=engine)
    verdicts = {each.paradigm.name: each.rates["correct"] for each in found.rows}
    assert verdicts["qwen"] == 1.0  # what the reference shows now
    assert verdicts["end-to-end"] == 0.0  # what the notebook stored
    worded = {
        run.out.name: [record.question for record in read_records(run.out / "records.jsonl")] for run in found.summaries
    }
    assert worded["qwen"] == ["Show one."]
    assert worded["end-to-end"][0].startswith("Show one.Please use pandas modules.")
    assert {"Show one.", worded["end-to-end"][0]} == set(asked)


def test_the_same_again_judges_nothing_twice_and_a_lost_run_is_made_up(compare: Compare, tmp_path: Path) -> None:
    asked: list[int] = []

    class Counting(Scripted):
        def solve(self, request: SolveRequest, _tools: object = None) -> Submission:
            asked.append(request.index)
            return super().solve(request)

    first = compare(lambda: Counting(ANSWERS))
    before = len(asked)
    assert compare(lambda: Counting(ANSWERS)) == first
    assert len(asked) == before
    records = tmp_path / "out" / "oracle" / "records.jsonl"
    kept = [line for line in records.read_bytes().splitlines(keepends=True) if b'"index": 4' not in line]
    records.write_bytes(b"".join(kept))
    assert compare(lambda: Counting(ANSWERS)) == first
    assert asked[before:] == [4]  # the lost problem alone, under that paradigm alone
    assert set(kept) < set(records.read_bytes().splitlines(keepends=True))
    assert len({(each.index, each.attempt) for each in read_records(records)}) == 4
