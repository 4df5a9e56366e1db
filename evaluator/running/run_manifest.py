"""What makes a run this run and no other, and the manifest that says so beside its records."""

import json
from dataclasses import asdict, dataclass, fields
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from evaluator.diagnostics import Diagnostic
from evaluator.errors import ContentError
from evaluator.running.execution.policies import Policies
from evaluator.running.execution.problem_tools import EXECUTIONS

if TYPE_CHECKING:
    from pydantic import TypeAdapter

FORMAT: Final = 1
"""Of manifest.json; a reader refuses a newer one."""


@dataclass(frozen=True)
class SetIdentity:
    """One problemset of a run."""

    name: str
    problems: int  # asked of it: fewer than it has under a limit
    digest: str  # sha256 of its text
    inputs_digest: str  # sha256 over names and contents of its input files; empty without any


@dataclass(frozen=True)
class RunIdentity:
    """Everything that may change a verdict. A run resumes only under an equal identity."""

    benchmark: str
    version: str
    environment: str  # name and id, "NAME@ID": the id is a digest of Python, platform and packages
    sandbox: str
    agent: str
    agent_version: str
    policies: Policies
    rules: str  # sound | published
    scoring_version: str
    rng_seed: int
    limit: int | None
    sets: tuple[SetIdentity, ...]  # asked, in order; refused ones too when they parse
    engine: str = "auto"  # fork | replay; auto: each problemset decides
    epochs: int = 1
    max_attempts: int = 1
    mode: str = ""  # where the policies are those of one
    judge: str = ""  # the model that looks at figures; empty: none did
    executions: int = EXECUTIONS  # of an agent at one problem before it submits
    agent_process: str = ""  # where processes of the agent run, and what they reach; empty: it has none

    def difference(self, other: "RunIdentity") -> str | None:
        """Return the first thing in which `other` differs, in words, or None."""
        for entry in fields(self):
            if entry.name == "sets":
                continue
            mine, theirs = getattr(self, entry.name), getattr(other, entry.name)
            if entry.name == "environment" and _environment_id(mine) == _environment_id(theirs):
                continue  # called otherwise, but the same is installed
            if entry.name == "judge" and not mine:
                continue  # nobody has looked at anything yet
            if mine != theirs:
                return f"its {entry.name.replace('_', ' ')} is {_shown(mine)}, not {_shown(theirs)}"
        return _difference_of_sets(self.sets, other.sets)


def _environment_id(label: str) -> str:
    return label.rpartition("@")[2]


def _shown(value: object) -> str:
    if isinstance(value, Policies):
        return value.to_text()
    return "none" if value is None else repr(value)


def _difference_of_sets(mine: tuple[SetIdentity, ...], theirs: tuple[SetIdentity, ...]) -> str | None:
    if [entry.name for entry in mine] != [entry.name for entry in theirs]:
        return f"its problemsets are {_names(mine)}, not {_names(theirs)}"
    for one, other in zip(mine, theirs, strict=True):
        if one.digest != other.digest:
            return f"the text of problemset {one.name!r} has changed since that run began"
        if one != other:
            return f"the inputs of problemset {one.name!r} have changed since that run began"
    return None


def _names(sets: tuple[SetIdentity, ...]) -> str:
    shown = ", ".join(entry.name for entry in sets[:4]) or "none"
    return shown + (", ..." if len(sets) > 4 else "")


@dataclass(frozen=True)
class RefusedSet:
    """A problemset that was not judged, or only up to some problem, because of its author's errors."""

    problemset: str
    diagnostics: tuple[Diagnostic, ...]

    def to_json(self) -> dict[str, Any]:
        """Return plain JSON values."""
        return {"problemset": self.problemset, "diagnostics": [each.to_json() for each in self.diagnostics]}


def manifest_text(
    identity: RunIdentity, *, source: str, refused: tuple[RefusedSet, ...], time_scale: float = 1.0
) -> str:
    """Return the text of manifest.json.

    Args:
        identity: Of the run.
        source: The benchmark's path as the user wrote it; for people, no part of the identity.
        refused: The problemsets that were refused so far.
        time_scale: How many times slower than the nominal machine this one is; no part of the identity.
    """
    manifest = {
        "format": FORMAT,
        **asdict(identity),
        "source": source,
        "time_scale": time_scale,
        "refused": [entry.to_json() for entry in refused],
    }
    return json.dumps(manifest, indent=2, ensure_ascii=False) + "\n"


@cache
def _adapter() -> "TypeAdapter[RunIdentity]":
    from pydantic import TypeAdapter  # late: a fresh run reads no manifest, and pydantic takes long to import

    return TypeAdapter(RunIdentity)


def parse_identity(path: Path) -> RunIdentity:
    """Read a run's identity from its manifest.

    Raises:
        ContentError: If the file is no manifest of a run, or of a newer format.
    """
    fix = "name another folder with --out"
    try:
        content = json.loads(path.read_bytes())
        if isinstance(content, dict) and isinstance(content.get("format"), int) and content["format"] > FORMAT:
            raise ContentError(
                "the manifest was written by a newer benchwright", where=str(path), fix=f"update benchwright, or {fix}"
            )
        return _adapter().validate_python(content)
    except ValueError as error:  # pydantic's errors are among them
        raise ContentError("the file is no manifest of a run", where=str(path), fix=fix) from error


def identity_of(content: object, *, where: str) -> RunIdentity:
    """Return a run's identity from JSON values.

    Raises:
        ContentError: If they are none.
    """
    try:
        return _adapter().validate_python(content)
    except ValueError as error:  # pydantic's errors are among them
        raise ContentError("this is no identity of a run", where=where, fix="install the same Benchwright") from error
