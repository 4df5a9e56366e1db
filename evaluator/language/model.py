"""A problemset as objects: cells, problems and their configuration (arXiv:2402.17168, section 4.1)."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from evaluator.language.own_validators import OwnValidators


@dataclass(frozen=True)
class ExecutionLimits:
    """What one problem's code may use (`execution:` in the file)."""

    max_time_s: float = 1.0
    max_memory_mb: float | None = None
    forbid_names: tuple[str, ...] = ()


@dataclass(frozen=True)
class SetupCell:
    """A cell that runs before the problems after it and is not asked."""

    source: str
    title: str = ""
    raw: str | None = field(default=None, compare=False, repr=False)  # text as read, marker line included
    line: int = field(default=1, compare=False)  # of the cell's first line, counts from 1


@dataclass(frozen=True)
class Problem:
    """A query with the reference code that answers it and the validators that judge submissions."""

    query: str
    code: str
    title: str = ""
    validator: Mapping[str, Any] | None = None  # as written; None: the key is absent
    execution: ExecutionLimits = ExecutionLimits()
    data: Mapping[str, str] = field(default_factory=dict)  # file name -> URL
    metadata: Mapping[str, Any] = field(default_factory=dict)  # id, tags, knowledge_points, ... as written
    raw: str | None = field(default=None, compare=False, repr=False)  # text as read, marker line included
    line: int = field(default=1, compare=False)  # of the cell's first line
    code_line: int = field(default=1, compare=False)  # of the reference code's first line
    spelling: str = field(default="query", compare=False)  # which of the two keys the query was read from
    own_validators: OwnValidators | None = field(default=None, compare=False, repr=False)  # of its benchmark


@dataclass(frozen=True)
class Problemset:
    """One file: cells that share one session, in order."""

    name: str
    cells: tuple[SetupCell | Problem, ...]
    preamble: str = ""  # text before the first marker: kept, never run, never shown to agents

    @property
    def problems(self) -> tuple[Problem, ...]:
        """The cells that are asked, in order; problem number i (from 1) is `problems[i - 1]`."""
        return tuple(cell for cell in self.cells if isinstance(cell, Problem))


def problem_id(problemset: Problemset, index: int) -> str:
    """Return the id of problem `index` (from 1): the written `id`, else `p` and the index."""
    written = problemset.problems[index - 1].metadata.get("id")
    return str(written) if written else f"p{index}"


@dataclass(frozen=True)
class ValidatorSpec:
    """A validator as it will run: canonical name, options, children of `and`/`or`; templates already merged."""

    name: str
    options: Mapping[str, Any] = field(default_factory=dict)
    children: tuple["ValidatorSpec", ...] = ()
    code: str = field(default="", repr=False)  # of a benchmark's own validator: the file that defines it

    def to_json(self) -> dict[str, Any]:
        """Return the tree as plain JSON values, the form in which it travels to the comparator."""
        node: dict[str, Any] = {"name": self.name, "options": dict(self.options)}
        return {**node, "children": [c.to_json() for c in self.children], **({"code": self.code} if self.code else {})}
