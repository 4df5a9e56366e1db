"""Exercise notebooks, a question in Markdown and its answer in code, become problemsets by rule."""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final

from authoring.conversion.converted import ConversionFinding, Converted, convert
from authoring.conversion.notebook_reader import NotebookCellRead, NotebookRead
from evaluator.language import Problem, SetupCell, names_read_and_written, parse_code

_MARKS: Final = re.compile(r"^[ \t]*(?:#{1,6}[ \t]+|>[ \t]+)+", re.MULTILINE)
_NUMBER: Final = re.compile(
    r"^\W*(?:(?:step|exercise|ex|question|q|task|problem|part|aufgabe)\W{0,3})?\(?\d{1,3}(?:\.\d{1,2})?[a-z]?\)?\s*[.):\-–]+\s*",
    re.IGNORECASE,
)
_MAGIC: Final = re.compile(r"^\s*(?:[%!?].*|[\w.]+\s*\?{1,2}\s*)$", re.MULTILINE)
_ADDRESS: Final = re.compile(r"^(?:https?|ftp)://", re.IGNORECASE)
_FILE: Final = re.compile(r"\.(?:csv|tsv|json|jsonl|xlsx?|parquet|txt|data|zip)$", re.IGNORECASE)
_BOLD: Final = re.compile(r"(\*\*|__)(.+?)\1")
MIN_WORDS: Final = 3
_DRAWS: Final = frozenset(
    {"plot", "hist", "scatter", "bar", "barh", "pie", "boxplot", "figure", "subplots", "show", "imshow", "heatmap"}
    | {"countplot", "pairplot", "jointplot", "distplot", "histplot", "lineplot", "barplot"}
)


def problemset_from_exercises(notebook: NotebookRead, *, name: str | None = None) -> Converted:
    """Make a problemset of an exercise notebook, nothing executed.

    The text above a code cell is the query of the code below it, up to the next text. Code before the first text, and
    code that only imports, prepares. A problem whose code ends with an expression is judged by its value, one that
    assigns by its variables, one that prints by its output. Everything that a rule cannot settle is a finding.

    Raises:
        ContentError: If the notebook holds no question with an answer.
    """
    reader = _Exercises()
    for cell in notebook.cells:
        reader.take(cell)
    reader.finish()
    return convert(name or notebook.name, reader.made, reader.findings, source=f"{notebook.name}.ipynb")


@dataclass
class _Exercises:
    """The cells read so far."""

    made: list[SetupCell | Problem] = field(default_factory=list)
    findings: list[ConversionFinding] = field(default_factory=list)
    question: NotebookCellRead | None = None
    answer: list[NotebookCellRead] = field(default_factory=list)
    problems: int = 0

    def take(self, cell: NotebookCellRead) -> None:
        if cell.kind == "code":
            if cell.source.strip():
                self.answer.append(cell)
            return
        if not cell.source.strip():
            return
        self.finish()
        self.question = cell

    def finish(self) -> None:
        """Turn a question and the code below it into a cell."""
        question, answer = self.question, self.answer
        self.question, self.answer = None, []
        if not answer:
            self._unanswered(question)
            return
        where, code = _place(answer), self._clean(answer)
        if not code:
            self._unanswered(question)
            return
        if question is None or _only_imports(code):
            self.made.append(SetupCell(code))
            return
        self._problem(question, answer, where, code)

    def _problem(self, question: NotebookCellRead, answer: list[NotebookCellRead], where: str, code: str) -> None:
        query = query_of(question.source)
        parsed = parse_code(code)
        if parsed.tree is None:
            said = parsed.fault.message if parsed.fault else "it cannot be read"
            what = f"the answer is no Python of today and was left out: {said}"
            self._find("unreadable-answer", where, "", what, "rewrite it; notebooks of Python 2 print without brackets")
            return
        self.problems += 1
        key = f"p{self.problems}"
        validator, reason = validator_for(parsed.tree, code)
        metadata = {"id": key, "tags": ["imported"]}
        self.made.append(Problem(query=query, code=code, validator=validator, metadata=metadata))
        for found in _doubts(query, code, parsed.tree, draws=any(cell.draws for cell in answer)):
            self._find(found[0], where, key, found[1], found[2])
        if reason:
            self._find("validator", where, key, reason, "name what counts in the query, or choose another validator")

    def _clean(self, answer: list[NotebookCellRead]) -> str:
        """Return the code without lines that only a notebook understands."""
        code = "\n\n".join(cell.source.strip("\n") for cell in answer)
        taken = [line.strip() for line in _MAGIC.findall(code) if line.strip()]
        if taken:
            what = f"lines for the notebook were left out: {', '.join(repr(line[:60]) for line in taken[:5])}"
            self._find("magic", _place(answer), "", what, "write what they did in Python, if the answers need it")
        return _MAGIC.sub("", code).strip()

    def _unanswered(self, question: NotebookCellRead | None) -> None:
        if question is None:
            return
        query = query_of(question.source)
        is_title = question.source.lstrip().startswith("# ")
        is_numbered = bool(_NUMBER.match(_MARKS.sub("", question.source)))
        looks_asked = "?" in query or (is_numbered and not is_title)
        what = f"no code answers this text: {query[:80]!r}"
        if looks_asked:
            self._find("no-answer", f"cell {question.number}", "", what, "write the answer in a cell below it")

    def _find(self, code: str, source: str, problem: str, what: str, fix: str) -> None:
        self.findings.append(ConversionFinding(code, source, problem, what, fix))


def query_of(markdown: str) -> str:
    """Return a question as a query: without heading marks, bold type, and its number in the notebook."""
    text = _BOLD.sub(r"\2", _MARKS.sub("", markdown.strip()))
    text = _NUMBER.sub("", text, count=1)
    lines = [line.rstrip() for line in text.strip().split("\n")]
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip() or markdown.strip()


def validator_for(tree: ast.Module, code: str) -> tuple[dict[str, Any] | None, str]:
    """Return the validators that fit what the code leaves behind, and what is doubtful about them."""
    last = tree.body[-1] if tree.body else None
    writes = sorted(name for name in names_read_and_written(code).writes if not name.startswith("_"))
    functions = [node.name for node in tree.body if isinstance(node, ast.FunctionDef | ast.ClassDef)]
    stored = {name: None for name in writes if name not in functions}
    if isinstance(last, ast.Expr) and _is_print(last.value):
        return {"template": "intact", "stream": None}, "it prints its answer, so the printed text is compared"
    if isinstance(last, ast.Expr) and not _is_in_place(last.value, writes):
        return ({"template": "comparison", "namespace_check": stored} if stored else None), ""
    if functions and not stored:
        names = ", ".join(functions)
        return {"template": "intact"}, f"functions are not compared as they are: {names} needs test cases (table_test)"
    if stored:
        return {"template": "intact", "namespace_check": stored}, ""
    return {"template": "intact"}, "it leaves neither a value nor a variable: an empty answer would pass"


def _is_print(value: ast.expr) -> bool:
    return isinstance(value, ast.Call) and isinstance(value.func, ast.Name) and value.func.id == "print"


def _is_in_place(value: ast.expr, writes: list[str]) -> bool:
    """Return whether an expression stands for what it changes: `df.drop(..., inplace=True)`, `items.append(1)`."""
    if not isinstance(value, ast.Call) or not isinstance(value.func, ast.Attribute):
        return False
    inplace = any(k.arg == "inplace" and isinstance(k.value, ast.Constant) and k.value.value for k in value.keywords)
    mutates = value.func.attr in {"append", "extend", "insert", "remove", "clear", "update", "sort", "reverse"}
    return bool(inplace) or (mutates and isinstance(value.func.value, ast.Name) and value.func.value.id in writes)


def _doubts(query: str, code: str, tree: ast.Module, *, draws: bool) -> Iterator[tuple[str, str, str]]:
    if len(query.split()) < MIN_WORDS:
        yield "short-query", f"the query is only {query!r}", "say what is asked and what form the answer has"
    stored = [name for name in _assigned(tree) if not re.search(rf"(?<!\w){re.escape(name)}(?!\w)", query)]
    if stored:
        names = ", ".join(f"`{name}`" for name in stored)
        yield "unnamed-variable", f"the query does not name {names}, which the answer stores", "name it in the query"
    for text in _strings(tree):
        if _ADDRESS.match(text):
            fix = "put the file into the set's inputs and read it from `inputs/`"
            yield "download", f"the code reads {text[:80]!r} from the network, which sessions do not have", fix
        elif _FILE.search(text) and not text.startswith("inputs/") and "\n" not in text:
            fix = f"put the file into the set's inputs and read `inputs/{text.rsplit('/', 1)[-1]}`"
            yield "file", f"the code reads {text[:80]!r}, which is not below `inputs/`", fix
    if draws or _calls(tree) & _DRAWS:
        fix = "ask for the numbers behind the picture, or leave the problem out"
        yield "plot", "the answer draws a picture, which no validator judges yet", fix
    if re.search(r"\b(random|sample|shuffle|randint|randn)\b", code) and not re.search(r"seed|random_state", code):
        yield "random", "the answer draws random numbers without a fixed seed", "fix `random_state` in query and code"


def _assigned(tree: ast.Module) -> list[str]:
    targets = [t for node in tree.body if isinstance(node, ast.Assign) for t in node.targets]
    return list(dict.fromkeys(target.id for target in targets if isinstance(target, ast.Name)))


def _strings(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


def _calls(tree: ast.Module) -> set[str]:
    called = [node.func for node in ast.walk(tree) if isinstance(node, ast.Call)]
    return {f.attr if isinstance(f, ast.Attribute) else f.id for f in called if isinstance(f, ast.Attribute | ast.Name)}


def _only_imports(code: str) -> bool:
    tree = parse_code(code).tree
    return tree is not None and all(isinstance(node, ast.Import | ast.ImportFrom) for node in tree.body)


def _place(cells: list[NotebookCellRead]) -> str:
    first, last = cells[0].number, cells[-1].number
    return f"cell {first}" if first == last else f"cells {first}-{last}"
