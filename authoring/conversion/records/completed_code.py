"""Prompt and solution as one program: where the solution goes on, and which statements were given before it."""

import ast
import re
import textwrap
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from authoring.conversion.source_comments import comments_in
from evaluator.language import names_read_and_written, parse_code

_DEFINITION: Final = re.compile(r"^(?:async\s+def|def|class)\s+(\w+)", re.MULTILINE)
_FILLERS: Final = ("    pass\n", " ...\n", "...\n", "pass\n", " x in ():\n    pass\n", ")\n", "x)\n", "]\n", "0]\n")
Definition = ast.FunctionDef | ast.ClassDef


@dataclass(frozen=True)
class Completed:
    """A program whose first part was given and whose rest answers."""

    text: str
    tree: ast.Module
    first_line: int  # of the solution, counts from 1; the prompt's last statement may begin before it
    is_prose: bool = False  # the prompt is no code and stands nowhere in it
    prompt: str = ""  # the program's beginning as it was given, without white space at its end

    @property
    def begun(self) -> str:
        """The statement that the prompt leaves unfinished; empty: it ends with a whole one."""
        given = self.prompt.split("\n")
        start = self.task_from("")
        return "\n".join(given[start - 1 :]).strip() if self.prompt and start <= len(given) else ""

    def task_from(self, entry: str) -> int:
        """Return the line from which on the program is the task: that of the function asked for, or of the answer."""
        nodes = [node for node in self.tree.body if _end(node) >= self.first_line]
        definition = self.definition(entry)
        if definition is not None and (not nodes or _start(definition) < _start(nodes[0])):
            nodes.insert(0, definition)
        return _start(nodes[0]) if nodes else self.first_line

    def setup(self, entry: str, *, remarks: Collection[int] = ()) -> str:
        """Return what was given before the task, as code: full-line comments and texts that tell it are left out.

        Args:
            entry: The function or class that is asked for; empty: none is.
            remarks: Lines of comments that describe the code and stay.
        """
        cut = self.task_from(entry)
        lines = self.text.split("\n")
        whole = [comment for comment in comments_in(self.text) if comment.is_whole_line and not comment.column]
        told = {comment.line for comment in whole} - set(remarks)
        for node in self.tree.body:
            if _is_text(node) or (isinstance(node, Definition) and node.name == entry):
                told |= set(range(_start(node), _end(node) + 1))
        return "\n".join(line for number, line in enumerate(lines, 1) if number < cut and number not in told).strip(
            "\n"
        )

    def task(self, entry: str) -> str:
        """Return the reference code."""
        return "\n".join(self.text.split("\n")[self.task_from(entry) - 1 :]).strip("\n")

    def definition(self, name: str) -> Definition | None:
        """Return the last function or class of a name."""
        return next(
            (node for node in reversed(self.tree.body) if isinstance(node, Definition) and node.name == name), None
        )

    def definitions(self) -> tuple[str, ...]:
        """Return the names of its functions and classes, in order."""
        return tuple(node.name for node in self.tree.body if isinstance(node, Definition))


def complete(prompt: str, solution: str, entry: str) -> Completed | None:
    """Return prompt and solution as one program, however the solution is indented; None: they are no Python together.

    Args:
        prompt: Code that the solution goes on with, or prose.
        solution: The rest of a line, lines below it, the body of the last function, or a program of its own.
        entry: The function or class that is asked for; empty: unknown, or none is.
    """
    alone = _alone(prompt, solution, entry)
    if alone is not None:
        return alone
    if not _is_mere_words(prompt):
        for text, line in _joined(prompt, solution):
            tree = _tree(text)
            if tree is not None:
                return Completed(text, tree, line, prompt=prompt.rstrip())
    whole = textwrap.dedent(solution).strip("\n")
    tree = _tree(whole)
    return None if tree is None or not tree.body else Completed(whole, tree, 1, is_prose=True)


def given_alone(prompt: str) -> Completed | None:
    """Return a prompt as a program with nothing in the solution's place; None: it is prose."""
    if _is_mere_words(prompt):
        return None
    for filler in _FILLERS:
        for text, line in _joined(prompt, filler):
            tree = _tree(text)
            if tree is not None:
                return Completed(text, tree, line)
    return None


def chosen_solution(prompt: str, pieces: Sequence[str], entry: str) -> tuple[str, int]:
    """Return the solution that a list of texts stands for, and how many alternatives to it were left out.

    A list holds the lines of one solution, or whole solutions: each of these goes on with the prompt by itself, needs
    no name that another one makes, and gives the same names.
    """
    if len(pieces) == 1:
        return pieces[0], 0
    if all(piece.endswith("\n") for piece in pieces[:-1]):
        return "".join(pieces), 0
    given = given_alone(prompt)
    known = names_read_and_written(given.text).writes if given is not None else frozenset()
    made = []
    for piece in pieces:
        completed = complete(prompt, piece, entry)
        if completed is None:
            return "\n".join(pieces), 0
        task = completed.task(entry)
        is_whole = not entry or "return" in piece or "yield" in piece
        made.append((frozenset(names_read_and_written(task).writes - known or {"the same"}), is_whole))
    if all(one == made[0] and one[1] for one in made):
        return pieces[0], len(pieces) - 1
    return "\n".join(pieces), 0


def _tree(code: str) -> ast.Module | None:
    """Return the tree of code; a line such as `How many?`, which a notebook would take, is no Python here."""
    parsed = parse_code(code)
    return None if parsed.has_magics else parsed.tree


def _alone(prompt: str, solution: str, entry: str) -> Completed | None:
    """Return a solution that writes out the whole function, below what the prompt has before it begins it."""
    whole = textwrap.dedent(solution).strip("\n")
    tree = _tree(whole)
    if tree is None:
        return None
    stubs = _DEFINITION.findall(prompt)
    wanted = entry or (stubs[-1] if stubs else "")
    if not wanted or wanted not in {node.name for node in tree.body if isinstance(node, Definition)}:
        return None
    stub = next((found for found in _DEFINITION.finditer(prompt) if found[1] == wanted), None)
    head = prompt[: stub.start()] if stub is not None else prompt
    head = head.rstrip()
    text = f"{head}\n\n\n{whole}" if head else whole
    joined = None if _is_mere_words(head) else _tree(text)
    if joined is None:
        return Completed(whole, tree, 1, is_prose=stub is None)
    return Completed(text, joined, head.count("\n") + 4 if head else 1)


def _joined(prompt: str, solution: str) -> Iterator[tuple[str, int]]:
    """Yield ways to join them, the likeliest first, each with the line on which the solution begins."""
    bare = prompt.rstrip()
    is_whole = bool(prompt.strip()) and _tree(prompt) is not None
    is_commented = _ends_in_comment(bare)
    goes_on = not is_whole or prompt.endswith("\n") or solution[:1] in "\n[(.,+-*/%|&<>="
    last = bare.count("\n") + 1
    if not _ends_in_comment(prompt) and goes_on:
        yield prompt + solution, prompt.count("\n") + 1
        if not is_whole and not is_commented:
            yield f"{bare} {solution.strip()}", last
    yield f"{bare}\n{solution.strip(chr(10))}", last + 1
    yield f"{bare}\n{textwrap.indent(textwrap.dedent(solution).strip(chr(10)), '    ')}", last + 1
    yield f"{bare}\n    {solution.lstrip()}", last + 1
    if not is_commented:
        yield f"{bare} {solution.strip()}", last


def _ends_in_comment(prompt: str) -> bool:
    """Return whether the prompt's last line has a comment that no line end closes."""
    line = prompt.rsplit("\n", 1)[-1]
    return "#" in re.sub(r"'[^']*'|\"[^\"]*\"", "", line)


def _is_mere_words(prompt: str) -> bool:
    """Return whether a prompt that happens to parse is words: nothing is called, made or imported in it."""
    tree = _tree(prompt)
    if tree is None or not tree.body:
        return False
    return all(isinstance(node, ast.Expr) and not _does_something(node) for node in tree.body) and "#" not in prompt


def _does_something(node: ast.AST) -> bool:
    return any(isinstance(each, ast.Call | ast.Subscript | ast.Attribute | ast.Constant) for each in ast.walk(node))


def _is_text(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)


def _start(node: ast.stmt) -> int:
    decorators = node.decorator_list if isinstance(node, Definition) else []
    return min([node.lineno, *(each.lineno for each in decorators)])


def _end(node: ast.stmt) -> int:
    return node.end_lineno or node.lineno
