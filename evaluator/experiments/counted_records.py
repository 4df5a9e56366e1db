"""The records of a run as its table counts them: later lines of an attempt replace earlier ones."""

from collections.abc import Sequence

from evaluator.errors import ToolkitError, error_from_os
from evaluator.experiments.planned_runs import PlannedRun
from evaluator.records import Record, last_records, read_records
from evaluator.running import RECORDS
from evaluator.scoring import Verdict, last_attempts


def all_attempts(run: PlannedRun) -> list[Record]:
    """Return every attempt that a run's folder holds; none where there is no folder.

    Raises:
        ContentError: If a line of its records is none.
        ToolkitError: If they cannot be read.
    """
    path = run.config.out / RECORDS
    try:
        return list(last_records(read_records(path)).values()) if path.is_file() else []
    except OSError as error:
        raise error_from_os(error) from error


def counted_attempts(run: PlannedRun) -> list[Record]:
    """Return every attempt of a run; none where its folder holds another run.

    Raises:
        ContentError, ToolkitError: As `all_attempts`.
    """
    return [] if run.other else all_attempts(run)


def judged_to_the_end(run: PlannedRun) -> Sequence[Record] | None:
    """Return all attempts of a run at its end; None while a problem has no verdict, or its records cannot be read."""
    try:
        attempts = counted_attempts(run)
    except ToolkitError:
        return None  # what is wrong is told by the run's own row
    last = last_attempts(attempts)
    is_done = len(last) == run.problems and all(record.verdict != Verdict.NOT_JUDGED for record in last)
    return attempts if is_done and attempts else None


def told_number(record: Record, name: str) -> float | None:
    """Return a number of an attempt's statistics; None: nobody told it."""
    value = (record.agent_stats or {}).get(name)
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None
