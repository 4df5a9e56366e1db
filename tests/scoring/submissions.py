"""Reads `tests/submissions/*.py`: a setup, references that start from it, and submissions to each of them.

The heading of a submission says how it is to be judged, in brackets how the published rules judge it where that
differs, and then what it is: `# %% submission: WRONG_OUTPUT/VALUE_MISMATCH a median for the mean`.
"""

import re
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Final

from evaluator.language import Problemset
from evaluator.scoring import Verdict

CORPUS: Final = Path(__file__).parents[1] / "submissions"
_HEADING: Final = re.compile(r"^# %% (setup|reference|submission: (\S+/\S+)(?: \(published: (\S+)\))? (.+))\n", re.M)


@dataclass(frozen=True)
class Submission:
    """One submission, and how it is to be judged."""

    setup: str
    reference: str  # with its configuration
    source: str
    expected: str  # VERDICT/SUBVERDICT
    published: str
    why: str

    @property
    def verdict(self) -> Verdict:
        return Verdict(self.expected.partition("/")[0])

    @property
    def label(self) -> str:
        return f"{self.expected} {self.why}"

    @cached_property
    def problemset(self) -> Problemset:
        """The setup and the reference."""
        return Problemset.parse(f"# %%\n{self.setup}\n# %%\n{self.reference}", name="corpus")


def _read(path: Path) -> list[Submission]:
    before, *pieces = _HEADING.split(path.read_text(encoding="utf-8"))
    assert not before, path
    found, setup, reference = [], "", ""
    for kind, expected, published, why, text in zip(*(pieces[part::5] for part in range(5)), strict=True):
        source = text.strip("\n") + "\n"
        if kind == "setup":
            setup = source
        elif kind == "reference":
            reference = source
        else:
            found.append(Submission(setup, reference, source, expected, published or expected, why))
    return found


SUBMISSIONS: Final = tuple(submission for path in sorted(CORPUS.glob("*.py")) for submission in _read(path))


def one_of_each(key: Callable[[Submission], Hashable]) -> list[Submission]:
    """Return the first submission with each value of a key."""
    return list({key(submission): submission for submission in reversed(SUBMISSIONS)}.values())


def spread(count: int) -> list[Submission]:
    """Return so many submissions from all over the corpus, every verdict with every subverdict among them."""
    chosen = one_of_each(lambda submission: submission.expected)
    others = [submission for submission in SUBMISSIONS if submission not in chosen]
    more = count - len(chosen)
    return [*chosen, *(others[len(others) * place // more] for place in range(more))]
