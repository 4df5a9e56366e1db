"""Which environment some work runs in: what the user named, else what the benchmark names, else our own."""

import re
from pathlib import Path
from typing import Final

from evaluator.environments.store import environment_named, list_environments
from evaluator.errors import ContentError, UsageError
from evaluator.language import Benchmark
from evaluator.session import DEFAULT, Environment, environment_id, own_environment

_ID: Final = re.compile(r"[0-9a-f]{16}")


def choose_environment(named: str | None, benchmark: Benchmark | None = None) -> Environment:
    """Return the environment to run in.

    Args:
        named: By the user; "default" is our own interpreter.
        benchmark: Whose manifest may name one; a released benchmark names the id of the one it was tried in.

    Raises:
        UsageError: If the user named one that does not exist.
        ContentError: If the benchmark names one that does not exist here.
        ToolkitError: If its files are damaged.
    """
    if named is not None:
        return own_environment() if named == DEFAULT else environment_named(named)
    wanted = benchmark.manifest.environment if benchmark is not None else None
    if benchmark is None or wanted is None or wanted in (DEFAULT, environment_id()):
        return own_environment()
    if _ID.fullmatch(wanted):
        return _of_id(wanted)
    return _of_manifest(wanted, benchmark.root)


def _of_id(wanted: str) -> Environment:
    """Return an environment of that id, else our own: a release says where it was tried, not where it must run."""
    found = next((record.name for record in list_environments() if record.digest == wanted), None)
    return own_environment() if found is None else environment_named(found)


def _of_manifest(wanted: str, root: Path) -> Environment:
    try:
        return environment_named(wanted)
    except UsageError as error:
        requirements = root / "requirements.txt"
        source = str(requirements) if requirements.is_file() else "requirements.txt"
        fix = f"make it: benchwright env create {wanted} -r {source}; or run without it: --environment {DEFAULT}"
        what = f"the benchmark wants the environment {wanted!r}, which is not here"
        raise ContentError(what, where=str(root), fix=fix) from error
