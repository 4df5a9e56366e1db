"""What the agent of a finished run did at each problem, taken from its records and from what was kept beside them."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from evaluator.diagnostics import Diagnostic, Severity
from evaluator.errors import ContentError, ToolkitError, error_from_os
from evaluator.records import Record
from evaluator.running import AttemptDetails, DetailsReader
from evaluator.scoring.execution_log import TRIM, execution_text
from evaluator.scoring.grading import displayed_pictures

PICTURES: Final = "pictures"
"""The folder beside a file of results that holds what executions displayed."""
_ENDED_WELL: Final = "ok"
_ACTION: Final = "\nAction Input:"


@dataclass(frozen=True)
class WrittenAttempt:
    """One attempt, ready to be written. All text in it is hostile."""

    query: str
    code: str
    ran: bool  # whether code of it was executed
    succeeded: bool
    text: str = ""  # of its outputs, as CIBench's interpreter writes them
    error: str = ""
    pictures: tuple[str, ...] = ()  # their paths from the folder of the file
    reply: str = ""  # what the model wrote to act; empty for an agent that keeps none
    thought: str = ""  # what it wrote before its action
    closing: str = ""  # what it wrote at last, without code
    scores: Mapping[str, float | None] = field(default_factory=dict)


class WrittenRun:
    """The attempts of one run; pictures are written as they are met."""

    def __init__(self, path: Path, records: Sequence[Record], details: DetailsReader, *, rules: str, out: Path) -> None:
        """Prepare.

        Args:
            path: Of the records, for what is told of them.
            records: All attempts of a run; those of its first epoch count.
            details: What the run kept beside them.
            rules: Of the run: sound ones never cut an execution's text.
            out: The folder in which pictures are written.
        """
        self._found: list[Diagnostic] = []
        self._not_asked = 0
        self._path = path
        self._details = details
        self._limit = None if rules == "sound" else TRIM
        self._out = out
        self._records: defaultdict[tuple[str, int], list[Record]] = defaultdict(list)
        for record in records:
            if record.epoch == 1:
                self._records[record.problemset, record.index].append(record)
        if any(record.epoch > 1 for record in records):
            self._warn("later-epochs", "only its first epoch is written", "export runs of one epoch")

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """What the file does not say of the run."""
        if not self._not_asked:
            return tuple(self._found)
        what = f"{self._not_asked} problems were not asked: where the file is read, they count as not tried"
        warning = Diagnostic("not-asked", Severity.WARNING, self._path, 1, what, "export a run of the whole benchmark")
        return (*self._found, warning)

    def attempts(self, problemset: str, index: int) -> Sequence["WrittenAttempt"]:
        """Return what was tried at a problem, in order; nothing where it was not asked.

        Raises:
            ContentError: If it was not judged: no file of results can say so.
            ToolkitError: If a picture cannot be written.
        """
        records = sorted(self._records[problemset, index], key=lambda record: record.attempt)
        scores = _scores(records[-1]) if records else {}
        where = f"{problemset}[{index}]"
        if records and all(score is None for score in scores.values()):
            fix = "repeat the run's command first: files of results cannot say so, and it would count as failed"
            raise ContentError(f"{where} was not judged", where=str(self._path), fix=fix)
        self._not_asked += not records
        said: list[str] = []
        return [self._attempt(where, record, scores, said) for record in records]

    def _attempt(
        self, where: str, record: Record, scores: Mapping[str, float | None], said: list[str]
    ) -> WrittenAttempt:
        kept = self._details.find(record.key) or AttemptDetails()
        if kept.is_shortened:
            what = f"the run kept outputs of {where} in part: its scores may differ when they are read again"
            self._warn("outputs-shortened", what, "look at its details")
        code = record.code or ""
        ran = bool(record.ending and code.strip())
        reply, closing = _reply_and_closing(_new_replies(kept, said), ran=ran)
        succeeded = record.ending == _ENDED_WELL
        error = kept.error or {}
        written = f"{error.get('name', '')}: {error.get('message', '')}" if error else record.ending
        return WrittenAttempt(
            query=record.question,
            code=code,
            ran=ran,
            succeeded=succeeded,
            text=execution_text(kept.outputs, limit=self._limit),
            error="" if succeeded else error.get("traceback") or written,
            pictures=self._pictures(where, kept, record.attempt) if succeeded else (),
            reply=reply,
            thought=reply.split("\nAction:", 1)[0].removeprefix("Thought:").strip() if _ACTION in reply else "",
            closing=closing,
            scores=scores,
        )

    def _pictures(self, where: str, kept: AttemptDetails, attempt: int) -> tuple[str, ...]:
        folder = self._out / PICTURES
        paths = []
        name = where.removesuffix("]").replace("[", "-")
        for number, picture in enumerate(displayed_pictures(kept.outputs), start=1):
            path = folder / f"{name}-{attempt}-{number}.png"
            try:
                folder.mkdir(exist_ok=True)
                path.write_bytes(picture)
            except OSError as error:
                failed = error_from_os(error)
                raise ToolkitError(failed.what, where=str(path), fix=failed.fix) from error
            paths.append(f"{PICTURES}/{path.name}")
        return tuple(paths)

    def _warn(self, code: str, what: str, fix: str) -> None:
        self._found.append(Diagnostic(code, Severity.WARNING, self._path, 1, what, fix))


def _scores(record: Record) -> dict[str, float | None]:
    written: Any = record.family.get("scores")
    return dict(written) if isinstance(written, Mapping) else {}


def _new_replies(kept: AttemptDetails, said: list[str]) -> list[str]:
    """Return what the model wrote in an attempt, and add it to what it had said at the problem before.

    Some agents keep all turns since the problem began, some those of the attempt alone.
    """
    answers = [turn for turn in kept.transcript if turn.get("role") == "assistant"]
    counted = [turn for turn in answers if "tokens" in turn] or answers[-1:]
    replies = [str(turn.get("content", "")) for turn in counted]
    is_told_again = replies[: len(said)] == said and len(replies) > len(said)
    new = replies[len(said) :] if is_told_again else replies
    said += new
    return new


def _reply_and_closing(replies: Sequence[str], *, ran: bool) -> tuple[str, str]:
    """Return the reply that acts, and the one that closes after it; empty where there is none."""
    if not replies or not ran:
        return "", replies[-1] if replies else ""
    acting = max((number for number, each in enumerate(replies) if _ACTION in each), default=0)
    return replies[acting], replies[-1] if acting < len(replies) - 1 else ""
