"""A problemset as objects: cells, problems and their configuration (arXiv:2402.17168, section 4.1)."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import count
from pathlib import Path
from typing import Any

from evaluator.language.validators.own_validators import OwnValidators
from evaluator.language.versions import UNSTATED_VERSION, language_version_of, usual_time_s


@dataclass(frozen=True)
class ExecutionLimits:
    """What one problem's code may use (`execution:` in the file)."""

    max_time_s: float | None = None  # as written; None: `Problem.time_limit_s` says what holds
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
    problemset: "Problemset | None" = field(default=None, compare=False, repr=False)  # that holds it
    index: int = field(default=0, compare=False, repr=False)  # there, from 1

    @property
    def time_limit_s(self) -> float:
        """The seconds that its code may take: as written, else what the language version of its set gives."""
        if self.execution.max_time_s is not None:
            return self.execution.max_time_s
        return usual_time_s(UNSTATED_VERSION if self.problemset is None else self.problemset.language_version)

    @property
    def limits(self) -> ExecutionLimits:
        """The limits that hold, the time with them."""
        return replace(self.execution, max_time_s=self.time_limit_s)


@dataclass(frozen=True)
class Problemset:
    """One file: cells that share one session, in order."""

    name: str
    cells: tuple[SetupCell | Problem, ...]
    preamble: str = ""  # text before the first marker: kept, never run, never shown to agents
    inputs: Path | None = field(default=None, compare=False, repr=False)  # the folder that sessions see as `inputs/`
    rules: str | None = field(default=None, compare=False, repr=False)  # of the benchmark that it was read from
    benchmark_version: int = field(default=UNSTATED_VERSION, compare=False, repr=False)  # of the language, as there

    def __post_init__(self) -> None:
        """Let every problem know its set and its place there."""
        numbers = count(1)
        cells = (
            replace(cell, problemset=self, index=next(numbers)) if isinstance(cell, Problem) else cell
            for cell in self.cells
        )
        object.__setattr__(self, "cells", tuple(cells))

    @cached_property
    def language_version(self) -> int:
        """The language version that it is written in: as its text states above the first cell, else its benchmark's."""
        return language_version_of(self.preamble, otherwise=self.benchmark_version)

    @cached_property
    def problems(self) -> tuple[Problem, ...]:
        """The cells that are asked, in order; problem number i (from 1) is `problems[i - 1]`."""
        return tuple(cell for cell in self.cells if isinstance(cell, Problem))

    @classmethod
    def parse(cls, text: str, *, name: str = "problemset", inputs: Path | None = None) -> "Problemset":
        """Read a problemset from its text.

        Args:
            text: As in a file, any line ends.
            name: What the problemset is called.
            inputs: The folder that sessions shall see as `inputs/`.

        Raises:
            ContentError: If the text has errors; it names the first ones with their lines, and a remedy.
        """
        from evaluator.language.document import Document  # late: it reads these classes

        return replace(Document.parse(text, name=name).require_valid(), inputs=inputs)

    def render(self) -> str:
        """Return the text; a cell that still says what was read keeps its bytes.

        Raises:
            ContentError: If a cell cannot be written, such as code with a line that opens a cell.
        """
        from evaluator.language.rendering import render_problemset  # late: it reads these classes

        return render_problemset(self)


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

    @cached_property
    def nodes(self) -> tuple["ValidatorSpec", ...]:
        """It and all below it, parents first."""
        return (self, *(node for child in self.children for node in child.nodes))

    def to_json(self) -> dict[str, Any]:
        """Return the tree as plain JSON values, the form in which it travels to the comparator."""
        node: dict[str, Any] = {"name": self.name, "options": dict(self.options)}
        return {**node, "children": [c.to_json() for c in self.children], **({"code": self.code} if self.code else {})}
