from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.kernel

Command = Callable[..., Any]
WriteSet = Callable[..., Path]

UNKNOWN_VALIDATOR = '# %%\n"""\nquery: Two.\nvalidator:\n  reslt:\n"""\n2\n'
UNKNOWN_OPTION = '# %%\n"""\nquery: Define f.\nvalidator:\n  judge: {scales: ten}\n"""\ndef f(x):\n    return x\n'
FAILS_ITSELF = '# %%\n"""\nquery: A random number.\n"""\nimport os\nos.urandom(8)\n'
ASKS_NOTHING = '# %%\n"""\nquery: Do nothing.\nvalidator:\n  template: basic\n"""\npass\n'
RAISES = '# %%\n"""\nquery: Fail.\n"""\n1 / 0\n'


def codes(done: Any) -> list[str]:
    return [each["code"] for each in done.json["diagnostics"] if each["severity"] == "error"]


def test_a_good_file_passes(benchwright: Command, write_set: WriteSet) -> None:
    done = benchwright("check", write_set(), "--json")
    assert done.code == 0
    assert done.json["ok"] is True
    assert [(Path(each["path"]).name, each["problems"], each["ok"]) for each in done.json["files"]] == [
        ("sums.py", 3, True)
    ]
    assert benchwright("check", "sums.py").stdout == "1 file with 3 problems checked: no errors\n"


def test_every_error_of_every_file_is_shown_at_once(benchwright: Command, write_set: WriteSet, tmp_path: Path) -> None:
    write_set()
    (tmp_path / "one.py").write_text(UNKNOWN_VALIDATOR)
    (tmp_path / "two.py").write_text(UNKNOWN_OPTION)
    done = benchwright("check", "one.py", "sums.py", "two.py", "--json")
    assert done.code == 1
    assert done.json["ok"] is False
    assert codes(done) == ["unknown-validator", "unknown-option"]
    assert [each["ok"] for each in done.json["files"]] == [False, True, False]
    assert "one.py:" in done.stderr
    assert "fix: " in done.stderr


def test_executing_shows_how_far_it_is_on_stderr_alone(
    benchwright: Command, write_set: WriteSet, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("authoring.cli.evaluating.run.LOG_EVERY_S", 0.0)
    write_set()
    (tmp_path / "raises.py").write_text(RAISES)
    done = benchwright("check", "sums.py", "raises.py", "--run", "--json")
    assert (done.code, done.json["ok"]) == (1, False)
    shown = [line.split()[0] for line in done.stderr.splitlines() if " after " in line]
    assert shown == ["0/4", "1/4", "2/4", "3/4"]
    assert not [line for line in benchwright("check", "sums.py").stderr.splitlines() if " after " in line]


def test_a_file_named_twice_is_checked_once(benchwright: Command, tmp_path: Path) -> None:
    (tmp_path / "one.py").write_text(UNKNOWN_VALIDATOR)
    done = benchwright("check", "one.py", "./one.py", "--json")
    assert len(done.json["files"]) == 1


def test_a_missing_path_is_wrong_usage(benchwright: Command) -> None:
    done = benchwright("check", "nowhere.py", "--json")
    assert done.code == 2
    assert "nowhere.py" in done.json["error"]["what"]


def test_a_check_is_static_unless_it_is_told_to_run(benchwright: Command, tmp_path: Path) -> None:
    (tmp_path / "raises.py").write_text(RAISES)
    assert benchwright("check", "raises.py").code == 0
    done = benchwright("check", "raises.py", "--run", "--json")
    assert (done.code, codes(done)) == (1, ["reference-raises"])


def test_a_reference_that_fails_its_own_validators_is_an_error(benchwright: Command, tmp_path: Path) -> None:
    (tmp_path / "random.py").write_text(FAILS_ITSELF)
    done = benchwright("check", "random.py", "--run", "--json")
    assert (done.code, codes(done)) == (1, ["reference-fails"])
    assert done.json["diagnostics"][-1]["line"] == 5


def test_a_problem_that_an_empty_cell_passes_is_an_error(benchwright: Command, tmp_path: Path) -> None:
    (tmp_path / "nothing.py").write_text(ASKS_NOTHING)
    done = benchwright("check", "nothing.py", "--run", "--json")
    assert (done.code, codes(done)) == (1, ["empty-passes"])


def test_a_good_file_passes_when_it_is_run(benchwright: Command, write_set: WriteSet) -> None:
    done = benchwright("check", write_set(), "--run", "--no-cheat")
    assert (done.code, done.stdout) == (0, "1 file with 3 problems checked and executed: no errors\n")


def test_a_published_file_is_checked_by_published_rules(benchwright: Command, tmp_path: Path) -> None:
    problem = '# %%\n"""\n{}: Not a number.\n"""\nfloat("nan")\n'
    (tmp_path / "ours.py").write_text(problem.format("query"))
    (tmp_path / "theirs.py").write_text(problem.format("question"))
    done = benchwright("check", "ours.py", "theirs.py", "--run", "--no-cheat", "--json")
    assert [(Path(each["path"]).name, each["code"]) for each in done.json["diagnostics"]] == [
        ("theirs.py", "reference-fails")
    ]


CAN_BE_GUESSED = '''# %%
"""
query: Is two more than one?{more}
"""
2 > 1
'''


def test_a_problem_that_can_be_guessed_is_warned_of(benchwright: Command, tmp_path: Path) -> None:
    (tmp_path / "guess.py").write_text(CAN_BE_GUESSED.format(more=""))
    done = benchwright("check", "guess.py", "--run", "--json")
    (warning,) = done.json["diagnostics"]
    assert (done.code, warning["code"], done.json["waived"]) == (0, "low-information", [])
    assert (done.json["uncheated"], "cheat:true" in warning["what"]) == (0, True)
    assert benchwright("check", "guess.py", "--run", "--no-cheat", "--json").json["diagnostics"] == []


def test_many_problems_are_not_guessed_at_unless_asked_for_which_is_said(benchwright: Command, tmp_path: Path) -> None:
    (tmp_path / "many.py").write_text(CAN_BE_GUESSED.format(more="") * 13)
    silent = benchwright("check", "many.py", "--run")
    assert (silent.code, "whether 13 problems can be guessed was not tried" in silent.stdout) == (0, True)
    assert "add --cheat" not in benchwright("check", "many.py", "--run", "--no-cheat").stdout
    asked = benchwright("check", "many.py", "--run", "--cheat", "--json").json
    assert ([each["code"] for each in asked["diagnostics"]], asked["uncheated"]) == (["low-information"] * 13, 0)


def test_a_guess_that_somebody_answers_for_is_listed_apart(benchwright: Command, tmp_path: Path) -> None:
    more = "\nwaivers:\n  low-information: {by: Ada, reason: it is a matter of yes or no}"
    (tmp_path / "guess.py").write_text(CAN_BE_GUESSED.format(more=more))
    done = benchwright("check", "guess.py", "--run")
    assert done.code == 0
    assert done.stdout.splitlines()[0] == "1 file with 1 problem checked and executed: no errors"
    assert "waived by Ada: it is a matter of yes or no" in done.stdout.splitlines()[1]


@pytest.mark.parametrize(
    "waivers", ["low-information", "{low-information: true}", "{low-information: {by: Ada}}", "{low-infos: {}}"]
)
def test_a_waiver_is_signed_and_has_a_reason(benchwright: Command, tmp_path: Path, waivers: str) -> None:
    (tmp_path / "guess.py").write_text(CAN_BE_GUESSED.format(more=f"\nwaivers: {waivers}"))
    assert benchwright("check", "guess.py").code == 1


EXAMPLES = '''# %%
rows = [3, 1, 2]

# %%
"""
query: Return the rows in ascending order.
id: sorted
examples:
  accept:
    - rows[::-1][::2] + rows[:1]
    - "import numpy as np; np.sort(rows).tolist()"
    - code: list(reversed(sorted(rows)))
      verdict: PRESENTATION_ERROR
  reject:
    - rows
    - code: sorted(rows)
    - code: 1 / 0
      verdict: CRASH
    - code: rows
      verdict: WRONG
"""
sorted(rows)
'''


def test_answers_that_a_problem_keeps_must_get_their_verdicts(benchwright: Command, tmp_path: Path) -> None:
    path = tmp_path / "kept.py"
    path.write_text(EXAMPLES, encoding="utf-8")
    assert benchwright("check", path).code == 0
    checked = benchwright("check", "--run", "--no-cheat", path)
    assert checked.code == 1
    told = [line.partition("kept.py:")[2] for line in checked.stderr.splitlines() if "kept.py:" in line]
    named = "problem 1 (sorted), examples"
    assert told[0].startswith(f"10: error[example-misjudged] {named}.accept[0]: this answer is judged WRONG_OUTPUT")
    assert told[1].startswith(
        f"16: error[example-misjudged] {named}.reject[1]: this answer is judged CORRECT, but must"
    )
    assert told[2].startswith(f"19: error[unknown-verdict] {named}.reject[3]: no verdict is called 'WRONG'")
    assert len(told) == 3


def test_links_that_no_session_follows_are_errors(benchwright: Command, write_set: WriteSet, tmp_path: Path) -> None:
    write_set()
    below = tmp_path / "_inputs" / "below"
    below.mkdir(parents=True)
    (below / "real.csv").write_text("a\n1\n")
    (tmp_path / "_inputs" / "same.csv").symlink_to(below / "real.csv")  # as good as a file
    assert benchwright("check", "sums.py").code == 0
    assert benchwright("check", "sums.py", "--run").code == 0
    for name, target in (("out.csv", "/etc/hostname"), ("gone.csv", "nowhere.csv"), ("folder", str(tmp_path))):
        link = below / name
        link.symlink_to(target)
        done = benchwright("check", "sums.py", "--json")
        assert (done.code, codes(done)) == (1, ["link-in-inputs"])
        (found,) = done.json["diagnostics"]
        assert str(link.relative_to(tmp_path)) in found["what"]
        assert "copy" in found["fix"]
        assert benchwright("check", "sums.py", "--run", "--json").json["files"][0]["ok"] is False
        link.unlink()


def test_a_run_refuses_such_links_too(benchwright: Command, write_set: WriteSet, tmp_path: Path) -> None:
    write_set()
    (tmp_path / "_inputs").mkdir()
    (tmp_path / "_inputs" / "out.csv").symlink_to("/etc/hostname")
    done = benchwright("run", "sums.py", "--agent", "oracle", "--out", "out")
    assert done.code == 1
    assert "error[link-in-inputs]" in done.stderr


FORBIDDEN = '''# %%
raw = {{"a": [1, 2]}}
{more}

# %%
"""
query: Add one and two without `raw`.
{settings}execution: {{forbid_names: [raw], max_time: 5}}
"""
1 + 2
'''


def test_a_forbidden_value_that_something_else_holds_is_warned_of(benchwright: Command, tmp_path: Path) -> None:
    for more, expected in (("", []), ("import pandas as pd\nother = raw = pd.Series([1, 2])", ["forbidden-in-reach"])):
        (tmp_path / "set.py").write_text(FORBIDDEN.format(more=more, settings=""))
        done = benchwright("check", "set.py", "--run", "--no-cheat", "--json")
        assert done.code == 0
        assert [each["code"] for each in done.json["diagnostics"]] == expected
        assert [each["line"] for each in done.json["diagnostics"]] == [9] * len(expected)


def test_a_forbidden_value_that_a_validator_compares_is_still_compared(benchwright: Command, tmp_path: Path) -> None:
    settings = "validator: {template: comparison, namespace_check: {raw: }}\n"
    (tmp_path / "set.py").write_text(FORBIDDEN.format(more="", settings=settings))
    done = benchwright("check", "set.py", "--run", "--no-cheat", "--json")
    assert (done.code, done.json["diagnostics"]) == (0, [])


def cell(code: str, query: str = "", settings: str = "") -> str:
    told = f'"""\nquery: {query}\n{settings}"""\n' if query else ""
    return f"# %%\n{told}{code}\n\n"


FAILS_IN_MANY_WAYS = "".join(
    [
        cell("x = 3"),
        cell("y = 1 / 0", "Store a value in `y`."),
        cell("x + 1", "Add one to `x`."),
        cell("raise ValueError('in the setup')"),
        cell("import os\nos._exit(3)", "End the process."),
        cell("x * 2", "Double `x`."),
        cell("import time\ntime.sleep(0.6)\nz = x\nz", "Wait.", "execution: {max_time: 0.3}\n"),
        cell("z + 1", "Add one to `z`."),
        cell("x", "Store `x` in `w`.", "validator: {template: intact, namespace_check: {w: }}\n"),
        cell("[x, x]", "Return `x` twice in a list."),
    ]
)


def test_a_run_goes_on_after_whatever_fails_and_tells_all_with_its_line(benchwright: Command, tmp_path: Path) -> None:
    (tmp_path / "set.py").write_text(FAILS_IN_MANY_WAYS)
    lines = FAILS_IN_MANY_WAYS.splitlines()
    done = benchwright("check", "set.py", "--run", "--no-cheat", "--json")
    assert done.code == 1
    errors = [each for each in done.json["diagnostics"] if each["severity"] == "error"]
    assert [(each["code"], lines[each["line"] - 1]) for each in errors] == [
        ("reference-raises", "y = 1 / 0"),
        ("setup-raises", "# %%"),
        ("reference-dies", "import os"),
        ("reference-over-time", "import time"),
        ("validator-does-not-fit", "validator: {template: intact, namespace_check: {w: }}"),
    ]
    assert "problem 1 (p1: 'Store a value in `y`.') raises ZeroDivisionError" in errors[0]["what"]


def test_more_endings_than_a_run_puts_up_with_leave_the_rest_untold_by_name(
    benchwright: Command, tmp_path: Path
) -> None:
    (tmp_path / "set.py").write_text(cell("import os\nos._exit(3)", "End the process.") * 8)
    done = benchwright("check", "set.py", "--run", "--no-cheat", "--json")
    assert (done.code, codes(done)) == (1, ["reference-dies"] * 6 + ["not-executed"] * 2)
