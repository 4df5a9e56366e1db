"""An agent that asks a language model: one completion per attempt, shown examples, the variables and the code so far.

It follows CoML, the reference agent of DSEval (arXiv:2402.17168, sections 4 and 5); prompts and examples are our own.
"""

import hashlib
import math
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any, Final

from evaluator.agents.model_agents.chat_prompt import (
    OBSERVATION,
    RIGHT,
    PromptStyle,
    complaint,
    fenced,
)
from evaluator.agents.model_agents.replies import UNFENCED, clipped, code_in_reply, filled_prompt
from evaluator.agents.model_agents.shots import (
    Shot,
    at_least_one,
    chosen,
    load_repairs,
    load_shots,
    ranked,
    shuffled,
)
from evaluator.agents.options import PARAMS, Option, number, whole_number, written_options
from evaluator.agents.protocol import (
    AgentCard,
    AgentFailure,
    FailureKind,
    Feedback,
    HistoryCell,
    NoTools,
    SessionInfo,
    SolveRequest,
    Submission,
    SubmissionStatus,
    ToolRefusedError,
    Tools,
    Variable,
)
from evaluator.errors import ToolkitError
from evaluator.models import Completion, ContextLengthError, Message, ModelClient
from evaluator.models.interfaces import interface_of
from evaluator.session import ENCODINGS

MAX_FEEDBACK_CHARS: Final = 10_000  # of one part of it
SAMPLE_TEMPERATURE: Final = 0.7  # of repeated askings: at 0 they would only repeat the same answer
_TOKENS_PER_CHAR: Final = 1 / 3  # an estimate that is seldom too low
_MOST: Final = 20


def _order(text: str) -> str:
    read = text.replace("r", "q")
    if sorted(read) not in ([*"cqv"], [*"qv"], [*"cq"], ["q"]):
        raise ValueError("q once, v and c once or not at all")
    return read


def _embedding_model(text: str) -> str:
    if interface_of(text).provider == "anthropic":
        raise ValueError("Anthropic has no models that embed texts")
    return text


CHAT_OPTIONS: Final[Mapping[str, Option]] = MappingProxyType(
    {
        "context": Option(read=_order, default="vcq", form="v (variables), c (code), q (query), such as vcq"),
        "encoding": Option(words=tuple(ENCODINGS)),
        "shots": Option(read=str, default="shipped", form="shipped, none or the path of a YAML file"),
        "shots_count": Option(read=whole_number(0, 200), form="how many examples are shown, such as 3"),
        "shots_fraction": Option(read=number(0, 1), form="the share of the examples that is shown, such as 0.6"),
        "rank_shots": Option(words=("none", "knn")),
        "embedding": Option(
            read=_embedding_model, default="", form="the name of a model that embeds texts, perhaps as google:MODEL"
        ),
        "nearest": Option(words=("first", "last")),
        "thinking": Option(words=("off", "chain")),
        "intact_rule": Option(words=("on", "off")),
        "history_queries": Option(words=("off", "on")),
        "ensemble": Option(read=whole_number(1, _MOST), default=1, form=f"a whole number from 1 to {_MOST}"),
        "repair": Option(words=("none", "self-debug", "resample")),
        "refresh_context": Option(words=("off", "on")),
        "context_tokens": Option(read=whole_number(0, 10_000_000), default=0, form="tokens that the model reads"),
        **PARAMS,
    }
)
"""The options of `chat`, as they are written behind the model's name."""


PLAIN: Final[Mapping[str, Any]] = MappingProxyType({"shots": "none", "encoding": "coml-concise"})
"""Options of a reference agent that is asked often: without examples, with little of each variable."""


@dataclass(frozen=True)
class Rung:
    """What is shown where a request was too long before."""

    shots: float = 1.0  # share of the examples
    cells: float = 1.0  # share of the most recent cells that the rung before left
    sizes: tuple[int, int, int, int] | None = None  # columns, width, rows, items; None: as the encoding says
    names_only: bool = False


LADDER: Final[tuple[Rung, ...]] = (
    Rung(),
    Rung(1, 1, (10, 15, 5, 10)),
    Rung(0.8, 1, (10, 15, 4, 5)),
    Rung(0.6, 0.8, (8, 12, 4, 5)),
    Rung(0.4, 0.6, (6, 10, 3, 3)),
    Rung(0.2, 0.3, (2, 5, 2, 2)),
    Rung(0.2, 0.2, names_only=True),
)
"""How a request that is too long becomes shorter, step by step; the last one fails as too long."""


@dataclass
class _Talk:
    """What was said about one problem, where attempts are mended."""

    request: SolveRequest  # of the first attempt
    first_code: str
    turns: list[Message] = field(default_factory=list)  # complaints and answers so far
    declared_right: bool = False


class ChatAgent:
    """Asks a model once per attempt. What it keeps between attempts is the talk of a repair, and nothing else."""

    def __init__(
        self,
        client: ModelClient,
        options: Mapping[str, Any] | None = None,
        *,
        repeat: int = 0,
        embedder: Callable[[str], ModelClient] | None = None,
    ) -> None:
        """Prepare.

        Args:
            client: Asks the model.
            options: Values of `CHAT_OPTIONS`; what is left out is as by default.
            repeat: Tells independent askings of the same request apart.
            embedder: Makes the client of the model that embeds queries, by its name.

        Raises:
            UsageError: If the file of examples is not there.
            ContentError: If it is broken.
            ToolkitError: If there is no key for the model that embeds queries, or its client is not installed.
        """
        self._options = {name: option.default_value for name, option in CHAT_OPTIONS.items()} | dict(options or {})
        self._client = client
        self._repeat = repeat
        self._embedder = embedder
        told = self._options
        self._style = PromptStyle(told["context"], told["thinking"] == "chain", told["intact_rule"] == "on")
        self._every_shot = load_shots(told["shots"])
        self._shots = chosen(self._every_shot, count=told["shots_count"], fraction=told["shots_fraction"])
        if told["embedding"] and told["rank_shots"] != "none" and embedder is not None:
            embedder(told["embedding"])  # what it lacks is said before anything is asked
        self._repairs = load_repairs() if told["repair"] == "self-debug" else ()
        self._talks: dict[tuple[str, str], _Talk] = {}
        self._lock = threading.Lock()

    def describe(self) -> AgentCard:
        """Return the card."""
        written = written_options(self._options, CHAT_OPTIONS)
        name = f"chat:{self._client.settings.model}" + (f"?{written}" if written else "")
        shows = "v" in self._style.context
        return AgentCard(
            name,
            version=self._version(),
            variables=shows,
            encoding=self._options["encoding"],
            history=True,
            asks_ahead=True,
        )

    def _version(self) -> str:
        """Return the version, with a digest of the examples where a user wrote them: a run goes on with the same."""
        if self._options["shots"] in ("shipped", "none"):
            return "2"
        return f"2+shots.{hashlib.sha256(repr(self._every_shot).encode()).hexdigest()[:12]}"

    def start(self, session: SessionInfo) -> None:
        """Begin a session."""

    def end(self, session_id: str) -> None:
        """Forget a session."""
        with self._lock:
            for key in [key for key in self._talks if key[0] == session_id]:
                del self._talks[key]

    def solve(self, request: SolveRequest, tools: Tools | None = None) -> Submission:
        """Return the code of the model's answer.

        Raises:
            ToolkitError: If the endpoint gives no answer.
        """
        granted = tools or NoTools()
        repair = self._options["repair"]
        if request.attempt == 1 or request.feedback is None or repair == "resample":
            return self._asked_first(request, granted)
        if repair == "self-debug":
            return self._mended(request, request.feedback, granted)
        return self._asked(request, granted, after=_plain_feedback(request.feedback))

    def _asked_first(self, request: SolveRequest, tools: Tools) -> Submission:
        repeat = (request.attempt - 1) * _MOST
        if self._options["ensemble"] > 1:
            submission = self._ensemble(request, tools, repeat)
        else:
            submission = self._asked(request, tools, repeat=repeat)
        if self._options["repair"] == "self-debug":
            with self._lock:
                self._talks[request.session_id, request.problem_id] = _Talk(request, submission.code)
        return submission

    def _asked(
        self,
        request: SolveRequest,
        tools: Tools,
        *,
        after: Sequence[Message] = (),
        repeat: int = 0,
        shots: Sequence[Shot] | None = None,
        wants_logprobs: bool = False,
    ) -> Submission:
        """Ask, each time with less where the request is too long."""
        examples = self._examples(request) if shots is None else shots
        cells = [self._cell(cell) for cell in request.history] if "c" in self._style.context else []
        failure = ""
        for step, rung in enumerate(LADDER, 1):
            cells = cells[-at_least_one(len(cells), rung.cells) :] if cells else []
            shown = examples[: at_least_one(len(examples), rung.shots)]
            messages = [Message("system", self._style.system())]
            messages += [turn for shot in shown for turn in self._style.example(shot)]
            variables = self._variables(request, rung, tools)
            asked = self._style.request(request.query, variables, cells, thinks=self._style.thinks)
            messages.append(Message("user", asked))
            messages += after
            most = self._options["context_tokens"]
            if most and _estimated_tokens(messages) + self._options["max_tokens"] > most:
                failure = f"the request has more than the {most} tokens that the model reads"
                continue
            try:
                answer = self._complete(messages, request, repeat, wants_logprobs=wants_logprobs)
            except ContextLengthError as error:
                failure = error.what
                continue
            labels = (f"rung-{step}",) if step > 1 else ()
            return _submission(answer, messages, labels)
        return _too_long(failure, messages)  # pyrefly: ignore[unbound-name]  # there is a first rung

    def _complete(
        self, messages: Sequence[Message], request: SolveRequest, repeat: int, *, wants_logprobs: bool = False
    ) -> Completion:
        return self._client.complete(
            messages,
            max_tokens=self._options["max_tokens"],
            temperature=self._options["temperature"],
            repeat=self._repeat + request.epoch - 1 + 1000 * repeat,
            has_logprobs=wants_logprobs,
        )

    def _examples(self, request: SolveRequest) -> tuple[Shot, ...]:
        if self._options["rank_shots"] == "none" or not self._shots:
            return self._shots
        named = self._options["embedding"]
        client = self._embedder(named) if named and self._embedder is not None else None
        near = ranked(self._every_shot, request.query, client, nearest_last=False)
        kept = chosen(near, count=self._options["shots_count"], fraction=self._options["shots_fraction"])
        return tuple(reversed(kept)) if self._options["nearest"] == "last" else kept

    def _cell(self, cell: HistoryCell) -> str:
        if self._options["history_queries"] == "off" or cell.origin != "agent" or not cell.query:
            return cell.source
        asked = "".join(f"# {line}\n" for line in cell.query.rstrip().splitlines())
        return f"{asked}{cell.source}"

    def _variables(self, request: SolveRequest, rung: Rung, tools: Tools) -> Mapping[str, str]:
        """Return names and descriptions, described anew where the rung shows less of each."""
        found: Sequence[Variable] = request.variables
        if rung.names_only:
            return {variable.name: "" for variable in found}
        if rung.sizes is not None:
            base = "lida" if self._options["encoding"].startswith("lida") else "coml"
            try:
                found = tools.inspect(f"{base}({','.join(map(str, rung.sizes))})", [each.name for each in found])
            except ToolRefusedError:
                room = 40 * rung.sizes[1]
                found = [replace(each, text=clipped(each.text, room)) for each in found]
        return {variable.name: variable.text for variable in found}

    def _ensemble(self, request: SolveRequest, tools: Tools, repeat: int) -> Submission:
        """Ask several times with the examples in other orders; the reply whose tokens were likeliest wins."""
        base = int.from_bytes(hashlib.sha256(f"{request.problemset}:{request.problem_id}".encode()).digest()[:4], "big")
        examples = self._examples(request)
        best, score, usage = None, -math.inf, dict[str, Any]()
        for place in range(self._options["ensemble"]):
            shots = examples if place == 0 else shuffled(examples, base + place)
            made = self._asked(request, tools, repeat=repeat + place, shots=shots, wants_logprobs=True)
            told = made.usage.get("mean_logprob")
            likely = told if isinstance(told, float) else -math.inf
            usage = _added(usage, made.usage)
            if best is None or (not made.error and (best.error or likely > score)):
                best, score = made, likely
        assert best is not None
        labels = best.labels if math.isfinite(score) else (*best.labels, "no-logprobs")
        return replace(best, usage={**usage, "mean_logprob": score if math.isfinite(score) else None}, labels=labels)

    def _mended(self, request: SolveRequest, feedback: Feedback, tools: Tools) -> Submission:
        """Let the model mend its last attempt, after examples of repairs (arXiv:2402.17168, section 5.3)."""
        with self._lock:
            talk = self._talks.setdefault((request.session_id, request.problem_id), _Talk(request, feedback.code))
        shown = request if self._options["refresh_context"] == "on" else talk.request
        cells = [self._cell(cell) for cell in shown.history] if "c" in self._style.context else []
        variables = self._variables(shown, LADDER[0], tools)
        messages = [Message("system", self._style.system(repairs=True))]
        messages += [turn for repair in self._repairs for turn in self._style.repair_example(repair)]
        messages.append(Message("user", self._style.request(shown.query, variables, cells)))
        messages.append(Message("assistant", fenced(talk.first_code)))
        number = len(talk.turns) // 2 + 1
        said = complaint(
            feedback.error, feedback.output, feedback.hint, number=number, asks_otherwise=talk.declared_right
        )
        messages += [*talk.turns, Message("user", said)]
        try:
            answer = self._complete(messages, request, 0)
        except ContextLengthError as error:
            return _too_long(error.what, messages)
        submission = _submission(answer, messages, ())
        observed = answer.text.partition(OBSERVATION)[2]
        talk.declared_right = RIGHT in observed or UNFENCED in submission.labels or not submission.code.strip()
        if talk.declared_right:
            labels = tuple(label for label in submission.labels if label != UNFENCED)
            submission = replace(submission, code=feedback.code, labels=(*labels, "declared-right"))
        talk.turns += [Message("user", said), Message("assistant", answer.text)]
        return submission


class UnavailableAgent:
    """Stands where a model was named that cannot be asked at all; says why at every problem."""

    def __init__(self, reason: ToolkitError) -> None:
        self._reason = reason

    def describe(self) -> AgentCard:
        """Return the card."""
        return AgentCard(name="unavailable")

    def start(self, session: SessionInfo) -> None:
        """Begin a session."""

    def solve(self, request: SolveRequest, _tools: object = None) -> Submission:  # noqa: ARG002 - it reads nothing
        """Fail.

        Raises:
            ToolkitError: Always.
        """
        raise self._reason

    def end(self, session_id: str) -> None:
        """Forget a session."""


def _plain_feedback(feedback: Feedback) -> list[Message]:
    """Return the attempt and what came of it, without examples; what may not be known is left out in words."""
    told = filled_prompt(
        "agent_feedback",
        error=clipped(feedback.error or "(none)", MAX_FEEDBACK_CHARS),
        output=clipped(feedback.output or "(none)", MAX_FEEDBACK_CHARS),
        hint=clipped(feedback.hint or "(none)", MAX_FEEDBACK_CHARS),
    )
    return [Message("assistant", fenced(feedback.code)), Message("user", told)]


def _submission(answer: Completion, messages: Sequence[Message], labels: tuple[str, ...]) -> Submission:
    read = code_in_reply(answer.text)
    usage: dict[str, Any] = {
        "prompt_tokens": answer.prompt_tokens,
        "completion_tokens": answer.completion_tokens,
        "cached_tokens": answer.cached_tokens,
        "calls": 1,
    }
    usage |= {"cost": answer.cost} if answer.cost is not None else {}
    usage |= {"mean_logprob": answer.mean_logprob} if answer.mean_logprob is not None else {}
    said = {"tokens": answer.prompt_tokens + answer.completion_tokens, "seconds": answer.seconds, "cost": answer.cost}
    trace = [*(message.to_json() for message in messages), {"role": "assistant", "content": answer.text, **said}]
    return Submission(read.code, usage=usage, labels=(*labels, *read.labels), trace=tuple(trace))


def _too_long(failure: str, messages: Sequence[Message]) -> Submission:
    error = AgentFailure(FailureKind.CONTEXT_LENGTH, failure)
    trace = tuple(message.to_json() for message in messages)
    return Submission(code="", status=SubmissionStatus.ERROR, error=error, trace=trace)


def _estimated_tokens(messages: Sequence[Message]) -> int:
    return sum(8 + int(len(message.content.encode("utf-8", "replace")) * _TOKENS_PER_CHAR) for message in messages)


def _added(before: Mapping[str, Any], more: Mapping[str, Any]) -> dict[str, Any]:
    counts = {name: value for name, value in more.items() if name != "mean_logprob" and isinstance(value, int | float)}
    return {**before, **{name: before.get(name, 0) + value for name, value in counts.items()}}
