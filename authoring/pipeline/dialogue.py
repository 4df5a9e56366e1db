"""Ask a model until its answer can be used: what is wrong goes back to it, a bounded number of times."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Generic, TypeVar

from authoring.pipeline.progress import OnEvent, PipelineEvent, unheard
from authoring.pipeline.prompts import clipped, digest_of, fill, guide_revision, prompt_text
from authoring.store import Workspace, insert_model_call
from evaluator.errors import ContentError, ToolkitError
from evaluator.models import Completion, Message, ModelCall, ModelClient, ModelSettings

DEFAULT_REPAIRS: Final = 3  # answers that are sent back, at most
MAX_SENT_BACK_CHARS: Final = 60_000  # of a bad answer, when it is shown to the model again
MAX_COMPLAINT_CHARS: Final = 8_000
CUT_OFF: Final = "the answer was cut off at the token limit: give a complete, shorter one"

T = TypeVar("T")


@dataclass(frozen=True)
class Assessment(Generic[T]):
    """What one answer is worth."""

    value: T | None  # None: nothing in it can be used
    complaint: str = ""  # what the model is told; empty: nothing is wrong
    faults: int = 0  # how many things are wrong with a usable value; the fewest win


@dataclass
class Dialogue:
    """The requests of one step of the pipeline, with their cost."""

    client: ModelClient
    purpose: str  # "sketch" or "draft"
    rng_seed: int
    max_tokens: int
    temperature: float
    repairs: int = DEFAULT_REPAIRS
    on_event: OnEvent = unheard
    completions: list[Completion] = field(default_factory=list)
    prompt_hash: str = ""
    left_over: str = ""  # what is still wrong with the value that was taken

    def ask(self, request: str, assess: Callable[[Completion], Assessment[T]]) -> T:
        """Return the first value without a complaint, else the one with the fewest faults.

        Raises:
            ContentError: If no answer could be used; it says what was wrong with the last one.
            ToolkitError: If the endpoint fails before any answer could be used.
        """
        start = [Message("system", prompt_text("system")), Message("user", request)]
        self.prompt_hash = digest_of(request)
        best: Assessment[T] | None = None
        complaint = ""
        messages: Sequence[Message] = start
        for turn in range(self.repairs + 1):
            self._tell(turn)
            try:
                answer = self._complete(messages)
            except ToolkitError as error:
                if best is None:
                    raise
                self.left_over = f"{self.left_over} (then {error.what})"
                break
            found = assess(answer)
            complaint = found.complaint
            if found.value is not None and (best is None or found.faults < best.faults):
                best, self.left_over = found, found.complaint
            if best is not None and not best.complaint:
                break
            messages = [*start, *_objection(answer, complaint)]
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
            "guide_revision": guide_revision(),
            "requests": len(self.completions),
            "repairs": max(0, len(self.completions) - 1),
            "prompt_tokens": sum(c.prompt_tokens for c in self.completions),
            "completion_tokens": sum(c.completion_tokens for c in self.completions),
            "seconds": round(sum(c.seconds for c in self.completions), 3),
            "left_over": clipped(self.left_over, MAX_COMPLAINT_CHARS),
        }

    def _complete(self, messages: Sequence[Message]) -> Completion:
        completion = self.client.complete(
            messages, max_tokens=self.max_tokens, temperature=self.temperature, repeat=self.rng_seed
        )
        self.completions.append(completion)
        return completion

    def _tell(self, turn: int) -> None:
        again = f", repair {turn} of {self.repairs}" if turn else ""
        text = f"asking {self.client.settings.model} for a {self.purpose}{again}"
        self.on_event(PipelineEvent(turn, self.repairs + 1, text))

    def _unusable(self, complaint: str) -> ContentError:
        return ContentError(
            f"the model gave no usable {self.purpose} in {len(self.completions)} answers: {clipped(complaint, 600)}",
            where=f"model {self.client.settings.model!r} at {self.client.settings.host}",
            fix="repeat with another --rng-seed or --model, or use --author template; the workspace keeps the answers",
        )


def open_client(ws: Workspace, settings: ModelSettings, *, purpose: str, subject: str) -> ModelClient:
    """Return a client whose calls are all kept in the workspace's transcript.

    Raises:
        ToolkitError: If there is no key.
    """

    def keep(call: ModelCall) -> None:
        done = call.completion or Completion("", finish_reason="")
        insert_model_call(
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
            seconds=done.seconds,
            error=call.error,
        )

    return ModelClient(settings, on_call=keep)


def _objection(answer: Completion, complaint: str) -> tuple[Message, Message]:
    shown = clipped(answer.text, MAX_SENT_BACK_CHARS) or "(empty)"
    objection = fill("repair", complaint=clipped(complaint, MAX_COMPLAINT_CHARS))
    return Message("assistant", shown), Message("user", objection)
