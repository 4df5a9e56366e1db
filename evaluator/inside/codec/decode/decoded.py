"""What the comparator sees of an execution: rebuilt values and stand-ins, never the objects themselves."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from evaluator.inside.codec.protocols import served


class Marker:
    """A value that equals nothing, not even itself: `OVER_LIMIT` and `FAILED`; `ABSENT` is told apart by identity."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __eq__(self, other: object) -> bool:
        return False

    __hash__ = object.__hash__

    def __repr__(self) -> str:
        return f"<{self.name}>"


ABSENT: Final = Marker("absent")  # no such name, or no last value; not None
OVER_LIMIT: Final = Marker("over limit")
FAILED: Final = Marker("failed")


@dataclass(frozen=True, eq=False)
class Opaque:
    """Stand-in for a value outside the codec's table: never equal to anything by itself."""

    type_name: str  # module and qualified name, as claimed
    bases: tuple[str, ...] = ()
    attributes: Mapping[str, Any] = field(default_factory=dict)  # plain values of `__dict__` only


class DecodedRecord:
    """A dataclass's instance or a member of an enum: equal to one of the same class name with equal parts.

    Parts are attributes, too, except those whose names begin with an underscore: `fields` holds them all.
    """

    __slots__ = ("fields", "type_name")

    def __init__(self, type_name: str, fields: Mapping[str, Any]) -> None:
        self.type_name = type_name  # module and qualified name, as claimed
        self.fields = fields

    def __getattr__(self, name: str) -> Any:
        return served(object.__getattribute__(self, "fields"), name, f"a {self.type_name}")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, DecodedRecord) and self.type_name == other.type_name and self.fields == other.fields

    def __hash__(self) -> int:
        return hash((self.type_name, *self.fields))

    def __repr__(self) -> str:
        parts = ", ".join(f"{name}={value!r}" for name, value in self.fields.items())
        return f"{self.type_name.rpartition('.')[2]}({parts})"


@dataclass(frozen=True)
class ErrorFacts:
    """An exception that left the cell."""

    name: str  # class name, such as "KeyError"
    bases: tuple[str, ...]  # class names along the MRO, itself first
    message: str
    traceback: str  # as a terminal shows it, without colour codes


@dataclass(frozen=True)
class NamespaceDiff:
    """How the user's names changed while the cell ran."""

    added: tuple[str, ...] = ()
    updated: tuple[str, ...] = ()  # same object, other content by the default matcher of the sound rules
    touched: tuple[str, ...] = ()  # same object, changed, and of a kind that `==` says nothing about
    replaced: tuple[str, ...] = ()  # the name holds another object now, its content differs
    rebound_equal: tuple[str, ...] = ()  # another object with equal content
    deleted: tuple[str, ...] = ()
    near: tuple[str, ...] = ()  # same object, changed so little that the default matcher sees no change
    otherwise: tuple[str, ...] = ()  # of `updated` and `near`: what the published rules take for the other one
    not_checked: tuple[str, ...] = ()  # same object, no change seen, and not all of it was looked at
    tampered: tuple[str, ...] = ()  # what of the exporter itself the cell changed; then nothing above is believed


@dataclass(frozen=True)
class Inferred:
    """A value that a cell without a last value would have shown: an argument of `print`, or the last assignment."""

    source: str
    value: Any
    key: str | None = None  # keyword or dictionary key it stood under, if any
    kind: str = "print"  # print | assignment | format | display


@dataclass(frozen=True)
class CaseAnswer:
    """What one call of a function did."""

    output: Any = ABSENT
    arguments: Any = ABSENT  # a list, or a mapping of keywords, after the call
    error: ErrorFacts | None = None  # the call raised; no later case was called
    encoded: bytes = field(default=b"", repr=False, compare=False)  # what all of it was rebuilt from, if it was

    def is_same_as(self, other: "CaseAnswer") -> bool:
        """Return whether both were rebuilt from the same bytes, so that one differs from the other in nothing."""
        return bool(self.encoded) and self.encoded == other.encoded


@dataclass(frozen=True)
class ProbeReport:
    """What a probe reported; without evidence (`ending` is not "ok") nothing in it counts."""

    kind: str  # call | predict | build | take
    ending: str = "missing"  # ok | died | timed_out | missing
    found: bool = False  # whether there is such a function or model
    cases: tuple[CaseAnswer, ...] = ()
    value: Any = ABSENT  # what a model predicted
    error: ErrorFacts | None = None  # `predict` raised
    same_inputs: bool = False  # the state holds the very inputs that were predicted on


@dataclass(frozen=True)
class FigureSeen:
    """One figure that a cell left open."""

    facts: Any = ABSENT  # titles, axes and artists as plain data; ABSENT: it was too large, slow or broken to read
    png: bytes | None = None  # at a fixed resolution; not read by us


@dataclass(frozen=True)
class DecodedOutcome:
    """What one cell left behind, as data. The same for references and submissions."""

    ending: str  # ok | error | died | timed_out | over_limit | bad_report
    source: str
    result: Any = ABSENT  # value of the last expression statement
    variables: Mapping[str, Any] = field(default_factory=dict)  # asked names; ABSENT where there is none
    diff: NamespaceDiff = NamespaceDiff()
    error: ErrorFacts | None = None
    streams: tuple[tuple[str, str], ...] = ()  # ("stdout" | "stderr", text) in order
    inferred: tuple[Inferred, ...] = ()
    inference_failed: bool = False  # an inferred expression raised
    reports: tuple[ProbeReport, ...] = ()  # one per probe, in the order asked
    figures: tuple[FigureSeen, ...] = ()  # where they were asked for
    files: Mapping[str, bytes | Marker] = field(default_factory=dict)  # asked paths; ABSENT, OVER_LIMIT, FAILED
