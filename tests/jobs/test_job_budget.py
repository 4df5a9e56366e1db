"""What agents with clients of their own take of a job's budget."""

import pytest

from authoring.prompting.job_budget import UNDER_WAY, JobBudget
from authoring.prompting.repair_loop import purse_of_job
from authoring.store import model_calls
from authoring.store.model_calls import job_spending
from authoring.store.workspace import Workspace
from evaluator.errors import ToolkitError
from evaluator.models import BudgetLimits, BudgetSpentError, ModelSettings, Spent
from evaluator.models.budget import PRICES_VARIABLE

LIMITS = BudgetLimits(tokens=1000)


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
    assert sorted((call.model, call.completion_tokens, call.error, call.cost) for call in calls) == [
        ("m", 30, "", None),
        ("m", 120, "", None),
    ]


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
