"""Pairs of a reference and a submission with the verdict that a data scientist would give: read, run, judged.

`<topic>.yaml` holds the setup of a session and its pairs, `explained.yaml` those that are judged otherwise, and why.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Final, NamedTuple

import yaml
from pandas.core.generic import NDFrame

from evaluator.inside.codec.codec import decode, encode
from evaluator.inside.codec.decode.decoded import ABSENT, DecodedOutcome, NamespaceDiff
from evaluator.inside.validators.judging import judge
from evaluator.language import Problem, parse_problemset, resolve_validators
from evaluator.scoring import Judged, Subverdict, Verdict
from evaluator.scoring.decisions import decide
from evaluator.scoring.findings import Finding, parse_findings
from evaluator.session import Ending
from tests.templates.bench_here import Names, fork, run

LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # a tenth of the time, in every process that collects tests
FOLDER: Final = Path(__file__).parent
EXPLAINED: Final = FOLDER / "explained.yaml"
_KEYS: Final = {"why", "reference", "submission", "verdict", "subverdict", "validator", "both_ways"}


@dataclass(frozen=True)
class Pair:
    """One reference, one submission, and how the second is to be judged by the first."""

    topic: str
    why: str
    reference: str
    submission: str
    verdict: Verdict
    subverdict: Subverdict | None = None  # None: any
    validator: Mapping[str, Any] | None = None
    both_ways: bool = False  # whether the exchanged pair is judged alike

    @cached_property
    def problem(self) -> Problem:
        """The problem that the reference answers."""
        return _problem(self.reference, self.validator)

    @property
    def expected(self) -> str:
        """The verdict, and the subverdict where one is expected."""
        return f"{self.verdict}/{self.subverdict}" if self.subverdict else str(self.verdict)


@dataclass(frozen=True)
class Topic:
    """The pairs of one file; they share a state."""

    name: str
    setup: str
    pairs: tuple[Pair, ...]


@dataclass(frozen=True)
class Seen:
    """How a pair was judged: as it stands, and exchanged where that is asked for."""

    pair: Pair
    forwards: Judged
    backwards: Judged | None = None

    @property
    def agrees(self) -> bool:
        """Whether it was judged as expected, both ways where that is asked for."""
        return all(_fits(self.pair, judged) for judged in (self.forwards, self.backwards) if judged is not None)

    @property
    def difference(self) -> str:
        """What is not as expected, in words."""
        parts = [f"expected {self.pair.expected}, judged {_shown(self.forwards)}: {self.forwards.reason}"]
        if self.backwards is not None and not _fits(self.pair, self.backwards):
            parts.append(f"exchanged {_shown(self.backwards)}: {self.backwards.reason}")
        return "; ".join(parts)


class Explained(NamedTuple):
    """Why a pair is not judged as expected."""

    topic: str
    why: str
    reason: str


def _fits(pair: Pair, judged: Judged) -> bool:
    return judged.verdict is pair.verdict and pair.subverdict in (None, judged.subverdict)


def _shown(judged: Judged) -> str:
    return f"{judged.verdict}/{judged.subverdict}" if judged.verdict is Verdict.PRESENTATION_ERROR else judged.verdict


def _problem(code: str, validator: Mapping[str, Any] | None) -> Problem:
    written = yaml.safe_dump({"query": "Answer the question.", **({"validator": validator} if validator else {})})
    parsed = parse_problemset(f'# %%\n"""\n{written}"""\n{code}\n', name="pair")
    assert parsed.problemset is not None, parsed.diagnostics
    (problem,) = parsed.problemset.problems
    return problem


def read_topics() -> tuple[Topic, ...]:
    """Return all topics in the order of their names."""
    return tuple(_read_topic(path) for path in sorted(FOLDER.glob("*.yaml")) if path != EXPLAINED)


def _read_topic(path: Path) -> Topic:
    written = yaml.load(path.read_text(encoding="utf-8"), Loader=LOADER)
    assert set(written) == {"setup", "pairs"}, path
    return Topic(path.stem, written["setup"], tuple(_read_pair(path.stem, entry) for entry in written["pairs"]))


def _read_pair(topic: str, entry: dict[str, Any]) -> Pair:
    assert set(entry) <= _KEYS, (topic, set(entry) - _KEYS)
    kind = entry.get("subverdict")
    entry = {**entry, "verdict": Verdict(entry["verdict"]), "subverdict": Subverdict(kind) if kind else None}
    return Pair(topic=topic, **entry)


def read_explained() -> tuple[Explained, ...]:
    """Return the pairs that are known to be judged otherwise."""
    entries = yaml.load(EXPLAINED.read_text(encoding="utf-8"), Loader=LOADER) or []
    return tuple(Explained(**entry) for entry in entries)


def judge_topics(topics: Iterable[Topic]) -> tuple[Seen, ...]:
    """Run and judge all pairs in this process; values are encoded and decoded, as on the way to a comparator."""
    return tuple(seen for topic in topics for seen in _judge_topic(topic))


def _judge_topic(topic: Topic) -> Iterator[Seen]:
    names: Names = {"display": lambda _: None}
    exec(topic.setup, names)
    for pair in topic.pairs:
        reference, submission = (_ran(code, pair.problem, names) for code in (pair.problem.code, pair.submission))
        forwards = _judged(pair.problem, reference, submission)
        backwards = _judged(pair.problem, submission, reference) if pair.both_ways else None
        yield Seen(pair, forwards, backwards)


def _ran(code: str, problem: Problem, names: Names) -> DecodedOutcome:
    after = fork(names)
    before = dict(after)
    left = run(code, problem, after)
    assert left.ending == "ok", (code, left.error)
    inferred = tuple(replace(one, value=_decoded(one.value)) for one in left.inferred)
    variables = {name: _decoded(value) for name, value in left.variables.items()}
    result, diff = _decoded(left.result), _diff(names, before, after)
    return replace(left, result=result, variables=variables, inferred=inferred, diff=diff)


def _diff(names: Names, before: Names, after: Names) -> NamespaceDiff:
    """Tell how a state changed that was a copy of `names` and held the objects of `before`."""
    held = {name: value for name, value in before.items() if after.get(name) is value}
    return NamespaceDiff(
        added=tuple(after.keys() - before.keys()),
        updated=tuple(name for name, value in held.items() if not _is_same(value, names[name])),
        replaced=tuple(before.keys() & after.keys() - held.keys()),
    )


def _is_same(value: Any, other: Any) -> bool:
    return bool(value.equals(other)) if isinstance(value, NDFrame) else value is other or repr(value) == repr(other)


def _decoded(value: Any) -> Any:
    return value if value is ABSENT else decode(encode(value))


def _judged(problem: Problem, reference: DecodedOutcome, submission: DecodedOutcome) -> Judged:
    validators = resolve_validators(problem)
    finding = parse_findings(judge(reference, submission, validators.to_json()), validators)
    assert isinstance(finding, Finding), finding
    return decide(finding, Ending.OK, ())
