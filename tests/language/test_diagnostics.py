import itertools
import textwrap
from collections.abc import Callable
from pathlib import Path

from evaluator.diagnostics import Diagnostic, Severity, has_errors
from evaluator.language import MATCHER_OPTIONS, parse_problemset
from evaluator.language.validators.equality_lines import JUDGEMENTS

Lint = Callable[..., tuple[Diagnostic, ...]]
OPEN, CLOSE = '# %%\n"""\nquery: ask\n', '\n"""\nx = 1\n'  # settings between them start on line 4


def facts(diagnostics: tuple[Diagnostic, ...]) -> list[tuple[int, str]]:
    return [(diagnostic.line, diagnostic.code) for diagnostic in diagnostics]


def test_everything_wrong_is_reported_at_once_with_its_line(lint: Lint) -> None:
    text = textwrap.dedent(
        '''\
        # %%
        import math
        y = (

        # %% First
        """
        query: ask
        id: one
        validator:
          reslt:
          namespace_check:
            total:
              ignore_ordr: true
              atol: 1e-3
        execution:
          max_tme: 3
        """
        total = 1

        # %%
        """
        query: ask again
        id: one
        """
        '''
    )
    assert facts(lint(text)) == [
        *((3, "python-syntax"), (10, "unknown-validator"), (13, "unknown-option"), (14, "number-as-text")),
        *((16, "unknown-key"), (22, "query-without-code"), (23, "duplicate-id")),
    ]


WRONG = (
    *(("validatr:\n  result:", 4, "unknown-key", "'validator'"), ("zzz: 1", 4, "unknown-key", "put it under 'notes'")),
    *(("question: too", 4, "query-twice", "keep one"), ("tags: [a]\ntags: [b]", 5, "duplicate-key", "keep one")),
    ("validator:\n  result:\n    rtol: 0.1\n    rtol: 0.2", 7, "duplicate-key", "keep one"),
    ("validator: [result]", 4, "wrong-type", "mapping of validators"),
    ("validator: result", 4, "wrong-type", "'  result:'"),
    ("validator:\n  template: comparsion", 5, "unknown-template", "'comparison'"),
    ("validator:\n  template: empty", 4, "nothing-validated", "another template"),
    ("validator:\n  ignore_order: true", 5, "unknown-validator", "result: {ignore_order"),
    ("validator:\n  or:\n    template: basic\n    crash:", 6, "unknown-validator", "directly below"),
    ("validator:\n  true:", 5, "unknown-validator", "use"),
    ("validator:\n  error:\n  crash:", 6, "duplicate-validator", "keep one"),
    ("validator:\n  or:\n    result:\n    streem:", 7, "unknown-validator", "'stream'"),
    ("validator:\n  or: {}", 5, "no-validators", "at least one"),
    ("validator:\n  namespace_check:", 5, "namespace-check-without-names", "each variable"),
    ("validator:\n  namespace_check:\n    on:", 6, "not-a-variable-name", "quotes"),
    ("validator:\n  namespace_check:\n    df.x:", 6, "not-a-variable-name", "variable"),
    ("validator:\n  namespace_check:\n    other:", 6, "variable-not-made", "correct the name"),
    ("validator:\n  crash: true", 5, "wrong-type", "nothing"),
    ("validator:\n  result: 3", 5, "wrong-type", "ignore_order"),
    ("validator:\n  result:\n    rtol: -1", 6, "wrong-type", "a number"),
    ("validator:\n  result:\n    rtol: 1e-3", 6, "number-as-text", "1.0e-5"),
    ("validator:\n  result:\n    type_only: true", 6, "guessable-type-only", "compare the value"),
    ("validator:\n  result:\n    deep: true", 6, "option-without-effect", "ignore_order: true"),
    ("validator:\n\tresult:", 5, "yaml-syntax", "indent with spaces"),
    ("validator:\n  result:\n    strict_type: true\n    ignore_dtypes: true", 7, "option-without-effect", "one"),
    ("validator:\n  result:\n    rtol: 5", 6, "tolerance-too-wide", "such as 0.05"),
    ("validator:\n  result:\n    metrictol: 1.1", 6, "tolerance-too-narrow", "such as 0.95"),
    ("validator:\n  result:\n    deeep: true", 6, "unknown-option", "'deep'"),
    ("validator:\n  result:\n    equalty: {order: wrong}", 6, "unknown-option", "'equality'"),
    ("validator:\n  result:\n    equality: container", 6, "wrong-type", "a mapping from lines"),
    ("validator:\n  result:\n    equality: {contaner: correct}", 6, "wrong-type", "use 'container'"),
    ("validator:\n  result:\n    equality:\n      order: wrong\n      indx: wrong", 8, "wrong-type", "use 'index'"),
    ("validator:\n  result:\n    equality: {order: corect}", 6, "wrong-type", "use 'correct'"),
    ("validator:\n  result:\n    equality: {values: correct}", 6, "wrong-type", "atol and rtol"),
    ("validator:\n  result: |\n    def compare(a, b):\n      return a", 6, "code-without-function", "compare_fn"),
    ("validator:\n  result: |\n    def compare_fn(a, b):\n      retur a", 7, "python-syntax", "correct"),
    ("validator:\n  result:\n    compare_fn: {rtol: x}", 6, "wrong-type", "number"),
    (
        "validator:\n  result:\n    compare_fn: 'compare_fn = 1'\n    rtol: 0.1",
        6,
        "options-contradict",
        "keep either",
    ),
    ("validator:\n  namespace_intact:\n    updates: [x]", 6, "unknown-option", "'update'"),
    ("validator:\n  namespace_intact:\n    update: x", 6, "wrong-type", "list of variable names"),
    (
        "validator:\n  namespace_intact:\n    replacement: [x]\n    treat_replacement_as_update: true",
        7,
        "options-contradict",
        "remove one",
    ),
    ("validator:\n  table_test:\n    function_name: x", 5, "missing-option", "test_cases"),
    ("validator:\n  table_test:\n    function_name: x\n    test_cases: [//]", 7, "nothing-to-repeat", "before"),
    ("validator:\n  table_test:\n    function_name: x\n    test_cases: [[1], 2]", 7, "wrong-type", "list of arg"),
    (
        "validator:\n  table_test:\n    function_name: x\n    test_cases: [[1]]\n    input_validator: 'def f(): 0'",
        8,
        "code-without-function",
        "_validate",
    ),
    (
        "validator:\n  model:\n    model_name: x\n    inputs_name: x\n    labels_name: x\n    metric_type: acuracy",
        9,
        "wrong-type",
        "'accuracy'",
    ),
    *(("execution: 3", 4, "wrong-type", "max_time"), ("execution:\n  max_time: 0", 5, "wrong-type", "above 0")),
    ("execution:\n  max_memory: true", 5, "wrong-type", "megabytes"),
    ("execution:\n  forbid_names: x", 5, "wrong-type", "list of variable names"),
    ("execution:\n  forbid_names: [ghost]", 5, "name-not-made", "correct or remove"),
    ("data: https://example.org", 4, "wrong-type", "mapping"),
    ("data:\n  ../x.csv: https://example.org", 5, "bad-file-name", "inputs folder"),
    *(("data:\n  x.csv: example", 5, "wrong-type", "https://"), ("id: two words", 4, "wrong-type", "letters")),
    ("tags: cleaning", 4, "wrong-type", "tags: [first, second]"),
    *(("difficulty: [easy]", 4, "wrong-type", "a word or a number"), ("isolation: process", 4, "wrong-type", "fork")),
    *(("fresh: 1", 4, "wrong-type", "true or false"), ("examples: [x]", 4, "wrong-type", "accept")),
    ("examples:\n  accpt: [x]", 5, "unknown-key", "'accept'"),
    ("examples:\n  reject: [{cod: x}]", 5, "wrong-type", "list of code"),
)


def test_wrong_settings_are_named_with_line_and_remedy(lint: Lint) -> None:
    for settings, line, code, fix in WRONG:
        found = lint(problem=settings)
        assert facts(found) == [(line, code)], settings
        assert fix in found[0].fix


def test_every_line_of_equality_may_be_judged_otherwise(lint: Lint) -> None:
    lines = MATCHER_OPTIONS["equality"].choices
    for options in (
        "deep: true, ignore_order: true",
        *(f"{name}: {value}" for name in ("ignore_names", "ignore_dtypes") for value in ("true", "false")),
        *("equality: {container: correct, order: wrong, zone: presentation}", "equality: {}"),
        *(f"equality: {{{line}: {word}}}" for line in lines for word in JUDGEMENTS),
    ):
        assert lint(problem=f"validator:\n  result: {{{options}}}") == (), options
        assert lint(problem=f"validator:\n  namespace_check:\n    x: {{{options}}}") == (), options


UNREADABLE = (
    *(("tags: [a", 4, "yaml-syntax"), ("tags: a: b", 4, "yaml-syntax"), ("\ttags: [a]", 4, "yaml-syntax")),
    *(("notes: &a [*a]", 4, "yaml-recursive-alias"), ("notes: *a", 4, "yaml-unknown-alias")),
    ("notes: [&a 1, " + "*a, " * 9 + "]", 4, "yaml-too-many-aliases"),
    *(("notes: {<<: {a: 1}}", 4, "yaml-merge-key"), ("notes: {? [a] : 1}", 4, "yaml-complex-key")),
    ("notes: !!python/object:os.system x", 4, "yaml-tag"),
    *(("notes: !!python/object/apply:os.system [x]", 4, "yaml-tag"), ("notes: !!binary aGk=", 4, "yaml-tag")),
    *(("notes: !!int x", 4, "yaml-bad-value"), ("notes: 1" + "0" * 5000, 4, "yaml-bad-value")),
    *(("notes: \x07", 4, "yaml-character"), ("id: x\n---\nid: y", 5, "yaml-several-documents")),
    *(("notes: " + "[" * 3000, 4, "yaml-too-deep"), ("notes: " + "{a: " * 3000, 4, "yaml-too-deep")),
    *(("notes: " + "- " * 3000, 4, "yaml-syntax"), ("notes:\n " + "- " * 3000, 5, "yaml-too-deep")),
    ("notes: " + "x" * 200_000, 2, "yaml-too-long"),
)


def test_yaml_that_cannot_be_read_leaves_no_objects() -> None:
    for settings, line, code in UNREADABLE:
        problemset, diagnostics = parse_problemset(OPEN + settings + CLOSE, name="x")
        assert problemset is None
        assert facts(diagnostics) == [(line, code)], settings[:40]
        assert all(diagnostic.fix for diagnostic in diagnostics)


REFUSED = (
    *(("", 1, "no-problems"), ("import pandas\n", 1, "no-problems"), ("# %%\n\n# %%\n", 1, "no-problems")),
    *(("\n# %%\nx = 1\n", 2, "no-problems"), ('# %%\n"""\nqeury: ask\n"""\nx = 1\n', 3, "unknown-key")),
    ('# %%\n"""\nquery:\n"""\nx = 1\n', 3, "empty-query"),
    ('# %%\n"""\nquery: "  "\n"""\nx = 1\n', 3, "empty-query"),
    ('# %%\n"""\nquery: 3\n"""\nx = 1\n', 3, "wrong-type"),
    ('# %%\n"""\nquery: ask\n"""\n', 3, "query-without-code"),
    *(('# %%\n"""\nquery: ask\n', 2, "settings-not-closed"), ("# %%\nx\0 = 1\n", 2, "nul-byte")),
    ('# %%\n"""\nquery: ask\n"""\ndf = pd.DataFrame()\nx = df\n', 5, "name-not-made"),
    ('# %%\n"""\nquery: ask\n"""\nreturn 1\n', 5, "python-syntax"),
    ('# %%\n"""\nquery: ask\n"""\nx = 1\n' + "-" * 100_000 + "1\n", 5, "python-syntax"),
    ('# %%\n"""\nquery: ask\n"""\n' + "(" * 3000 + "\n", 5, "python-syntax"),
    ('# %%\n"""\nquery: ask\n"""\n' + "x = 1\n" * 40_000, 5, "python-syntax"),
)


def test_a_file_that_cannot_be_right_is_refused_at_its_line(lint: Lint) -> None:
    for text, line, code in REFUSED:
        diagnostics = lint(text)
        assert facts(diagnostics) == [(line, code)], text[:60]
        assert has_errors(diagnostics) == (code != "name-not-made")


UNREAD = (
    *(('import x\n"""\nquery: ask\n"""\n1', 2), ("'''\nquery: ask\n'''\n1", 1), ('f"""\nquestion: ask\n"""\n1', 1)),
    *(('# a remark\n\n"""\nquery: ask\n"""\n1', 3), ('"""\nquery: ask\n""".strip()\n1', 1)),
)


def test_settings_that_are_not_read_as_settings_are_reported(lint: Lint) -> None:
    for cell, line in UNREAD:
        text = f'# %%\n"""\nquery: ask\n"""\n1\n# %%\n{cell}\n'
        assert facts(lint(text)) == [(line + 6, "settings-not-read")], cell


def test_prose_that_opens_a_cell_is_a_remark(lint: Lint) -> None:
    text = f'# %%\n"""Note: this: that"""\nx = 1\n# %%\n"""Just prose."""\ny = 2\n{OPEN}{CLOSE}'
    found = lint(text)
    assert [(d.line, d.code, d.severity) for d in found] == [(2, "opening-text", Severity.WARNING)]


def test_settings_without_a_query_are_warned_of(lint: Lint) -> None:
    found = lint(f'# %%\n"""\nexecution:\n  max_time: 3\n"""\nx = 1\n{OPEN}{CLOSE}')
    assert [(d.line, d.code, d.severity) for d in found] == [(1, "settings-without-query", Severity.WARNING)]


IPYTHON = (
    *("%matplotlib inline\nx = 1", "!pip list\nx = 1", "files = !ls inputs\nx = %who_ls", "x = 1\nx?\n?x\nx.real??"),
    *("%%time\nthis need not be Python", "for i in range(2):\n    %time x = i\n    !echo {i}"),
    *("!echo 'it''s \\\n  two lines'\nx = 1", "await something()"),
)


def test_lines_of_ipython_are_no_syntax_errors(lint: Lint) -> None:
    for code in IPYTHON:
        found = lint(f'# %%\nasync def something(): ...\n# %%\n"""\nquery: ask\n"""\n{code}\n')
        assert not has_errors(found), code


def test_a_real_syntax_error_beside_a_magic_is_reported_at_its_line(lint: Lint) -> None:
    assert facts(lint('# %%\n"""\nquery: ask\n"""\n%time x = 1\n!ls\ny = = 2\n')) == [(7, "python-syntax")]


def test_the_column_of_a_syntax_error_is_told(lint: Lint) -> None:
    (found,) = lint('# %%\n"""\nquery: ask\n"""\nx = 1\ny = = 2\n')
    assert (found.line, found.what) == (6, "the code does not parse: invalid syntax, column 5")


def test_a_readable_problemset_with_errors_gives_its_objects() -> None:
    problemset, diagnostics = parse_problemset('# %%\n"""\nquery: ask\nvalidator:\n  reslt:\n"""\nx = (\n', name="x")
    assert has_errors(diagnostics)
    assert problemset is not None
    assert problemset.problems[0].validator == {"reslt": None}


def test_diagnostics_say_the_path_that_was_given() -> None:
    found = parse_problemset("", name="x", path=Path("sets/trips.py")).diagnostics
    assert str(found[0]).startswith("sets/trips.py:1: error[no-problems]")


def errors(found: tuple[Diagnostic, ...]) -> list[str]:
    return [one.code for one in found if one.severity is Severity.ERROR]


def test_a_tolerance_below_zero_or_without_end_is_an_error(lint: Lint) -> None:
    numbers = ("-1", "-1.0e-3", ".inf", "-.inf", ".nan", "1e999", "-1e-3", "true", "1" + 400 * "0")
    validators = (
        *("result: {atol: %s}", "result: {rtol: %s}", "result: {compare_fn: {rtol: %s}}"),
        *("namespace_check: {x: {atol: %s}}", "or: {result: {rtol: %s}}"),
        "table_test: {function_name: f, test_cases: [[1]], output_checker: {atol: %s}}",
    )
    for validator, number in itertools.product(validators, numbers):
        assert errors(lint(problem=f"validator:\n  {validator % number}")) == ["wrong-type"], (validator, number)


def test_the_tolerance_of_a_model_may_be_negative_but_is_finite(lint: Lint) -> None:
    settings = "{model_name: m, inputs_name: x, labels_name: x, metric_type: r2, tolerance: %s}"
    for number, codes in (("-0.05", []), ("0.5", []), (".inf", ["wrong-type"]), ("-.inf", ["wrong-type"])):
        assert errors(lint(problem=f"validator:\n  template: empty\n  model: {settings % number}")) == codes


def test_a_tolerance_that_lets_every_model_pass_is_warned_of(lint: Lint) -> None:
    names = "model_name: m, inputs_name: x, labels_name: y"
    for metrics, tolerances, warned in (
        *(
            ("r2", "0.1", ["such as -0.1"]),
            ("rmse", "-0.1", ["such as 0.1"]),
            ("[r2, rmse]", "[-0.1]", ["such as 0.1"]),
        ),
        *(("[f1, mse]", "[0.1, -0.1]", ["such as -0.1", "such as 0.1"]), ("[f1, mse]", "[-0.1, 0.1]", [])),
        *(("accuracy", "0", []), ("accuracy", "-0.1", [])),
    ):
        found = lint(problem=f"validator:\n  model: {{{names}, metric_type: {metrics},\n    tolerance: {tolerances}}}")
        signs = [each for each in found if each.code == "tolerance-sign"]
        assert [each.line for each in signs] == [6] * len(warned)
        assert all(fix in each.fix for fix, each in zip(warned, signs, strict=True))
