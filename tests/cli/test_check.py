"""`benchwright check`: what is wrong is told with its place, statically and by executing; guesses, examples, links."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from evaluator.agents import CheatAgent
from evaluator.running.checking import failing_set, self_check, set_check

pytestmark = pytest.mark.kernel

Command = Callable[..., Any]
WriteSet = Callable[..., Path]

UNKNOWN_VALIDATOR = '# %%\n"""\nquery: Two.\nvalidator:\n  reslt:\n"""\n2\n'
UNKNOWN_OPTION = '# %%\n"""\nquery: Define f.\nvalidator:\n  judge: {scales: ten}\n"""\ndef f(x):\n    return x\n'
FAILS_ITSELF = '# %%\n"""\nquery: A random number.\n"""\nimport os\nos.urandom(8)\n'
ASKS_NOTHING = '# %%\n"""\nquery: Do nothing.\nvalidator:\n  template: basic\n"""\npass\n'
RAISES = '# %%\n"""\nquery: Fail.\n"""\n1 / 0\n'


@pytest.fixture(autouse=True)
def two_tricks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Cheat in two ways only: all of them are tried on problems in tests/running."""
    monkeypatch.setattr(set_check, "cheat_agents", lambda: (CheatAgent("true"), CheatAgent("zero")))


def codes(done: Any) -> list[str]:
    return [each["code"] for each in done.json["diagnostics"] if each["severity"] == "error"]


def by_file(done: Any) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for each in done.json["diagnostics"]:
        if each["severity"] == "error":
            found.setdefault(Path(each["path"]).stem, []).append(each["code"])
    return found


def test_a_good_file_passes(benchwright: Command, write_set: WriteSet) -> None:
    done = benchwright("check", write_set(), "./sums.py", "--json")
    assert (done.code, done.json["ok"]) == (0, True)
    files = [(Path(each["path"]).name, each["problems"], each["ok"]) for each in done.json["files"]]
    assert files == [("sums.py", 3, True)]  # named twice, checked once
    assert benchwright("check", "sums.py").stdout == "1 file with 3 problems checked: no errors\n"
    executed = benchwright("check", "sums.py", "--run", "--no-cheat")
    assert (executed.code, executed.stdout) == (0, "1 file with 3 problems checked and executed: no errors\n")
    missing = benchwright("check", "nowhere.py", "--json")
    assert (missing.code, "nowhere.py" in missing.json["error"]["what"]) == (2, True)


def test_every_error_of_every_file_is_shown_at_once(benchwright: Command, write_set: WriteSet, tmp_path: Path) -> None:
    write_set()
    (tmp_path / "one.py").write_text(UNKNOWN_VALIDATOR)
    (tmp_path / "two.py").write_text(UNKNOWN_OPTION)
    done = benchwright("check", "one.py", "sums.py", "two.py", "--json")
    assert (done.code, done.json["ok"]) == (1, False)
    assert by_file(done) == {"one": ["unknown-validator"], "two": ["unknown-option"]}
    assert [each["ok"] for each in done.json["files"]] == [False, True, False]
    assert "one.py:" in done.stderr
    assert "fix: " in done.stderr


def test_what_only_an_execution_shows_is_told_when_it_is_told_to_run(
    benchwright: Command, write_set: WriteSet, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("authoring.cli.evaluating.run.LOG_EVERY_S", 0.0)
    write_set()
    for name, text in (("raises", RAISES), ("random", FAILS_ITSELF), ("nothing", ASKS_NOTHING)):
        (tmp_path / f"{name}.py").write_text(text)
    files = ("sums.py", "raises.py", "random.py", "nothing.py")
    static = benchwright("check", *files)
    assert (static.code, " after " in static.stderr) == (0, False)
    done = benchwright("check", *files, "--run", "--json")
    assert (done.code, done.json["ok"]) == (1, False)
    assert by_file(done) == {"raises": ["reference-raises"], "random": ["reference-fails"], "nothing": ["empty-passes"]}
    (line,) = [each["line"] for each in done.json["diagnostics"] if each["code"] == "reference-fails"]
    assert line == 5
    shown = [line.split()[0] for line in done.stderr.splitlines() if " after " in line]  # how far it is
    assert shown[:3] == ["0/6", "1/6", "2/6"]


CAN_BE_GUESSED = '''# %%
"""
query: Is two more than one?{more}
"""
2 > 1
'''


def test_a_problem_that_can_be_guessed_is_warned_of_or_waived(benchwright: Command, tmp_path: Path) -> None:
    (tmp_path / "guess.py").write_text(CAN_BE_GUESSED.format(more=""))
    done = benchwright("check", "guess.py", "--run", "--json")
    (warning,) = done.json["diagnostics"]
    assert (done.code, warning["code"], done.json["waived"]) == (0, "low-information", [])
    assert (done.json["uncheated"], "cheat:true" in warning["what"]) == (0, True)
    assert benchwright("check", "guess.py", "--run", "--no-cheat", "--json").json["diagnostics"] == []
    more = "\nwaivers:\n  low-information: {by: Ada, reason: it is a matter of yes or no}"
    (tmp_path / "guess.py").write_text(CAN_BE_GUESSED.format(more=more))
    done = benchwright("check", "guess.py", "--run")
    first, second = done.stdout.splitlines()[:2]
    assert (done.code, first) == (0, "1 file with 1 problem checked and executed: no errors")
    assert "waived by Ada: it is a matter of yes or no" in second


def test_a_published_file_is_checked_by_published_rules(benchwright: Command, tmp_path: Path) -> None:
    problem = '# %%\n"""\n{}: Not a number.\n"""\nfloat("nan")\n'
    for name, key in (("ours", "query"), ("theirs", "question")):
        (tmp_path / f"{name}.py").write_text(problem.format(key))
    done = benchwright("check", "ours.py", "theirs.py", "--run", "--no-cheat", "--json")
    told = [(Path(each["path"]).name, each["code"]) for each in done.json["diagnostics"]]
    assert told == [("theirs.py", "reference-fails")]


def test_many_problems_are_not_guessed_at_unless_asked_for_which_is_said(
    benchwright: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert self_check.SMALL == 12
    monkeypatch.setattr(self_check, "SMALL", 1)
    (tmp_path / "many.py").write_text(CAN_BE_GUESSED.format(more="") * 2)
    silent = benchwright("check", "many.py", "--run")
    assert (silent.code, "whether 2 problems can be guessed was not tried" in silent.stdout) == (0, True)
    assert "add --cheat" not in benchwright("check", "many.py", "--run", "--no-cheat").stdout
    asked = benchwright("check", "many.py", "--run", "--cheat", "--json").json
    assert ([each["code"] for each in asked["diagnostics"]], asked["uncheated"]) == (["low-information"] * 2, 0)


def test_a_waiver_is_signed_and_has_a_reason(benchwright: Command, tmp_path: Path) -> None:
    waivers = ("low-information", "{low-information: true}", "{low-information: {by: Ada}}", "{low-infos: {}}")
    for number, waiver in enumerate(waivers):
        (tmp_path / f"guess{number}.py").write_text(CAN_BE_GUESSED.format(more=f"\nwaivers: {waiver}"))
    done = benchwright("check", *(f"guess{number}.py" for number in range(4)), "--json")
    assert (done.code, [each["ok"] for each in done.json["files"]]) == (1, [False] * 4)


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
    assert benchwright("check", "sums.py", "--run", "--no-cheat").code == 0
    for name, target in (("out.csv", "/etc/hostname"), ("gone.csv", "nowhere.csv"), ("folder", str(tmp_path))):
        link = below / name
        link.symlink_to(target)
        done = benchwright("check", "sums.py", "--json")
        assert (done.code, codes(done)) == (1, ["link-in-inputs"])
        (found,) = done.json["diagnostics"]
        assert str(link.relative_to(tmp_path)) in found["what"]
        assert "copy" in found["fix"]
        assert benchwright("check", "sums.py", "--run", "--json").json["files"][0]["ok"] is False
        run = benchwright("run", "sums.py", "--agent", "oracle", "--out", "out")
        assert (run.code, "error[link-in-inputs]" in run.stderr) == (1, True)
        link.unlink()


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
    settings = "validator: {template: comparison, namespace_check: {raw: }}\n"
    (tmp_path / "compared.py").write_text(FORBIDDEN.format(more="", settings=settings))
    held = "import pandas as pd\nother = raw = pd.Series([1, 2])"
    (tmp_path / "held.py").write_text(FORBIDDEN.format(more=held, settings=""))
    done = benchwright("check", "compared.py", "held.py", "--run", "--no-cheat", "--json")
    assert done.code == 0
    told = [(Path(each["path"]).stem, each["code"], each["line"]) for each in done.json["diagnostics"]]
    assert told == [("held", "forbidden-in-reach", 9)]


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


def test_after_too_many_endings_the_rest_is_named_as_not_executed(
    benchwright: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert failing_set.MAX_RESTARTS == 5
    monkeypatch.setattr(failing_set, "MAX_RESTARTS", 1)
    (tmp_path / "set.py").write_text(cell("import os\nos._exit(3)", "End the process.") * 4)
    done = benchwright("check", "set.py", "--run", "--no-cheat", "--json")
    assert (done.code, codes(done)) == (1, ["reference-dies"] * 2 + ["not-executed"] * 2)
