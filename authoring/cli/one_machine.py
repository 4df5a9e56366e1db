"""What of a command works on one machine only, and not over a cluster."""

from collections.abc import Mapping

from evaluator.errors import UsageError
from evaluator.running import Executor


def refuse_one_machine_options(executor: Executor, given: Mapping[str, object]) -> None:
    """Refuse options that a cluster lacks.

    Args:
        executor: Where something is done.
        given: Option -> its value; None or an empty text was not given.

    Raises:
        UsageError: If one was given.
    """
    if executor is Executor.LOCAL:
        return
    for option, value in given.items():
        if value is not None and value != "":
            fix = f"leave out {option}, or leave out --executor {executor.value}"
            raise UsageError(f"{option} works on one machine only", where=option, fix=fix)
