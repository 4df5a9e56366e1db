"""What a job may do: what only maintainers may start, and what agents with clients of their own take of its budget."""

from collections.abc import Callable
from typing import Any

import pytest

from authoring.jobs.handlers.release_jobs import RunOrder, rescoring
from authoring.prompting.job_budget import UNDER_WAY, JobBudget
from authoring.prompting.repair_loop import purse_of_job
from authoring.store import model_calls, runs
from authoring.store.model_calls import job_spending
from authoring.store.people import Role, give_roles, refuse_other_than_maintainers
from authoring.store.workspace import Workspace
from evaluator.errors import ToolkitError, UsageError
from evaluator.models import BudgetLimits, BudgetSpentError, ModelSettings, Spent
from evaluator.models.budget import PRICES_VARIABLE

Do = Callable[..., dict[str, Any]]
LIMITS = BudgetLimits(tokens=1000)


def run_of(ws: Workspace, **asked: object) -> int:
    (folder := ws.root / "runs" / str(len(runs.select(ws)))).mkdir(parents=True)
    (folder / "records.jsonl").write_text("")
    return runs.insert(ws, release="small 1", agent="a", out_dir=str(folder), summary={"asked": {**asked}})


FREE = ("oracle", "cheat:zero", "chat:m?shots=shipped&shots_count=2", "coml:m?num_examples=3")
OF_THE_MACHINE = (
    *("chat:m?shots=mine.yaml", "chat:recorded:kept", "cmd:python a.py", "cli:program -p {prompt}", "a.py:solve"),
    *("package.module:solve", "replay:/elsewhere/records.jsonl"),
)
OF_ITS_FOLDERS: tuple[dict[str, Any], ...] = ({"agent_folder": "/"}, {"agent_variables": ["HOME"]})


def test_code_and_files_of_the_machine_need_a_maintainer(workspace: Workspace) -> None:
    orders = [*({"agent": agent} for agent in (*FREE, *OF_THE_MACHINE)), *OF_ITS_FOLDERS]
    for number, order in enumerate({"agent": "coml:m", **one} for one in orders):
        needs = number >= len(FREE)
        assert RunOrder.ordered(order).needs_maintainer(workspace) is needs, order
        again = run_of(workspace, **order, budget={"tokens": 3})
        assert RunOrder.ordered({"again": again}).needs_maintainer(workspace) is needs, order


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


# budgets


def opened(ws: Workspace, job_id: int = 7) -> JobBudget:
    """The budget as a start of the job opens it."""
    return JobBudget(ws, purse_of_job(ws, LIMITS, job_id), ModelSettings("m"), job_id=job_id)


def test_what_calls_took_is_counted_at_the_next_start(workspace: Workspace) -> None:
    budget = opened(workspace)
    first, second = budget.reserve(Spent(300)), budget.reserve(Spent(300))
    budget.settle(first, Spent(120))
    budget.settle(second, Spent(30))
    assert (budget.spent, opened(workspace).spent) == (Spent(150), Spent(150))
    assert opened(workspace, job_id=8).spent == Spent()
    calls = model_calls.select(workspace, purpose="run", subject="job 7")
    kept = sorted((call.model, call.completion_tokens, call.error, call.cost) for call in calls)
    assert kept == [("m", 30, "", None), ("m", 120, "", None)]


def test_a_kill_loses_nothing_of_a_call_that_was_under_way(workspace: Workspace) -> None:
    budget = opened(workspace)
    budget.settle(budget.reserve(Spent(300)), Spent(100))
    budget.reserve(Spent(600))  # and the process is gone
    resumed = opened(workspace)
    assert resumed.spent == Spent(700)
    with pytest.raises(BudgetSpentError, match="700 of 1000 tokens"):
        resumed.reserve(Spent(301))
    assert [call.error for call in model_calls.select(workspace)] == ["", UNDER_WAY]


def test_a_refused_call_is_none_and_takes_nothing(workspace: Workspace) -> None:
    budget = opened(workspace)
    with pytest.raises(BudgetSpentError):
        budget.reserve(Spent(1001))
    assert model_calls.select(workspace) == []
    budget.settle(budget.reserve(Spent(1000)), Spent())
    budget.settle(budget.reserve(Spent(1000)), Spent())


def test_clients_that_keep_their_own_calls_are_counted_once(workspace: Workspace) -> None:
    purse = purse_of_job(workspace, LIMITS, 7)
    budget = JobBudget(workspace, purse, ModelSettings("m"), job_id=7)
    purse.settle(purse.reserve(Spent(400)), Spent(400))  # such as the judge
    assert (budget.spent.tokens, job_spending(workspace, 7)[0]) == (400, 0)
    with pytest.raises(BudgetSpentError):
        budget.reserve(Spent(601))


def test_a_call_costs_what_its_price_says(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    prices = workspace.root / "prices.yaml"
    prices.write_text("currency: EUR\nmodels:\n- {model: m, input: 1, output: 2}\n")
    monkeypatch.setenv(PRICES_VARIABLE, str(prices))
    budget = opened(workspace)
    budget.settle(budget.reserve(Spent(300, 0.5)), Spent(100, 0.25))
    budget.reserve(Spent(300, 0.5))
    assert job_spending(workspace, 7)[:2] == (400, 0.75)
    assert {call.currency for call in model_calls.select(workspace)} == {"EUR"}


def test_a_workspace_that_cannot_be_written_refuses_the_call(workspace: Workspace) -> None:
    budget = opened(workspace)
    kept = workspace.database_path.rename(workspace.root / "away.sqlite")
    with pytest.raises(ToolkitError):
        budget.reserve(Spent(600))
    kept.rename(workspace.database_path)
    assert budget.reserve(Spent(1000)) == Spent(1000)
