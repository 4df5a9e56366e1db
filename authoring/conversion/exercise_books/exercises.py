"""Exercise notebooks, a question in Markdown and its answer in code, become problemsets by rule."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from authoring.conversion.code_languages import other_language
from authoring.conversion.converted import ConversionFinding, Converted, convert
from authoring.conversion.exercise_books.answer_code import (
    CleanCode,
    begins_question,
    clean_code,
    is_only_checks,
    is_stub,
    only_begins,
    only_imports,
    question_in_comment,
    text_in_stub,
)
from authoring.conversion.exercise_books.answer_judging import fitted_answer, is_drawing
from authoring.conversion.exercise_books.files_in_code import FileRead, KnownPaths, below_inputs, files_read
from authoring.conversion.exercise_books.given_data import (
    USUAL_IMPORTS,
    asks_about_code,
    made_in_text,
    only_repeats,
    split_given,
    unmade_names,
    with_given,
)
from authoring.conversion.exercise_books.question_markdown import PlainMarkdown, plain_markdown
from authoring.conversion.exercise_books.questions import (
    level_of_questions,
    number_kind,
    only_states,
    question_of,
    tells,
    without_number,
)
from authoring.conversion.exercise_books.units import Unit, place_of, units_of, with_hidden_answers, with_solutions
from authoring.conversion.missing_modules import without_missing_imports
from authoring.conversion.notebook_reader import NotebookCellRead, NotebookRead
from authoring.conversion.unseeded import sets_seed, unseeded_draws
from authoring.conversion.version_breaks import told, version_breaks
from evaluator.errors import ContentError
from evaluator.language import ExecutionLimits, Problem, SetupCell, names_read_and_written, parse_code, render_problem

MIN_WORDS: Final = 3
MAX_TIME_S: Final = 5.0
_NO_ANSWER_FIX: Final = "write the answer in a cell below it, or give the solutions' notebook with --solutions"


def problemset_from_exercises(
    notebook: NotebookRead, *, name: str | None = None, solutions: NotebookRead | None = None
) -> Converted:
    """Make a problemset of an exercise notebook, nothing executed.

    The texts above a code cell, up to the code before, are its question, without titles and introductions, which become
    notes; a comment at the top of a code cell can be one, too. Code that nothing asks for, and code that only imports,
    prepares. A problem is judged by the variables that its question names, else by the value of its last line, else by
    what it stores or prints. Files are read below `inputs/`. What a rule cannot settle or keep is a finding.

    Args:
        notebook: Questions, and answers unless they stand in the other notebook.
        name: What the set is called; None: as the notebook.
        solutions: A notebook with the code of the answers.

    Raises:
        ContentError: If the notebook holds no question with an answer.
    """
    reader = _Exercises()
    units = list(units_of(notebook.cells))
    if solutions is not None:
        units, findings = with_solutions(notebook, solutions)
        reader.findings += findings
    units, findings = with_hidden_answers(units)
    reader.findings += findings
    reader.look_around(notebook.cells)
    for unit in units:
        reader.take(unit)
    reader.end(notebook.cells)
    return convert(name or notebook.name, reader.made, reader.findings, source=f"{notebook.name}.ipynb")


@dataclass
class _Exercises:
    """The units read so far."""

    made: list[SetupCell | Problem] = field(default_factory=list)
    findings: list[ConversionFinding] = field(default_factory=list)
    problems: int = 0
    level: int = 0  # of headings that are questions
    paths: KnownPaths = field(default_factory=KnownPaths)
    is_seeded: bool = False
    notes: list[str] = field(default_factory=list)  # what was told and not asked since the last problem
    data: dict[str, str] = field(default_factory=dict)  # files of setup cells: name -> address
    named_files: set[str] = field(default_factory=set)
    named_modules: set[str] = field(default_factory=set)
    named: set[str] = field(default_factory=set)  # texts that a finding names
    title: str = ""  # the only heading of the first level, with which the notebook begins
    names: set[str] = field(default_factory=set)  # that the cells so far make
    absent: dict[str, str] = field(default_factory=dict)  # name of a module that is missing here -> its import

    def look_around(self, cells: Sequence[NotebookCellRead]) -> None:
        """Learn how the notebook numbers its questions, and name what no cell of a problemset can hold."""
        sections = [each for cell in cells if cell.kind == "markdown" for each in plain_markdown(cell.source).sections]
        self.level = level_of_questions(sections)
        tops = [each.heading for each in sections if each.level == 1]
        if len(tops) == 1 and sections[0].heading == tops[0] and not number_kind(tops[0]) and "?" not in tops[0]:
            self.title = tops[0] if sections[1:] else ""
        for cell in cells:
            if cell.kind == "raw" and cell.source.strip():
                what = f"a raw cell was left out: {_short(cell.source)!r}"
                self._find(
                    "raw-cell", f"cell {cell.number}", "", what, "write what it tells into a query or a setup cell"
                )

    def end(self, cells: Sequence[NotebookCellRead]) -> None:
        """Name the texts after the last problem, which no problem keeps."""
        left = [note for note in self.notes if note not in self.named]
        if left and self.problems:
            what = f"texts after the last answer were left out: {_short(' '.join(left))!r}"
            self._find("text-left-out", f"cell {cells[-1].number}", "", what, "write what they tell into a query")

    def take(self, unit: Unit) -> None:
        """Turn texts and the code below them into cells."""
        plain = [plain_markdown(cell.source) for cell in unit.texts]
        sections = [each for one in plain for each in one.sections]
        if sections and self.title and sections[0].heading == self.title and not self.made:
            self.notes.append(sections[0].heading)
            sections = [replace(sections[0], level=0, heading=""), *sections[1:]] if sections[0].body else sections[1:]
        question = question_of(sections, question_level=self.level)
        if not question.is_numbered and only_states(question.query):  # a lecture, and the code that shows it
            question = replace(question, query="", told="\n\n".join(filter(None, (question.told, question.query))))
        self.notes += [text for text in (question.told, *(hint for one in plain for hint in one.hidden)) if text]
        self._markup(unit, plain, question.query)
        for passed in question.passed_over:
            what = f"no code answers this text: {_short(passed)!r}"
            self._find("no-answer", place_of(unit.texts), "", what, _NO_ANSWER_FIX)
        codes = self._codes(unit)
        hidden = [code for one in plain for code in one.solutions]
        if not codes and hidden and question.query:
            what = "the answer was taken from a hidden part of the text"
            self._find("hidden-solution", unit.place, "", what, "check that it answers the question")
            codes = [(unit.texts[-1], "\n\n".join(hidden))]
        if not codes:
            self._unanswered(unit, question.query, is_numbered=question.is_numbered)
            return
        for query, group in self._groups(question.query, codes):
            try:
                self._cell(query, group)
            except RecursionError:
                what = f"the answer to {_short(query)!r} nests too deeply to be read and was left out"
                self._find("unreadable-answer", place_of([cell for cell, _ in group]), "", what, "simplify it")

    def _groups(
        self, query: str, codes: list[tuple[NotebookCellRead, str]]
    ) -> Iterable[tuple[str, list[tuple[NotebookCellRead, str]]]]:
        """Yield which cells answer which question: a comment at the top of a cell can ask, too."""
        group: list[tuple[NotebookCellRead, str]] = []
        if query and codes and not tells(query) and begins_question(codes[0][1]):
            self.notes.append(query)  # the title of a part, and below it a question in a comment
            query = ""
        for cell, code in codes:
            is_first = bool(query) and not group  # the text above belongs to it, whatever its comment says
            asks_itself = begins_question(code) if query else bool(question_in_comment(code)[0])
            if is_first or not asks_itself:
                group.append((cell, code))
                continue
            if group:
                yield query, group
            asked, rest = question_in_comment(code)
            what = f"the question was taken from a comment: {_short(asked)!r}"
            self._find("comment-question", f"cell {cell.number}", "", what, "check that the query tells the task")
            yield without_number(asked).strip(), [(cell, rest)]
            query, group = "", []
        if group:
            yield query, group

    def _cell(self, query: str, group: list[tuple[NotebookCellRead, str]]) -> None:
        cells = [cell for cell, _ in group]
        code = "\n\n".join(code for _, code in group if code.strip())
        where = place_of(cells)
        if not code:
            self._find("no-answer", where, "", f"no code answers this text: {_short(query)!r}", _NO_ANSWER_FIX)
            return
        if parse_code(code).tree is None:
            self._unreadable(query, code, where)
            return
        code = self._without_missing(code, where)
        if not code:
            return
        self.paths.take(code)
        files = files_read(code, self.paths.texts)
        code = below_inputs(code, files)
        if query and (only_repeats(query, code) or only_begins(code)):
            self._find("no-answer", where, "", f"no code answers this text: {_short(query)!r}", _NO_ANSWER_FIX)
            self._setup("", self._with_missing(code), where, files, is_asked=True)
        elif not query or only_imports(code):
            self._setup(query, self._with_missing(code), where, files)
        else:
            query, code = self._start_from(query, code, where)
            self._import_usual(code, where)
            self._problem(query, code, where, files, draws=any(cell.draws for cell in cells))
        self.is_seeded |= sets_seed(code)
        self.names |= names_read_and_written(code).writes

    def _start_from(self, query: str, code: str, where: str) -> tuple[str, str]:
        """Return a question and its answer without what is given to start from, which prepares."""
        if asks_about_code(query):
            what = "the query shows the code that it asks about, which is the answer, too"
            self._find("shows-answer", where, f"p{self.problems + 1}", what, "ask for what the code gives")
            return f"{query}\n```python\n{code}\n```", code
        block, text = made_in_text([query, *self.notes[::-1]], code, self.names)
        if block:
            self._prepare(block, where)
            if text in self.notes:
                self.notes.remove(text)
                query = f"{text}\n\n{query}"
        given, rest, names = split_given(query, code)
        if not given:
            return query, code
        self._prepare(given, where)
        return with_given(query, given, names), rest

    def _import_usual(self, code: str, where: str) -> None:
        """Import under their usual names what no cell imports: the notebook ran where somebody had done it."""
        for name in sorted(unmade_names(code, {*self.names, *self.absent}) & set(USUAL_IMPORTS)):
            self.made.append(SetupCell(USUAL_IMPORTS[name]))
            self.names.add(name)
            what = f"no cell imports `{name}`; a cell that prepares does: `{USUAL_IMPORTS[name]}`"
            self._find("import-added", where, "", what, "check that this is what the name stands for")

    def _prepare(self, code: str, where: str) -> None:
        """Keep data that an exercise starts from as a cell that prepares."""
        self._code_doubts(code, where, "")
        self._import_usual(code, where)
        self.made.append(SetupCell(self._with_missing(code)))
        self.names |= names_read_and_written(code).writes
        self.is_seeded |= sets_seed(code)

    def _without_missing(self, code: str, where: str) -> str:
        """Return code without imports that fail here; they come back where something that is kept needs them."""
        found = without_missing_imports(code)
        self.absent |= found.names
        for module in found.modules:
            if module not in self.named_modules:
                self.named_modules.add(module)
                what = f"the code needs {module!r}, which this environment does not have; only what uses it imports it"
                fix = "run in one that has it: benchwright env create NAME -r requirements.txt, then --environment NAME"
                self._find("package", where, "", what, fix)
        return found.code

    def _with_missing(self, code: str) -> str:
        needed = [name for name in self.absent if name in names_read_and_written(code).reads]
        imports = [self.absent.pop(name) for name in needed]
        return "\n".join([*dict.fromkeys(imports), code])

    def _setup(self, query: str, code: str, where: str, files: list[FileRead], *, is_asked: bool = False) -> None:
        self.made.append(SetupCell(code))
        self.data |= _addresses(files)
        self._files(files, where, "")
        self._code_doubts(code, where, "")
        if query and not only_imports(code):
            self.notes.append(query)
        if not query and not is_asked and not only_imports(code):
            what = f"no text asks for this code, which is kept as a cell that prepares: {_short(code)!r}"
            self._find("no-question", where, "", what, "write a question above it if it is an answer")

    def _problem(self, query: str, code: str, where: str, files: list[FileRead], *, draws: bool) -> None:
        judged = fitted_answer(query, code, draws=draws)
        if judged.only_draws:
            self._not_judged(query, code, where, files, draws=draws)
            return
        code = judged.code
        key = f"p{self.problems + 1}"
        metadata: dict[str, Any] = {"id": key, "tags": ["imported"]}
        if self.notes:
            metadata["notes"] = "From the notebook:\n" + "\n\n".join(dict.fromkeys(self.notes)) + "\n"
        if judged.probes:
            metadata["probes"] = judged.probes
        problem = Problem(
            query=_with_files(query, files),
            code=self._with_missing(code),
            validator=judged.validator,
            execution=ExecutionLimits(max_time_s=MAX_TIME_S),
            data={**self.data, **_addresses(files)},
            metadata=metadata,
        )
        try:
            render_problem(problem)
        except ContentError as error:
            self._find("unwritable", where, "", error.what, error.fix)
            return
        self.problems += 1
        self.made.append(problem)
        self.notes, self.data = [], {}
        for found in judged.doubts:
            self._find(found[0], where, key, found[1], found[2])
        if len(query.split()) < MIN_WORDS and not any(ord(sign) > 0x2E80 for sign in query):
            what = f"the query is only {query!r}"
            self._find("short-query", where, key, what, "say what is asked and what form the answer has")
        if query.rstrip().endswith((":", "：")):
            what = "the query announces what does not follow: it may have been shown in an output or a picture"
            self._find("cut-query", where, key, what, "write it into the query")
        if draws or is_drawing(code):
            fix = "add the validator 'visual', or ask for what the picture shows in numbers, too"
            self._find("plot", where, key, "the answer draws a picture, and nothing of the problem judges it", fix)
        self._files(files, where, key)
        self._code_doubts(code, where, key)

    def _not_judged(self, query: str, code: str, where: str, files: list[FileRead], *, draws: bool) -> None:
        """Keep an answer that leaves nothing to compare as a cell that prepares, unless it cannot run here."""
        can_run = not any(name in names_read_and_written(code).reads for name in self.absent)
        kept = "its code prepares" if can_run else "its code needs a missing module and was left out"
        if can_run:
            self.made.append(SetupCell(code))
        self.notes.append(query)
        self.named.add(query)
        if draws or is_drawing(code):
            fix = (
                "make it a problem with the validator 'visual', ask for the numbers behind the picture, or leave it out"
            )
            what = f"the answer only draws, and what it draws is judged by nobody; {kept}: {_short(query)!r}"
            self._find("plot", where, "", what, fix)
        else:
            what = f"the answer gives only what cannot be compared, such as a model; {kept}: {_short(query)!r}"
            self._find("not-compared", where, "", what, "ask for a value that it leads to")
        self._files(files, where, "")
        self._code_doubts(code, where, "")

    def _codes(self, unit: Unit) -> list[tuple[NotebookCellRead, str]]:
        """Return the code cells that hold code, without what only a notebook understands."""
        kept = []
        for cell in unit.codes:
            clean = clean_code(cell.source)
            self._cleaned(cell, clean)
            if is_only_checks(clean.code):
                what = "a cell that only asserts was left out: it checks answers, and answers nothing"
                self._find("test-cell", f"cell {cell.number}", "", what, "add what it checks to the validators")
            elif is_stub(clean.code):
                self.notes += text_in_stub(clean.code)
            elif clean.code.strip() and not clean.has_widget:
                kept.append((cell, clean.code))
        return kept

    def _cleaned(self, cell: NotebookCellRead, clean: CleanCode) -> None:
        where = f"cell {cell.number}"
        if clean.language:
            what = f"a cell for {clean.language!r}, which is no Python, was left out: {_short(cell.source)!r}"
            self._find("cell-magic", where, "", what, "write what it did in Python, if the answers need it")
        elif clean.magics:
            what = f"lines for the notebook were left out: {', '.join(repr(line[:60]) for line in clean.magics[:5])}"
            self._find("magic", where, "", what, "write what they did in Python, if the answers need it")
        if clean.was_python_2:
            what = "print statements of Python 2 were written as calls"
            self._find("python-2", where, "", what, "check that the code does the same in Python 3")
        if clean.has_widget or cell.has_widget:
            kept = "was left out" if clean.has_widget else "is kept"
            what = f"the cell shows a widget, which nobody can move in a session; its code {kept}"
            self._find("widget", where, "", what, "call the function with fixed values instead")

    def _markup(self, unit: Unit, plain: list[PlainMarkdown], query: str) -> None:
        if not query:
            return
        pictures = sum(one.pictures for one in plain)
        if pictures:
            what = f"the question shows {pictures} pictures, which the query does not have"
            self._find("picture", unit.place, "", what, "say in words what they show")
        if any(one.has_markup for one in plain):
            what = "HTML in the question was reduced to its text"
            self._find("markup", unit.place, "", what, "check that the query still tells the task")

    def _unanswered(self, unit: Unit, query: str, *, is_numbered: bool) -> None:
        if not query:
            return
        if unit.codes or "?" in query or is_numbered or (tells(query) and number_kind(query)):
            what = f"no code answers this text: {_short(query)!r}"
            self._find("no-answer", place_of(unit.texts), "", what, _NO_ANSWER_FIX)
        else:
            self.notes.append(query)

    def _unreadable(self, query: str, code: str, where: str) -> None:
        fault = parse_code(code).fault
        language = other_language(code)
        said = f"it seems to be {language}" if language else (fault.message if fault else "it cannot be read")
        what = f"the answer to {_short(query)!r} is no Python of today and was left out: {said}"
        self._find("unreadable-answer", where, "", what, "rewrite it; what rests on it fails without it")

    def _files(self, files: list[FileRead], where: str, key: str) -> None:
        for each in files:
            if each.written in self.named_files and each.written:
                continue
            self.named_files.add(each.written)
            place = f"`inputs/{each.name}`" if each.name else "`inputs/`"
            if each.is_address:
                read = f"; it now reads {place}" if each.name else ""
                what = f"the code reads {each.written[:120]!r} from the network, which sessions do not have{read}"
                fix = "fetch it with `benchwright fetch`, or put the file into the set's inputs yourself"
                self._find("download", where, key, what, fix)
            elif each.written:
                read = f"; it now reads {place}" if each.name else ""
                what = f"the code reads {each.written[:120]!r}, which is not below `inputs/`{read}"
                fix = f"put it into the folder `_inputs` beside the set, or name a seed that holds {place} with --seed"
                self._find("file", where, key, what, fix)
            else:
                what = "the code reads a file whose path it puts together"
                self._find(
                    "file", where, key, what, "put the file into the set's inputs and write its path as one text"
                )

    def _code_doubts(self, code: str, where: str, key: str) -> None:
        draws = unseeded_draws(code, is_seeded=self.is_seeded)
        if draws:
            what = f"random numbers are drawn without a fixed seed: {', '.join(draws)}"
            self._find("random", where, key, what, "fix `random_state` in query and code")
        for found in version_breaks(code):
            self._find("version-break", where, key, *told(found))

    def _find(self, code: str, source: str, problem: str, what: str, fix: str) -> None:
        self.findings.append(ConversionFinding(code, source, problem, what, fix))


def _addresses(files: Iterable[FileRead]) -> dict[str, str]:
    """Return where files come from that a benchmark can fetch."""
    return {each.name: each.written for each in files if each.is_address and each.name and _is_fetched(each.written)}


def _is_fetched(address: str) -> bool:
    return address.lower().startswith("https://") and address.isprintable() and " " not in address


def _with_files(query: str, files: Iterable[FileRead]) -> str:
    """Return a query that says where the files are that it was written without."""
    names = [f"`inputs/{each.name}`" for each in files if each.name]
    new = [name for name in dict.fromkeys(names) if name not in query]
    if not new:
        return query
    return f"{query}\n\n{'The file is' if len(new) == 1 else 'The files are'} {', '.join(new)}."


def _short(text: str) -> str:
    return " ".join(text.split())[:80]
