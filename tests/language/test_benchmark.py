import os
from collections.abc import Callable
from pathlib import Path

import pytest

from evaluator.errors import UsageError
from evaluator.language import Manifest, read_benchmark

WriteBenchmark = Callable[..., Path]
PROBLEM = '# %%\n"""\nquery: ask\n"""\n1 + 1\n'


def test_sets_load_in_name_order_without_private_files(write_benchmark: WriteBenchmark) -> None:
    root = write_benchmark(zoo=PROBLEM, air=PROBLEM, _validators="x = 1\n")
    (root / "folder.py").mkdir()
    benchmark = read_benchmark(root)
    assert [loaded.name for loaded in benchmark.sets] == ["air", "zoo"]
    assert (benchmark.name, benchmark.version, benchmark.root) == ("Trips", "1", root)
    assert benchmark.diagnostics == ()


def test_the_manifest_is_read_whole(write_benchmark: WriteBenchmark) -> None:
    manifest = (
        "name: Trips\nversion: 3\nenvironment: pandas-3\nlicence: CC0-1.0\nauthors: [A, B]\nlanguage_version: 1\n"
        "rules: published\nsets:\n  trips: {title: All}\ncanary: abc\n"
    )
    benchmark = read_benchmark(write_benchmark(manifest=manifest, trips=PROBLEM))
    assert benchmark.manifest == Manifest(
        name="Trips",
        version="3",
        environment="pandas-3",
        licence="CC0-1.0",
        authors=("A", "B"),
        language_version=1,
        rules="published",
        extra={"sets": {"trips": {"title": "All"}}, "canary": "abc"},
    )
    assert benchmark.diagnostics == ()


MANIFESTS = (
    *(("", "bad-manifest", 1), ("- a", "bad-manifest", 1), ("version: '1'", "bad-manifest", 1)),
    *(("name: Trips", "bad-manifest", 1), ("name: [x]\nversion: '1'", "bad-manifest", 1)),
    *(("name: x\nversion: [1]", "bad-manifest", 2), ("name: x\nversion: 1.10", "version-not-text", 2)),
    ("name: x\nversion: '1'\nlicense: MIT\nauthers: [A]", "unknown-key", 4),
    ("name: x\nversion: '1'\nauthors: {a: 1}", "bad-manifest", 3),
    ("name: x\nversion: '1'\nrules: strict", "bad-manifest", 3),
    ("name: x\nversion: '1'\nrules: [sound]", "bad-manifest", 3),
    ("name: x\nversion: '1'\nlanguage_version: 99", "newer-language", 3),
    ("name: x\nversion: '1'\nlanguage_version: two", "bad-manifest", 3),
    ("name: x\nversion: '1'\nsets: {tripz: {}}", "unknown-set", 1),
    *(("name: x\nname: y\nversion: '1'", "duplicate-key", 2), ("name: [x\nversion: '1'", "yaml-syntax", 1)),
)


def test_a_wrong_manifest_is_reported(write_benchmark: WriteBenchmark) -> None:
    root = write_benchmark(trips=PROBLEM)
    for manifest, code, line in MANIFESTS:
        (root / "_manifest.yaml").write_text(manifest)
        found = read_benchmark(root).diagnostics
        assert (found[0].code, found[0].line) == (code, line), manifest
        assert found[0].path == root / "_manifest.yaml"


def test_a_benchmark_without_sets_is_an_error(write_benchmark: WriteBenchmark) -> None:
    assert [d.code for d in read_benchmark(write_benchmark()).diagnostics] == ["no-problemsets"]


def test_one_file_is_a_benchmark_of_version_0(tmp_path: Path) -> None:
    path = tmp_path / "trips.py"
    path.write_text(PROBLEM)
    benchmark = read_benchmark(path)
    assert (benchmark.name, benchmark.version, len(benchmark.sets)) == ("trips", "0", 1)


def test_a_set_sees_its_own_inputs_before_the_common_ones(write_benchmark: WriteBenchmark) -> None:
    root = write_benchmark(air=PROBLEM, zoo=PROBLEM)
    assert [loaded.inputs for loaded in read_benchmark(root).sets] == [None, None]
    (root / "_inputs" / "zoo").mkdir(parents=True)
    inputs = [loaded.inputs for loaded in read_benchmark(root).sets]
    assert inputs == [root / "_inputs", root / "_inputs" / "zoo"]


def test_input_files_that_code_names_must_be_there(write_benchmark: WriteBenchmark) -> None:
    code = "open('inputs/a.csv'), open('./inputs/b.csv'), 'inputs/*.csv', 'other.csv', open('inputs/sub/c.csv')"
    root = write_benchmark(trips=f"# %% Setup\n\nx = 1\ny = open('inputs/d.csv')\n{PROBLEM.replace('1 + 1', code)}")
    (root / "_inputs" / "trips").mkdir(parents=True)
    (root / "_inputs" / "trips" / "a.csv").touch()
    found = read_benchmark(root).diagnostics
    assert [(d.line, d.code, d.what.split("'")[1]) for d in found] == [
        (4, "missing-input", "inputs/d.csv"),
        (9, "missing-input", "inputs/b.csv"),
        (9, "missing-input", "inputs/sub/c.csv"),
    ]


def test_bytes_that_are_not_utf_8_are_reported_with_their_line(write_benchmark: WriteBenchmark) -> None:
    root = write_benchmark(good=PROBLEM)
    (root / "bad.py").write_bytes(b"# %%\nx = 1\ny = '\xff'\n")
    benchmark = read_benchmark(root)
    assert [(d.path.name, d.line, d.code) for d in benchmark.diagnostics] == [("bad.py", 3, "not-utf-8")]
    assert [loaded.problemset is None for loaded in benchmark.sets] == [True, False]
    assert "\ufffd" in benchmark.sets[0].text
    (root / "_manifest.yaml").write_bytes(b"name: \xff\n")
    assert "not-utf-8" in [d.code for d in read_benchmark(root).diagnostics]


def test_a_file_that_is_too_large_is_not_read(write_benchmark: WriteBenchmark) -> None:
    root = write_benchmark(big=PROBLEM)
    os.truncate(root / "big.py", 3_000_000_000)
    assert [d.code for d in read_benchmark(root).diagnostics] == ["file-too-large"]


def test_what_is_no_benchmark_is_refused_in_plain_words(tmp_path: Path) -> None:
    (tmp_path / "x.txt").write_text("hello")
    for name, message in (("nothing", "there is nothing at"), ("", "has no _manifest.yaml"), ("x.txt", "no")):
        with pytest.raises(UsageError, match=message) as refused:
            read_benchmark(tmp_path / name)
        assert refused.value.fix


PUBLISHED_PROBLEM = PROBLEM.replace("query", "question")


def test_the_rules_are_the_manifests_else_those_of_the_spelling(write_benchmark: WriteBenchmark) -> None:
    root = write_benchmark()
    for lines, problems, rules in (
        *(("", [PUBLISHED_PROBLEM, PUBLISHED_PROBLEM], "published"), ("", [PUBLISHED_PROBLEM, PROBLEM], "sound")),
        *(("", [PROBLEM], "sound"), ("language_version: 1\n", [PROBLEM], "published")),
        *(("language_version: 2\n", [PROBLEM], "sound"), ("rules: published\n", [PROBLEM], "published")),
        ("rules: sound\nlanguage_version: 1\n", [PUBLISHED_PROBLEM], "sound"),
    ):
        (root / "_manifest.yaml").write_text(f"name: Trips\nversion: 1\n{lines}")
        for old in root.glob("*.py"):
            old.unlink()
        for number, text in enumerate(problems):
            (root / f"set{number}.py").write_text(text)
        benchmark = read_benchmark(root)
        assert (benchmark.rules, benchmark.diagnostics) == (rules, ())
    alone = root.parent / "alone.py"
    alone.write_text(PUBLISHED_PROBLEM)
    assert read_benchmark(alone).rules == "published"


def test_options_of_the_sound_rules_are_refused_under_the_published_ones(write_benchmark: WriteBenchmark) -> None:
    matcher, other = "{ignore_order: true, deep: true, equality: {names: wrong}}", "{x: {equality: {}}}"
    asked = f'# %%\n"""\nquery: ask\nvalidator: {{result: {matcher}, namespace_check: {other}}}\n"""\nx = 1\n'
    root = write_benchmark(manifest="name: t\nversion: 1\nrules: published\n", one=asked, two=PROBLEM)
    found = [(each.code, each.path.name, each.line) for each in read_benchmark(root).diagnostics]
    assert found == [("option-of-other-rules", "one.py", 4)] * 3
    (root / "_manifest.yaml").write_text("name: t\nversion: 1\nrules: sound\n")
    assert read_benchmark(root).diagnostics == ()
