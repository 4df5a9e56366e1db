"""The card of a release (README.md): what is in it, whose data, how to run and verify it, and what it cannot tell."""

import statistics
from collections import Counter
from collections.abc import Mapping, Sequence

from authoring.release.contents import NOTED_FILE_BYTES, ReleasedSet
from authoring.release.release_manifest import (
    NOT_STATED,
    data_licence,
    environment_text,
    families_of_sets,
    knowledge_points,
    set_difficulty,
    single,
)
from authoring.seeds.licences import LicenceKind, licence_advice
from authoring.seeds.made.statement import drawn_from
from evaluator.language import longest_chain, session_dependencies, syntactic_difficulty

MAX_POINTS = 60  # of knowledge points that the card lists


def card_text(
    name: str, version: str, sets: Sequence[ReleasedSet], *, authors: Sequence[str], licence: str, canary: str
) -> bytes:
    """Return `README.md`."""
    parts = [
        f"# {_cell(name)} {_cell(version)}\n\nA benchmark of data-science agents in {_count(len(sets), 'problemset')}"
        f" with {_count(_problem_count(sets), 'problem')}; each problemset is one session.",
        _facts(sets, authors, licence, canary),
        "## How to run it\n\n```\nbenchwright run . --agent oracle --out ../results\n```\n\n"
        "`oracle` returns the reference code, so every problem comes out CORRECT; `empty` in its place solves none.",
        "## How to verify it\n\n```\nbenchwright release verify .\nsha256sum --check checksums.txt\n```",
        _sets_table(sets),
        _dependencies(sets),
        _points(sets),
        _data(sets),
        *_made_data(sets),
        _effort(sets),
        _revision_rate(sets),
        _limits(sets),
    ]
    return ("\n\n".join(parts) + "\n").encode("utf-8")


def _facts(sets: Sequence[ReleasedSet], authors: Sequence[str], licence: str, canary: str) -> str:
    difficulties = [float(syntactic_difficulty(p.code)) for item in sets for p in item.problemset.problems]
    mean, median = (f(difficulties) if difficulties else 0.0 for f in (statistics.fmean, statistics.median))
    rows = {
        "Difficulty of the reference code": f"mean {mean:.1f}, median {median:.1f}, highest"
        f" {max(difficulties, default=0.0):.0f}",
        **({"Family": family} if (family := single(families_of_sets(sets))) else {}),
        "Tested with": environment_text(sets) or NOT_STATED,
        "Licence of queries and code": licence,
        "Authors": ", ".join(authors) or "not named",
        "Canary": canary,
    }
    table = "\n".join(f"| {key} | {_cell(value)} |" for key, value in rows.items())
    head = "| fact | value |\n|---|---|"
    return f"{head}\n{table}\n\nThis text must not appear in training data; the canary is there to find it."


def _sets_table(sets: Sequence[ReleasedSet]) -> str:
    lines = [
        "## Problemsets\n",
        "| problemset | problems | mean difficulty | revision | drafted by | accepted by |",
        "|---|--:|--:|--:|---|---|",
    ]
    for item in sets:
        count, revision = len(item.problemset.problems), item.revision.number
        facts = f"{count} | {set_difficulty(item):.1f} | {revision} | {item.drafted_by}"
        lines.append(f"| {_cell(item.name)} | {facts} | {'rule' if item.by_rule else 'a person'} |")
    return "\n".join(lines)


def _dependencies(sets: Sequence[ReleasedSet]) -> str:
    found = [session_dependencies(item.problemset) for item in sets]
    problems = max(1, sum(len(earlier) for earlier in found))
    building = sum(bool(numbers) for earlier in found for numbers in earlier)
    longest = max(map(longest_chain, found), default=0)
    return (
        f"## Dependencies\n\n{building} of {problems} problems use a variable that an earlier problem made; the longest"
        f" chain has {_count(longest, 'problem')}."
    )


def _points(sets: Sequence[ReleasedSet]) -> str:
    counts = Counter(point for item in sets for point in knowledge_points(item))
    ranked = sorted(counts.items(), key=lambda entry: (-entry[1], entry[0]))
    listed = ", ".join(f"{_cell(point)} ({count})" for point, count in ranked[:MAX_POINTS])
    more = f", and {len(ranked) - MAX_POINTS} more" if len(ranked) > MAX_POINTS else ""
    return (
        f"## Knowledge points\n\nWith the number of problemsets that ask for them: {listed or 'none are named'}{more}."
    )


def _data(sets: Sequence[ReleasedSet]) -> str:
    lines = ["## Data\n", "| problemset | files | size | licence | source |", "|---|---|--:|---|---|"]
    for item in sets:
        files = ", ".join(file.name for file in item.inputs) or "none"
        size = f"{sum(file.size_bytes for file in item.inputs) / 1e3:,.1f} kB"
        source = item.seed.source_url if item.seed and item.seed.source_url else NOT_STATED
        source = (
            "synthetic: made by a program" if item.seed and item.seed.synthetic and source == NOT_STATED else source
        )
        lines.append(
            f"| {_cell(item.name)} | {_cell(files)} | {size} | {_cell(data_licence(item))} | {_cell(source)} |"
        )
    return "\n".join(lines)


def _made_data(sets: Sequence[ReleasedSet]) -> list[str]:
    """Return the section about data that a program made; none where all were collected."""
    seeds = {item.seed.name: item.seed for item in sets if item.seed and item.seed.synthetic}
    if not seeds:
        return []
    parts = ["## Synthetic data\n\nA program made these data; they tell nothing about the world."]
    for name, seed in sorted(seeds.items()):
        drawn = drawn_from(seed.statement)
        lines = "\n".join(f"- {_cell(line)}" for line in drawn) or "- The distributions are not stated."
        parts.append(f"### {_cell(name)}\n\n{lines}")
    return parts


def _effort(sets: Sequence[ReleasedSet]) -> str:
    revised = sum(item.person_revisions > 0 for item in sets)
    accepted = "it was accepted" if len(sets) == 1 else "they were accepted"
    others = "; the others were accepted as they were drafted" if 0 < revised < len(sets) else ""
    return (
        f"## Human effort\n\nOf {_count(len(sets), 'problemset')}, people revised {revised} before {accepted}"
        f"{others}.{_rule(sets)}"
    )


def _revision_rate(sets: Sequence[ReleasedSet]) -> str:
    problems, changed = _problem_count(sets), sum(item.problems_changed for item in sets)
    rate = f"{changed / problems:.0%}" if problems else "none to count"
    measured = [item for item in sets if item.minutes]
    said = _minutes_per_problem(measured) if measured else "No minutes were recorded"
    return f"Revision rate: people changed or added {changed} of {_count(problems, 'problem')} ({rate}). {said}."


def _minutes_per_problem(measured: Sequence[ReleasedSet]) -> str:
    problems = _problem_count(measured)
    each = sum(item.minutes for item in measured) / max(1, problems)
    minutes = f"{sum(item.minutes for item in measured):.0f} minutes were recorded: {each:.1f}"
    return f"{minutes} minutes per problem, over the {_count(problems, 'problem')} of the sets with recorded minutes"


def _rule(sets: Sequence[ReleasedSet]) -> str:
    count = sum(item.by_rule for item in sets)
    said = f" {_count(count, 'problemset')} no person looked at: accepted by rule alone, for passing every check."
    return said if count else ""


def _limits(sets: Sequence[ReleasedSet]) -> str:
    limits = [
        "Evidence: each reference passed its own validators in a fresh session, and an empty answer failed. Whether"
        " every wrong answer fails and every right one passes was not tested.",
        "Verdicts hold for the environment named above; other versions of the libraries may move an answer.",
    ]
    licences = {item.name: licence_advice(data_licence(item)).kind for item in sets}
    if LicenceKind.MISSING in licences.values():
        unstated = _named(licences, LicenceKind.MISSING)
        limits.append(f"The licence of the data is not stated for: {unstated}. Find out before publishing.")
    if LicenceKind.FORBIDDEN in licences.values():
        limits.append(
            f"The licence of the data forbids passing them on: {_named(licences, LicenceKind.FORBIDDEN)}. Do not"
            " publish this release without the owner's permission."
        )
    large = [f"{item.name}/{f.name}" for item in sets for f in item.inputs if f.size_bytes > NOTED_FILE_BYTES]
    if large:
        size = f"{NOTED_FILE_BYTES / 1e6:.0f} MB"
        limits.append(f"Files over the {size} that DSEval-style sets keep to: {', '.join(map(_cell, large))}.")
    families = families_of_sets(sets)
    if len(families) > 1:
        limits.append(
            f"Its problems are of several families ({', '.join(families)}), so that runs follow the rules of none of"
            " them unless `--mode` says so. Release the problemsets of each family apart."
        )
    return "## Known limits\n\n" + "\n".join(f"- {limit}" for limit in limits)


def _named(licences: Mapping[str, LicenceKind], kind: LicenceKind) -> str:
    return ", ".join(_cell(name) for name, each in licences.items() if each is kind)


def _problem_count(sets: Sequence[ReleasedSet]) -> int:
    return sum(len(item.problemset.problems) for item in sets)


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _cell(text: str) -> str:
    """Return text that cannot leave its table cell or become HTML."""
    plain = " ".join(str(text).split())
    return plain.replace("\\", "\\\\").replace("|", "\\|").replace("<", "&lt;").replace("`", "'")
