"""Cassettes: what models replied, in a folder, from which the same requests are answered again without a network."""

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any, Final

from evaluator.errors import ContentError, ToolkitError, UsageError, error_from_os
from evaluator.models.budget import Budget
from evaluator.models.client import ModelClient
from evaluator.models.exchange import Completion, ContextLengthError, ModelRequest, ToolCall
from evaluator.models.kept_replies import ReplyFile
from evaluator.models.model_settings import ModelSettings

REPLIES: Final = "replies.jsonl"
ABOUT: Final = "cassette.json"
FORMAT: Final = 1
MAX_BYTES: Final = 1_000_000_000
_MAX_ABOUT: Final = 100_000  # bytes
MOST: Final = 2**53  # of any number: beyond, sums of them are no longer exact
_HOW_TO_RECORD: Final = "record one: benchwright run BENCHMARK --agent AGENT:MODEL --record FOLDER"


class Cassette:
    """A folder of recorded replies; the model that was asked stands in `cassette.json`."""

    def __init__(self, folder: Path, model: str) -> None:
        """Read the replies of a folder.

        Args:
            folder: It is there.
            model: That the agent asks.
        """
        self.folder = folder
        self.model = model
        self.replies = ReplyFile(folder / REPLIES, most_bytes=MAX_BYTES, is_needed=True)

    @classmethod
    def recorded(cls, folder: Path) -> "Cassette":
        """Open a folder that was recorded before.

        Raises:
            UsageError: If there is none.
            ContentError: If it is no cassette, or of a newer format.
        """
        about = folder / ABOUT
        if not about.is_file():
            raise UsageError("there is no cassette", where=str(folder), fix=_HOW_TO_RECORD)
        told = _about(about)
        _check_size(folder)
        return cls(folder, told)

    @classmethod
    def recording(cls, folder: Path, model: str) -> "Cassette":
        """Open a folder to record into; one that holds replies of this model is gone on with.

        Raises:
            UsageError: If it holds something else, or replies of another model.
            ContentError: If it is of another format, or too large to be read.
            ToolkitError: If it cannot be written.
        """
        try:
            if not is_recorded_into(folder, model):
                folder.mkdir(parents=True, exist_ok=True)
                about = json.dumps({"format": FORMAT, "model": model})
                (folder / ABOUT).write_text(f"{about}\n", encoding="utf-8")
        except OSError as error:
            raise error_from_os(error) from error
        return cls(folder, model)


def is_recorded_into(folder: Path, model: str) -> bool:
    """Return whether a folder holds replies of a model, and can be gone on with; nothing is written.

    Raises:
        UsageError: If it holds something else, or replies of another model.
        ContentError: If it is of another format, or too large to be read.
        OSError: If it cannot be read.
    """
    about = folder / ABOUT
    if about.is_file():
        found = _about(about)
        if found != model:
            what = f"the cassette holds replies of {found!r}, not of {model!r}"
            raise UsageError(what, where=str(folder), fix="name another folder with --record")
        _check_size(folder)
        return True
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UsageError("this is no cassette", where=str(folder), fix="name a new folder with --record")
    return False


def _check_size(folder: Path) -> None:
    """Refuse replies that would not be read: all of them would be asked and paid again."""
    replies = folder / REPLIES
    if replies.is_file() and replies.stat().st_size > MAX_BYTES:
        what = f"the cassette has more than {MAX_BYTES / 1_000_000_000:g} GB"
        raise ContentError(what, where=str(replies), fix="record in parts")


def _about(path: Path) -> str:
    """Return the model that a cassette says it is of."""
    try:
        with path.open("rb") as file:
            told = json.loads(file.read(_MAX_ABOUT))
    except (OSError, ValueError, RecursionError):
        told = None
    if not isinstance(told, dict) or not isinstance(told.get("model"), str) or told.get("format") != FORMAT:
        what = f"this is no cassette of format {FORMAT}"
        raise ContentError(what, where=str(path), fix="record it anew, or read it with the version that wrote it")
    return str(told["model"])


class RecordingClient(ModelClient):
    """Asks a model, and keeps what it replied in a cassette; what is there already is not asked again."""

    def __init__(self, settings: ModelSettings, cassette: Cassette, *, purse: Budget | None = None) -> None:
        """Prepare.

        Args:
            settings: Of the model, which need not be the cassette's own: an agent may ask another one for vectors.
            cassette: Where replies are kept.
            purse: As a `ModelClient` takes it.
        """
        super().__init__(settings, purse=purse)
        self._cassette = cassette

    def answer(self, request: ModelRequest, on_progress: Callable[[int], None] | None = None) -> Completion:
        """Return what the model replies, or replied before."""
        digest = request.digest(self.settings.model)
        entry = self._cassette.replies.find(digest)
        if entry is not None:
            return _replied(entry)
        try:
            completion = super().answer(request, on_progress)
        except ContextLengthError as error:
            self._cassette.replies.keep(digest, {"model": self.settings.model, "too_long": error.what})
            raise
        # somebody else may have asked the same meanwhile: what is kept is what everybody gets
        return _replied(
            self._cassette.replies.keep(digest, {"model": self.settings.model, "reply": asdict(completion)})
        )

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """Return vectors, as the model gives them or gave them before."""
        digest = _digest_of_texts(self.settings.model, texts)
        entry = self._cassette.replies.find(digest)
        if entry is None:
            entry = self._cassette.replies.keep(digest, {"model": self.settings.model, "vectors": super().embed(texts)})
        return _vectors(entry)


def recording_clients(folder: Path, *, purse: Budget | None = None) -> Callable[[ModelSettings], ModelClient]:
    """Return what makes the clients of an agent that record into a folder; the first one's model is the agent's."""
    opened: list[Cassette] = []

    def client(settings: ModelSettings) -> ModelClient:
        if not opened:
            opened.append(Cassette.recording(folder, settings.model))
        return RecordingClient(settings, opened[0], purse=purse)

    return client


def trial_clients(folder: Path, *, purse: Budget | None = None) -> Callable[[ModelSettings], ModelClient]:
    """Return what makes clients that would record into a folder, and write nothing; they are not to be asked.

    A folder that cannot be recorded into is refused as `Cassette.recording` does.
    """
    checked: list[bool] = []

    def client(settings: ModelSettings) -> ModelClient:
        if not checked:
            try:
                checked.append(is_recorded_into(folder, settings.model))
            except OSError as error:
                raise error_from_os(error) from error
        return ModelClient(settings, purse=purse)

    return client


def recorded_clients(folder: Path) -> Callable[[ModelSettings], ModelClient]:
    """Return what makes the clients of an agent that answer from a folder.

    Raises:
        UsageError: If there is no cassette.
        ContentError: If it is none, or of a newer format.
    """
    cassette = Cassette.recorded(folder)
    return lambda settings: RecordedClient(settings, cassette)


class RecordedClient(ModelClient):
    """Answers from a cassette alone: no key, no network, the same bytes each time."""

    def __init__(self, settings: ModelSettings, cassette: Cassette) -> None:
        """Prepare.

        Args:
            settings: Of the model whose replies are meant.
            cassette: What is answered from.
        """
        self.settings = settings
        self._cassette = cassette

    def answer(self, request: ModelRequest, on_progress: Callable[[int], None] | None = None) -> Completion:
        """Return what was recorded.

        Raises:
            ContextLengthError: If the request was too long then.
            ToolkitError: If it was not made then.
        """
        del on_progress
        return _replied(self._found(request.digest(self.settings.model)))

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """Return the vectors that were recorded.

        Raises:
            ToolkitError: If there are none.
        """
        return _vectors(self._found(_digest_of_texts(self.settings.model, texts)))

    def _found(self, digest: str) -> Mapping[str, Any]:
        entry = self._cassette.replies.find(digest)
        if entry is None:
            what = f"the cassette has no reply to this request to {self.settings.model!r}"
            fix = "run the same benchmark with the same options, seed and policies, or record it too (--record)"
            raise ToolkitError(what, where=str(self._cassette.folder), fix=fix)
        return entry


_NAMES: Final = frozenset(each.name for each in fields(Completion))


def _replied(entry: Mapping[str, Any]) -> Completion:
    """Return a reply as it was kept.

    Raises:
        ContextLengthError: If what was kept is a refusal.
        ToolkitError: If it cannot be read.
    """
    if isinstance(entry.get("too_long"), str):
        raise ContextLengthError(str(entry["too_long"]))
    try:
        told = {name: value for name, value in entry["reply"].items() if name in _NAMES}
        calls = tuple(_call(each) for each in told["calls"])
        completion = Completion(**(told | {"calls": calls}))
    except (AttributeError, KeyError, TypeError) as error:
        raise _unreadable() from error
    if not _is_sound(completion):
        raise _unreadable()
    return completion


def _is_sound(completion: Completion) -> bool:
    """Return whether what was read is of the kinds that agents count with."""
    counts = (completion.prompt_tokens, completion.completion_tokens, completion.cached_tokens)
    numbers = (completion.seconds, completion.cost, completion.mean_logprob)
    return (
        all(isinstance(each, str) for each in (completion.text, completion.finish_reason, completion.currency))
        and all(type(each) is int and 0 <= each <= MOST for each in counts)
        and all(each is None or (type(each) in (int, float) and abs(each) <= MOST) for each in numbers)
        and completion.seconds is not None
    )


def _call(entry: Mapping[str, Any]) -> ToolCall:
    carried = str(entry.get("carried", ""))
    return ToolCall(str(entry["id"]), str(entry["name"]), str(entry["arguments"]), carried)


def _vectors(entry: Mapping[str, Any]) -> list[list[float]]:
    vectors = entry.get("vectors")
    try:
        return [[float(number) for number in vector] for vector in vectors or ()]
    except (TypeError, ValueError, OverflowError) as error:
        raise _unreadable() from error


def _unreadable() -> ToolkitError:
    return ToolkitError("a reply of the cassette cannot be read", where=REPLIES, fix="record it anew")


def _digest_of_texts(model: str, texts: Sequence[str]) -> str:
    body = json.dumps([model, "vectors", list(texts)])
    return hashlib.sha256(body.encode("utf-8", "surrogatepass")).hexdigest()
