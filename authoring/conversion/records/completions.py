"""Completion records (prompt, solution, test) become problems that ask for a function or a piece of a program."""

import ast
import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

from authoring.conversion.code_languages import declared_language, other_language
from authoring.conversion.converted import ConversionFinding, Converted, convert
from authoring.conversion.missing_modules import missing_modules
from authoring.conversion.records.completed_code import Completed, Definition, chosen_solution, complete, given_alone
from authoring.conversion.records.question_sheets import open_places, read_sheet
from authoring.conversion.records.record_files import CompletionRecord, read_records
from authoring.conversion.records.record_problems import Made, problem_of_definition, problem_of_task
from authoring.conversion.records.record_queries import words_of
from authoring.conversion.records.record_tests import called_in, readable_part, test_source
from authoring.conversion.unseeded import unseeded_draws
from authoring.conversion.version_breaks import told, version_breaks
from evaluator.errors import ContentError
from evaluator.language import Problem, SetupCell, names_read_and_written, render_problem

_KEY: Final = re.compile(r"[^A-Za-z0-9_-]+")
_FORGET: Final = "# The records do not depend on each other: what the one before made is forgotten.\n"


def problemset_from_completions(path: Path, *, name: str | None = None) -> Converted:
    """Make a problemset of a file of records: JSON Lines, or one JSON list; nothing is executed.

    What the prompt gives (imports, data, helpers) becomes a setup cell, its docstring, comments or prose the query,
    prompt and canonical solution together the reference code. A record with a function is judged by the calls of its
    test, one without by the variables that its test looks at, or by its result. None sees what the one before made.

    Raises:
        UsageError: If there is no such file.
        ContentError: If it is too large, holds no records, or none of them becomes a problem.
    """
    reader = _Records()
    for record in read_records(path):
        reader.take(record)
    return convert(name or path.stem, reader.cells, reader.findings, source=str(path))


@dataclass
class _Records:
    """The records read so far."""

    cells: list[SetupCell | Problem] = field(default_factory=list)
    findings: list[ConversionFinding] = field(default_factory=list)
    ids: set[str] = field(default_factory=set)
    left: frozenset[str] = frozenset()  # names that the last record makes

    def take(self, record: CompletionRecord) -> None:
        """Turn a record into cells, or say why not."""
        key = self._id(record)
        try:
            made = _made(record, key)
        except RecursionError:
            what = "the code nests too deeply to be read"
            self.findings.append(record_finding(record, key, "unreadable-answer", what, "simplify it"))
            return
        self.findings += made.findings
        if made.problem is None:
            return
        try:
            render_problem(made.problem)
        except ContentError as error:
            self.findings.append(record_finding(record, key, "unwritable", error.what, error.fix))
            return
        writes = names_read_and_written(made.setup).writes
        forgotten = sorted(self.left - writes)
        if forgotten:
            names = ", ".join(f'"{name}"' for name in forgotten)
            code = f"{_FORGET}for _name in [{names}]:\n    globals().pop(_name, None)"
            self.cells.append(SetupCell(code, title="forget"))
        if made.setup.strip():
            self.cells.append(SetupCell(made.setup))
        self.cells.append(made.problem)
        self.left = writes | names_read_and_written(made.problem.code).writes

    def _id(self, record: CompletionRecord) -> str:
        plain = _KEY.sub("-", record.key).strip("-")[:60] or f"p{record.number}"
        key = plain if plain not in self.ids else f"{plain}-{record.number}"
        self.ids.add(key)
        return key


def record_finding(record: CompletionRecord, key: str, code: str, what: str, fix: str) -> ConversionFinding:
    """Return a finding about a record."""
    return ConversionFinding(code, record.where, key, what, fix)


def _made(record: CompletionRecord, key: str) -> Made:
    """Return what becomes of a record; without a problem, the findings say why."""

    def refused(code: str, what: str, fix: str) -> Made:
        return Made("", None, (record_finding(record, key, code, what, fix),))

    if not (record.prompt.strip() or record.words) or not record.solutions:
        return refused("incomplete", "the record has no prompt or no solution", "add `prompt` and `canonical_solution`")
    language = declared_language(record.language)
    if language:
        return refused("other-language", f"the record says that its code is {language}", "give the answer in Python")
    sheet = read_sheet(record.prompt)
    prompt, answers = (sheet.code, sheet.answers) if sheet is not None else open_places(record.prompt)
    words = (sheet.words,) if sheet is not None else ()
    solution, alternatives = chosen_solution(prompt, record.solutions, record.entry)
    completed = complete(prompt, solution, record.entry)
    if completed is None:
        language = other_language(solution) or other_language(prompt)
        if language:
            return refused(
                "other-language", f"the code seems to be {language}, not Python", "give the answer in Python"
            )
        return refused("unreadable-answer", "prompt and solution together are no Python", "correct the record")
    if language := other_language(completed.text):
        return refused("other-language", f"the code seems to be {language}, not Python", "give the answer in Python")
    entry = _entry(record, completed)
    if record.entry and not entry and record.entry not in names_read_and_written(completed.text).writes:
        fix = "name the function in `entry_point`"
        return refused("no-function", f"the code defines no function {record.entry!r}", fix)
    given = None if completed.is_prose and sheet is None else given_alone(prompt)
    asked = _Asked(record, key, completed, entry, given, prompt, answers, alternatives)
    return asked.made(*words)


@dataclass(frozen=True)
class _Asked:
    """A record whose code was read."""

    record: CompletionRecord
    key: str
    completed: Completed
    entry: str  # the function or class that is asked for; empty: a piece of a program is
    given: Completed | None  # the prompt alone; None: it is prose
    prompt: str
    answers: tuple[str, ...]  # variables that the prompt leaves open
    alternatives: int

    def made(self, *told_before: str) -> Made:
        """Return the cells and what is doubtful about them."""
        own = words_of(self.given, self.prompt, self.entry) if self.prompt.strip() else ""
        words = "\n\n".join(dict.fromkeys(part for part in (*told_before, self.record.words, own) if part.strip()))
        definition = self.completed.definition(self.entry)
        docstring = own
        if definition is not None:
            docstring = own or _docstring(definition)
            words = words or docstring
        test, unreadable = readable_part(test_source(self.record.test, self.record.test_setup, docstring))
        if definition is not None:
            made = problem_of_definition(self.completed, definition, words, test, self.given, self.prompt)
        else:
            made = problem_of_task(self.completed, words, test, self.answers)
        placed = tuple(replace(each, source=self.record.where, problem=self.key) for each in made.findings)
        if made.problem is None:
            return Made("", None, placed)
        metadata = {"id": self.key, "tags": ["imported"], **made.problem.metadata}
        problem = replace(made.problem, metadata=metadata)
        return Made(made.setup, problem, (*placed, *self._doubts(made, problem, words, unreadable)))

    def _doubts(self, made: Made, problem: Problem, words: str, unreadable: int) -> Iterable[ConversionFinding]:
        def doubt(code: str, what: str, fix: str) -> ConversionFinding:
            return record_finding(self.record, self.key, code, what, fix)

        if not words.strip():
            what = "the record tells in no words what is asked: its query is only a signature"
            yield doubt("signature-only", what, "describe the task in the query")
        if unreadable:
            what = f"{unreadable} lines of the test are no Python and were left out"
            yield doubt("test-left-out", what, "add what they check to `test_cases` or to a checker")
        if self.alternatives:
            what = f"{self.alternatives} other solutions of the record were left out"
            yield doubt("several-solutions", what, "keep them under `examples: accept` if they are right")
        code = f"{made.setup}\n{problem.code}"
        for found in version_breaks(code):
            yield doubt("version-break", *told(found))
        for module in missing_modules(code):
            fix = "run in one that has it: benchwright env create NAME -r requirements.txt, then --environment NAME"
            yield doubt("package", f"the code needs {module!r}, which this environment does not have", fix)
        draws = unseeded_draws(code)
        if draws and "compare_fn" not in str(problem.validator):
            what = f"random numbers are drawn without a fixed seed: {', '.join(draws)}"
            yield doubt("random", what, "fix the seed in query and code")


def _entry(record: CompletionRecord, completed: Completed) -> str:
    """Return the function or class that is asked for; empty: a piece of a program is."""
    defined = completed.definitions()
    if record.entry in defined:
        return record.entry
    if record.entry:
        return ""
    made = [name for name in defined if _is_answer(completed, name)]
    called = called_in(readable_part(record.test)[0], made)
    if called or not made:
        return called
    only_defines = not (names_read_and_written(completed.task("")).writes - set(defined))
    return made[-1] if only_defines or "candidate(" in record.test else ""


def _is_answer(completed: Completed, name: str) -> bool:
    definition = completed.definition(name)
    return definition is not None and (definition.end_lineno or 0) >= completed.first_line


def _docstring(definition: Definition) -> str:
    return (ast.get_docstring(definition) or "").strip()
