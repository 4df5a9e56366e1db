"""What only maintainers may start, by the role of whoever ordered it."""

from collections.abc import Callable
from typing import Any

import pytest

from authoring.jobs.handlers.release_jobs import RunOrder, rescoring
from authoring.store import runs
from authoring.store.people import Role, give_roles, refuse_other_than_maintainers
from authoring.store.workspace import Workspace
from evaluator.errors import UsageError

Do = Callable[..., dict[str, Any]]


def run_of(ws: Workspace, **asked: object) -> int:
    (folder := ws.root / "runs" / str(len(runs.select(ws)))).mkdir(parents=True)
    (folder / "records.jsonl").write_text("")
    return runs.insert(ws, release="small 1", agent="a", out_dir=str(folder), summary={"asked": {**asked}})


FREE: list[dict[str, Any]] = [
    {"agent": "oracle"},
    {"agent": "cheat:zero"},
    {"agent": "chat:m?shots=shipped&shots_count=2"},
    {"agent": "coml:m?num_examples=3"},
]
OF_THE_MACHINE: list[dict[str, Any]] = [
    {"agent": "chat:m?shots=mine.yaml"},
    {"agent": "chat:recorded:kept"},
    {"agent": "cmd:python a.py"},
    {"agent": "cli:program -p {prompt}"},
    {"agent": "a.py:solve"},
    {"agent": "package.module:solve"},
    {"agent": "replay:/elsewhere/records.jsonl"},
    {"agent": "coml:m", "agent_folder": "/"},
    {"agent": "coml:m", "agent_variables": ["HOME"]},
]


def test_code_and_files_of_the_machine_need_a_maintainer(workspace: Workspace) -> None:
    for order in (*FREE, *OF_THE_MACHINE):
        assert RunOrder.ordered(order).needs_maintainer(workspace) is (order in OF_THE_MACHINE), order
        again = run_of(workspace, **order, budget={"tokens": 3})
        assert RunOrder.ordered({"again": again}).needs_maintainer(workspace) is (order in OF_THE_MACHINE), order


def test_what_runs_of_the_workspace_submitted_needs_none(workspace: Workspace) -> None:
    earlier = run_of(workspace, agent="cmd:python a.py", release=1)
    assert not RunOrder.ordered({"rescore": earlier}).needs_maintainer(workspace)
    rescored = RunOrder.stored(rescoring(runs.find(workspace, earlier), None))
    assert rescored.agent.startswith("replay:")
    assert not rescored.needs_maintainer(workspace)
    beside = rescored.agent.replace("records.jsonl", "other.jsonl")
    assert RunOrder.ordered({"agent": beside}).needs_maintainer(workspace)


def test_a_job_runs_code_of_the_machine_for_maintainers_alone(workspace: Workspace, do: Do) -> None:
    """As whoever ordered it is known when it runs, however it came into the queue."""
    give_roles(workspace, "boss@example.org", [Role.MAINTAINER])
    give_roles(workspace, "Ann", [Role.EVALUATOR])
    earlier = run_of(workspace, agent="cmd:python a.py", benchmark="gone")
    for order in ({"agent": "cmd:python a.py", "benchmark": "gone"}, {"again": earlier}):
        with pytest.raises(UsageError, match="this needs the role maintainer; Ann has evaluator"):
            do("run", order)
    give_roles(workspace, "ann", [Role.EVALUATOR, Role.MAINTAINER])
    with pytest.raises(UsageError, match=r"no file 'a\.py'"):  # it goes on to the program, which is not there
        do("run", {"again": earlier})


def test_who_is_in_no_list_is_at_the_command_line(workspace: Workspace) -> None:
    give_roles(workspace, "boss@example.org", [Role.MAINTAINER])
    for name in ("", "somebody", "Boss@example.org "):
        refuse_other_than_maintainers(workspace, name)
    give_roles(workspace, "lee@example.org", [])
    with pytest.raises(UsageError, match=r"lee@example\.org has no role"):
        refuse_other_than_maintainers(workspace, "lee@example.org")
