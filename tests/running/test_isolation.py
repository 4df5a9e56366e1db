"""Which engine runs a problemset: what the run says, what the benchmark says, what its code imports, what it left."""

from dataclasses import replace
from pathlib import Path

import pytest

from evaluator.agents import EmptyAgent, OracleAgent
from evaluator.errors import ContentError
from evaluator.language import Problemset, parse_problemset, read_benchmark
from evaluator.running import RunConfig, read_records, run_benchmark
from evaluator.running.isolation import isolation_of, isolation_of_run, unsafe_modules
from evaluator.session import Engine, EngineChoice, Isolation, own_environment
from tests.running.conftest import WriteBenchmark
from tests.running.scripted import loaded_set, scored, verdicts_of

LEAVES_A_THREAD = '''# %%
import threading, time
word = "seven"
threading.Thread(target=time.sleep, args=(600,), daemon=True).start()

# %%
"""
query: How many letters has `word`?
"""
len(word)
'''


def problemset(*problems: str, setup: str = "word = 'a'") -> Problemset:
    cells = "".join(f'# %%\n"""\nquery: How long is it?\n{problem}\n"""\nlen(word)\n' for problem in problems)
    parsed = parse_problemset(f"# %%\n{setup}\n{cells}", name="s").problemset
    assert parsed is not None
    return parsed


def test_a_problemset_is_replayed_when_it_says_so_or_no_fork_survives_it() -> None:
    for given, expected in (
        (problemset("tags: [a]"), "fork"),
        (problemset("isolation: fork", "isolation: replay"), "replay"),
        (problemset("tags: [a]", setup="from polars.io import csv"), "replay"),
        (problemset("isolation: fork", setup="import torch"), "fork"),
    ):
        assert isolation_of(given, own_environment()) == expected


def test_a_library_that_passed_the_fork_check_of_its_environment_is_forked() -> None:
    checked = replace(own_environment(), fork_safe=frozenset({"polars"}))
    assert isolation_of(problemset("tags: [a]", setup="import polars"), checked) is Isolation.FORK
    assert isolation_of(problemset("tags: [a]", setup="import torch"), checked) is Isolation.REPLAY
    assert unsafe_modules(problemset("tags: [a]", setup="import torch.nn, pandas"), checked) == ("torch.nn",)


def test_a_run_obeys_its_option_then_the_manifest(tmp_path: Path) -> None:
    for choice, line, expected in (
        ("auto", "", None),
        ("auto", "isolation: replay\n", "replay"),
        ("fork", "isolation: replay\n", "fork"),
        ("replay", "", "replay"),
    ):
        (tmp_path / "_manifest.yaml").write_text(f'name: n\nversion: "1"\n{line}')
        assert isolation_of_run(EngineChoice(choice), read_benchmark(tmp_path).manifest) == expected


def test_an_isolation_that_is_none_is_an_error_in_the_manifest(tmp_path: Path) -> None:
    (tmp_path / "_manifest.yaml").write_text('name: n\nversion: "1"\nisolation: thread\n')
    (found,) = [each for each in read_benchmark(tmp_path).diagnostics if each.code == "bad-manifest"]
    assert (found.line, "fork, replay" in found.what) == (3, True)


def test_a_session_whose_cells_left_a_thread_is_replayed_from_there(engine: Engine, tmp_path: Path) -> None:
    (cell,) = scored(engine, loaded_set(tmp_path, LEAVES_A_THREAD), OracleAgent(), EmptyAgent())
    assert verdicts_of([cell]) == [["CORRECT", "WRONG_OUTPUT"]]
    assert [each.outcome and each.outcome.engine for each in cell.attempts] == ["replay"] * 2


@pytest.mark.kernel
def test_a_run_names_its_own_engine_and_another_does_not_resume(
    write_benchmark: WriteBenchmark, tmp_path: Path
) -> None:
    config = RunConfig(write_benchmark(), "oracle", tmp_path / "out", engine=EngineChoice.REPLAY, limit=1)
    assert run_benchmark(config, trusted=True).counts == {"CORRECT": 1}
    assert [record.engine for record in read_records(config.out / "records.jsonl")] == ["replay"]
    with pytest.raises(ContentError, match="engine is 'replay', not 'fork'"):
        run_benchmark(replace(config, engine=EngineChoice.FORK), trusted=True)
