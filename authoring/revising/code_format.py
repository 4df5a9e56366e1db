"""Formats code as ruff does, without running it and without any configuration but ruff's own."""

import io
import subprocess
import tokenize
from typing import Final

from evaluator.errors import ContentError, ToolkitError
from evaluator.language import parse_code

TIME_LIMIT_S: Final = 5.0
_SAID_CHARS: Final = 300
_NOT_CODE: Final = frozenset(
    (tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER)
)


def formatted(code: str, *, where: str = "the code") -> str:
    """Return code in ruff's format; without a line break at its end if it had none.

    Args:
        code: The code of one cell.
        where: What it is the code of, for messages.

    Raises:
        ContentError: If it does not parse, or holds lines of IPython.
        ToolkitError: If ruff does not answer within 5 s, or cannot be started.
    """
    parsed = parse_code(code)
    if parsed.fault is not None:
        what = f"the code does not parse: {parsed.fault.words}"
        raise ContentError(what, where=f"{where}, line {parsed.fault.line}", fix="correct the code, then format it")
    if parsed.has_magics:
        what = "code with lines of IPython (`%magic`, `!shell`) cannot be formatted"
        raise ContentError(what, where=where, fix="take these lines out, or format the code by hand")
    made = _answer_of_ruff(code, where)
    if ";" in code and _end_of_code(code)[1] == ";":  # ruff takes away what keeps the value unshown
        end, last = _end_of_code(made)
        made = made if last == ";" else f"{made[:end]};{made[end:]}"
    return made if code.endswith("\n") else made.removesuffix("\n")


def _end_of_code(code: str) -> tuple[int, str]:
    """Return where the last token that is no comment ends, and the token."""
    end, last = (1, 0), ""
    for token in tokenize.generate_tokens(io.StringIO(code, newline="").readline):
        if token.type not in _NOT_CODE:
            end, last = token.end, token.string
    before = io.StringIO(code, newline="").readlines()[: end[0] - 1]  # str.splitlines knows more ends of lines
    return sum(map(len, before)) + end[1], last


def _answer_of_ruff(code: str, where: str) -> str:
    from ruff import find_ruff_bin

    try:  # the code goes to stdin: no argument, no file and no setting of a folder depends on it
        done = subprocess.run(
            [find_ruff_bin(), "format", "--isolated", "--no-cache", "--stdin-filename", "cell.py", "-"],
            input=code.encode("utf-8", "surrogatepass"),
            capture_output=True,
            timeout=TIME_LIMIT_S,
            check=False,
        )
    except subprocess.TimeoutExpired:
        what = f"formatting took longer than {TIME_LIMIT_S:g} s and was stopped"
        raise ToolkitError(what, where=where, fix="try again when the machine has less to do") from None
    except OSError as error:
        what = f"ruff, which formats code, cannot be started: {error.strerror}"
        raise ToolkitError(what, where=where, fix="install Benchwright anew: ruff belongs to it") from error
    if done.returncode != 0:
        said = " ".join(done.stderr.decode("utf-8", "replace").split())[:_SAID_CHARS]
        raise ContentError(f"the code cannot be formatted: {said}", where=where, fix="correct the code, then format it")
    return done.stdout.decode("utf-8", "surrogatepass")
