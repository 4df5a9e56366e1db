"""No folder of tests grows beyond its lines in `tests/budget.toml`; to raise one is a visible line of a change."""

from collections import Counter

from tests.cost import TESTS, TOP, budget

DATA = (
    "submissions",
    "attacks/cmp",
    "attacks/esc",
    "attacks/fig",
    "attacks/har",
    "attacks/leak",
    "published/problemsets",
)
"""Folders of code that is judged: it is data of tests."""


def lines_by_folder() -> Counter[str]:
    lines: Counter[str] = Counter()
    for path in TESTS.rglob("*.py"):
        place = path.relative_to(TESTS)
        if not place.as_posix().startswith(tuple(f"{folder}/" for folder in DATA)):
            lines[place.parts[0] if len(place.parts) > 1 else TOP] += len(path.read_bytes().splitlines())
    return lines


def test_no_folder_has_more_lines_than_its_budget() -> None:
    lines, allowed = lines_by_folder(), {folder: row["lines"] for folder, row in budget().items()}
    assert len(lines) >= 25
    assert lines.keys() == allowed.keys()
    beyond = {folder: f"{count} of {allowed[folder]}" for folder, count in lines.items() if count > allowed[folder]}
    assert beyond == {}, "leave out what repeats another test, or raise the number in tests/budget.toml"
