"""What a record asks, in words: from its docstring, its comments or its prose, and from the names that count."""

import ast
import inspect
import re
import textwrap
from collections.abc import Sequence
from typing import Final

from authoring.conversion.records.completed_code import Completed, Definition
from authoring.conversion.source_comments import SourceComment, comments_in, told_by

_WRITE: Final = re.compile(
    r"(?:please )?(?:write|create|implement|define) (?:an? )?(?:python )?(?:function|class)\b", re.IGNORECASE
)
MIN_WORDS: Final = 3
MAX_REMARK_WORDS: Final = 8
_TELLS_WHAT: Final = re.compile(
    r"\?|^(?:i|we|my|you|given|suppose|how|what|let|there|note|want|need|if|using)\b", re.IGNORECASE
)


def words_of(given: Completed | None, prompt: str, entry: str) -> str:
    """Return what a prompt tells beside code: docstrings, comments, texts; the prompt itself where it is prose.

    Args:
        given: The prompt as a program with nothing in the solution's place; None: it is prose.
        prompt: The prompt.
        entry: The function or class that is asked for; empty: none is.
    """
    if given is None:
        return prompt.strip()
    definition = given.definition(entry)
    begun = begun_line(given, definition)
    parts = [_text(node) for node in given.tree.body if _text(node)]
    parts.append(told_by(_comments_outside(given, definition)))
    if definition is not None:
        parts += [
            _text(node) for node in definition.body if _text(node)
        ]  # not only the docstring: imports may come first
        last = begun - 1 if begun else definition.end_lineno or definition.lineno
        inside = [each for each in comments_in(given.text) if definition.lineno <= each.line <= last]
        parts.append(told_by(inside))
    return "\n\n".join(part.strip("\n") for part in parts if part.strip())


def _comments_outside(given: Completed, wanted: Definition | None) -> list[SourceComment]:
    """Return comments at the top level, and those beside code that follow the first of them."""
    spans = [(node.lineno, node.end_lineno or node.lineno) for node in given.tree.body if isinstance(node, Definition)]
    outside = [
        each
        for each in comments_in(given.text)
        if not any(first <= each.line <= last for first, last in spans) and each.line <= given.first_line
    ]
    if wanted is not None:
        return [each for each in outside if each.is_whole_line]
    remarks = remarks_on_code(given)
    asked = [each for each in outside if each.line not in remarks]
    first = next((each.line for each in asked if each.is_whole_line), None)
    return [each for each in asked if each.is_whole_line or (first is not None and each.line > first)]


def remarks_on_code(given: Completed) -> set[int]:
    """Return the lines of comments that only describe the given code below them, such as `# Example data`.

    Those are single lines before the last block of comments, short and without a question. They stay in the setup cell.
    """
    whole = [each for each in comments_in(given.text) if each.is_whole_line and not each.column]
    blocks: list[list[SourceComment]] = []
    for each in whole:
        if each.line > given.first_line:
            break
        if blocks and blocks[-1][-1].line == each.line - 1:
            blocks[-1].append(each)
        else:
            blocks.append([each])
    if len(blocks) < 2 or len(told_by(blocks[-1]).split()) < MIN_WORDS:
        return set()
    remarks = [block[0] for block in blocks[:-1] if len(block) == 1 and _is_remark(told_by(block))]
    return {each.line for each in remarks}


def _is_remark(text: str) -> bool:
    return len(text.split()) <= MAX_REMARK_WORDS and not _TELLS_WHAT.search(text)


def begun_line(given: Completed, definition: Definition | None) -> int:
    """Return the line of the first statement that a prompt has in the body of a function; 0: it has none."""
    if not isinstance(definition, ast.FunctionDef):
        return 0
    begun = [node for node in definition.body if not _text(node) and (node.end_lineno or 0) < given.first_line]
    return begun[0].lineno if begun else 0


def _text(node: ast.stmt) -> str:
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
        return inspect.cleandoc(node.value.value)
    return ""


def signature_of(function: ast.FunctionDef) -> str:
    """Return a function's name, parameters and annotations."""
    returns = f" -> {ast.unparse(function.returns)}" if function.returns is not None else ""
    return f"{function.name}({ast.unparse(function.args)}){returns}"


def query_for_function(function: ast.FunctionDef, words: str, given: Completed | None) -> str:
    """Return the query for a function; code that the prompt begins it with is part of it."""
    parts = _named("function", function.name, signature_of(function), words)
    stub = given.definition(function.name) if given is not None else None
    begun = begun_line(given, stub) if given is not None else 0
    if given is not None and begun:
        code = textwrap.dedent("\n".join(given.text.split("\n")[begun - 1 : given.first_line - 1]))
        parts.append("It begins with:\n\n" + textwrap.indent(code.strip("\n"), "    "))
    return _joined(parts)


def _named(kind: str, name: str, shown: str, words: str) -> list[str]:
    """Return what is asked for and what is told of it, without saying twice what is to be written."""
    if not _WRITE.match(words):
        return [f"Write a {kind} `{shown}`.", words]
    return [words] if re.search(rf"(?<!\w){re.escape(name)}(?!\w)", words) else [words, f"Call it `{shown}`."]


def query_for_class(definition: ast.ClassDef, words: str, prompt: str, *, is_stub: bool) -> str:
    """Return the query for a class: what it is begun with, or which methods it has."""
    parts = _named("class", definition.name, definition.name, words)
    if is_stub:
        found = re.search(rf"^class\s+{definition.name}\b.*", prompt, re.MULTILINE | re.DOTALL)
        parts.append("It begins with:\n\n" + textwrap.indent((found[0] if found else prompt).strip("\n"), "    "))
    else:
        methods = [signature_of(node) for node in definition.body if isinstance(node, ast.FunctionDef)]
        parts.append("Its methods: " + ", ".join(f"`{each}`" for each in methods) + "." if methods else "")
    return _joined(parts)


def query_for_task(words: str, answers: Sequence[str], before: Sequence[str], begun: str) -> str:
    """Return the query for a piece of a program.

    Args:
        words: What the prompt tells.
        answers: The variables that count; none: the value of the last expression does.
        before: Those of them that are there before.
        begun: The prompt's unfinished statement, where it is more than the name of the answer.
    """
    made = [name for name in answers if name not in before]
    parts = [words]
    if begun:
        parts.append(f"Go on from `{begun}`.")
    if made:
        what = "result" if len(made) == 1 else "results"
        parts.append(f"Store the {what} in {_and(made)}.")
    if len(made) < len(answers):
        parts.append(f"Change {_and([name for name in answers if name in before])} itself.")
    if not answers and not begun:
        parts.append("Return the result.")
    return _joined(parts)


def _and(names: Sequence[str]) -> str:
    shown = [f"`{name}`" for name in names]
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}"


def _joined(parts: Sequence[str]) -> str:
    return "\n\n".join(part.strip("\n") for part in parts if part.strip()) + "\n"
