import json
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
import typer

from authoring.cli.main import COMMANDS, run_command_line
from authoring.cli.output import INTERRUPTED, emit, run_guarded
from evaluator.errors import ContentError, ToolkitError, UsageError

COMMAND = Path(sys.executable).with_name("benchwright")


def raising(error: BaseException) -> Callable[[], int]:
    def action() -> int:
        raise error

    return action


ERRORS = [
    (ContentError("bad file", where="a.py:3", fix="repair it"), 1),
    (UsageError("no such thing", where="benchwright run", fix="use another"), 2),
    (ToolkitError("no sandbox", where="", fix="install one"), 3),
]


@pytest.mark.parametrize(("error", "code"), ERRORS)
def test_an_error_is_one_json_object_on_stdout(
    error: ToolkitError, code: int, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_guarded(raising(error), ["run", "--json"]) == code
    out, err = capsys.readouterr()
    assert json.loads(out) == {
        "error": {"what": error.what, "where": error.where or "benchwright run", "fix": error.fix}
    }
    assert err == ""


@pytest.mark.parametrize(("error", "code"), ERRORS)
def test_an_error_without_json_is_text_on_stderr(
    error: ToolkitError, code: int, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_guarded(raising(error), ["run"]) == code
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith(f"error: {error.what}\n")
    assert f"  fix: {error.fix}" in err


@pytest.mark.parametrize(
    ("option", "typed", "told"),
    [("--workers", "two", "'two' is no whole number"), ("--agent-timeout", "long", "'long' is no number")],
)
def test_what_is_no_number_is_quoted(option: str, typed: str, told: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_command_line(["run", "bench", "--agent", "oracle", "--out", "out", option, typed]) == 2
    assert capsys.readouterr().err.startswith(f"error: Invalid value for '{option}': {told}\n")


def test_an_unexpected_exception_leaves_its_traceback_in_a_named_log_only(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_guarded(raising(ZeroDivisionError("division by zero")), ["run", "--json"]) == 3
    error = json.loads(capsys.readouterr().out)["error"]
    assert "ZeroDivisionError" in error["what"]
    log = Path(error["where"])
    assert "Traceback" in log.read_text()
    log.unlink()


def test_ctrl_c_ends_with_130_and_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert (
        run_guarded(raising(KeyboardInterrupt("interrupted: 3 of 9 problems are judged and kept")), []) == INTERRUPTED
    )
    assert capsys.readouterr().err.startswith("error: interrupted: 3 of 9 problems are judged and kept\n")


def test_a_full_disk_is_said_in_plain_words(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_guarded(raising(OSError(28, "No space left on device", "/data/x")), ["run", "--json"]) == 3
    error = json.loads(capsys.readouterr().out)["error"]
    assert error == {
        "what": "the disk is full",
        "where": "/data/x",
        "fix": "free some space, then try again",
    }


def test_json_holds_no_nan_and_no_infinity(capsys: pytest.CaptureFixture[str]) -> None:
    emit({"rates": [float("nan"), float("inf"), 0.5], "out": Path("a/b")}, as_json=True, text="")
    assert json.loads(capsys.readouterr().out) == {"rates": [None, None, 0.5], "out": "a/b"}


def test_text_of_problem_code_cannot_draw_on_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_guarded(raising(ContentError("bad \x1b[2J name\ttab")), []) == 1
    emit({}, as_json=False, text="列 \x1b]0;title\x07")
    out, err = capsys.readouterr()
    assert err == "error: bad \N{REPLACEMENT CHARACTER}[2J name\ttab\n"
    assert "\x1b" not in out
    assert out.startswith("列 ")


USAGE = [
    (["chek"], "No such command 'chek'"),
    (["check"], "Missing argument 'PATH...'"),
    (["check", "--nonsense", "a.py"], "No such option"),
    (["run"], "Missing"),
    (["run", "a.py", "--agent", "oracle", "--out", "out", "--workers", "two"], "workers"),
    (["run", "a.py", "--agent", "oracle", "--out", "out", "--sandbox", "jail"], "sandbox"),
    ([], "no command"),
]


@pytest.mark.parametrize(("arguments", "said"), USAGE)
def test_wrong_usage_under_json_is_one_object_with_exit_code_2(
    arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_command_line([*arguments, "--json"]) == 2
    out, err = capsys.readouterr()
    error = json.loads(out)["error"]
    assert set(error) == {"what", "where", "fix"}
    assert said in error["what"]
    assert err == ""


def test_a_file_that_cannot_be_read_is_a_matter_of_permission(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_guarded(raising(typer.BadParameter("path 'a.csv' is not readable.")), ["seed", "--json"]) == 2
    error = json.loads(capsys.readouterr().out)["error"]
    assert "a.csv" in error["what"]
    assert error["fix"] == "give yourself permission to read it"


@pytest.mark.parametrize(("arguments", "said"), [entry for entry in USAGE if entry[0]])
def test_wrong_usage_is_said_on_stderr_with_exit_code_2(
    arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_command_line(arguments) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert said in err
    assert "--help" in err


def test_a_run_without_an_agent_is_told_which_option_to_add(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_command_line(["run", "core"]) == 2
    assert "add --agent, such as --agent oracle" in capsys.readouterr().err


def test_the_overview_lists_every_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_command_line(["--help"]) == 0
    shown = capsys.readouterr().out
    assert all(f"  {name} " in shown for name in COMMANDS)


def test_no_argument_shows_the_overview(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_command_line([]) == 0
    assert "Usage: benchwright" in capsys.readouterr().out


def test_help_and_version_are_json_too(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_command_line(["--help", "--json"]) == 0
    assert "Usage" in json.loads(capsys.readouterr().out)["help"]
    assert run_command_line(["--version", "--json"]) == 0
    assert "version" in json.loads(capsys.readouterr().out)


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_registers_under_its_name_and_takes_json(name: str) -> None:
    app = typer.Typer()
    app.callback()(lambda: None)
    COMMANDS[name].load().register(app)
    group = typer.main.get_command(app)
    command = group.commands[name]  # type: ignore[attr-defined]  # a callback makes it a group
    leaves = list(getattr(command, "commands", {}).values()) or [command]
    assert all(any("--json" in option.opts for option in leaf.params) for leaf in leaves)


def test_the_overview_comes_fast_and_imports_no_command() -> None:
    code = (
        "import sys\n"
        "from authoring.cli.main import run_command_line\n"
        "assert run_command_line(['--help']) == 0\n"
        "heavy = {'pandas', 'numpy', 'streamlit', 'IPython', 'evaluator.running'} & set(sys.modules)\n"
        "assert not heavy, heavy\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, capture_output=True)
    took_s = min(_seconds_of([str(COMMAND), "--help"]) for _ in range(3))
    bare_s = min(_seconds_of([sys.executable, "-c", "import asyncio"]) for _ in range(3))  # 0.07 s on idle cores
    assert took_s < max(0.5, 7 * bare_s)


def test_a_run_imports_nothing_that_it_does_not_use() -> None:
    code = (
        "import sys\n"
        "import authoring.cli.evaluating.run\n"
        "unused = {'pandas', 'numpy', 'sqlite_utils', 'authoring.seeds', 'evaluator.running.checking.self_check',\n"
        "    'evaluator.reporting.html_report', 'evaluator.families.cibench.live'} & set(sys.modules)\n"
        "assert not unused, unused\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def _seconds_of(command: list[str]) -> float:
    begin = time.monotonic()
    subprocess.run(command, check=True, capture_output=True)
    return time.monotonic() - begin


def test_a_reader_that_went_away_is_no_error() -> None:
    shell = f"{COMMAND} --help; echo code=$? >&2"
    done = subprocess.run(
        ["bash", "-c", f"set -o pipefail; ({shell}) | true"], capture_output=True, text=True, check=True
    )
    assert done.stderr in {"code=0\n", ""}


def test_a_result_that_cannot_be_written_is_the_machines_fault() -> None:
    with Path("/dev/full").open("w") as full:
        done = subprocess.run([COMMAND, "--version"], stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 3
    assert "cannot write the result: the disk is full" in done.stderr
    assert "Traceback" not in done.stderr
