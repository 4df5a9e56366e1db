"""Code cells of strangers as Python: without what only a notebook understands, and with what they say in comments."""

import ast
import re
from dataclasses import dataclass
from typing import Final

from authoring.conversion.exercise_books.questions import STARTING_WORDS, number_kind, tells, without_number
from authoring.conversion.source_comments import SourceComment, comments_in, told_by
from evaluator.language import parse_code

_TIMED: Final = re.compile(r"^([ \t]*)%(?:time|prun|memit)\b[ \t]*(?:-\S+[ \t]+)*(?=\S)", re.MULTILINE)
_MAGIC: Final = re.compile(
    r"^[ \t]*(?:[%!?][^\n]*|[\w.]{1,200}[ \t]*\?{1,2}[ \t]*)$|^[ \t]*[\w., \t]{1,200}=[ \t]*[!%][^=\n][^\n]*$",
    re.MULTILINE,
)
_CELL_MAGIC: Final = re.compile(r"\A\s*%%(\w+)[^\n]*\n?")
_PYTHON_MAGICS: Final = frozenset({"time", "timeit", "capture", "prun", "memit", "python", "python3", "heat"})
_WIDGETS: Final = re.compile(r"\bipywidgets\b|\binteract(?:ive|_manual)?\(|\bwidgets\.\w+\(")
_GRADERS: Final = re.compile(
    r"^[ \t]*(?:\w+[ \t]*=[ \t]*otter\.\w+\(.*\)|(?:grader|ok|otter|binder|q_?\d\w*|step_?\d\w*)\.\w+\([^\n]*\)"
    r"|(?:drive\.mount|files\.(?:upload|download))\([^\n]*\))[ \t]*;?[ \t]*$",
    re.MULTILINE,
)
_SHEET_MARKS: Final = re.compile(
    r"^[ \t]*#+[ \t]*(?:BEGIN|END) (?:SOLUTION|HIDDEN TESTS|TESTS)\b[^\n]*\n?", re.MULTILINE
)
_SOLUTION_MARK: Final = re.compile(
    r"^(?:solutions?|answers?|option|method|way|version|or|alternative(?:ly)?)\b[\s\d:.)-]*", re.IGNORECASE
)
_NOT_CODE: Final = re.compile(r"^[ \t]*(?:_{3,}|\.{3})[ \t]*$", re.MULTILINE)
_PRINT_STATEMENT: Final = re.compile(r"^([ \t]*)print(?:[ \t](?![ \t]*=)([^\n]*)|)$", re.MULTILINE)
_BEGINS_WITH_DATA: Final = re.compile(rf"^(?:{STARTING_WORDS}|here)\b", re.IGNORECASE)
MIN_COMMENT_WORDS: Final = 3


@dataclass(frozen=True)
class CleanCode:
    """A code cell as Python."""

    code: str
    magics: tuple[str, ...] = ()  # lines that were left out
    language: str = ""  # of a cell that is no Python and was left out as a whole
    was_python_2: bool = False  # its print statements were rewritten
    has_widget: bool = False


def clean_code(source: str) -> CleanCode:
    """Return a cell without magics; what `%time` runs stays, a cell of another language does not."""
    magics = []
    found = _CELL_MAGIC.match(source)
    if found is not None:
        if found[1] not in _PYTHON_MAGICS:
            return CleanCode("", (found[0].strip(),), language=found[1])
        magics.append(found[0].strip())
        source = source[found.end() :]
    source = _SHEET_MARKS.sub("", _TIMED.sub(r"\1", source))
    if parse_code(source).has_magics or parse_code(source).tree is None:
        magics += [line.strip() for line in _MAGIC.findall(source) if line.strip()]
        source = _MAGIC.sub("", source)
    graders = [line.strip() for line in _GRADERS.findall(source)]
    source, magics = _GRADERS.sub("", source), [*magics, *graders]
    source, was_old = _of_today(source)
    code = source.strip("\n").rstrip()
    return CleanCode(code, tuple(magics), has_widget=bool(_WIDGETS.search(source)), was_python_2=was_old)


def _of_today(source: str) -> tuple[str, bool]:
    """Return code without the indentation that a notebook forgives; print statements become calls, which is told."""
    if parse_code(source).tree is not None:
        return source, False
    first = re.match(r"(?:[ \t]*(?:#[^\n]*)?\n)*([ \t]+)(?=\S)", source)
    plain = re.sub(rf"^{first[1]}", "", source, flags=re.MULTILINE) if first is not None else source
    if parse_code(plain).tree is not None:
        return plain, False
    called = _PRINT_STATEMENT.sub(r"\1print(\2)", plain)
    return (called, True) if called != plain and parse_code(called).tree is not None else (source, False)


def is_stub(code: str) -> bool:
    """Return whether code only holds a place for an answer: comments, `pass`, `...`, `x = None`, `____`."""
    tree = parse_code(_NOT_CODE.sub("", code)).tree
    return tree is not None and all(map(_is_placeholder, tree.body))


def _is_placeholder(node: ast.stmt) -> bool:
    if isinstance(node, ast.Pass):
        return True
    if isinstance(node, ast.Raise):
        return node.exc is not None and "NotImplemented" in ast.unparse(node.exc)
    if isinstance(node, ast.Expr | ast.Assign | ast.AnnAssign):
        value = node.value
        is_open = isinstance(value, ast.Constant) and (value.value is None or value.value is Ellipsis)
        is_words = isinstance(node, ast.Expr) and isinstance(value, ast.Constant) and isinstance(value.value, str)
        return is_open or is_words or (isinstance(value, ast.Name) and not value.id.strip("_"))
    return False


def only_begins(code: str) -> bool:
    """Return whether code ends with a place for an answer, such as `# your code here`, and only gives values before."""
    tree = parse_code(code).tree
    comments = [comment for comment in comments_in(code) if comment.is_whole_line]
    if tree is None or not tree.body or not comments or comments[-1].line <= (tree.body[-1].end_lineno or 0):
        return False
    is_place = not told_by(comments[-1:]).strip() and any(sign.isalpha() for sign in comments[-1].text)
    return is_place and all(isinstance(node, ast.Assign | ast.Import | ast.ImportFrom) for node in tree.body)


def text_in_stub(code: str) -> list[str]:
    """Return texts that stand as values in code without an answer, such as a description of the data."""
    tree = parse_code(_NOT_CODE.sub("", code)).tree
    values = [node.value for node in tree.body if isinstance(node, ast.Expr)] if tree is not None else []
    texts = [
        str(each.value).strip() for each in values if isinstance(each, ast.Constant) and isinstance(each.value, str)
    ]
    return [text for text in texts if len(text.split()) > MIN_COMMENT_WORDS]


def is_only_checks(code: str) -> bool:
    """Return whether code only asserts, as the hidden tests of a graded notebook do."""
    tree = parse_code(code).tree
    return tree is not None and bool(tree.body) and all(isinstance(node, ast.Assert) for node in tree.body)


def only_imports(code: str) -> bool:
    """Return whether code only imports and sets options."""
    tree = parse_code(code).tree
    return tree is not None and bool(tree.body) and all(map(_prepares, tree.body))


def _prepares(node: ast.stmt) -> bool:
    if isinstance(node, ast.Import | ast.ImportFrom):
        return True
    call = node.value if isinstance(node, ast.Expr) else None
    name = ast.unparse(call.func) if isinstance(call, ast.Call) else ""
    return name.endswith(
        (".set_option", ".filterwarnings", ".simplefilter", ".set_style", ".use", "sns.set", ".set_theme", ".seed")
    )


def question_in_comment(code: str) -> tuple[str, str]:
    """Return the question that stands in comments at the top of code, and the code below; empty: there is none."""
    leading: list[SourceComment] = []
    for comment in comments_in(code):
        line = len(leading) + 1
        if comment.line != line or not comment.is_whole_line:
            break
        leading.append(comment)
    told = _SOLUTION_MARK.sub("", told_by(leading)).strip()
    if len(told.split()) < MIN_COMMENT_WORDS or not (tells(told) or number_kind(told) == "question"):
        return "", code
    rest = "\n".join(code.split("\n")[len(leading) :]).strip("\n")
    told = _with_parts_below(told, rest)
    starts = told.rstrip().endswith(":") or bool(_BEGINS_WITH_DATA.match(without_number(told).strip()))
    return _with_order_below(told, rest) if starts and "?" not in told else (told, rest)


def _with_parts_below(told: str, code: str) -> str:
    """Return a question with its other parts, which stand in comments between their answers: 5.1 above, 5.2 below."""
    number = re.search(r"^\W{0,3}(\d{1,3})\.1\b", told, re.MULTILINE)
    if number is None:
        return told
    lines: list[str] = []
    last = 0
    for comment in comments_in(code):
        text = told_by([comment]).strip()
        begins = bool(re.match(rf"\W{{0,3}}{number[1]}\.\d{{1,2}}\b", text))
        if comment.is_whole_line and comment.column == 0 and (begins or (lines and comment.line == last + 1)):
            lines.append(text)
            last = comment.line
    return "\n".join([told, *lines])


def _with_order_below(told: str, code: str) -> tuple[str, str]:
    """Return a question that first gives data, as code, and asks in a comment below them, with all of its code."""
    tree = parse_code(code).tree
    blocks = [comment for comment in comments_in(code) if comment.is_whole_line and comment.column == 0]
    if tree is None or not blocks or not tree.body or blocks[0].line <= tree.body[0].lineno:
        return told, code
    end = blocks[0].line
    above = [node for node in tree.body if (node.end_lineno or node.lineno) < end]
    asking = [comment for number, comment in enumerate(blocks) if comment.line == end + number]
    order = told_by(asking).strip()
    if not order or not all(isinstance(node, ast.Assign | ast.Import | ast.ImportFrom) for node in above):
        return told, code
    lines = code.split("\n")
    given = "\n".join(lines[: end - 1]).strip("\n")
    below = "\n".join(lines[end - 1 + len(asking) :]).strip("\n")
    order = _with_parts_below(order, below)
    return f"{told}\n```python\n{given}\n```\n{order}", f"{given}\n{below}"


def begins_question(code: str) -> bool:
    """Return whether the comment at the top of code is a question of its own, and not a remark on an answer."""
    told, _ = question_in_comment(code)
    return bool(told) and (number_kind(told) == "question" or "?" in told)
