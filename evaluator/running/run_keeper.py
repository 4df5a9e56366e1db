"""What of a run is bound to its folder: which problems lack a verdict, and the records of those that get one."""

import contextlib
import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace

from evaluator.diagnostics import Diagnostic
from evaluator.errors import ToolkitError
from evaluator.records import Record
from evaluator.running.attempt_details import DETAILS, AttemptDetails, DetailsFile, OutputsKept
from evaluator.running.config import EventKind, RunConfig, RunEvent, RunSummary
from evaluator.running.execution.candidate import PriorAnswer
from evaluator.running.plan import PlannedSet, RunPlan
from evaluator.running.run_folder import RunFolder
from evaluator.running.run_manifest import RefusedSet, RunIdentity
from evaluator.running.tally import ProblemKey, Tally
from evaluator.scoring import Verdict, why_withheld


@dataclass(frozen=True)
class JudgedProblem:
    """A problem that was asked, as it is kept: nothing in it is bound to an engine any more."""

    key: ProblemKey
    records: tuple[Record, ...]  # of its attempts, the last one last
    details: tuple[AttemptDetails, ...]  # of the same attempts


class RunKeeper:
    """Keeps what is judged, each problem once, and tells of it; safe to use from several threads."""

    def __init__(
        self,
        config: RunConfig,
        plan: RunPlan,
        identity: RunIdentity,
        folder: RunFolder,
        on_event: Callable[[RunEvent], None],
        *,
        time_scale: float,
    ) -> None:
        self._config = config
        self._plan = plan
        self._identity = identity
        self._folder = folder
        self._on_event = on_event
        self._time_scale = time_scale
        self._lock = threading.Lock()
        self._refused = {entry.problemset: entry for entry in plan.refused}
        self._tally = Tally()
        self._resumed = 0
        self._cost = 0.0
        self._details: DetailsFile | None = None

    @contextlib.contextmanager
    def opened(self) -> Iterator[None]:
        """Begin, and end what is written beside the records; Ctrl-C and failures of the machine say how far the run is.

        Raises:
            ContentError: If the folder holds another run.
        """
        self.begin()
        try:
            yield
        except KeyboardInterrupt as error:
            raise KeyboardInterrupt(f"interrupted: {self._kept()}") from error
        except ToolkitError as error:
            if self._tally.total and error.exit_code == ToolkitError.exit_code:
                error.what += f"; {self._kept()}"
            raise
        finally:
            self.close()

    def _kept(self) -> str:
        return f"{self._tally.total} of {self._total} problems are judged and kept"

    def begin(self) -> None:
        """Write the manifest, and find out what an earlier, stopped run has judged.

        Raises:
            ContentError: If the folder holds another run.
        """
        source = str(self._config.benchmark)
        self._tally = self._folder.begin(self._identity, source=source, time_scale=self._time_scale)
        self._resumed = self._tally.total
        if self._config.outputs is not OutputsKept.NONE:
            self._details = DetailsFile.open(self._folder.root / DETAILS)
        self._on_event(self._event(EventKind.STARTED))
        for entry in self._plan.refused:
            self._tell_refused(entry)

    def close(self) -> None:
        """End what is written beside the records."""
        if self._details is not None:
            self._details.close()

    def end(self, notes: tuple[str, ...]) -> RunSummary:
        """Write what was refused, and return the summary of everything.

        Args:
            notes: What the agent wants the user to know.
        """
        source, refused = str(self._config.benchmark), self._refused_in_order()
        self._folder.write_manifest(self._identity, source=source, refused=refused, time_scale=self._time_scale)
        return self._summary(notes)

    def passes(self) -> Iterator[tuple[int, PlannedSet]]:
        """Yield every problemset of the first epoch, then of the next."""
        for epoch in range(1, self._config.epochs + 1):
            for planned in self._plan.sets:
                yield epoch, planned

    def missing(self, planned: PlannedSet, epoch: int) -> frozenset[int]:
        """Return which problems of a set (from 1) have no verdict in an epoch (from 1)."""
        with self._lock:
            return frozenset(self._tally.missing(planned.loaded.name, epoch, planned.problems))

    def answers(self, planned: PlannedSet, epoch: int, missing: frozenset[int]) -> Mapping[int, PriorAnswer]:
        """Return what the agent answered to the others, as it is kept, where later answers rest on earlier ones."""
        needed = self._config.policies.needs_own_code and len(missing) < planned.problems
        return self._folder.answers(planned.loaded.name, epoch) if needed else {}

    def refuse(self, name: str, diagnostics: tuple[Diagnostic, ...]) -> None:
        """Remember why a set was refused from some problem on, and tell it once."""
        refused = RefusedSet(name, diagnostics)
        with self._lock:
            is_news = name not in self._refused  # an epoch before may have said so
            self._refused[name] = refused
            if is_news:
                self._tell_refused(refused)

    def keep(self, judged: JudgedProblem) -> None:
        """Write the records of a problem that was asked, and tell of it; nothing if it has a verdict already."""
        verdict = judged.records[-1].verdict
        kept = [(record.key, each) for record, each in zip(judged.records, judged.details, strict=True)]
        with self._lock:
            if self._tally.has(judged.key):
                return
            if self._details is not None:  # before the records: what has a record has its outputs
                self._details.append(kept)
            self._folder.append(*judged.records)
            self._tally.add(judged.key, verdict)
            self._cost += sum(map(_cost_of, judged.records))
            event = self._event(EventKind.JUDGED, judged.key.problemset)
            self._on_event(replace(event, index=judged.key.index, epoch=judged.key.epoch, verdict=verdict))

    @property
    def judged(self) -> int:
        """Problems that have a verdict (count)."""
        return self._tally.total

    @property
    def _total(self) -> int:
        return self._plan.total * self._config.epochs

    def _tell_refused(self, refused: RefusedSet) -> None:
        event = self._event(EventKind.REFUSED, refused.problemset)
        self._on_event(replace(event, diagnostics=refused.diagnostics))

    def _event(self, kind: EventKind, problemset: str = "") -> RunEvent:
        return RunEvent(kind, self._tally.total, self._total, problemset, cost=self._cost)

    def _refused_in_order(self) -> tuple[RefusedSet, ...]:
        return tuple(self._refused[name] for name in sorted(self._refused))

    def _summary(self, notes: tuple[str, ...]) -> RunSummary:
        counts = self._tally.counts
        not_judged = counts.get(Verdict.NOT_JUDGED.value, 0)
        judged = self._tally.total - not_judged
        refused = self._refused_in_order()
        return RunSummary(
            out=self._config.out,
            benchmark=self._identity.benchmark,
            version=self._identity.version,
            agent=self._identity.agent,
            total=self._total,
            judged=judged,
            not_judged=not_judged,
            resumed=self._resumed,
            counts=counts,
            pass_rate=counts.get(Verdict.CORRECT.value, 0) / judged if judged and not not_judged else None,
            rates_withheld=why_withheld(not_judged),
            refused=tuple(entry.problemset for entry in refused),
            diagnostics=tuple(diagnostic for entry in refused for diagnostic in entry.diagnostics),
            notes=notes,
        )


def _cost_of(record: Record) -> float:
    """Return what the agent's model took for an attempt; 0 where nothing is said of it."""
    cost = (record.agent_stats or {}).get("cost")
    return float(cost) if isinstance(cost, int | float) else 0.0
