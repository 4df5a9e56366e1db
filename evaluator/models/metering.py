"""What is asked of a model at one problem: counted, and within limits however many calls are pending at once."""

import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final, NamedTuple

from evaluator.errors import ToolkitError
from evaluator.models.budget import BudgetSpentError

DEFAULT_ANSWER_TOKENS: Final = 1000
"""Put aside for the answer to a call that names no largest number of tokens, until its end tells what it took."""


@dataclass(frozen=True)
class ProxyLimits:
    """What an agent may ask of the model at one problem of one session, all attempts together; None: no limit."""

    calls: int | None = None  # count
    tokens: int | None = None  # prompt and completion together; calls that are pending count by what is put aside


@dataclass
class ProxyUsage:
    """What was asked at one attempt."""

    prompt_tokens: int = 0
    completion_tokens: int = 0
    cached_tokens: int = 0
    calls: int = 0
    cost: float | None = None
    unknown: int = 0  # calls whose tokens the endpoint did not tell, or has not told yet (count)

    def to_json(self) -> dict[str, Any]:
        """Return what a record's statistics hold; tokens and cost that nobody told are left out."""
        told: dict[str, Any] = {"calls": self.calls, "usage_source": "measured"}
        if self.unknown:
            return told
        told |= {
            "prompt_tokens": self.prompt_tokens,
            "completion_tokens": self.completion_tokens,
            "cached_tokens": self.cached_tokens,
        }
        return {**told, "cost": self.cost} if self.cost is not None else told


class TokenCounts(NamedTuple):
    """The tokens of one call, as the endpoint counts them."""

    prompt: int = 0
    completion: int = 0
    cached: int = 0  # of the prompt


def token_counts(usage: Any) -> TokenCounts | None:
    """Return what the field `usage` of an answer says; None: it tells no tokens, or none at all were used."""
    if not isinstance(usage, Mapping):
        return None
    prompt, total = _count(usage.get("prompt_tokens")), _count(usage.get("total_tokens"))
    completion = _count(usage.get("completion_tokens")) or max(0, total - prompt)
    if prompt + completion == 0:
        return None
    details = usage.get("prompt_tokens_details")
    return TokenCounts(prompt, completion, _count(details.get("cached_tokens")) if isinstance(details, Mapping) else 0)


def _count(value: Any) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else 0


@dataclass
class TakenByTry:
    """What one try took of the limits of its problem, and whether the endpoint failed at it."""

    calls: int = 0
    tokens: int = 0  # taken, or put aside
    fault: str = ""  # what the endpoint failed with, unless it answered a call that was asked after that
    failed_at: int = 0  # by the meter's clock


@dataclass(frozen=True)
class PutAside:
    """What a pending call may take, and the attempt and the try that it belongs to."""

    prompt: int  # tokens, an estimate
    answer: int  # tokens
    attempt: ProxyUsage
    taken: TakenByTry
    asked_at: int  # by the meter's clock

    @property
    def tokens(self) -> int:
        """Of prompt and answer."""
        return self.prompt + self.answer


class ProblemMeter:
    """Counts what is asked at one problem of one session; a call is put aside before it is asked, and settled after."""

    def __init__(self, limits: ProxyLimits | None = None) -> None:
        self.limits = limits or ProxyLimits()
        self._changed = threading.Condition()
        self._tries = [TakenByTry()]  # that count against the limits; the last one is under way
        self._pending: list[PutAside] = []
        self._attempt = ProxyUsage()
        self._clock = 0  # counts calls as they are asked and as they fail
        self._ending: ToolkitError | None = None  # why the run cannot go on

    def begin_attempt(self) -> None:
        """Count the next attempt apart; what the attempts before have taken still counts against the limits."""
        with self._changed:
            self._attempt = ProxyUsage()

    def begin_try(self) -> None:
        """Count what comes now as one try of the attempt, which can be given back."""
        with self._changed:
            self._tries.append(TakenByTry())

    def give_back(self) -> None:
        """Count the last try no longer against the limits, since the endpoint spoiled it; it stays in what is used."""
        with self._changed:
            self._tries[-1] = TakenByTry()

    @property
    def _calls(self) -> int:
        return sum(each.calls for each in self._tries)

    @property
    def _tokens(self) -> int:
        return sum(each.tokens for each in self._tries)

    def put_aside(self, prompt: int, answer: int | None) -> PutAside | str:
        """Return what is put aside for a call, or why it is refused.

        Args:
            prompt: Its tokens, an estimate.
            answer: The largest number of tokens that may be answered, in all; None: the call does not say.
        """
        limits = self.limits
        with self._changed:
            if limits.calls is not None and self._calls >= limits.calls:
                return f"the {limits.calls} calls of the model that this problem allows are used up"
            if limits.tokens is not None:
                left = limits.tokens - self._tokens
                if left <= 0:
                    return f"the {limits.tokens} tokens that this problem allows are used up"
                wanted = prompt + (answer if answer is not None else 1)
                if wanted > left:
                    allowed = f"of the {limits.tokens} tokens that this problem allows {left} are left"
                    return f"{allowed}, and this call may take {wanted}: ask for fewer (`max_tokens`)"
                answer = min(DEFAULT_ANSWER_TOKENS, left - prompt) if answer is None else answer
            answer = DEFAULT_ANSWER_TOKENS if answer is None else answer
            aside = PutAside(prompt, answer, self._attempt, self._tries[-1], self._tick())
            aside.taken.calls += 1
            aside.taken.tokens += aside.tokens
            self._attempt.calls += 1
            self._pending.append(aside)
            return aside

    def take_back(self, aside: PutAside) -> None:
        """Forget a call that was not asked."""
        with self._changed:
            aside.taken.calls -= 1
            aside.taken.tokens -= aside.tokens
            aside.attempt.calls -= 1
            self._end(aside)

    def settle(self, aside: PutAside, told: TokenCounts | None, *, least: int = 0, cost: float | None = None) -> int:
        """Count what a call took, and return its tokens.

        Args:
            aside: What was put aside for it.
            told: What it took; None: nobody told, and what was put aside is taken.
            least: Tokens that the answer had by what was seen of it, where nobody told.
            cost: What it cost; None: no price is known.
        """
        with self._changed:
            attempt = aside.attempt
            if told is None:
                attempt.unknown += 1
                tokens = aside.prompt + max(aside.answer, least)
            else:
                attempt.prompt_tokens += told.prompt
                attempt.completion_tokens += told.completion
                attempt.cached_tokens += told.cached
                tokens = told.prompt + told.completion
            if cost is not None:
                attempt.cost = (attempt.cost or 0.0) + cost
            aside.taken.tokens += tokens - aside.tokens
            self._end(aside)
            return tokens

    def note(self, aside: PutAside, fault: str) -> None:
        """Note whether the endpoint failed at a call, and how; "": it did not.

        An answer makes good for failures that had ended before it was asked for, as one to a repeated request does,
        and not for that of another call which was under way meanwhile.
        """
        with self._changed:
            taken = aside.taken
            if fault:
                taken.fault, taken.failed_at = fault, self._tick()
            elif aside.asked_at > taken.failed_at:
                taken.fault = ""

    def take_fault(self) -> str:
        """Return what the endpoint failed with at this try, if it did not answer after that, and forget it."""
        with self._changed:
            taken = self._tries[-1]
            fault, taken.fault = taken.fault, ""
            return fault

    def end_run(self, error: ToolkitError) -> None:
        """Note that the run cannot go on: its budget refused a call, or what was paid cannot be written down."""
        with self._changed:
            self._ending = self._ending or error

    def take_ending(self, *, is_answered: bool) -> ToolkitError | None:
        """Return why the run ends with this try, and forget it; None: it goes on.

        Args:
            is_answered: Whether the agent handed something in. Where its budget refused one of several calls, an agent
                that made do with the others has answered.
        """
        with self._changed:
            error, self._ending = self._ending, None
            makes_do = is_answered and self._tries[-1].calls > 0
            return None if isinstance(error, BudgetSpentError) and makes_do else error

    def usage(self, patience_s: float = 0.0) -> ProxyUsage:
        """Return what was asked at this attempt; calls still pending after so many seconds count as unknown."""
        until = time.monotonic() + patience_s
        with self._changed:
            while self._pending_now() and (left := until - time.monotonic()) > 0:
                self._changed.wait(left)
            return replace(self._attempt, unknown=self._attempt.unknown + self._pending_now())

    def _tick(self) -> int:
        self._clock += 1
        return self._clock

    def _pending_now(self) -> int:
        return sum(each.attempt is self._attempt for each in self._pending)

    def _end(self, aside: PutAside) -> None:
        self._pending = [each for each in self._pending if each is not aside]
        self._changed.notify_all()
