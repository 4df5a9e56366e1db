"""One agent under three systems' rules in one pass: what it loses, and that references are executed once for all."""

import shutil
from collections import Counter
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from evaluator.agents import Agent, AgentCard, OracleAgent, SessionInfo, SolveRequest, Submission
from evaluator.families.cibench.benchmark_folder import import_folder
from evaluator.families.paradigms import PARADIGMS, compare_paradigms
from evaluator.language import read_benchmark
from evaluator.reporting.paradigm_page import paradigms_page
from evaluator.running import RunConfig, RunEvent, read_records
from evaluator.session import Engine, Session
from tests.families.notebooks import answer, ask, book, printed, write

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
PAIR = CHAIN[: CHAIN.index('# %%\n"""\nquery: What is the largest')]  # what follows rests on nothing of it
ANSWERS = {
    1: "total = 5",  # wrong, and on its own state the next one is, too
    2: "total * 2",
    3: "[3]",  # right in another form
    4: "table['y'] = 0\nlen(table)",  # right, and changed what is not its own
}


class Scripted:
    """Answers from a script and keeps what it was asked; beside its own wrong code it may go wrong."""

    def __init__(self, answers: dict[int, str], beside_wrong: str = "") -> None:
        self.answers = answers
        self.beside_wrong = beside_wrong
        self.requests: list[SolveRequest] = []

    def describe(self) -> AgentCard:
        return AgentCard("scripted", history=True, retry=False)

    def start(self, session: SessionInfo) -> None:
        pass

    def solve(self, request: SolveRequest, _tools: object = None) -> Submission:
        self.requests.append(request)
        shown = [cell.source for cell in request.history if cell.query]
        if request.index == 2 and "total = 5" in shown and self.beside_wrong:
            return Submission(self.beside_wrong)
        return Submission(self.answers[request.index])

    def end(self, session_id: str) -> None:
        pass


def compared(engine: Engine, folder: Path, agent: Agent, text: str = CHAIN, **more: Any) -> dict[str, Any]:
    """Compare the paradigms on a set in a folder, with one agent for all of their runs."""
    path = folder / "chain.py"
    path.write_text(text, encoding="utf-8")
    config = RunConfig(path, "scripted", folder / "out")
    return compare_paradigms(config, read_benchmark(path), lambda: agent, engine=engine, **more).to_json()


class Compared(NamedTuple):
    folder: Path
    found: dict[str, Any]
    executed: Counter[str]  # code -> how often it ran


@pytest.fixture(scope="module")
def once(engine: Engine, tmp_path_factory: pytest.TempPathFactory) -> Compared:
    """What the agent of the script lost."""
    folder, executed = tmp_path_factory.mktemp("once"), Counter[str]()
    first, trial = Session.execute, Session.attempt

    def execute(session: Session, source: str, **wants: Any) -> Any:
        executed[source] += 1
        return first(session, source, **wants)

    def attempt(session: Session, source: str, **wants: Any) -> Any:
        executed[source] += 1
        return trial(session, source, **wants)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(Session, "execute", execute)
        patched.setattr(Session, "attempt", attempt)
        return Compared(folder, compared(engine, folder, Scripted(ANSWERS)), executed)


def rates(found: dict[str, Any], name: str) -> dict[str, float | None]:
    (row,) = [row for row in found["paradigms"] if row["name"] == name]
    assert isinstance(row["rates"], dict)
    return row["rates"]


def test_losses_are_split(once: Compared) -> None:
    found = once.found
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


def test_references_are_executed_for_all_runs_together(once: Compared) -> None:
    # once as a trial, by which rounds are judged before the next is asked for, and once for the state
    assert once.executed['total = int(table["x"].sum())'] == 2


def test_a_loss_to_history_is_told_from_one_to_state(engine: Engine, tmp_path: Path) -> None:
    found = compared(engine, tmp_path, Scripted(ANSWERS, beside_wrong="13"), PAIR)
    assert (found["loss"]["history"], found["loss"]["state"]) == (0.5, 0.0)


def test_the_oracle_loses_nothing_and_each_problem_of_all_runs_is_told(engine: Engine, tmp_path: Path) -> None:
    events: list[RunEvent] = []
    found = compared(engine, tmp_path, OracleAgent(), PAIR, on_event=events.append)
    assert found["loss"] == {"history": 0.0, "state": 0.0, "presentation": 0.0, "side_effects": 0.0}
    assert {row["rates"]["correct"] for row in found["paradigms"]} == {1.0}
    families = [row["family_board"] and row["family_board"]["family"] for row in found["paradigms"]]
    assert families == [None, None, None, "cibench", "cibench", "qwen"]
    ways, told = len(PARADIGMS), [(event.done, event.total, event.index) for event in events]
    assert told == [(0, 2 * ways, 0), (ways, 2 * ways, 1), (2 * ways, 2 * ways, 2)]


def test_a_share_is_of_all_problems_or_missing(tmp_path: Path, engine: Engine) -> None:
    found = compared(engine, tmp_path, OracleAgent(), text=PAIR.replace("total * 2\n", "1 / 0\n"))
    assert {(row["problems"], row["judged"], row["refused"]) for row in found["paradigms"]} == {(2, 1, 1)}
    assert {rate for row in found["paradigms"] for rate in row["rates"].values()} == {None}
    assert set(found["loss"].values()) == {None}
    assert "Not all problems were judged" in paradigms_page(found)


def test_each_family_is_asked_in_its_own_words(tmp_path: Path, engine: Engine) -> None:
    notebook = book(ask("Show one."), answer("print(1)", printed("2\n")), modules=["pandas"], step_types=["num"])
    write(tmp_path / "cibench_template" / "pandas" / "1.ipynb", notebook)
    import_folder(tmp_path / "cibench_template", tmp_path / "bench")
    agent = Scripted({1: "print(1)"})
    config = RunConfig(tmp_path / "bench", "scripted", tmp_path / "out")
    found = compare_paradigms(config, read_benchmark(tmp_path / "bench"), lambda: agent, engine=engine)
    verdicts = {each.paradigm.name: each.rates["correct"] for each in found.rows}
    assert verdicts["qwen"] == 1.0  # what the reference shows now
    assert verdicts["end-to-end"] == 0.0  # what the notebook stored
    worded = {
        run.out.name: [record.question for record in read_records(run.out / "records.jsonl")] for run in found.summaries
    }
    assert worded["qwen"] == ["Show one."]
    assert worded["end-to-end"][0].startswith("Show one.Please use pandas modules.")
    assert {"Show one.", worded["end-to-end"][0]} == {request.query for request in agent.requests}


def test_the_same_again_judges_nothing_twice_and_a_lost_record_is_made_up(
    once: Compared, engine: Engine, tmp_path: Path
) -> None:
    shutil.copytree(once.folder / "out", tmp_path / "out")
    agent = Scripted(ANSWERS)
    assert compared(engine, tmp_path, agent)["loss"] == once.found["loss"]
    assert agent.requests == []
    records = tmp_path / "out" / "oracle" / "records.jsonl"
    kept = [line for line in records.read_bytes().splitlines(keepends=True) if b'"index": 4' not in line]
    records.write_bytes(b"".join(kept))
    again = compared(engine, tmp_path, agent)
    assert (again["loss"], again["differing"]) == (once.found["loss"], once.found["differing"])
    assert [request.index for request in agent.requests] == [4]  # under that paradigm alone
    assert set(kept) < set(records.read_bytes().splitlines(keepends=True))
    assert len({(each.index, each.attempt) for each in read_records(records)}) == 4
