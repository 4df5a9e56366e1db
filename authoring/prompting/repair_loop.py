"""Ask a model until its answer can be used: what is wrong goes back to it, a bounded number of times."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Generic, TypeVar

from authoring.progress import OnEvent, PipelineEvent, no_progress
from authoring.prompting.blocks import BLOCKS, cut_to_tokens
from authoring.prompting.prompts import PromptBook, PromptRequest, digest_of
from authoring.store import model_calls
from authoring.store.model_calls import ModelCallRow, job_spending
from authoring.store.workspace import Workspace
from evaluator.agents.model_agents.replies import clipped
from evaluator.diagnostics import Diagnostic, Severity
from evaluator.errors import ContentError, ToolkitError
from evaluator.models import (
    AnswerSchema,
    Budget,
    BudgetLimits,
    BudgetSpentError,
    Completion,
    Message,
    ModelCall,
    ModelClient,
    ModelSettings,
    Spent,
)

DEFAULT_REPAIRS: Final = 3  # answers that are sent back, at most
MAX_SENT_BACK_CHARS: Final = 60_000  # of a bad answer, when it is shown to the model again
MAX_LEFT_OVER_CHARS: Final = 8_000  # of what is stored
REPEATS_PER_TURN: Final = 2**32  # above any rng_seed: a complaint that is made twice is not answered from memory
MAX_FINDINGS: Final = 100
CUT_OFF: Final = "the answer was cut off at the token limit: give a complete, shorter one"

T = TypeVar("T")


@dataclass(frozen=True)
class Assessment(Generic[T]):
    """What one answer is worth."""

    value: T | None  # None: nothing in it can be used
    complaint: str = ""  # what the model is told; empty: nothing is wrong
    faults: int = 0  # how many things are wrong with a usable value; the fewest win
    findings: tuple[Diagnostic, ...] = ()  # the same for people, with line and fix


@dataclass
class RepairLoop:
    """The requests of one step of the pipeline, with their cost."""

    client: ModelClient
    purpose: str  # "sketch" or "draft"
    rng_seed: int
    max_tokens: int
    temperature: float
    repairs: int = DEFAULT_REPAIRS
    guide_number: int | None = None  # of the guide revision that the request quotes; None: it quotes none
    on_event: OnEvent = no_progress
    schema: AnswerSchema | None = None  # the form that an endpoint may be held to
    book: PromptBook = field(default_factory=PromptBook)
    completions: list[Completion] = field(default_factory=list)
    prompt_hash: str = ""
    size: dict[str, Any] = field(default_factory=dict)  # of the request, by blocks
    left_over: str = ""  # what is still wrong with the value that was taken
    findings: tuple[Diagnostic, ...] = ()  # the same for people

    def ask(self, request: PromptRequest, assess: Callable[[Completion], Assessment[T]]) -> T:
        """Return the first value without a complaint, else the one with the fewest faults.

        Raises:
            ContentError: If no answer could be used; it says what was wrong with the last one.
            ToolkitError: If the endpoint fails before any answer could be used.
        """
        start = [Message("system", request.system), Message("user", request.text)]
        self.prompt_hash, self.size = digest_of(request.text), request.to_json()
        best: Assessment[T] | None = None
        complaint = ""
        messages: Sequence[Message] = start
        for turn in range(self.repairs + 1):
            self._tell(turn)
            try:
                answer = self._complete(messages, turn)
            except ToolkitError as error:
                if best is None and isinstance(error, BudgetSpentError):
                    raise self._out_of_budget(error) from None
                if best is None:
                    raise
                self.left_over = f"{self.left_over} (then {error.what})"
                break
            found = assess(answer)
            complaint = found.complaint
            if found.value is not None and (best is None or found.faults < best.faults):
                best, self.left_over, self.findings = found, found.complaint, found.findings
            if best is not None and not best.complaint:
                break
            messages = [*start, *self._objection(answer, complaint)]
        if best is None or best.value is None:
            raise self._unusable(complaint)
        return best.value

    def provenance(self) -> dict[str, Any]:
        """Return how the value came about, as it is stored with it."""
        return {
            "author": "model",
            **self.client.settings.to_json(),
            "params": {"max_tokens": self.max_tokens, "temperature": self.temperature, "rng_seed": self.rng_seed},
            "prompt_hash": self.prompt_hash,
            "prompt_size": self.size,
            "prompts": self.book.provenance(),
            "guide_revision": self.guide_number,
            "requests": len(self.completions),
            "repairs": max(0, len(self.completions) - 1),
            "prompt_tokens": sum(c.prompt_tokens for c in self.completions),
            "completion_tokens": sum(c.completion_tokens for c in self.completions),
            "seconds": round(sum(c.seconds for c in self.completions), 3),
            "recalled": sum(c.cached for c in self.completions),
            **self._cost(),
            "left_over": clipped(self.left_over, MAX_LEFT_OVER_CHARS),
            "findings": [finding.to_json() for finding in self.findings[:MAX_FINDINGS]],
        }

    def _cost(self) -> dict[str, Any]:
        """Return what the answers cost when they were asked for; nothing is said without a known price."""
        known = [c for c in self.completions if c.cost is not None]
        total = round(sum(c.cost or 0.0 for c in known), 6)
        return {"cost": total, "currency": known[0].currency} if known else {}

    def _complete(self, messages: Sequence[Message], turn: int) -> Completion:
        repeat = self.rng_seed + turn * REPEATS_PER_TURN
        completion = self.client.complete(
            messages,
            max_tokens=self.max_tokens,
            temperature=self.temperature,
            repeat=repeat,
            schema=self.schema,
            on_progress=lambda chars: self._tell(turn, chars),
        )
        self.completions.append(completion)
        return completion

    def _tell(self, turn: int, chars: int = 0) -> None:
        again = f", repair {turn} of {self.repairs}" if turn else ""
        text = f"asking {self.client.settings.model} for a {self.purpose}{again}"
        text += f": {chars} characters so far" if chars else ""
        self.on_event(PipelineEvent(turn, self.repairs + 1, text))

    def _objection(self, answer: Completion, complaint: str) -> tuple[Message, Message]:
        shown = clipped(answer.text, MAX_SENT_BACK_CHARS) or "(empty)"
        kind = BLOCKS["complaint"]
        objection = self.book.fill("repair", complaint=cut_to_tokens(complaint, kind.tokens, kind.unit))
        return Message("assistant", shown), Message("user", objection)

    def _out_of_budget(self, error: BudgetSpentError) -> BudgetSpentError:
        answers = f"{len(self.completions)} answers were not usable yet" if self.completions else "nothing was asked"
        what = f"{error.what}; the {self.purpose} is left undone ({answers})"
        return BudgetSpentError(what, where=error.where, fix=error.fix)

    def _unusable(self, complaint: str) -> ContentError:
        return ContentError(
            f"the model gave no usable {self.purpose} in {len(self.completions)} answers: {clipped(complaint, 600)}",
            where=f"model {self.client.settings.model!r} at {self.client.settings.host}",
            fix="repeat with another --rng-seed or --model; the workspace keeps the answers",
        )


def left_over_findings(provenance: Mapping[str, Any]) -> tuple[Diagnostic, ...]:
    """Return what is still wrong with a value that a model gave, read from its provenance."""
    return tuple(
        Diagnostic(f["code"], Severity(f["severity"]), Path(f["path"]), f["line"], f["what"], f["fix"])
        for f in provenance.get("findings", ())
    )


def open_client(
    ws: Workspace,
    settings: ModelSettings,
    *,
    purpose: str,
    subject: str,
    budget: BudgetLimits | Budget | None = None,
    job_id: int | None = None,
) -> ModelClient:
    """Return a client whose calls are all kept in the workspace's transcript, and answered from it again.

    Args:
        ws: The workspace.
        settings: Which model, where.
        purpose: What the calls are for, such as "sketch".
        subject: What they are about, such as "seed 3".
        budget: What may be spent: by this client, and by earlier starts of the job if `job_id` is given; a purse is
            shared with other clients instead.
        job_id: The job that asks.

    Raises:
        ToolkitError: If there is no key.
        UsageError: If the budget limits the cost of a model without a known price.
    """

    def keep(call: ModelCall) -> None:
        done = call.completion or Completion("", finish_reason="")
        model_calls.insert(
            ws,
            purpose=purpose,
            subject=subject,
            digest=call.digest,
            model=call.model,
            host=call.host,
            params=call.params,
            messages=[{"role": m.role, "content": m.content} for m in call.messages],
            answer=done.text,
            finish_reason=done.finish_reason,
            prompt_tokens=done.prompt_tokens,
            completion_tokens=done.completion_tokens,
            cached_tokens=done.cached_tokens,
            cost=done.cost,
            currency=done.currency,
            seconds=done.seconds,
            error=call.error,
            job_id=job_id,
        )

    def recall(digest: str) -> Completion | None:
        found = model_calls.recall(ws, digest, host=settings.host)
        return None if found is None else _completion_of(found)

    purse = purse_of_job(ws, budget, job_id) if isinstance(budget, BudgetLimits) else budget
    return ModelClient(settings, on_call=keep, recall=recall, purse=purse)


def purse_of_job(ws: Workspace, budget: BudgetLimits, job_id: int | None) -> Budget:
    """Return a purse from which earlier starts of the same job have already taken; several clients may share it."""
    if job_id is None:
        return Budget(budget)
    tokens, cost, seconds = job_spending(ws, job_id)
    return Budget(budget, before=Spent(tokens, cost), minutes_before=seconds / 60)


def _completion_of(row: ModelCallRow) -> Completion:
    return Completion(
        text=row.answer,
        prompt_tokens=row.prompt_tokens,
        completion_tokens=row.completion_tokens,
        seconds=row.seconds,
        finish_reason=row.finish_reason,
        cached_tokens=row.cached_tokens,
        cost=row.cost,
        currency=row.currency,
    )
