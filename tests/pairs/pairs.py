"""Pairs of a reference and a submission with the verdict that a data scientist would give: read, run, judged.

`<topic>.yaml` holds the setup of a session and its pairs, `explained.yaml` those that are judged otherwise, and why.
"""

from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Final, NamedTuple

import yaml

from evaluator.language import Problem, parse_problemset, resolve_validators, wanted_names
from evaluator.scoring import Judged, Subverdict, Verdict, judge_submission
from evaluator.session import CaptureSpec, CellLimits, Ending, Engine, Outcome

LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # a tenth of the time, in every process that collects tests
FOLDER: Final = Path(__file__).parent
EXPLAINED: Final = FOLDER / "explained.yaml"
AT_ONCE: Final = 2
_PATIENT: Final = CellLimits(60.0)
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
    """The pairs of one file; they share a session."""

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
    def observed(self) -> str:
        """The verdict that speaks: that of the exchanged pair where only this one is not as expected."""
        turned = self.backwards is not None and _fits(self.pair, self.forwards) and not _fits(self.pair, self.backwards)
        return _shown(self.backwards) if turned and self.backwards else _shown(self.forwards)

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
    subverdict = entry.get("subverdict")
    verdict = {"verdict": Verdict(entry["verdict"]), "subverdict": Subverdict(subverdict) if subverdict else None}
    return Pair(topic=topic, **{**entry, **verdict})


def read_explained() -> tuple[Explained, ...]:
    """Return the pairs that are known to be judged otherwise."""
    entries = yaml.load(EXPLAINED.read_text(encoding="utf-8"), Loader=LOADER) or []
    return tuple(Explained(**entry) for entry in entries)


def judge_topics(engine: Engine, topics: Iterable[Topic]) -> tuple[Seen, ...]:
    """Run and judge all pairs, several topics at once; submissions run in copies of their session."""
    with ThreadPoolExecutor(AT_ONCE) as pool:
        judged = pool.map(lambda topic: tuple(_judge_topic(engine, topic)), topics)
        return tuple(seen for part in judged for seen in part)


def _judge_topic(engine: Engine, topic: Topic) -> Iterator[Seen]:
    with engine.open(key=topic.name, inputs=None) as session:
        assert session.execute(topic.setup).ending is Ending.OK, topic.name
        ran: dict[tuple[str, tuple[str, ...]], Outcome] = {}

        def run(source: str, names: tuple[str, ...]) -> Outcome:
            """Run a cell once, however many pairs hold it."""
            if (source, names) not in ran:
                ran[source, names] = session.attempt(
                    source, capture=CaptureSpec(names=names, infer=True), limits=_PATIENT
                )
            return ran[source, names]

        for pair in topic.pairs:
            problem = pair.problem
            names = wanted_names(resolve_validators(problem))
            reference, submission = run(problem.code, names), run(pair.submission, names)
            assert reference.ending is submission.ending is Ending.OK, (pair, reference.error, submission.error)
            forwards = judge_submission(engine, reference, submission, problem, rules="sound")
            backwards = None
            if pair.both_ways:
                backwards = judge_submission(engine, submission, reference, problem, rules="sound")
            yield Seen(pair, forwards, backwards)
