"""Which version of the language a text is written in, and how long a problem may take by it."""

from pathlib import Path

from evaluator.diagnostics import Severity
from evaluator.language import (
    LANGUAGE_VERSION,
    Benchmark,
    Problemset,
    language_version_of,
    parse_problemset,
    read_benchmark,
    usual_time_s,
    with_language_version,
)
from evaluator.language.document import Document

PROBLEM = '# %%\n"""\nquery: How many?\n"""\n\n1 + 1\n'
LIMITED = '# %%\n"""\nquery: How many?\nexecution:\n  max_time: 1\n"""\n\n1 + 1\n'
THREE = "# language_version: 3\n\n"


def limit_of(text: str, *, language_version: int = 2) -> float:
    problemset = parse_problemset(text, name="set", language_version=language_version).problemset
    assert problemset is not None
    return problemset.problems[0].time_limit_s


def errors_of(text: str) -> list[tuple[str, int]]:
    found = parse_problemset(text, name="set").diagnostics
    return [(each.code, each.line) for each in found if each.severity is Severity.ERROR]


def test_only_version_three_gives_five_seconds() -> None:
    for version, seconds in ((1, 1.0), (2, 1.0), (3, 5.0)):
        assert usual_time_s(version) == seconds
        assert limit_of(PROBLEM, language_version=version) == seconds
        assert limit_of(LIMITED, language_version=version) == 1.0


def test_the_line_of_a_text_counts_more_than_its_benchmark() -> None:
    assert limit_of(THREE + PROBLEM) == 5.0
    assert limit_of(THREE + PROBLEM, language_version=1) == 5.0
    assert limit_of("# language_version: 2\n" + PROBLEM, language_version=3) == 1.0
    assert limit_of(THREE + LIMITED) == 1.0
    assert limit_of(PROBLEM + "# language_version: 3\n") == 1.0  # below the first cell it states nothing


def test_new_texts_are_of_the_newest_version_and_say_so() -> None:
    text = with_language_version(PROBLEM)
    assert text == THREE + PROBLEM
    assert language_version_of(text) == LANGUAGE_VERSION == 3
    assert errors_of(text) == []
    assert parse_problemset(text, name="set").diagnostics == parse_problemset(PROBLEM, name="set").diagnostics


def test_a_text_can_be_given_a_version_and_keeps_the_rest() -> None:
    windows = "Notes\r\n#language_version:  2  \r\n"
    for above in ("", "\ufeff", "Notes of the author.\n", "# language_version: 2\n", "\r\n", windows):
        text = with_language_version(above + PROBLEM)
        assert language_version_of(text) == 3
        assert with_language_version(text) == text
        assert text.endswith(PROBLEM)
        assert text.count("language_version") == 1
        assert "Notes" not in above or "Notes" in text
        assert text.startswith("\ufeff") == above.startswith("\ufeff")
        assert limit_of(text) == 5.0


def test_a_version_that_is_none_is_an_error_on_its_line() -> None:
    for version, code in (("4", "newer-language"), *((bad, "bad-language-version") for bad in ("1", "three", ""))):
        assert errors_of(f"Notes\n# language_version: {version}\n{PROBLEM}") == [(code, 2)], version


def test_an_edit_keeps_the_version_of_its_set() -> None:
    for text, seconds in ((PROBLEM, 1.0), (THREE + PROBLEM, 5.0)):
        document = Document.parse(text, name="set")
        edited = document.insert(after="p1", query="And now?", code="2 + 2").with_setting("p1", "id", "count")
        assert edited.problemset is not None
        assert [problem.time_limit_s for problem in edited.problemset.problems] == [seconds, seconds]
        back = edited.delete("p2").with_setting("count", "id", None)
        assert back.text == text


def test_a_manifest_speaks_for_the_sets_that_do_not_state_a_version(tmp_path: Path) -> None:
    for number, (version, seconds) in enumerate(
        (("", 1.0), ("language_version: 2\n", 1.0), ("language_version: 3\n", 5.0))
    ):
        root = tmp_path / str(number)
        root.mkdir()
        (root / "_manifest.yaml").write_text(f'name: city\nversion: "1"\n{version}')
        (root / "plain.py").write_text(PROBLEM)
        (root / "stated.py").write_text(THREE + PROBLEM)
        benchmark = read_benchmark(root)
        assert [problem.time_limit_s for problem in benchmark.problems] == [seconds, 5.0]
        assert read_benchmark(root / "plain.py").problems[0].time_limit_s == seconds
        plain, stated = benchmark.sets
        assert stated.portable_text == stated.text
        assert plain.portable_text == (THREE + PROBLEM if seconds == 5.0 else PROBLEM)
        assert limit_of(plain.portable_text) == seconds


def test_a_benchmark_of_one_set_has_the_version_of_the_set() -> None:
    problemset = Problemset.parse(THREE + PROBLEM, name="set")
    benchmark = Benchmark.of(problemset)
    assert benchmark.manifest.language_version == 3
    assert benchmark.problems[0].time_limit_s == 5.0
