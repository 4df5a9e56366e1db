"""What a page says where a message names a command of the terminal: the page and the button that do the same."""

import re
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True)
class Way:
    """How to do in the app what a command does."""

    words: str  # after "run it:", "see"
    page: str  # its name


_ENVIRONMENTS: Final = Way("Environments under Settings", "settings")
_SEEDS: Final = Way("the page Seeds & ideas", "seeds")
WAYS: Final = {
    "accept": Way("Accept on the problemset's page", "queue"),
    "bootstrap": Way("the page Rounds", "bootstrap"),
    "comments": Way("Comments on the problemset's page", "queue"),
    "draft": _SEEDS,
    "dry-run": Way("Dry run on the problemset's page", "queue"),
    "env": _ENVIRONMENTS,
    "experiment": Way("the page Experiments", "experiments"),
    "generalise": Way("Reuse on the problemset's page", "queue"),
    "guide": Way("the page Guide", "guide"),
    "job": Way("Resume in the list of jobs", "runs"),
    "release": Way("the page Releases", "releases"),
    "report": Way("the run's page", "runs"),
    "roundtable": Way("the page Roundtable", "roundtable"),
    "roundtable resolve": Way("the item on the page Roundtable, Settle it", "roundtable"),
    "seed": _SEEDS,
    "sketch": _SEEDS,
    "suggestion": Way("Suggestions on the problemset's page", "queue"),
}
# Named in messages, and not to be done on a page: what somebody did elsewhere, or what only a terminal does.
ELSEWHERE: Final = frozenset({"agents", "canary", "fetch", "import", "paradigms", "run", "worker"})
_COMMAND: Final = re.compile(
    r"['`]?(?:\.venv/bin/)?benchwright (?P<command>[a-z]+(?:-[a-z]+)*)\b(?: (?P<part>[a-z]+))?[^;,)'`]*['`]?"
)
_OPTION_AFTER: Final = re.compile(r",? (?:then|or first:) --environment [A-Z]+")


def in_app(text: str) -> tuple[str, Way | None]:
    """Return a message with the app's words for the commands that it names, and the first way; None: it names none."""
    ways: list[Way] = []

    def said(found: re.Match[str]) -> str:
        way = WAYS.get(f"{found['command']} {found['part']}") or WAYS.get(found["command"])
        if way is None:
            return found[0]
        ways.append(way)
        return way.words

    told = _COMMAND.sub(said, text)
    return (_OPTION_AFTER.sub("", told), ways[0]) if ways else (text, None)
