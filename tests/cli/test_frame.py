"""What every command has in common: errors and exit codes, `--json`, help, and how fast the overview comes."""

import io
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
from evaluator.reporting.progress_bar import drawn_progress

COMMAND = Path(sys.executable).with_name("benchwright")
Captured = pytest.CaptureFixture[str]


def raising(error: BaseException) -> Callable[[], int]:
    def action() -> int:
        raise error

    return action


ERRORS = [
    (ContentError("bad file", where="a.py:3", fix="repair it"), 1),
    (UsageError("no such thing", where="benchwright run", fix="use another"), 2),
    (ToolkitError("no sandbox", where="", fix="install one"), 3),
]


def test_an_error_is_one_json_object_or_text_on_stderr(capsys: Captured) -> None:
    for error, code in ERRORS:
        assert run_guarded(raising(error), ["run", "--json"]) == code
        out, err = capsys.readouterr()
        where = error.where or "benchwright run"
        assert (json.loads(out), err) == ({"error": {"what": error.what, "where": where, "fix": error.fix}}, "")
        assert run_guarded(raising(error), ["run"]) == code
        out, err = capsys.readouterr()
        assert (out, err.startswith(f"error: {error.what}\n"), f"  fix: {error.fix}" in err) == ("", True, True)


def test_an_unexpected_exception_leaves_its_traceback_in_a_named_log(capsys: Captured) -> None:
    assert run_guarded(raising(ZeroDivisionError("division by zero")), ["run", "--json"]) == 3
    error = json.loads(capsys.readouterr().out)["error"]
    assert "ZeroDivisionError" in error["what"]
    log = Path(error["where"])
    assert "Traceback" in log.read_text()
    log.unlink()


def test_ctrl_c_a_full_disk_and_permissions_are_said_in_plain_words(capsys: Captured) -> None:
    stopped = KeyboardInterrupt("interrupted: 3 of 9 problems are judged and kept")
    assert run_guarded(raising(stopped), []) == INTERRUPTED == 130
    assert capsys.readouterr().err.startswith("error: interrupted: 3 of 9 problems are judged and kept\n")
    assert run_guarded(raising(OSError(28, "No space left on device", "/data/x")), ["run", "--json"]) == 3
    error = json.loads(capsys.readouterr().out)["error"]
    assert error == {"what": "the disk is full", "where": "/data/x", "fix": "free some space, then try again"}
    assert run_guarded(raising(typer.BadParameter("path 'a.csv' is not readable.")), ["seed", "--json"]) == 2
    error = json.loads(capsys.readouterr().out)["error"]
    assert ("a.csv" in error["what"], error["fix"]) == (True, "give yourself permission to read it")


def test_json_holds_no_nan_and_no_infinity(capsys: Captured) -> None:
    emit({"rates": [float("nan"), float("inf"), 0.5], "out": Path("a/b")}, as_json=True, text="")
    assert json.loads(capsys.readouterr().out) == {"rates": [None, None, 0.5], "out": "a/b"}


def test_text_of_problem_code_cannot_draw_on_the_terminal(capsys: Captured) -> None:
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
    (["run", "core"], "--agent"),
    (["run", "a.py", "--agent", "oracle", "--out", "out", "--workers", "two"], "'--workers': 'two' is no whole number"),
    (["run", "a.py", "--agent", "oracle", "--out", "out", "--agent-timeout", "long"], "'long' is no number"),
    (["run", "a.py", "--agent", "oracle", "--out", "out", "--sandbox", "jail"], "sandbox"),
]


def test_wrong_usage_is_said_on_stderr_or_in_json_with_exit_code_2(capsys: Captured) -> None:
    for arguments, said in USAGE:
        assert run_command_line(arguments) == 2
        out, err = capsys.readouterr()
        assert (out, said in err, "--help" in err) == ("", True, True), err
    for arguments, said in [*USAGE, ([], "no command")]:
        assert run_command_line([*arguments, "--json"]) == 2
        out, err = capsys.readouterr()
        error = json.loads(out)["error"]
        assert (set(error), said in error["what"], err) == ({"what", "where", "fix"}, True, ""), error
    assert run_command_line(["run", "core"]) == 2
    assert "add --agent, such as --agent oracle" in capsys.readouterr().err


def test_help_and_version_are_shown_and_are_json_too(capsys: Captured) -> None:
    assert run_command_line(["--help"]) == 0
    shown = capsys.readouterr().out
    assert all(f"  {name} " in shown for name in COMMANDS)
    assert run_command_line([]) == 0
    assert "Usage: benchwright" in capsys.readouterr().out
    assert run_command_line(["--help", "--json"]) == 0
    assert "Usage" in json.loads(capsys.readouterr().out)["help"]
    assert run_command_line(["--version", "--json"]) == 0
    assert "version" in json.loads(capsys.readouterr().out)


def test_every_command_registers_under_its_name_and_takes_json() -> None:
    for name, command in COMMANDS.items():
        app = typer.Typer()
        app.callback()(lambda: None)
        command.load().register(app)
        made = typer.main.get_command(app).commands[name]  # pyrefly: ignore[missing-attribute]  # a callback makes it a group
        leaves = list(getattr(made, "commands", {}).values()) or [made]
        assert all(any("--json" in option.opts for option in leaf.params) for leaf in leaves), name
    assert len(COMMANDS) >= 30


def _seconds_of(command: list[str]) -> float:
    begin = time.monotonic()
    subprocess.run(command, check=True, capture_output=True)
    return time.monotonic() - begin


def test_the_overview_comes_fast_and_commands_import_only_what_they_use() -> None:
    used_by_some = (
        "evaluator.reporting.html_report evaluator.running.checking.self_check evaluator.families.cibench.live"
    )
    unused = {
        "import authoring.cli.main": "pandas numpy streamlit IPython evaluator.running",
        "import authoring.cli.evaluating.run": f"pandas numpy sqlite_utils authoring.seeds {used_by_some}",
    }
    for imports, names in unused.items():
        code = f"import sys\n{imports}\nfound = {{*{names.split()}}} & {{*sys.modules}}\nassert not found, found"
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
    took_s = min(_seconds_of([str(COMMAND), "--help"]) for _ in range(2))
    bare_s = min(_seconds_of([sys.executable, "-c", "import asyncio"]) for _ in range(2))  # 0.07 s on idle cores
    assert took_s < max(0.5, 7 * bare_s)


def test_a_closed_pipe_is_no_error_and_a_full_disk_the_machines_fault() -> None:
    shell = f"set -o pipefail; ({COMMAND} --help; echo code=$? >&2) | true"
    done = subprocess.run(["bash", "-c", shell], capture_output=True, text=True, check=True)
    assert done.stderr in {"code=0\n", ""}
    with Path("/dev/full").open("w") as full:
        done = subprocess.run([COMMAND, "--version"], stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 3
    assert "cannot write the result: the disk is full" in done.stderr
    assert "Traceback" not in done.stderr


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_terminal_sees_a_bar_a_log_lines_and_else_nothing_is_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(sys, "stderr", screen := Terminal())
    with drawn_progress() as draw:
        draw(3, 7, "trips [bold]CORRECT")
    assert "3/7" in screen.getvalue()
    assert "trips [bold]CORRECT" in screen.getvalue(), "text of problems is no markup"
    monkeypatch.setattr(sys, "stderr", log := io.StringIO())
    for every_s in (None, 60):
        with drawn_progress(log_every_s=every_s) as draw:
            draw(3, 7, "trips")
    assert log.getvalue() == ""
    with drawn_progress(log_every_s=0) as draw:
        draw(3, 7, "trips \x1b[31mjudged")
    assert log.getvalue() == "3/7 after 0 s trips [31mjudged\n"
