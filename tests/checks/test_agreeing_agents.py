"""Agents of several runs that agree with each other and not with the reference make a problem suspect."""

from pathlib import Path

import pytest

from authoring.checks.agreeing_agents import AgentAnswer, most_agreeing_agents, open_suspects
from authoring.store import problemsets, runs
from authoring.store.reviewing.queue import QueueFilter, list_queue
from authoring.store.reviewing.roundtable import find_item, resolve_item
from authoring.store.statuses import Origin
from authoring.store.workspace import Workspace
from evaluator.records import Record
from evaluator.running import DETAILS, RECORDS
from evaluator.running.attempt_details import AttemptDetails, DetailsFile

QUERY = "How many units were sold?"
TEXT = f'# %%\n"""\nquery: {QUERY}\nid: total\n"""\n12\n'


def add_run(ws: Workspace, folder: Path, agent: str, verdict: str, shown: str) -> None:
    folder.mkdir()
    record = Record("b", "1.0", "shop", 1, 1, verdict, "", "", QUERY, code=f"print({shown})")
    (folder / RECORDS).write_bytes(record.to_line())
    outputs = ({"output_type": "stream", "name": "stdout", "text": f"{shown}\n"},)
    file = DetailsFile.open(folder / DETAILS)
    file.append([(record.key, AttemptDetails(outputs=outputs))])
    file.close()
    runs.insert(ws, release="core 1.0", agent=agent, out_dir=str(folder), summary={})


def test_agents_that_agree_against_the_reference_open_an_item_once(tmp_path: Path) -> None:
    ws = Workspace.open(tmp_path / "ws")
    problemsets.create(ws, name="shop", text=TEXT, author="Ann", origin=Origin.PERSON)
    add_run(ws, tmp_path / "one", "one", "WRONG_OUTPUT", "7")
    assert open_suspects(ws, "core 1.0") == []
    add_run(ws, tmp_path / "two", "two", "WRONG_OUTPUT", "7")
    add_run(ws, tmp_path / "three", "three", "CORRECT", "12")
    (opened,) = open_suspects(ws, "core 1.0")
    item = find_item(ws, opened)
    assert item.reason == "2 of 3 agents on core 1.0 agree with each other and not with the reference"
    assert (item.problem, item.evidence["agents"], item.evidence["code"]) == ("total", ["one", "two"], "print(7)")
    assert [row.name for row in list_queue(ws, QueueFilter(only_suspect=True))] == ["shop"]
    resolve_item(ws, opened, resolution="agent_wrong", by="Ann")
    assert open_suspects(ws, "core 1.0") == []


@pytest.mark.parametrize(
    ("given", "agreeing"),
    [
        ([("a", "WRONG_OUTPUT", "7"), ("b", "WRONG_OUTPUT", "7 ")], ["a", "b"]),
        ([("a", "WRONG_OUTPUT", "7"), ("b", "WRONG_OUTPUT", "8")], []),
        ([("a", "WRONG_OUTPUT", ""), ("b", "WRONG_OUTPUT", "")], []),  # nothing was kept
        ([("a", "CRASH", "7"), ("b", "CRASH", "7")], []),
        ([("a", "WRONG_OUTPUT", "7"), ("a", "WRONG_OUTPUT", "7")], []),  # one agent does not agree with itself
        ([("a", "WRONG_OUTPUT", "7"), ("b", "WRONG_OUTPUT", "7"), ("c", "CORRECT", "1"), ("d", "CORRECT", "1")], []),
    ],
)
def test_agreement_counts_when_it_outweighs_what_is_correct(
    given: list[tuple[str, str, str]], agreeing: list[str]
) -> None:
    answers = [AgentAnswer(agent, verdict, shown, "") for agent, verdict, shown in given]
    assert [answer.agent for answer in most_agreeing_agents(answers)] == agreeing
