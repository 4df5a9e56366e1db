"""Proposed validators against what they were tried on: a row for each rewrite, a column for each. No Streamlit here."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from authoring.ui.wording import label, plural

MAX_COLUMNS: Final = 20
MAX_ROWS: Final = 60
MAX_NAMES: Final = 30  # of rewrites in a sentence
ACCEPTED: Final = ":green[**✓**]"
REJECTED: Final = ":red[**✗**]"
UNKNOWN: Final = ":orange[**?**]"  # it could not be judged
LEGEND: Final = "✓ accepts, ✗ rejects, ? could not judge. The numbers are those of the proposals below."


def matrix_rows(proposals: Sequence[Mapping[str, Any]]) -> list[dict[str, str]]:
    """Return rows of Markdown: the reference first, then each rewrite of it with the result of every proposal.

    Args:
        proposals: As a job of the kind `validators` stores them.
    """
    shown = _with_rewrites(proposals)[:MAX_COLUMNS]
    names = _names(shown)[:MAX_ROWS]
    reference = {number_of(each): ACCEPTED if each.get("reference_passes") else REJECTED for each in shown}
    rows = [{"Rewrite": "**the reference**", **reference}]
    for name in names:
        rows.append({"Rewrite": label(name, limit=80)} | {number_of(each): _cell(each, name) for each in shown})
    return rows if shown else []


def left_out(proposals: Sequence[Mapping[str, Any]]) -> str:
    """Return what the rows do not show, as a sentence; nothing where they show everything."""
    shown = _with_rewrites(proposals)
    counts = ((len(_names(shown[:MAX_COLUMNS])) - MAX_ROWS, "rewrite"), (len(shown) - MAX_COLUMNS, "proposal"))
    words = " and ".join(f"{plural(count, noun)} more" for count, noun in counts if count > 0)
    return f"Not in this table: {words}." if words else ""


def name_list(names: Sequence[str]) -> str:
    """Return names of rewrites as a label; beyond `MAX_NAMES` their number alone."""
    more = f" and {len(names) - MAX_NAMES} more" if len(names) > MAX_NAMES else ""
    return label(", ".join(names[:MAX_NAMES]) or "no rewrite", limit=90 * MAX_NAMES) + more


def _with_rewrites(proposals: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    return [each for each in proposals if isinstance(each.get("rewrites"), Mapping)]


def _names(shown: Sequence[Mapping[str, Any]]) -> list[str]:
    return list(dict.fromkeys(str(name) for each in shown for name in each["rewrites"]))


def number_of(proposal: Mapping[str, Any]) -> str:
    """Return the number that stands before a proposal and above its column."""
    return label(str(proposal.get("number") or "–"), limit=10)


def _cell(proposal: Mapping[str, Any], name: str) -> str:
    verdict = proposal["rewrites"].get(name)
    if verdict in (None, "NOT_JUDGED"):
        return UNKNOWN
    return ACCEPTED if verdict == "CORRECT" else REJECTED
