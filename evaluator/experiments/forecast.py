"""What an experiment will ask of models before it is started: requests, tokens, cost."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Final, NamedTuple
from urllib.parse import parse_qsl

from evaluator.agents.choice import CLI, COMMAND, MODEL_AGENT_NAMES
from evaluator.agents.process.package_command import is_package
from evaluator.experiments.results import RunResult
from evaluator.models import price_of
from evaluator.models.budget import PRICES_VARIABLE, Price
from evaluator.running import RunConfig, model_asked

ASSUMED_TOKENS: Final = (2_100, 70)
"""Of a request and its answer, where no run of the agent has told: the largest means that DSEval publishes are 2,964
and 78 (arXiv:2402.17168), the others lie between 1,467 and 2,125, and 23 and 66."""
MANY_RUNS, MANY_REQUESTS = 100, 20_000
"""From which on somebody must agree to it."""
_MOST_TURNS: Final = {"tools": 20, "plan": 20, "smolagents": 10, "open-interpreter": 20, "cmd": 20, "cli": 20}
"""Requests of an agent in one attempt, at most, where no option says it; programs of one's own are taken for 20."""


_MOST_NAMES: Final = 5


class Range(NamedTuple):
    """From one attempt at each problem to as many as are allowed."""

    least: float
    most: float


@dataclass(frozen=True)
class RunForecast:
    """What is left to ask of one run."""

    result: RunResult
    problems: int  # that have no verdict yet (count)
    requests: Range  # to a model; (0, 0): the agent asks none, or answers from a cassette
    tokens: Range
    cost: Range | None  # None: no price is known
    model: str  # that is asked; empty: none
    is_measured: bool  # tokens are by the mean of what attempts of the run have told so far

    def to_json(self) -> dict[str, Any]:
        """Return plain JSON values."""
        benchmark, agent, policy = self.result.run.titles
        return {
            **{"benchmark": benchmark, "agent": agent, "policy": policy, "problems_left": self.problems},
            **{"requests": list(self.requests), "tokens": list(self.tokens), "tokens_measured": self.is_measured},
            "cost": None if self.cost is None else list(self.cost),
        }


@dataclass(frozen=True)
class Forecast:
    """What is left to ask of all runs."""

    runs: tuple[RunForecast, ...]

    @property
    def requests(self) -> Range:
        """Requests of all runs."""
        return Range(sum(each.requests.least for each in self.runs), sum(each.requests.most for each in self.runs))

    @property
    def tokens(self) -> Range:
        """Tokens of all runs."""
        return Range(sum(each.tokens.least for each in self.runs), sum(each.tokens.most for each in self.runs))

    @property
    def cost(self) -> Range | None:
        """Cost of all runs; None: not all prices are known."""
        costs = [each.cost for each in self.runs]
        if any(cost is None for cost in costs):
            return None
        known = [cost for cost in costs if cost is not None]
        return Range(sum(cost.least for cost in known), sum(cost.most for cost in known))

    @property
    def is_large(self) -> bool:
        """Whether somebody must agree to it."""
        return len(self.runs) > MANY_RUNS or self.requests.least > MANY_REQUESTS

    def to_json(self) -> dict[str, Any]:
        """Return plain JSON values."""
        return {
            "runs": [each.to_json() for each in self.runs],
            "requests": list(self.requests),
            "tokens": list(self.tokens),
            "cost": None if self.cost is None else list(self.cost),
            "is_large": self.is_large,
        }

    def to_text(self) -> str:
        """Return the forecast in a few lines."""
        left = sum(each.problems for each in self.runs)
        runs = f"{len(self.runs):,} {'run' if len(self.runs) == 1 else 'runs'}"
        lines = [f"{runs}, {left:,} {'problem' if left == 1 else 'problems'} left to judge"]
        if self.requests.most:
            lines.append(f"requests to models: {_between(self.requests)}; tokens: {_between(self.tokens)}")
            cost = self.cost
            lines.append(self._unpriced() if cost is None else f"cost: {_between(cost, digits=2)}")
            if not all(each.is_measured for each in self.runs if each.requests.most):
                prompt, answer = ASSUMED_TOKENS
                lines.append(
                    f"runs without records are estimated at {prompt:,} prompt + {answer} completion tokens a request"
                )
        else:
            lines.append("no model is asked")
        return "\n".join(lines)

    def _unpriced(self) -> str:
        models = list(dict.fromkeys(each.model for each in self.runs if each.cost is None))
        names = ", ".join(models[:_MOST_NAMES]) + (
            f" and {len(models) - _MOST_NAMES} more" * (len(models) > _MOST_NAMES)
        )
        return f"cost: not known, since no price is known of {names}; {PRICES_VARIABLE} names a table of prices"


def forecast(results: Sequence[RunResult], *, asks: bool = True) -> Forecast:
    """Return what the runs of an experiment have still to ask.

    Args:
        results: How far they are.
        asks: Whether models are asked at all; False: all is answered from what was recorded.

    Raises:
        UsageError: If the file of prices is no table.
    """
    price = cache(price_of)  # many runs have one model, and each price is read from a file
    return Forecast(tuple(_forecast(result, price, asks=asks) for result in results))


def _forecast(result: RunResult, price_of_model: Callable[[str], Price | None], *, asks: bool) -> RunForecast:
    config = result.run.config
    left = max(0, result.run.problems - result.judged)
    model = model_asked(config) if asks else ""
    if not model:
        return RunForecast(result, left, Range(0, 0), Range(0, 0), Range(0, 0), "", False)
    requests = Range(*(left * each for each in requests_of_problem(config)))
    prompt, answer = result.attempt_tokens or ASSUMED_TOKENS
    units = requests if result.attempt_tokens is None else Range(left, left * config.max_attempts)
    tokens = Range(*(each * (prompt + answer) for each in units))
    if config.agent_tokens is not None:
        tokens = Range(*(min(each, left * config.agent_tokens) for each in tokens))
    price = price_of_model(model)
    cost = None
    if price is not None:
        share = prompt / (prompt + answer)
        costs = [price.cost(int(each * share), int(each * (1 - share))) for each in tokens]
        cost = Range(*costs)
    return RunForecast(result, left, requests, tokens, cost, model, result.attempt_tokens is not None)


def requests_of_problem(config: RunConfig) -> tuple[int, int]:
    """Return how often an agent asks a model at one problem: in one attempt at least, in all of them at most."""
    least, most = requests_of_attempt(config)
    return least, _at_most(most * config.max_attempts, config.agent_calls)


def requests_of_attempt(config: RunConfig) -> tuple[int, int]:
    """Return how often an agent asks a model in one attempt, at least and at most."""
    name = config.agent.partition(":")[0]
    if config.agent_calls is not None and name in (COMMAND, CLI):
        return 1, config.agent_calls
    written = dict(parse_qsl(config.agent.partition("?")[2])) if name in MODEL_AGENT_NAMES or is_package(name) else {}
    ensemble = int(written.get("ensemble", "1"))
    turns = max(int(written.get("max_calls", "0")), int(written.get("max_steps", "0"))) or _MOST_TURNS.get(name, 1)
    return ensemble, _at_most(ensemble * turns, config.agent_calls)


def _at_most(amount: int, limit: int | None) -> int:
    return amount if limit is None else min(amount, limit)


def _between(span: Range, *, digits: int = 0) -> str:
    least, most = (f"{each:,.{digits}f}" for each in span)
    return least if least == most else f"{least} to {most}"
