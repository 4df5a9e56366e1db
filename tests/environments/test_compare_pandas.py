"""What `make compare-pandas` says of the answers of several versions; building environments is left to the command."""

from pathlib import Path

import pytest

from tests.environments import compare_pandas
from tests.environments.compare_pandas import Seen, by_line, differences, main, summary

FAULT = {"number": 1, "line": "order of rows", "what": "expected partial, got no", "reproduce": "compare([1], [2])"}


def seen(version: str, said: dict[str, str], *faults: dict[str, object]) -> Seen:
    cases = dict.fromkeys(said, ("order of rows", "[1]", "[2]"))
    packages = {"pandas": version, "numpy": "2.0", "pyarrow": "", "scipy": ""}
    return Seen(packages, said, cases, faults, rows=24, words="what disagrees")


def test_cases_that_differ_between_versions_are_named_and_skipped_ones_are_not() -> None:
    found = {
        "old": seen("2.0.3", {"0": "yes | yes", "1": "no | no", "2": "yes | yes"}),
        "new": seen("3.1.1", {"0": "yes | yes", "1": "yes | yes", "2": ""}),
    }
    (one,) = differences(found)
    assert one.startswith("case 1, order of rows: 2.0.3: no | no; 3.1.1: yes | yes")
    assert "compare([1], [2])" in one


def test_the_table_counts_cases_and_disagreements_of_each_version() -> None:
    found = {"old": seen("2.0.3", {"0": "yes", "1": "no"}, FAULT, FAULT), "new": seen("3.1.1", {"0": "yes", "1": ""})}
    rows = [line.split() for line in summary(found).splitlines()[2:]]
    assert [row[-5:] for row in rows] == [["2", "0", "24", "1", "2"], ["1", "1", "24", "1", "0"]]
    assert by_line(found).splitlines()[-1].split() == ["order", "of", "rows", "2", "0"]


@pytest.mark.parametrize(("second", "code"), [("yes", 0), ("no", 1)])
def test_the_command_fails_where_versions_differ(
    second: str, code: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    answers = {"pandas20": seen("2.0.3", {"0": "yes"}), "pandas3": seen("3.1.1", {"0": second})}
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(compare_pandas, "environments", lambda _on_event: {name: name for name in answers})
    monkeypatch.setattr(compare_pandas, "compared", lambda environment, _seed, _cases: answers[environment])
    assert main([]) == code
