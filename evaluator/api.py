"""The Python API: score an agent on a benchmark, judge one answer, compare two runs.

Everything here is importable as `from evaluator import ...`; docs/api.md shows it at work.
"""

import shutil
import tempfile
import weakref
from collections.abc import Callable, Collection, Mapping
from dataclasses import asdict, dataclass, field, replace
from enum import StrEnum
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from evaluator.agents import (
    AGENT_TIMEOUT_S,
    Agent,
    AgentFailure,
    FailureKind,
    InProcessAgent,
    Submission,
    SubmissionStatus,
)
from evaluator.environments import choose_environment
from evaluator.errors import ContentError, UsageError
from evaluator.families.live_run import rules_of_run
from evaluator.language import Benchmark, Problem, Problemset
from evaluator.records import Record, last_records, read_records
from evaluator.reporting import RunComparison, RunReport, compare_runs, read_run, summarise_run
from evaluator.reporting.progress_bar import drawn_progress
from evaluator.running import (
    RECORDS,
    ROUNDS,
    AttemptResult,
    AuthorError,
    BetweenAttempts,
    Conditions,
    HistoryPolicy,
    Mode,
    OutputsKept,
    Policies,
    ProblemsetExecutor,
    RunConfig,
    RunEvent,
    RunSummary,
    StatePolicy,
    StopPolicy,
    isolation_for,
    modules_to_preload,
    parse_feedback,
    policies_of,
    run_benchmark,
)
from evaluator.scoring import Judged, Subverdict, Verdict, last_attempts
from evaluator.session import Engine, EngineChoice, SandboxChoice

if TYPE_CHECKING:
    import pandas as pd

Choice = TypeVar("Choice", bound=StrEnum)


@dataclass(frozen=True)
class RunResult:
    """What a run came to: its records, and the rates over them."""

    summary: RunSummary
    records: tuple[Record, ...]  # one per attempt, by problemset, index, epoch, attempt
    _kept: object = field(default=None, repr=False, compare=False)  # a temporary folder lives as long as the result

    @property
    def out(self) -> Path:
        """The folder with `records.jsonl` and `manifest.json`."""
        return self.summary.out

    @property
    def report(self) -> RunReport:
        """Rates and verdicts over all problemsets and for each."""
        return summarise_run(self.records)

    @property
    def rates(self) -> Mapping[str, Any]:
        """Counts and rates of all problems, by the names that `benchwright run --json` gives them.

        `judged` and `not_judged` are counts; `pass_rate`, `without_intact`, `without_presentation` and `without_both`
        are fractions in 0..1, None while anything is not judged.
        """
        report = self.report
        return report.shown(report.total).rates.to_json()

    def failures(self) -> list[AttemptResult]:
        """Return the last attempts that are neither CORRECT nor NOT_JUDGED, in order."""
        fine = (Verdict.CORRECT, Verdict.NOT_JUDGED)
        return [_attempt(record) for record in last_attempts(self.records) if record.verdict not in fine]

    def to_dataframe(self) -> "pd.DataFrame":
        """Return one row per attempt, in order; the columns are the fields of a record."""
        import pandas as pd  # late: what only runs agents needs no pandas in this process

        return pd.DataFrame([asdict(record) for record in self.records], columns=_COLUMNS)

    def _repr_html_(self) -> str:
        """Return what a notebook shows; everything in it is escaped."""
        rows = "".join(
            f"<tr><td>{escape(name)}</td><td>{'' if value is None else escape(_shown(value))}</td></tr>"
            for name, value in self.rates.items()
        )
        verdicts = ", ".join(f"{name} {count}" for name, count in self.summary.counts.items())
        title = f"{self.summary.agent} on {self.summary.benchmark} {self.summary.version}"
        return f"<div><b>{escape(title)}</b><table>{rows}</table><div>{escape(verdicts)}</div></div>"


_COLUMNS = list(Record.__dataclass_fields__)


def _shown(value: float) -> str:
    return f"{value:.3f}" if isinstance(value, float) else str(value)


def _attempt(record: Record) -> AttemptResult:
    """Return a record as the attempt that it is about."""
    error = record.agent_exception
    failure = None if error is None else AgentFailure(FailureKind.AGENT, error)
    status = SubmissionStatus.OK if failure is None else SubmissionStatus.ERROR
    validation = record.validation if isinstance(record.validation, dict) else None
    return AttemptResult(
        agent="",
        submission=Submission(record.code or "", status, dict(record.agent_stats or {}), error=failure),
        outcome=None,
        judged=Judged(Verdict(record.verdict), Subverdict(record.subverdict), record.extended_verdict, validation),
        attempt=record.attempt,
        is_last=record.is_last,
        state_after=record.state_after,
        problemset=record.problemset,
        index=record.index,
        epoch=record.epoch,
        query=record.question,
    )


def evaluate(
    benchmark: str | Path | Benchmark | Problemset,
    agent: str | Agent | Callable[[Any], Any] | object,
    *,
    out: str | Path | None = None,
    workers: int = 1,
    limit: int | None = None,
    sets: Collection[str] = (),
    sandbox: str = "auto",
    engine: str = "auto",
    environment: str | None = None,
    rules: str | None = None,
    rng_seed: int = 0,
    mode: str | None = None,
    state: str = "reference",
    history: str = "reference",
    max_attempts: int | None = None,
    feedback: str | Collection[str] = "none",
    between_attempts: str = "reset",
    stop: str = "judged",
    epochs: int = 1,
    allow_mismatch: bool = False,
    judge_model: str = "",
    outputs: str = "printed",
    agent_timeout_s: float = AGENT_TIMEOUT_S,
    progress: bool = True,
) -> RunResult:
    """Run an agent on a benchmark and judge it.

    Args:
        benchmark: A folder with `_manifest.yaml`, one problemset file, a `Benchmark`, or one `Problemset`.
        agent: A function of one request that returns code; an object with `solve` (and `start`, `retry`, `end` where it
            needs them), any of them async or not; or a name as `benchwright run --agent` takes it. A function or an
            object runs in this process and is trusted: its records say `agent_isolation: in-process`.
        out: The folder for the records; the same call resumes there. None: a temporary one, gone with the result.
        workers: Problemsets worked on at once (count, >= 1); then the agent is called from several threads.
        limit: Only the first so many problems of all selected problemsets together.
        sets: Names of problemsets; empty: all.
        sandbox: auto, bwrap, landlock, or none: your consent to run the submissions unprotected.
        engine: auto, fork or replay.
        environment: The name of an environment; None: what the benchmark names, else this Python.
        rules: sound or published; None: what the benchmark says.
        rng_seed: Seeds the random states of all sessions.
        mode: end-to-end, oracle, oracle-as-run, oracle-from-truth or qwen: as two other systems run agents. It says
            what the next six do, but for `max_attempts`, which is then 3 unless given.
        state: What a session holds before each problem: reference, own, corrected-on-failure, corrected-always.
        history: Whose code the agent is shown for the problems before: reference or own.
        max_attempts: At one problem (count, >= 1), 1 unless given; a later one only where `stop` allows it.
        feedback: What the agent is told between attempts: none, or some of error, output, hint.
        between_attempts: Whether later attempts start where the first one did (reset) or where the last ended (kept).
        stop: What ends the attempts at a problem: judged (a correct answer), visible (code that ran), failure.
        epochs: Independent passes over all problems.
        allow_mismatch: Let `replay:FILE` answer a problem whose query has changed since.
        judge_model: The vision model, at the endpoint of `OPENAI_BASE_URL` or of the provider in its name, that looks
            at figures where a problem's validators ask for it; empty: nobody does, and what hangs on it is NOT_JUDGED.
        outputs: What is kept of what submissions show: none, printed, shown.
        agent_timeout_s: What one call of the agent may take (s). A call that takes longer is abandoned, and the rest of
            that problemset is the agent's failure.
        progress: Show a progress bar in terminals and notebooks.

    Raises:
        UsageError: If the benchmark, the agent or a choice does not exist, the agent cannot be loaded, or a number is
            out of bounds.
        ContentError: If the manifest or a replay file is broken, or `out` holds another run.
        ToolkitError: If there is no sandbox, or records cannot be written.
        KeyboardInterrupt: After Ctrl-C, once the records are safe; the same call resumes.
    """
    from evaluator.models.figure_judge import model_judge  # late: few runs have one

    loaded = _benchmark(benchmark)
    kept = _TemporaryFolder() if out is None else None
    as_mode = None if mode is None else _choice(Mode, mode, "mode")
    policies = Policies(
        _choice(StatePolicy, state, "state"),
        _choice(HistoryPolicy, history, "history"),
        parse_feedback(feedback if isinstance(feedback, str) else ",".join(feedback) or "none"),
        _choice(BetweenAttempts, between_attempts, "between_attempts"),
        _choice(StopPolicy, stop, "stop"),
    )
    if as_mode is not None and policies != Policies():
        raise UsageError("mode says what state, history and the like do", fix="leave out one of the two")
    chosen = None if isinstance(agent, str) else _agent(agent, agent_timeout_s)
    config = RunConfig(
        benchmark=loaded.path,
        agent=agent if isinstance(agent, str) else chosen.describe().name if chosen is not None else "",
        out=kept.path if kept is not None else Path(out or ""),
        workers=workers,
        limit=limit,
        sets=tuple(sets),
        sandbox=_choice(SandboxChoice, sandbox, "sandbox"),
        rng_seed=rng_seed,
        engine=_choice(EngineChoice, engine, "engine"),
        rules=_rules(rules),
        allow_mismatch=allow_mismatch,
        environment=environment,
        policies=policies if as_mode is None else policies_of(as_mode),
        max_attempts=max_attempts if max_attempts is not None else 1 if as_mode is None else ROUNDS,
        mode=as_mode.value if as_mode is not None else "",
        judge=judge_model,
        epochs=epochs,
        agent_timeout_s=agent_timeout_s,
        outputs=_choice(OutputsKept, outputs, "outputs"),
    )
    with drawn_progress(is_wanted=progress) as draw:
        summary = run_benchmark(
            config,
            on_event=lambda event: draw(event.done, event.total, _words(event)),
            agent=chosen,
            benchmark=loaded,
            family=rules_of_run(loaded, mode=config.mode, rules=config.rules),
            figure_judge=model_judge(judge_model, config.out) if judge_model else None,
        )
    found = last_records(read_records(config.out / RECORDS)) if (config.out / RECORDS).exists() else {}
    ordered = sorted(found, key=lambda key: (key.problemset, key.index, key.epoch, key.attempt))
    return RunResult(summary, tuple(found[key] for key in ordered), kept)


class _TemporaryFolder:
    """A folder that is gone with the last who refers to this object, or with the process."""

    def __init__(self) -> None:
        self.path = Path(tempfile.mkdtemp(prefix="benchwright-run-"))
        weakref.finalize(self, shutil.rmtree, self.path, ignore_errors=True)


def _words(event: RunEvent) -> str:
    return f"{event.problemset} {event.verdict}".strip()


def _benchmark(given: str | Path | Benchmark | Problemset) -> Benchmark:
    if isinstance(given, Benchmark):
        return given
    return Benchmark.of(given) if isinstance(given, Problemset) else Benchmark.load(given)


def _agent(given: object, timeout_s: float) -> Agent:
    """Return a whole agent as it is, and anything else as a solver in this process."""
    if all(hasattr(given, name) for name in ("describe", "start", "solve", "end")) and not isinstance(given, type):
        whole: Any = given
        return whole  # pyrefly: ignore[no-any-return-explicit]  # a protocol cannot be told from its likeness
    return InProcessAgent(given, timeout_s=timeout_s)


def _choice(choices: type[Choice], given: str, name: str) -> Choice:
    try:
        return choices(given)
    except ValueError as error:
        fix = f"use one of {', '.join(choices)}"
        raise UsageError(f"{name} is {given!r}, which is no choice", fix=fix) from error


def _rules(given: str | None) -> str | None:
    if given not in (None, "sound", "published"):
        raise UsageError(f"rules is {given!r}, which is no choice", fix="use sound or published")
    return given


def judge(
    problem: Problem,
    code: str,
    *,
    rules: str | None = None,
    sandbox: str = "auto",
    engine: str = "auto",
    environment: str | None = None,
    rng_seed: int = 0,
) -> AttemptResult:
    """Judge code as an answer to one problem, on the state that the cells before it leave.

    Args:
        problem: Taken from `Problemset.problems` or `Benchmark.problems`: so it knows the cells before it.
        code: The answer.
        rules: sound or published; None: what the problem's benchmark says, else sound.
        sandbox: auto, bwrap, landlock, or none: your consent to run the code unprotected.
        engine: auto, fork or replay.
        environment: The name of an environment; None: this Python.
        rng_seed: Seeds the random states of the session.

    Raises:
        UsageError: If the problem does not know its problemset, or a choice does not exist.
        ContentError: If a setup cell, reference code or a validator of the author does not work.
        ToolkitError: If there is no sandbox, or the engine failed.
    """
    problemset = problem.problemset
    if problemset is None:
        fix = "take it from `problems` of a Problemset or a Benchmark"
        raise UsageError("the problem does not know the problemset that it belongs to", fix=fix)
    cells = [
        problem if isinstance(cell, Problem) and cell.index == problem.index else cell for cell in problemset.cells
    ]
    problemset = replace(problemset, cells=tuple(cells))  # the problem may have been changed since it was taken
    whole = Benchmark.of(problemset)
    used = choose_environment(environment, whole)
    conditions = Conditions(rules=_rules(rules) or whole.rules, rng_seed=rng_seed)
    with Engine(
        sandbox=_choice(SandboxChoice, sandbox, "sandbox"),
        rng_seed=rng_seed,
        preload=modules_to_preload([problemset], used),
        isolation=isolation_for(_choice(EngineChoice, engine, "engine")),
        environment=used,
    ) as running:
        path = whole.sets[0].path
        with ProblemsetExecutor(running, problemset, path, problemset.inputs, conditions=conditions) as executor:
            try:
                *_, last = executor.cells(
                    asks=problem.index.__eq__, upto=problem.index, answers=lambda _index, _problem: (code,)
                )
            except AuthorError as fault:
                said = fault.diagnostic
                raise ContentError(said.what, where=f"{said.path}:{said.line}", fix=said.fix) from fault
    answer = last.answers[0]
    return AttemptResult(
        agent="",
        submission=Submission(code),
        outcome=answer.outcome,
        judged=answer.judged,
        problemset=problemset.name,
        index=problem.index,
        query=problem.query,
    )


def compare(first: RunResult | str | Path, second: RunResult | str | Path) -> RunComparison:
    """Compare two runs problem by problem: who solved what, paired statistics, rates by problemset.

    Args:
        first: A result, or the folder of a run.
        second: Another.

    Raises:
        UsageError: If a folder holds no run.
        ContentError: If a manifest or a record cannot be read.
    """
    one, other = (each.out if isinstance(each, RunResult) else Path(each) for each in (first, second))
    return compare_runs(read_run(one), read_run(other))
