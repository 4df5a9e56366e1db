"""What a benchmark consists of."""

from pathlib import Path

from evaluator.language import read_benchmark
from evaluator.reporting import BenchmarkStatistics, benchmark_statistics, statistics_text

SET = '''# %%
import pandas as pd
from sklearn.linear_model import LinearRegression

# %%
"""
query: Make a frame.
knowledge_points: [frames]
validator:
  template: intact
  namespace_check:
    df:
"""
df = pd.DataFrame({"a": [1, 2]})

# %%
"""
query: Sum it.
knowledge_points: [frames, sums]
"""
total = df["a"].sum()
total

# %%
"""
query: Double the sum.
validator:
  template: empty
  or:
    result:
    stream:
"""
total * 2
'''


def statistics(folder: Path, **sets: str) -> BenchmarkStatistics:
    (folder / "_manifest.yaml").write_text('name: small\nversion: "3"\n')
    for name, text in sets.items():
        (folder / f"{name}.py").write_text(text)
    return benchmark_statistics(read_benchmark(folder))


def test_a_benchmark_is_counted(tmp_path: Path) -> None:
    found = statistics(tmp_path, one=SET, two="# %%\n'''no problem'''\nx = 1\n").to_json()
    assert (found["benchmark"], found["version"], found["problemsets"], found["problems"]) == ("small", "3", 2, 3)
    assert found["setup_cells"] == 2
    assert found["libraries"] == {"pandas": 1, "sklearn": 1}
    assert found["knowledge_points"] == {"frames": 2, "sums": 1}


def test_the_difficulty_of_a_problem_is_the_weight_of_its_syntax_tree(tmp_path: Path) -> None:
    found = statistics(tmp_path, one=SET)
    # assignment 1, call 3, attribute 4, dict 1, list 1; assignment, call, attribute, subscript, expression; two of 1
    assert found.sets[0].difficulties == (10, 13, 2)
    assert found.difficulty.to_json() == {"mean": 25 / 3, "median": 10, "lowest": 2, "highest": 13}


def test_validators_are_counted_as_the_paper_counts_them(tmp_path: Path) -> None:
    found = statistics(tmp_path, one=SET)
    assert found.validators == {
        **{"and": 3, "or": 3},  # one `and` per problem; one `or` per crash check and the one that is written
        **{"answer_in_source": 2, "crash": 2, "namespace_intact": 2, "result": 2},
        **{"namespace_check": 1, "stream": 1},
    }


def test_dependencies_are_counted_along_the_session(tmp_path: Path) -> None:
    dependencies = statistics(tmp_path, one=SET).to_json()["dependencies"]
    assert dependencies["problems_with_any"] == 2
    assert dependencies["in_degree"]["mean"] == 2 / 3
    assert dependencies["longest_chain"] == {"mean": 3.0, "median": 3, "lowest": 3, "highest": 3}


def test_a_set_that_does_not_parse_is_named_and_counted_nowhere(tmp_path: Path) -> None:
    broken = '# %%\n"""\nquery: [\n"""\n1\n'
    found = statistics(tmp_path, good=SET, broken=broken)
    assert (found.refused, found.problems) == (("broken",), 3)


def test_a_benchmark_without_problems_has_no_means(tmp_path: Path) -> None:
    found = statistics(tmp_path)
    assert found.to_json()["difficulty"] == {"mean": None, "median": None, "lowest": None, "highest": None}
    rows = [line.rsplit(None, 1) for line in statistics_text(found, None).splitlines() if line.startswith("difficulty")]
    assert rows == [["difficulty, mean", "-"], ["difficulty, median", "-"], ["difficulty, range", "-"]]


def levelled(level: str) -> str:
    return f'# %%\n"""\nquery: Sum it.\n{level}"""\nsum([1, 2])\n\n'


LEVELLED = "".join(map(levelled, ("difficulty: hard\n", "difficulty: easy\n", "")))


def test_stated_levels_stand_beside_the_measured_ones(tmp_path: Path) -> None:
    found = statistics(tmp_path, one=LEVELLED)
    levels = found.to_json()["levels"]
    assert levels["measured"] == {"easy": 3, "medium": 0, "hard": 0}
    assert levels["stated"]["hard"] == {"easy": 1, "medium": 0, "hard": 0}
    assert (levels["labelled"], levels["agreement"]) == (2, 0.5)
    assert levels["far_apart"] == [{"problem": "one.p1", "stated": "hard", "measured": "easy"}]
    shown = statistics_text(found, None)
    assert "the measure agrees with 50.0% of 2 stated levels" in shown
    assert "one.p1 is stated hard and measured easy" in shown
