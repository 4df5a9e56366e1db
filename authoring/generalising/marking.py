"""Puts placeholders into queries and code, where files, columns and values of the data stand, or names made of them."""

import ast
import builtins
import io
import keyword
import re
import tokenize
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from authoring.generalising.template import ColumnPlace, TablePlace, ValuePlace
from authoring.generalising.values import RuleMaker
from authoring.templates.names_in_words import slug

MIN_PIECE: Final = 3  # letters of a column's name below which names that hold it are left as they are
_COMMON: Final = frozenset(
    [
        "name",
        "value",
        "count",
        "type",
        "date",
        "number",
        "index",
        "time",
        "rate",
        "total",
        "size",
        "mean",
        "sum",
        "first",
        "last",
        "order",
        "group",
        "rank",
        "share",
        "level",
        "key",
    ]
)  # columns whose names are words of any query
_KEPT_NAMES: Final = frozenset({*keyword.kwlist, *dir(builtins), "pd", "np", "plt", "inputs"})
_IDENTIFIER: Final = re.compile(r"(?<![\w<.])[^\W\d]\w*")
_QUOTED: Final = re.compile(r"`([^`\n]+)`|\"([^\"\n]+)\"|'([^'\n]+)'")
_NUMBER: Final = re.compile(r"(?<![\w.,<])-?\d[\d,]*(?:\.\d+)?(?![\w,]*\d|\w)")
_FILE_BEFORE: Final = re.compile(r"(?:\./)?inputs/")


_COMPARING: Final = frozenset(
    {"between", "isin", "eq", "ne", "gt", "ge", "lt", "le", "startswith", "endswith", "contains"}
)


class _Sibling(NamedTuple):
    """A literal of the code with the column that it is compared with."""

    line: int
    column: int
    of: str  # the column's name


@dataclass
class Marker:
    """What stands for what, for one problemset on one seed; values are added as they are found."""

    tables: Mapping[str, TablePlace]
    columns: Mapping[str, ColumnPlace]
    rules: RuleMaker
    values: dict[str, ValuePlace] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Look up names the other way round."""
        self._column = {column.name: key for key, column in self.columns.items()}
        self._file = {table.file: key for key, table in self.tables.items()}
        pieces = {slug(table.file.rsplit(".", 1)[0], limit=80): f"<<{key}.id>>" for key, table in self.tables.items()}
        pieces |= {slug(column.name, limit=80): f"<<{key}.id>>" for key, column in self.columns.items()}
        self._pieces = {piece: place for piece, place in pieces.items() if len(piece) >= MIN_PIECE}
        longest = sorted(self._pieces, key=len, reverse=True)
        joined = "|".join(map(re.escape, longest)) or "(?!)"
        self._piece = re.compile(rf"(?<![^\W_])(?:{joined})(?![^\W_])")
        self._words = dict(self._phrases())
        joined = "|".join(map(re.escape, sorted(self._words, key=len, reverse=True))) or "(?!)"
        self._phrase = re.compile(rf"(?<![\w<.`\"'/])(?:{joined})(?![\w`\"'>]|\.\w)", re.IGNORECASE)

    def _phrases(self) -> Iterator[tuple[str, str]]:
        for key, table in self.tables.items():
            yield from (
                (noun, f"<<{key}.{form}>>") for noun, form in ((table.rows, "rows"), (table.row, "row")) if noun
            )
        for key, column in self.columns.items():
            words = slug(column.name, limit=80).replace("_", " ")
            if len(words) >= 4 and words not in _COMMON:
                yield words, f"<<{key}.words>>"

    def identifier(self, name: str) -> str:
        """Return a name with the parts that come from the data as placeholders."""
        return self._piece.sub(lambda match: self._pieces[match.group()], name)

    def prose(self, text: str, *, words: bool = True) -> str:
        """Return a query, or a text of settings, with placeholders.

        Args:
            text: The text.
            words: Whether plain words that name a column or what a row is are placeholders, too.
        """
        for file, key in self._file.items():
            text = text.replace(file, f"<<{key}.file>>")
        text = _QUOTED.sub(self._quoted, text)
        text = self._outside(text, lambda part: _IDENTIFIER.sub(self._bare, part))
        text = self._outside(text, lambda part: _NUMBER.sub(self._number, part))
        if not words:
            return text
        text = self._outside(text, lambda part: self._phrase.sub(self._phrase_place, part))
        return self._outside(text, self._plain_values)

    def _quoted(self, match: re.Match[str]) -> str:
        mark, inner = match.group()[0], match.group()[1:-1]
        return f"{mark}{self._named(inner) or self._whole(inner)}{mark}"

    def _named(self, text: str) -> str:
        """Return the placeholder of a column, or of a value that the code holds; empty when it is neither."""
        if text in self._column:
            return f"<<{self._column[text]}>>"
        return next((f"<<{key}>>" for key, value in self.values.items() if value.was == text), "")

    def _whole(self, text: str) -> str:
        return self.identifier(text) if re.fullmatch(r"[^\W\d]\w*", text) else text

    def _bare(self, match: re.Match[str]) -> str:
        name = match.group()
        if name in self._column and ("_" in name or not name.islower()):
            return f"<<{self._column[name]}>>"
        return self.identifier(name) if "_" in name else name

    def _number(self, match: re.Match[str]) -> str:
        text = match.group().replace(",", "")
        found = (key for key, value in self.values.items() if _same_number(value.was, text))
        return next((f"<<{key}>>" for key in found), match.group())

    def _phrase_place(self, match: re.Match[str]) -> str:
        return self._words[next(words for words in self._words if words.lower() == match.group().lower())]

    def _plain_values(self, text: str) -> str:
        for key, value in self.values.items():
            if isinstance(value.was, str) and len(value.was) >= MIN_PIECE:
                text = re.sub(rf"(?<![\w<.]){re.escape(value.was)}(?![\w>])", f"<<{key}>>", text)
        return text

    @staticmethod
    def _outside(text: str, change: Any) -> str:
        """Change what stands between placeholders."""
        parts = re.split(r"(<<[A-Za-z]\w*(?:\.\w+)?>>)", text)
        return "".join(part if place % 2 else change(part) for place, part in enumerate(parts))

    def setting(self, value: Any) -> Any:
        """Return a value of settings with placeholders in all of its texts; names of options stay."""
        if isinstance(value, str):
            return self.prose(value, words=False)
        if isinstance(value, Mapping):
            return {self._key(key): self.setting(one) for key, one in value.items()}
        return [self.setting(one) for one in value] if isinstance(value, (list, tuple)) else value

    def _key(self, key: Any) -> Any:
        from evaluator.language import VALIDATOR_SCHEMAS

        options = {name for schema in VALIDATOR_SCHEMAS.values() for name in (schema.name, *schema.options)}
        if not isinstance(key, str) or key in options:
            return key
        return f"<<{self._column[key]}>>" if key in self._column else self._whole(key)

    def code(self, text: str) -> str:
        """Return code with placeholders; code that cannot be read stays as it is."""
        try:
            tree = ast.parse(text)
            tokens = list(tokenize.generate_tokens(io.StringIO(text).readline))
        except (SyntaxError, ValueError, tokenize.TokenError):
            return text
        siblings = {(one.line, one.column): one.of for one in self._siblings(tree, text.split("\n"))}
        lines = text.split("\n")
        changes = list(self._token_changes(tokens, siblings, made_in(tree)))
        for (row, start), (end_row, end), new in sorted(changes, reverse=True):
            if row == end_row:
                line = lines[row - 1]
                lines[row - 1] = line[:start] + new + line[end:]
        return "\n".join(lines)

    def _token_changes(
        self, tokens: list[tokenize.TokenInfo], siblings: Mapping[tuple[int, int], str], made: frozenset[str]
    ) -> Iterator[tuple[tuple[int, int], tuple[int, int], str]]:
        depth = 0
        for place, token in enumerate(tokens):
            before, after = tokens[place - 1] if place else None, tokens[place + 1] if place + 1 < len(tokens) else None
            if token.type == tokenize.OP:
                depth += (token.string in "([{") - (token.string in ")]}")
                continue
            new = token.string
            if token.type == tokenize.NAME and not (before and before.string == "."):
                is_keyword = depth > 0 and after is not None and after.string == "="
                if token.string not in _KEPT_NAMES and (not is_keyword or token.string in made):
                    new = self.identifier(token.string)
            elif token.type == tokenize.STRING:
                new = self._literal(token, siblings.get(token.start, ""))
            elif token.type == tokenize.NUMBER and token.start in siblings:
                new = self._value(ast.literal_eval(token.string), siblings[token.start]) or new
            if new != token.string:
                yield token.start, token.end, new

    def _literal(self, token: tokenize.TokenInfo, compared_with: str) -> str:
        try:
            value = ast.literal_eval(token.string)
        except (SyntaxError, ValueError):  # an f-string
            return token.string
        if not isinstance(value, str):
            return token.string
        if value in self._column and not compared_with:
            return f"<<{self._column[value]}>>"
        if name := _FILE_BEFORE.sub("", value, count=1) if _FILE_BEFORE.match(value) else "":
            return f'"inputs/<<{self._file[name]}.file>>"' if name in self._file else token.string
        if found := self._value(value, compared_with):
            return found
        if re.fullmatch(r"[^\W\d]\w*", value):
            return token.string.replace(value, self.identifier(value))
        if any(mark in value for mark in ("==", ">", "<", " in ")):  # the text of a query of pandas
            return _IDENTIFIER.sub(
                lambda match: (
                    f"<<{self._column[match.group()]}.id>>" if match.group() in self._column else match.group()
                ),
                token.string,
            )
        return token.string

    def _value(self, value: str | float, column: str) -> str:
        """Return the placeholder of a value of the data, a new one where it is met first; empty when it is none."""
        key = self._column.get(column, "")
        known = next(
            (name for name, one in self.values.items() if one.was == value and one.column == (key or one.column)), ""
        )
        if known and type(self.values[known].was) is type(value):
            return f"<<{known}>>"
        found = self.rules.find(value, key)
        if found is None:
            return ""
        name = f"value{len(self.values) + 1}"
        self.values[name] = found
        return f"<<{name}>>"

    def _siblings(self, tree: ast.Module, lines: list[str]) -> Iterator[_Sibling]:
        """Yield the literals that are compared with a column."""
        for node in ast.walk(tree):
            sides: list[ast.expr] = []
            if isinstance(node, ast.Compare):
                sides = [node.left, *node.comparators]
            elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _COMPARING:
                sides = [node.func.value, *node.args]
            literals = [one for side in sides for one in _literals(side)]
            of = next((name for side in sides for name in self._columns_of(side)), "")
            for literal in literals if of else []:
                line = lines[literal.lineno - 1]
                column = len(line.encode()[: literal.col_offset].decode("utf-8", "replace"))
                if literal.value not in self._column:
                    yield _Sibling(literal.lineno, column, of)

    def _columns_of(self, node: ast.expr) -> Iterator[str]:
        for one in ast.walk(node):
            if (
                isinstance(one, ast.Subscript)
                and isinstance(one.slice, ast.Constant)
                and one.slice.value in self._column
            ):
                yield str(one.slice.value)


def _literals(node: ast.expr) -> Iterator[ast.Constant]:
    """Yield the literals that an operand is, or lists."""
    if (
        isinstance(node, ast.Constant)
        and isinstance(node.value, str | int | float)
        and not isinstance(node.value, bool)
    ):
        yield node
    elif isinstance(node, ast.List | ast.Tuple | ast.Set):
        for one in node.elts:
            yield from _literals(one)
    elif isinstance(node, ast.Call) and ast.unparse(node.func) in ("pd.Timestamp", "pd.to_datetime"):
        yield from (one for arg in node.args for one in _literals(arg))


def made_in(tree: ast.Module) -> frozenset[str]:
    """Return the texts of the code's strings: names of columns that keyword arguments make are among them."""
    return frozenset(
        node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)
    )


def _same_number(value: object, text: str) -> bool:
    try:
        return isinstance(value, int | float) and float(value) == float(text)
    except ValueError:
        return False
