"""Budgets, and the prices that a budget of money needs."""

from pathlib import Path
from typing import Any

import pytest

from evaluator.errors import ToolkitError, UsageError
from evaluator.models import (
    Budget,
    BudgetLimits,
    BudgetSpentError,
    Message,
    ModelClient,
    ModelRequest,
    ModelSettings,
    Spent,
    price_of,
)
from tests.scripted_model import Refuse, Say, scripted_model

QUESTION = (Message("user", "How many?"),)
PRICES = 'models: [{model: "small*", input: 10, cached_input: 1, output: 100, currency: EUR}]'


def test_what_was_put_aside_is_settled_with_what_was_taken() -> None:
    purse = Budget(BudgetLimits(tokens=100))
    aside = purse.reserve(Spent(90))
    with pytest.raises(BudgetSpentError, match="90 of 100 tokens are used and the next request may take up to 20"):
        purse.reserve(Spent(20))
    purse.settle(aside, Spent(30))
    purse.reserve(Spent(70))
    assert purse.spent == Spent(30)


def test_a_spent_budget_is_no_fault_of_the_toolkit() -> None:
    for limits, option in (
        (BudgetLimits(minutes=5), "minutes"),
        (BudgetLimits(tokens=9), "tokens"),
        (BudgetLimits(cost=0.5), "cost"),
    ):
        purse = Budget(limits, before=Spent(8, 0.4), minutes_before=6)
        with pytest.raises(BudgetSpentError) as caught:
            purse.reserve(Spent(2, 0.2))
        assert caught.value.exit_code == 1
        assert f"--budget-{option}" in caught.value.fix


def test_a_budget_may_be_spent_to_its_last_token() -> None:
    purse = Budget(BudgetLimits(tokens=10, cost=1.0), before=Spent(8, 0.5))
    purse.settle(purse.reserve(Spent(2, 0.5)), Spent(2, 0.5))
    assert purse.spent == Spent(10, 1.0)


def test_a_budget_that_is_spent_asks_nothing_and_a_failure_gives_back() -> None:
    purse = Budget(BudgetLimits(tokens=100))
    with scripted_model([Refuse(400, "no"), Say("yes", prompt_tokens=9, completion_tokens=1)]) as server:
        client = ModelClient(ModelSettings("small", server.url), purse=purse)
        with pytest.raises(BudgetSpentError):
            client.complete(QUESTION, max_tokens=100)
        assert server.requests == []
        with pytest.raises(ToolkitError, match="HTTP 400"):
            client.complete(QUESTION, max_tokens=80)
        client.complete(QUESTION, max_tokens=80)
    assert purse.spent.tokens == 10


def test_tokens_are_estimated_where_the_endpoint_does_not_count() -> None:
    purse = Budget(BudgetLimits(tokens=10_000))
    with scripted_model([Say("word " * 60, prompt_tokens=0, completion_tokens=0)]) as server:
        ModelClient(ModelSettings("small", server.url), purse=purse).complete(QUESTION)
    assert purse.spent.tokens == ModelRequest(QUESTION).prompt_tokens + 100


def test_a_call_costs_what_the_table_of_prices_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BENCHWRIGHT_PRICES", str(table(tmp_path, PRICES)))
    purse = Budget(BudgetLimits(cost=1.0))
    with scripted_model([Say("42", prompt_tokens=1000, completion_tokens=100, cached_tokens=400)]) as server:
        answer = ModelClient(ModelSettings("small-1", server.url), purse=purse).complete(QUESTION)
    assert answer.cost == pytest.approx((600 * 10 + 400 * 1 + 100 * 100) / 1e6)
    assert answer.currency == "EUR"
    assert purse.spent.cost == answer.cost


def test_a_budget_of_money_refuses_a_model_without_a_price() -> None:
    with pytest.raises(UsageError, match="no price is known of the model 'small'") as caught:
        ModelClient(ModelSettings("small"), purse=Budget(BudgetLimits(cost=1)))
    assert "BENCHWRIGHT_PRICES" in caught.value.fix


def test_the_shipped_prices_are_a_table_with_a_date() -> None:
    price = price_of("gpt-4o-mini", {})
    assert price is not None
    assert 0 < price.cached_input < price.input < price.output
    assert (price.currency, bool(price.noted_on)) == ("USD", True)
    assert price_of("somebody's own model", {}) is None


def test_a_table_of_prices_that_is_none_is_a_usage_error(tmp_path: Path) -> None:
    rows = ("3", "{model: 4, input: 1, output: 1}", "{model: m, input: 1}", "{model: m, output: 1}",
            "{model: m, input: 1, output: .nan}", "{model: m, input: -1, output: 1}",
            "{model: m, input: 1, output: 1, per: token}")  # fmt: skip
    for text in ("", "7", "models: 3", "a: [", "\0", "- " * 2000, *(f"models: [{row}]" for row in rows)):
        with pytest.raises(UsageError, match="table of prices") as caught:
            price_of("m", {"BENCHWRIGHT_PRICES": str(table(tmp_path, text))})
        assert "BENCHWRIGHT_PRICES" in caught.value.fix
    with pytest.raises(UsageError):
        price_of("m", {"BENCHWRIGHT_PRICES": str(tmp_path / "none.yaml")})


def test_a_budget_that_is_none_is_a_usage_error() -> None:
    bad: list[Any] = [3, [], {"tokens": -1}, {"cost": float("nan")}, {"tokens": "9"}, {"tokens": True}, {"euros": 1}]
    for body in bad:
        with pytest.raises(UsageError):
            BudgetLimits.from_json(body)


def table(folder: Path, text: str) -> Path:
    path = folder / "prices.yaml"
    path.write_text(text, encoding="utf-8")
    return path
