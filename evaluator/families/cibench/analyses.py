"""What CIBench (arXiv:2407.10499) reads out of a run beside its scores: difficulty, debugging, errors, languages."""

from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum
from statistics import fmean
from typing import Any, Final, NamedTuple

from evaluator.families.boards import Score, grouped, mean
from evaluator.families.cibench.board import METRICS, ScoredStep
from evaluator.families.published import correlation
from evaluator.records import Record
from evaluator.scoring import Subverdict, Verdict

BANDS: Final = ("easy", "medium", "hard")


def band_of(chain: int) -> str:
    """Return the difficulty of a step by the problems that it rests on, itself included: below 2, 2 to 4, above 4.

    The published bands count interaction steps, and do not say which; ours is the longest chain of problems.
    """
    return BANDS[0] if chain < 2 else BANDS[1] if chain <= 4 else BANDS[2]


class FamilyStep(NamedTuple):
    """A step with what its record tells beside its scores."""

    scored: ScoredStep
    chain: int  # problems that it rests on, itself included; 0: not known
    by_rounds: Sequence[Mapping[str, float | None]]  # its scores after one round, two rounds, ...
    pair: str = ""  # what it and its translation have in common; of a translation it may be the other's place
    place: str = ""  # "problemset/number"


def difficulty_board(steps: Sequence[FamilyStep]) -> dict[str, dict[str, Score]]:
    """Return every metric by band of difficulty; bands without steps are left out."""
    groups = grouped((step for step in steps if step.chain), lambda step: band_of(step.chain))
    return {band: _means([step.scored.scores for step in groups[band]]) for band in BANDS if band in groups}


def debugging_board(steps: Sequence[FamilyStep], rounds: int = 3) -> dict[str, dict[str, Score]]:
    """Return every metric as it would be after one round, two rounds, ..., from logs cut there.

    It is an estimate: an agent that has fewer rounds may work otherwise.
    """
    if not any(step.by_rounds for step in steps):
        return {}
    return {str(number): _means([_after(step, number) for step in steps]) for number in range(1, rounds + 1)}


def _after(step: FamilyStep, rounds: int) -> Mapping[str, float | None]:
    return step.by_rounds[min(rounds, len(step.by_rounds)) - 1] if step.by_rounds else step.scored.scores


def language_board(steps: Sequence[FamilyStep]) -> dict[str, dict[str, Score]]:
    """Return every metric by language, where there is more than one."""
    groups = grouped(steps, lambda step: step.scored.language)
    found = {language: _means([step.scored.scores for step in group]) for language, group in sorted(groups.items())}
    return found if len(found) > 1 else {}


def paired_languages(steps: Sequence[FamilyStep]) -> dict[str, dict[str, Score]]:
    """Return every metric by language over the steps that stand in both; empty where none does."""
    named = {step.pair for step in steps}
    known = [step for step in steps if step.pair or step.place in named]
    groups = grouped(known, lambda step: step.place if step.place in named else step.pair)
    paired = [
        by_language
        for group in groups.values()
        if len(by_language := {step.scored.language: step.scored.scores for step in group}) > 1
    ]
    languages = sorted({language for by_language in paired for language in by_language})
    return {each: _means([found[each] for found in paired if each in found]) for each in languages}


class JudgedLikeness(NamedTuple):
    """How far the likeness of figures and a judge's opinion of them agree."""

    figures: int  # that have both (count)
    likeness: float  # mean structural similarity
    opinion: float  # mean opinion of the judge, a fraction
    correlation: float | None  # Pearson; None: fewer than three figures, or one of the two does not vary

    def to_json(self) -> dict[str, Any]:
        """Return plain JSON values."""
        return self._asdict()


def likeness_and_judge(records: Sequence[Record]) -> JudgedLikeness | None:
    """Compare the scores of `visual` and `judge` where an attempt has both; None: none has."""
    scores = [_scores_of(record.validation) for record in records]
    both = [(each["visual"], each["judge"]) for each in scores if {"visual", "judge"} <= each.keys()]
    if not both:
        return None
    columns = [{str(number): pair[side] for number, pair in enumerate(both)} for side in (0, 1)]
    agreement, count = correlation(*columns)
    return JudgedLikeness(count, fmean(columns[0].values()), fmean(columns[1].values()), agreement)


def _scores_of(finding: Any) -> dict[str, float]:
    """Return the scores that graded validators gave, by their names."""
    found: dict[str, float] = {}
    if isinstance(finding, Mapping):
        if isinstance(finding.get("score"), int | float):
            found[str(finding.get("category"))] = float(finding["score"])
        reason = finding.get("reason")
        for part in reason if isinstance(reason, list) else ():
            found |= _scores_of(part)
    return found


def _means(every: Sequence[Mapping[str, float | None]]) -> dict[str, Score]:
    names = dict.fromkeys([*METRICS, *(name for scores in every for name in scores)])
    return {name: mean(scores[name] for scores in every if name in scores) for name in names}


class ErrorMode(StrEnum):
    """How a failure came about (arXiv:2407.10499, section 4)."""

    FOLLOWING = "following"  # the instruction was ignored
    HALLUCINATION = "hallucination"  # names that nothing defines, or that have nothing to do with it
    REASONING = "reasoning"  # the code runs and does the wrong thing
    CODE = "code"  # basic coding


_UNDEFINED: Final = frozenset(
    (Subverdict.NAME_ERROR, Subverdict.MODULE_NOT_FOUND, Subverdict.ATTRIBUTE_ERROR, Subverdict.KEY_ERROR)
)
_SHOWS_NOTHING: Final = frozenset(("the cell shows nothing of the kind", "no such output was found"))


def propose_error_mode(record: Record) -> ErrorMode | None:
    """Return what rules take for the error mode of a failure, for people to confirm; None: it is no failure.

    No code, or none of what was asked for on the screen: following. A name, module, attribute or column that is not
    there: hallucination, which imported runs do not tell. Any other exception, or code that does not parse: code. All
    else ran, and is wrong.
    """
    if record.verdict in (Verdict.CORRECT, Verdict.NOT_JUDGED, Verdict.PRESENTATION_ERROR):
        return None
    if not (record.code or "").strip() or _SHOWS_NOTHING & set(_reasons(record.validation)):
        return ErrorMode.FOLLOWING
    if record.verdict in (Verdict.CRASH, Verdict.SYNTAX_ERROR, Verdict.TIMEOUT):
        return ErrorMode.HALLUCINATION if record.subverdict in _UNDEFINED else ErrorMode.CODE
    return ErrorMode.REASONING


def _reasons(finding: Any) -> Iterator[str]:
    """Yield the reasons of all validators that failed."""
    reason = finding.get("reason") if isinstance(finding, Mapping) else None
    if isinstance(reason, list):
        for part in reason:
            yield from _reasons(part)
    elif isinstance(reason, str):
        yield reason


def error_modes(records: Sequence[Record]) -> dict[str, Score]:
    """Return the share of each error mode among the failures, as rules propose them."""
    modes = [mode for record in records if (mode := propose_error_mode(record)) is not None]
    return {mode.value: mean(float(each is mode) for each in modes) for mode in ErrorMode} if modes else {}


def step_of(family: Mapping[str, Any], scored: ScoredStep, *, place: str = "") -> FamilyStep:
    """Return what a record's `family` tells of a step; `place` is its own, "problemset/number"."""
    chain, by_rounds = family.get("chain"), family.get("by_rounds")
    rounds = [
        {str(name): float(score) if isinstance(score, int | float) else None for name, score in scores.items()}
        for scores in (by_rounds if isinstance(by_rounds, list) else [])
        if isinstance(scores, Mapping)
    ]
    known = chain if isinstance(chain, int) and not isinstance(chain, bool) else 0
    return FamilyStep(scored, known, rounds, str(family.get("pair", "")), place)
