"""Agents without a model, the base of every self-test: one knows the answer, one does nothing."""

import ast
import re
from typing import Final

from evaluator.agents.protocol import AgentCard, SessionInfo, SolveRequest, Submission
from evaluator.language import syntax_tree


class OracleAgent:
    """Returns the reference code. It alone is shown it, through `reveal`; correct everywhere or the set is wrong."""

    def __init__(self) -> None:
        self._revealed: dict[tuple[str, str], str] = {}  # (session id, problem id) -> reference code

    def describe(self) -> AgentCard:
        """Return the card."""
        return AgentCard(name="oracle", retry=False)

    def start(self, session: SessionInfo) -> None:
        """Begin a session."""

    def reveal(self, session_id: str, problem_id: str, reference_code: str) -> None:
        """Show the reference code of the problem that is asked next."""
        self._revealed[session_id, problem_id] = reference_code

    def solve(self, request: SolveRequest, _tools: object = None) -> Submission:
        """Return the reference code that was revealed for the problem."""
        return Submission(code=self._revealed.pop((request.session_id, request.problem_id)))

    def end(self, session_id: str) -> None:
        """Forget a session."""


class EmptyAgent:
    """Returns an empty cell. A problem that it solves asks for nothing."""

    def describe(self) -> AgentCard:
        """Return the card."""
        return AgentCard(name="empty", retry=False)

    def start(self, session: SessionInfo) -> None:
        """Begin a session."""

    def solve(self, request: SolveRequest, _tools: object = None) -> Submission:  # noqa: ARG002 - it reads nothing
        """Return an empty cell."""
        return Submission(code="")

    def end(self, session_id: str) -> None:
        """Forget a session."""


_COMMENT: Final = "# The same, written another way.\n"
_SHOWING: Final = frozenset({"print", "display", "info", "plot", "show", "write", "hist", "pprint"})
_SUFFIX: Final = "_each"


class VariedOracle(OracleAgent):
    """Returns the reference code in another form. Where it is not correct, the problem minds what it should not."""

    def describe(self) -> AgentCard:
        """Return the card."""
        return AgentCard(name="oracle:varied", retry=False)

    def solve(self, request: SolveRequest, _tools: object = None) -> Submission:
        """Return a harmless variation of the reference code that was revealed."""
        return Submission(code=vary(super().solve(request).code))


def vary(source: str) -> str:
    """Return code that does the same: laid out anew, with comments, other names for scratch variables, and a print.

    Variables of comprehensions get other names, unless a text in the code may name them; a line is printed unless
    the code shows anything itself. Code that is not plain Python only gets a comment.
    """
    try:
        tree = syntax_tree(source)
    except (SyntaxError, ValueError, RecursionError):
        return source if source.lstrip().startswith("%%") else f"{_COMMENT}{source}"
    texts = " ".join(
        node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and type(node.value) is str
    )
    tree = _ScratchNames(frozenset(re.findall(r"\w+", texts))).visit(tree)
    if not _shows_something(tree) and "__future__" not in source:
        tree.body.insert(0, syntax_tree("print('working on it')").body[0])
    return f"{_COMMENT}{ast.unparse(ast.fix_missing_locations(tree))}\n# Done.\n"


def _shows_something(tree: ast.AST) -> bool:
    names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    names |= {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    return bool(names & _SHOWING)


class _ScratchNames(ast.NodeTransformer):
    """Renames the variables of comprehensions, which nothing outside of them can see."""

    def __init__(self, spoken: frozenset[str]) -> None:
        self._spoken = spoken
        self._renamed: list[frozenset[str]] = []

    def _comprehension(self, node: ast.AST) -> ast.AST:
        generators: list[ast.comprehension] = getattr(node, "generators")  # noqa: B009  # all four kinds have them
        bound = {name.id for each in generators for name in ast.walk(each.target) if isinstance(name, ast.Name)}
        walrus = any(isinstance(part, ast.NamedExpr) for part in ast.walk(node))
        nested = any(isinstance(part, ast.Lambda) for part in ast.walk(node))
        outside = {part.id for part in ast.walk(generators[0].iter) if isinstance(part, ast.Name)}
        safe = frozenset() if walrus or nested else frozenset(bound - self._spoken - outside)
        self._renamed.append(safe)
        self.generic_visit(node)
        self._renamed.pop()
        return node

    visit_ListComp = visit_SetComp = visit_DictComp = visit_GeneratorExp = _comprehension  # noqa: N815  # ast's names

    def visit_Name(self, node: ast.Name) -> ast.Name:  # ast's name
        """Rename a variable of the comprehensions that it stands in."""
        if any(node.id in names for names in self._renamed):
            node.id += _SUFFIX
        return node
