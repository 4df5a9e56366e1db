"""What `make compare-pandas` says of the answers of several versions; building environments is left to the command."""

from pathlib import Path

import pytest

from tests.environments import compare_pandas
from tests.environments.compare_pandas import Seen, differences, main, summary

FAULT = {"number": 1, "line": "order of rows", "what": "expected partial, got no", "reproduce": "compare([1], [2])"}


def seen(version: str, said: dict[str, str], *faults: dict[str, object]) -> Seen:
    cases = dict.fromkeys(said, ("order of rows", "[1]", "[2]"))
    packages = {"pandas": version, "numpy": "2.0", "pyarrow": "", "scipy": ""}
    return Seen(packages, said, cases, faults, rows=24, words="what disagrees")


def test_cases_that_differ_between_versions_are_named_skipped_ones_not() -> None:
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


def test_the_command_fails_where_versions_differ(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    for second, code in (("yes", 0), ("no", 1)):
        answers = {"pandas20": seen("2.0.3", {"0": "yes"}), "pandas3": seen("3.1.1", {"0": second})}
        monkeypatch.setattr(
            compare_pandas, "environments", lambda _event, found=answers: {name: name for name in found}
        )
        monkeypatch.setattr(compare_pandas, "compared", lambda name, _seed, _cases, found=answers: found[name])
        assert main([]) == code
