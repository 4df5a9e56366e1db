"""What is wrong, or odd, about what is said of tables, held against their profile."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from authoring.seeds.meanings.column_facts import ColumnFacts, TableFacts
from authoring.seeds.meanings.number_rules import names_an_identifier
from authoring.seeds.profile import ColumnProfile, ColumnRole, Profile, TableProfile
from authoring.seeds.semantics import AddsUp, ColumnMeaning, Meaning, Origin, Semantics, TableMeaning
from evaluator.diagnostics import Severity
from evaluator.errors import ContentError
from evaluator.registry import nearest_name

QUANTITIES: Final = frozenset({Meaning.MEASURE, Meaning.RATE, Meaning.WEIGHT, Meaning.COUNT, Meaning.MONEY})
"""Meanings of which averages can be taken, so that only numbers can have them."""
_MOSTLY: Final = 0.9  # share of distinct values from which a few ties are no matter
_ADDABLE: Final = frozenset({Meaning.MEASURE, Meaning.COUNT, Meaning.MONEY, Meaning.WEIGHT})


@dataclass(frozen=True)
class SemanticsFinding:
    """One thing wrong or odd; an error refuses what was stated, a warning is shown and kept."""

    code: str  # stable, such as "text-as-quantity"
    severity: Severity
    file: str
    column: str  # empty: the whole table
    what: str
    fix: str

    def __str__(self) -> str:
        """Return one line for a terminal."""
        return f"{self.file}: {self.severity}[{self.code}] {self.what} (fix: {self.fix})"

    def to_json(self) -> dict[str, str]:
        """Return the fields as plain JSON values."""
        whole = {"file": self.file, "column": self.column, "what": self.what, "fix": self.fix}
        return {"code": self.code, "severity": self.severity.value, **whole}


def check_semantics(semantics: Semantics, profile: Profile) -> tuple[SemanticsFinding, ...]:
    """Return what of the semantics cannot be, or is probably a slip, given the data's profile."""
    tables = {(table.file, table.sheet): table for table in profile.tables}
    found: list[SemanticsFinding] = []
    for table in semantics.tables:
        profiled = tables.get((table.file, table.sheet))
        if profiled is None:
            what = f"no table of the data is in {table.file!r}"
            fix = f"use one of {', '.join(repr(file) for file, _ in list(tables)[:10])}"
            found.append(SemanticsFinding("unknown-table", Severity.ERROR, table.file, "", what, fix))
        else:
            found += _Check(table, profiled).findings()
    return tuple(found)


def refuse_errors(findings: Sequence[SemanticsFinding], *, where: str) -> None:
    """Refuse semantics of which something cannot be.

    Raises:
        ContentError: If a finding is an error; the first one is told in whole, the others are counted.
    """
    errors = [finding for finding in findings if finding.severity is Severity.ERROR]
    if errors:
        more = f" (and {len(errors) - 1} more)" if len(errors) > 1 else ""
        raise ContentError(errors[0].what + more, where=where, fix=errors[0].fix)


class _Check:
    """The checks of one table."""

    def __init__(self, table: TableMeaning, profiled: TableProfile) -> None:
        self.table = table
        self.facts = {one.column.name: one for one in TableFacts(profiled).columns}
        self.found: list[SemanticsFinding] = []

    def findings(self) -> list[SemanticsFinding]:
        """Return all findings, those of columns first."""
        for column in self.table.columns:
            facts = self.facts.get(column.name)
            if facts is None:
                self.error("unknown-column", column.name, *_unknown(column.name, self.facts))
            else:
                self.check_column(column, facts)
        self.check_names()
        self.check_order()
        return self.found

    def check_column(self, column: ColumnMeaning, facts: ColumnFacts) -> None:
        """Check one column."""
        name, profile = repr(column.name), facts.column
        if column.meaning in QUANTITIES and not _has_numbers(profile):
            what = f"{name} holds {_kind(profile)}, so it cannot be a {column.meaning.value}"
            self.error("text-as-quantity", column.name, what, "say category, label or text")
        elif column.meaning in QUANTITIES and _numbers_rows(facts):
            what = f"{name} holds unique whole numbers, is named like an identifier and called a {column.meaning.value}"
            self.warn("identifier-as-quantity", column.name, what, "say identifier, unless one adds or averages it")
        if column.meaning is Meaning.TIME and profile.role is ColumnRole.BOOL:
            self.error("flag-as-time", column.name, f"{name} holds true and false, so it is no time", "say flag")
        if column.meaning is Meaning.IDENTIFIER and not facts.is_unique:
            what = (
                f"{name} is called an identifier, and its values repeat ({profile.distinct:,} in {facts.rows:,} rows)"
            )
            self.warn("identifier-repeats", column.name, what, "say code, key or label")
        if column.meaning is Meaning.FLAG and profile.distinct > 2:
            what = f"{name} is called a flag and has {profile.distinct:,} values"
            self.error("flag-of-many-values", column.name, what, "say category")
        if column.adds_up is not AddsUp.NO and column.meaning not in _ADDABLE:
            what = f"{name} is a {column.meaning.value}, which does not add up"
            self.warn("adds-up", column.name, what, "say that it does not add up, or another meaning")
        self.check_levels(column, facts)
        self.check_weight(column)

    def check_levels(self, column: ColumnMeaning, facts: ColumnFacts) -> None:
        """Check that the levels of an ordinal are its values, all of them."""
        if not column.levels:
            return
        if column.meaning is not Meaning.ORDINAL:
            what = f"{column.name!r} has levels and is called a {column.meaning.value}"
            self.warn("levels-of-no-ordinal", column.name, what, "say ordinal, or leave the levels out")
        known = {_same_text(value) for value in facts.all_values}
        stated = {_same_text(value) for value in column.levels}
        strange = [value for value in column.levels if known and _same_text(value) not in known]
        lacking = [value for value in facts.all_values if _same_text(value) not in stated]
        if strange:
            near = nearest_name(str(strange[0]), [str(value) for value in facts.all_values])
            fix = f"write {near!r}" if near else f"use its values: {', '.join(map(repr, facts.all_values[:10]))}"
            self.error("level-is-no-value", column.name, f"{column.name!r} has no value {strange[0]!r}", fix)
        elif lacking:
            what = f"the levels of {column.name!r} lack {', '.join(repr(value) for value in lacking[:5])}"
            self.warn("level-missing", column.name, what, "name all its values from low to high")

    def check_weight(self, column: ColumnMeaning) -> None:
        """Check that a rate is weighed by numbers of this table."""
        if not column.weighted_by:
            return
        facts = self.facts.get(column.weighted_by)
        if facts is None:
            self.error("weight-missing", column.name, *_unknown(column.weighted_by, self.facts))
        elif not _has_numbers(facts.column) or column.weighted_by == column.name:
            what = f"{column.name!r} cannot be weighed by {column.weighted_by!r}"
            self.error("weight-is-no-number", column.name, what, "name a column of counts, or none")

    def check_names(self) -> None:
        """Check the columns that the table as a whole names."""
        for what in ("order", "entity", "groups"):
            for name in getattr(self.table, what):
                if name not in self.facts:
                    self.error("unknown-column", name, *_unknown(name, self.facts))
        for name in self.table.groups:
            facts, meaning = self.facts.get(name), self.table.column(name)
            if (
                facts is not None
                and meaning is not None
                and meaning.meaning in QUANTITIES
                and facts.column.distinct > 50
            ):
                what = f"rows are to be compared by {name!r}, which has {facts.column.distinct:,} values"
                self.warn_of_table("group-of-numbers", name, what, "group by categories")

    def check_order(self) -> None:
        """Check that an order can order: equal places are named."""
        keys = [*self.table.entity, *self.table.order]
        if not self.table.order or any(name not in self.facts for name in keys):
            return
        chosen = [self.facts[name] for name in keys]
        room = 1
        for one in chosen:
            room *= max(one.column.distinct + (one.column.missing > 0), 1)
        repeated = len(chosen) == 1 and chosen[0].column.distinct < _MOSTLY * max(chosen[0].filled, 1)
        if room < chosen[0].rows or repeated:
            what = f"many rows have the same {', '.join(map(repr, keys))}, so that this is no order of the rows"
            self.warn_of_table(
                "order-with-ties", self.table.order[0], what, "name what is observed again and again as entity"
            )

    def error(self, code: str, column: str, what: str, fix: str) -> None:
        """Note something that cannot be; errors of the rules themselves would be ours."""
        self.found.append(SemanticsFinding(code, Severity.ERROR, self.table.file, column, what, fix))

    def warn(self, code: str, column: str, what: str, fix: str) -> None:
        """Note something odd that somebody states: rules are cautious by themselves."""
        stated = self.table.column(column)
        if stated is None or stated.origin is not Origin.RULE:
            self.warn_of_table(code, column, what, fix)

    def warn_of_table(self, code: str, column: str, what: str, fix: str) -> None:
        """Note something odd about the table as a whole."""
        self.found.append(SemanticsFinding(code, Severity.WARNING, self.table.file, column, what, fix))


def _unknown(name: str, facts: dict[str, ColumnFacts]) -> tuple[str, str]:
    near = nearest_name(name, list(facts))
    fix = f"use {near!r}" if near else f"use one of {', '.join(repr(one) for one in list(facts)[:10])}"
    return f"no column is called {name!r}", fix


def _has_numbers(column: ColumnProfile) -> bool:
    return bool(column.number_text) or bool(column.quantiles) or column.role in {ColumnRole.NUMBER, ColumnRole.BOOL}


def _kind(column: ColumnProfile) -> str:
    if column.empty:
        return "no value"
    return "dates" if column.role is ColumnRole.DATE else "lists" if column.nested else "texts"


def _numbers_rows(facts: ColumnFacts) -> bool:
    return (
        facts.column.integer and facts.is_unique and (facts.column.role is ColumnRole.ID or names_an_identifier(facts))
    )


def _same_text(value: object) -> str:
    return f"{value:g}" if isinstance(value, int | float) else str(value)


def said_lines(findings: Sequence[SemanticsFinding]) -> Iterator[str]:
    """Yield the findings as lines, errors first."""
    yield from (str(one) for one in sorted(findings, key=lambda one: one.severity is Severity.WARNING))
