"""A run of the Qwen benchmark in parts: replies alone, executions without a judge, judgements alone; and by tag.

Their program has the same parts. What one wrote the next takes up: an agent is never asked twice for the same reply.
"""

import hashlib
import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import Any, Final

from evaluator.agents import (
    Agent,
    AgentCard,
    AgentFailure,
    FailureKind,
    SessionInfo,
    SolveRequest,
    Submission,
    SubmissionStatus,
)
from evaluator.errors import ContentError, ToolkitError, UsageError
from evaluator.families.qwen.board import VISUALIZATION
from evaluator.families.qwen.live import QwenRules
from evaluator.families.qwen.problemset import usual_record
from evaluator.families.qwen.records import TAGS
from evaluator.language import Benchmark, LoadedSet, Problem, graded_validators, problem_id, resolve_validators
from evaluator.records import AttemptKey, Record, last_records, read_records
from evaluator.running import DETAILS, RECORDS, DetailsReader, Policies
from evaluator.running.execution.candidate import Candidate
from evaluator.running.execution.reference_history import ReferenceHistory
from evaluator.running.plan import PlannedSet
from evaluator.running.run_folder import RunFolder, open_lines, write_all, write_atomically
from evaluator.scoring import Verdict

REPLIES: Final = "replies.jsonl"
"""The file of a run's folder that holds what the phase `generate` got: a submission a line."""
AGENT: Final = "replies.json"
"""The file that says whose replies they are."""
WAITING: Final = "waiting.jsonl"
"""The file that keeps the records that wait for a judge while they are judged."""


class Phase(StrEnum):
    """A part of a run."""

    GENERATE = "generate"
    EXECUTE = "execute"
    SCORE = "score"


WHOLE: Final = tuple(Phase)


def parse_phases(text: str) -> tuple[Phase, ...]:
    """Return the phases of a list with commas; all of them where it is empty.

    Raises:
        UsageError: If one is unknown, or one between two others is left out.
    """
    names = [name.strip() for name in text.split(",") if name.strip()]
    unknown = sorted(set(names) - {phase.value for phase in Phase})
    if unknown:
        what = f"no phase is called {unknown[0]!r}"
        raise UsageError(what, where="--phases", fix=f"use some of {', '.join(Phase)}")
    found = tuple(phase for phase in Phase if phase in names) or WHOLE
    if found == (Phase.GENERATE, Phase.SCORE):
        raise UsageError("what is scored must be executed before", where="--phases", fix="add execute")
    return found


def sets_of_tasks(benchmark: Benchmark, tasks: Sequence[str]) -> tuple[str, ...]:
    """Return the problemsets whose record has one of some tags; `visualization` means hard and easy ones.

    Raises:
        UsageError: If a tag is unknown, or no record has one of them.
    """
    known = (*TAGS, VISUALIZATION)
    unknown = [task for task in tasks if task not in known]
    if unknown:
        what = f"no task is called {unknown[0]!r}"
        raise UsageError(what, where="--task", fix=f"use some of {', '.join(known)}")
    wanted = {tag for tag in TAGS if tag in tasks or (VISUALIZATION in tasks and tag.startswith(VISUALIZATION))}
    names = tuple(
        loaded.name
        for loaded in benchmark.sets
        if loaded.problemset is not None
        and any(wanted & set(usual_record(problem).task_tags) for problem in loaded.problemset.problems)
    )
    if not names:
        what = f"the benchmark {benchmark.name!r} has no record of {', '.join(tasks)}"
        raise UsageError(what, where="--task", fix="leave it out, or name a benchmark of Qwen records")
    return names


@dataclass(frozen=True)
class Generated:
    """What the phase `generate` came to."""

    file: Path
    agent: str
    replies: int
    resumed: int  # of them: got by an earlier command
    without_code: int

    def to_json(self) -> dict[str, Any]:
        """Return plain JSON values."""
        return {
            "file": str(self.file),
            "agent": self.agent,
            "replies": self.replies,
            "resumed": self.resumed,
            "without_code": self.without_code,
        }


def generate(
    sets: Sequence[LoadedSet], agent: Agent, out: Path, *, on_reply: Callable[[int, int], None] = lambda _n, _of: None
) -> Generated:
    """Ask for one reply to each problem, and execute nothing; what was replied before is not asked for again.

    Args:
        sets: Each of one problem.
        agent: Whom.
        out: The run's folder; `REPLIES` in it is written reply by reply.
        on_reply: Told how many there are, and how many there will be.

    Raises:
        UsageError: If a problemset has more than one problem: later ones rest on what earlier code did.
        ContentError: If the folder holds replies of another agent.
        ToolkitError: If a file cannot be written, or the agent's endpoint fails.
    """
    for loaded in sets:
        if loaded.problemset is None or len(loaded.problemset.problems) != 1:
            what = f"the phase generate needs problemsets of one problem, and {loaded.name!r} is none"
            raise UsageError(what, where="--phases", fix="leave out --phases")
    folder = RunFolder.acquire(out)
    try:
        _claim(out, agent.describe())
        descriptor = open_lines(out / REPLIES, "replies")
        try:
            known = _replies(out)
            keys = [_key(loaded) for loaded in sets]
            resumed = sum(key in known for key in keys)
            done = resumed
            for key, loaded in zip(keys, sets, strict=True):
                if key not in known:
                    known[key] = submission = _ask(agent, loaded)
                    write_all(descriptor, _line(key, loaded, submission))
                    os.fsync(descriptor)
                    done += 1
                on_reply(done, len(sets))
        finally:
            os.close(descriptor)
    finally:
        folder.close()
    empty = sum(not known[key].code.strip() for key in keys)
    return Generated(out / REPLIES, agent.describe().name, len(keys), resumed, empty)


def _claim(out: Path, card: AgentCard) -> None:
    _refuse_others(out, card)
    write_atomically(out / AGENT, [json.dumps({"agent": card.name, "version": card.version}).encode()])


def _refuse_others(out: Path, card: AgentCard) -> None:
    who = _who(out)
    if (out / AGENT).exists() and who != {"agent": card.name, "version": card.version}:
        what = f"the folder holds replies of another agent: {who['agent']!r}"
        raise ContentError(what, where=str(out), fix="name another folder with --out, or add --fresh")


def _who(out: Path) -> Mapping[str, str]:
    try:
        written = json.loads((out / AGENT).read_bytes())
    except (OSError, ValueError, RecursionError):
        written = None
    known = written if isinstance(written, dict) else {}
    return {"agent": str(known.get("agent", "")), "version": str(known.get("version", ""))}


def _ask(agent: Agent, loaded: LoadedSet) -> Submission:
    """Ask as a run asks at the first attempt; what an agent raises is its answer."""
    assert loaded.problemset is not None
    (problem,) = loaded.problemset.problems
    wording = partial(QwenRules().wording, loaded.name)
    history = ReferenceHistory(loaded.problemset, loaded.inputs, 1, wording=wording)
    candidate = Candidate(agent, Policies(), history, None)
    submission = candidate.ask(1, problem)
    candidate.close()
    if submission.error is not None and submission.error.kind is FailureKind.INFRA:
        fix = "repeat the same command: replies that are there are kept"
        raise ToolkitError(submission.error.message, where=loaded.name, fix=fix)
    return submission


def _key(loaded: LoadedSet) -> str:
    """Return what a reply is known by: the problem's id and the digest of what is asked."""
    assert loaded.problemset is not None
    (problem,) = loaded.problemset.problems
    asked = QwenRules().wording(loaded.name, problem)
    return f"{problem_id(loaded.problemset, 1)} {hashlib.sha256(asked.encode('utf-8', 'replace')).hexdigest()[:16]}"


def _line(key: str, loaded: LoadedSet, submission: Submission) -> bytes:
    error = submission.error
    written = {
        "key": key,
        "problemset": loaded.name,
        "code": submission.code,
        "status": submission.status.value,
        "usage": dict(submission.usage),
        "trace": list(submission.trace),
        "answer": submission.answer,
        "error": None if error is None else {"kind": error.kind.value, "message": error.message},
    }
    return json.dumps(written, ensure_ascii=False).encode("utf-8", "backslashreplace") + b"\n"


def _replies(out: Path) -> dict[str, Submission]:
    """Return the replies of a folder by key; a line that is none is passed over, and asked for again."""
    found = {}
    for written in _objects(out / REPLIES):
        trace = written.get("trace")
        try:
            status = SubmissionStatus(str(written.get("status")))
        except ValueError:
            continue
        answer, usage = written.get("answer"), written.get("usage")
        found[str(written.get("key"))] = Submission(
            code=str(written.get("code", "")),
            status=status,
            usage=usage if isinstance(usage, dict) else {},
            trace=tuple(turn for turn in trace if isinstance(turn, dict)) if isinstance(trace, list) else (),
            answer=answer if isinstance(answer, str) else None,
            error=_failure(written.get("error")),
        )
    return found


def _failure(written: object) -> AgentFailure | None:
    if not isinstance(written, Mapping):
        return None
    kinds = [kind for kind in FailureKind if kind == written.get("kind")]
    return AgentFailure(kinds[0] if kinds else FailureKind.AGENT, str(written.get("message", "")))


def _objects(path: Path) -> Iterator[Mapping[str, Any]]:
    try:
        lines = path.read_bytes().splitlines()
    except FileNotFoundError:
        return
    for line in lines:
        try:
            written = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(written, dict):
            yield written


class _Replayed:
    """An agent whose submissions were made before."""

    def __init__(self, card: AgentCard) -> None:
        self._card = card

    def describe(self) -> AgentCard:
        """Return the card of the agent that made them."""
        return self._card

    def start(self, session: SessionInfo) -> None:
        """Begin a session."""

    def end(self, session_id: str) -> None:
        """Forget a session."""


class GeneratedReplies(_Replayed):
    """Submits what the phase `generate` got; asked again, it gives up, as nobody wrote more."""

    def __init__(self, out: Path, sets: Sequence[LoadedSet], card: AgentCard) -> None:
        """Read them.

        Args:
            out: The folder that the phase wrote.
            sets: What will be asked.
            card: Of the agent that gave them.

        Raises:
            UsageError: If a problem has no reply.
            ContentError: If another agent gave them.
        """
        super().__init__(card)
        replies = _replies(out)
        _refuse_others(out, card)
        lacking = [loaded.name for loaded in sets if _key(loaded) not in replies]
        if lacking:
            what = f"{len(lacking)} of {len(sets)} problems have no reply, such as {lacking[0]!r}"
            raise UsageError(what, where=str(out), fix="run the phase generate first")
        self._replies = {loaded.name: replies[_key(loaded)] for loaded in sets}

    def solve(self, request: SolveRequest, _tools: object = None) -> Submission:
        """Return the reply, or give up at a later attempt."""
        if request.attempt > 1:
            return Submission("", status=SubmissionStatus.GAVE_UP)
        return self._replies[request.problemset]


class RecordedRun(_Replayed):
    """Submits what an agent did in a run, so that what waits for a judge is judged without asking it again."""

    def __init__(self, out: Path, sets: Sequence[PlannedSet], card: AgentCard) -> None:
        """Read it; what waits is kept beside the run until it is judged, whatever ends the judging.

        Args:
            out: The run's folder.
            sets: What will be asked.
            card: Of the agent that the run has.

        Raises:
            UsageError: If a problem has no result, or one that the machine lost.
            ContentError: If a line of the run is no record.
            ToolkitError: If what waits cannot be kept.
        """
        super().__init__(card)
        self._records = _last_of(out / RECORDS) | _waiting(out)
        self._details = DetailsReader(out / DETAILS)
        verdicts = {(key.problemset, key.index): record for key, record in sorted(self._records.items())}
        asked = [(each, index) for each in sets for index in range(1, each.problems + 1)]
        lacking = [
            f"{each.loaded.name}[{index}]"
            for each, index in asked
            if not _has_result(verdicts.get((each.loaded.name, index)), each.problemset.problems[index - 1])
        ]
        if lacking:
            what = f"{len(lacking)} of {len(asked)} problems have no result that can be judged, such as {lacking[0]}"
            raise UsageError(what, where=str(out), fix="run the phases generate,execute first")
        names = {(each.loaded.name, index) for each, index in asked}
        kept = [
            record.to_line()
            for key, record in sorted(self._records.items())
            if (key.problemset, key.index) in names
            and verdicts[key.problemset, key.index].verdict == Verdict.NOT_JUDGED
        ]
        write_atomically(out / WAITING, kept)

    def solve(self, request: SolveRequest, _tools: object = None) -> Submission:
        """Return what was submitted at that attempt; give up where nothing was."""
        key = AttemptKey(request.problemset, request.index, request.attempt, request.epoch)
        record = self._records.get(key)
        if record is None:
            return Submission("", status=SubmissionStatus.GAVE_UP)
        kept = self._details.find(key)
        error = AgentFailure(FailureKind.AGENT, record.agent_exception) if record.agent_exception else None
        return Submission(
            record.code or "",
            status=SubmissionStatus.OK if error is None else SubmissionStatus.ERROR,
            usage=record.agent_stats or {},
            error=error,
            trace=kept.transcript if kept is not None else (),
        )


def _last_of(path: Path) -> dict[AttemptKey, Record]:
    return last_records(read_records(path)) if path.exists() else {}


def _waiting(out: Path) -> dict[AttemptKey, Record]:
    """Return what an earlier judging kept, of problems that the run has no result of: it was stopped there."""
    done = {(key.problemset, key.index, key.epoch) for key in _last_of(out / RECORDS)}
    kept = _last_of(out / WAITING)
    return {key: record for key, record in kept.items() if (key.problemset, key.index, key.epoch) not in done}


def _has_result(last: Record | None, problem: Problem) -> bool:
    """Return whether a problem is judged, or was executed and waits for a judge of figures alone."""
    if last is None or last.verdict != Verdict.NOT_JUDGED:
        return last is not None
    judged = any(node.name == "judge" for node in graded_validators(resolve_validators(problem)))
    return judged and bool(last.ending)
