"""`benchwright stats`."""

from pathlib import Path

from evaluator.language import read_benchmark
from tests.cli.conftest import Command

ROOT = Path(__file__).parent.parent.parent


def test_the_shipped_benchmark_is_described(benchwright: Command) -> None:
    found = benchwright("stats", ROOT / "problemsets" / "core", "--json")
    assert found.code == 0
    expected = {loaded.name: loaded.problemset for loaded in read_benchmark(ROOT / "problemsets" / "core").sets}
    sizes = [len(problemset.problems) for problemset in expected.values() if problemset is not None]
    assert (found.json["benchmark"], found.json["problemsets"], found.json["problems"]) == ("core", 10, sum(sizes))
    assert [each["problems"] for each in found.json["by_set"]] == sizes
    text = benchwright("stats", ROOT / "problemsets" / "core", "--by-set").stdout
    assert "joins_across_tables" in text


def test_a_broken_set_is_named_and_the_rest_described(benchwright: Command) -> None:
    folder = Path("bench")
    folder.mkdir()
    (folder / "_manifest.yaml").write_text('name: b\nversion: "1"\n')
    (folder / "good.py").write_text('# %%\n"""\nquery: One and one.\n"""\n1 + 1\n')
    (folder / "bad.py").write_text('# %%\n"""\nquery: [\n"""\n1\n')
    found = benchwright("stats", folder, "--json")
    assert (found.code, found.json["refused"], found.json["problems"]) == (1, ["bad"], 1)
    assert "bad.py" in found.stderr


def test_sessions_are_measured_on_request(benchwright: Command) -> None:
    Path("one.py").write_text('# %%\n"""\nquery: The sum.\n"""\nx = [1, 2]\nsum(x)\n')
    found = benchwright("stats", "one.py", "--run", "--json").json["measured"]
    assert (found["executed_problems"], found["most_variables"], found["failed"]) == (1, 1, [])
    Path("two.py").write_text('# %%\n"""\nquery: Nothing.\n"""\n1 / 0\n')
    failed = benchwright("stats", "two.py", "--run")
    assert failed.code == 1
    assert "two: the cell at line 1 ended as error with ZeroDivisionError" in failed.stdout
