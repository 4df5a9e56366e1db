"""Validators are proposed from what the reference leaves behind, and show what they let through."""

from collections.abc import Callable

import pytest

from authoring.revising.affected.cell_effects import effects_of
from authoring.revising.validators import validator_proposals
from authoring.revising.validators.asked_for import asked_names, with_kept_settings
from authoring.revising.validators.reference_rewrites import Rewrite, may_draw, rewrites_of
from authoring.revising.validators.validator_proposals import Proposals, apply_proposal, propose_validators
from authoring.store import problemsets
from authoring.store.statuses import Origin
from authoring.store.workspace import Workspace
from evaluator.errors import UsageError
from evaluator.language import Problem, parse_problemset
from evaluator.session import Engine
from tests.revising.conftest import add_set, problem

JUDGED = "validator:\n  template: intact\n  namespace_check:\n    shares: {atol: 0.006}\n"
SHARES = "_all = fares.sum()\nscale = 1\nshares = fares / _all"
DOUBLE = "def double(x):\n    return 2 * x\n_spare = 4\nkept = double(4)"
BARS = "fares.plot.bar(xlabel='kind', ylabel='fare', title='Fares')"
LINE = "import matplotlib.pyplot as plt\nplt.plot(fares.index, fares)\nplt.show()"
FAKE = "class Land:\n    def plot(self):\n        return fares * 2\n\n\nLand().plot()"
SAID = "Three fares are known, the cheapest is that of kind a and the dearest one that of kind c"
SETUP = "# %%\nimport pandas as pd\nfares = pd.Series([1.5, 2.5, 9.0], index=['a', 'b', 'c'])\n\n"
PATIENT = "execution: {max_time: 60}\n"  # busy machines draw slowly
PROBLEMS = {
    "twice": problem("twice", "Double `fares`.", "fares * 2"),
    "shares": problem("shares", "Store it in `shares`.", SHARES, JUDGED),
    "double": problem("double", "Write `double` and call it on 4.", DOUBLE),
    "printed": problem("printed", "Print the mean.", "print(fares.mean())"),
    "number": problem("number", "What is the mean?", "fares.mean()"),
    "said": problem("said", "Describe the fares.", f"print('{SAID}')"),
    "fake": problem("fake", "Double the fares of a plot.", FAKE),
    "hist": problem("hist", "Count the fares in bins.", "hist = fares.value_counts(bins=2)\nhist"),
    "bars": problem("bars", "Draw `fares` as bars.", BARS, PATIENT),
    "line": problem("line", "Draw `fares` as a line.", LINE, PATIENT),
}
LookAt = Callable[..., None]


@pytest.fixture(scope="module")
def made(ws: Workspace) -> None:
    """A set of each problem alone."""
    for name, text in PROBLEMS.items():
        problemsets.create(ws, name=name, text=SETUP + text, author="Ann", origin=Origin.PERSON)


@pytest.fixture
def look_at(monkeypatch: pytest.MonkeyPatch) -> LookAt:
    """Return what lets only the rewrites of some names be tried: each is executed, and judged under every option."""

    def only(*names: str) -> None:
        def chosen(code: str, made: tuple[str, ...]) -> tuple[Rewrite, ...]:
            return tuple(one for one in rewrites_of(code, made) if one.name in names)

        monkeypatch.setattr(validator_proposals, "rewrites_of", chosen)

    return only


def accepted(found: Proposals) -> dict[str, set[str]]:
    return {each.title: set(each.accepted()) for each in found.proposals}


def test_options_show_what_they_accept_and_one_is_applied(ws: Workspace, engine: Engine, look_at: LookAt) -> None:
    look_at("order reversed", "index reset", "as list", "under another name", "off by 0.5 %")
    revision = add_set(ws, SETUP + PROBLEMS["twice"] + PROBLEMS["shares"])
    found = propose_validators(ws, revision.id, "twice", engine=engine)
    right = accepted(found)
    assert all(each.reference_passes for each in found.proposals)
    assert right["the result"] == {"under another name"}
    assert right["the result in any order"] == {"under another name", "order reversed"}
    assert right["the result with all its names"] == set()
    assert "index reset" in right["the result with any index"]
    assert "as list" in right["the values of the result in any container"]
    assert "off by 0.5 %" in right["the result within 1 %"]
    chosen = next(each for each in found.proposals if each.title == "the result in any order")
    saved = apply_proposal(ws, found, chosen.number, by="Ann")
    before, after = (each.document().cells for each in (revision, saved))
    assert [old.raw != new.raw for old, new in zip(before, after, strict=True)] == [False, True, False]
    assert "validator:\n  result:\n    ignore_order: true\n" in after[1].raw
    with pytest.raises(UsageError, match="no proposal 99"):
        apply_proposal(ws, found, 99, by="Ann")


@pytest.mark.usefixtures("made")
def test_variables_and_functions_that_are_asked_for_are_judged(ws: Workspace, engine: Engine, look_at: LookAt) -> None:
    look_at("kept: in a list", "shares: order reversed")
    made = propose_validators(ws, "double", "double", engine=engine)
    titles = [each.title for each in made.proposals if each.reference_passes]
    assert "unit tests of `double` with the calls in the code" in titles
    variables = next(each for each in made.proposals if each.title == "the variables that it makes")
    assert "kept: in a list" not in variables.accepted()
    assert variables.validator == {"namespace_check": {"kept": None}}
    found = propose_validators(ws, "shares", "shares", engine=engine)
    loose = {"atol": 0.006, "ignore_order": True, "ignore_index": True}
    assert [(dict(each.validator), each.accepted()) for each in found.proposals] == [
        ({"template": "intact", "namespace_check": {"shares": {"atol": 0.006}}}, []),
        ({"template": "intact", "namespace_check": {"shares": loose}}, ["shares: order reversed"]),
    ]


FIGURES = ("off by 0.5 %", "closed before it is shown", "another size", "with a title")


@pytest.mark.usefixtures("made")
@pytest.mark.parametrize(
    ("name", "tried"), [("bars", FIGURES), *(pytest.param(one, (), marks=pytest.mark.deep) for one in ("bars", "line"))]
)
def test_code_that_draws_is_offered_what_its_figure_shows(
    ws: Workspace, engine: Engine, look_at: LookAt, monkeypatch: pytest.MonkeyPatch, name: str, tried: tuple[str, ...]
) -> None:
    """Some other ways to draw it, by what they show, or all, also by their likeness: each takes half a second."""
    if tried:
        look_at(*tried)
        monkeypatch.setattr(validator_proposals, "_FIGURE_OPTIONS", validator_proposals._FIGURE_OPTIONS[:2])
    found = propose_validators(ws, name, name, engine=engine)
    right = accepted(found)
    assert all(each.reference_passes for each in found.proposals)
    assert not [title for title in right if title.startswith("the result")]
    plain = right["what the figure shows, whatever it looks like"]
    named = right["what the figure shows, with its titles, names of axes and legends"]
    wrong = {"on logarithmic axes", "off by 0.5 %", "something else in its place", "closed before it is shown"}
    assert not (plain | named) & wrong
    assert {"another size", *(() if tried else ("other colours",))} <= plain & named
    for change in ("with a title", *(() if tried else ("without names of axes",))):
        assert change in plain
        assert (change in named) is (name == "line")  # which has no names
    chosen = next(each for each in found.proposals if "whatever it looks like" in each.title)
    assert chosen.validator == {"template": "intact", "visual": {"pass_at": 0}}


@pytest.mark.usefixtures("made")
def test_what_is_shown_is_offered_what_reads_it(
    ws: Workspace, engine: Engine, look_at: LookAt, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where it is only called like a figure."""
    monkeypatch.setattr(validator_proposals, "_RESULT_OPTIONS", validator_proposals._RESULT_OPTIONS[:1])
    for name, title, right, wrong in (
        ("printed", "the numbers that are shown", {"returned, not printed", "with words before it"}, {"off by 0.5 %"}),
        ("number", "the numbers that are shown", {"printed, not returned"}, {"off by 0.5 %", "assigned only"}),
        ("said", "nine tenths of the words", {"returned, not printed", "in a list"}, {"assigned only"}),
        ("hist", "the result", set(), set()),
        ("fake", "the result", set(), set()),
    ):
        look_at(*right, *wrong)
        found = propose_validators(ws, name, name, engine=engine)
        chosen = next(each for each in found.proposals if each.title.startswith(title))
        assert chosen.reference_passes
        assert set(chosen.accepted()) == right
        titles = [each.title for each in found.proposals]
        assert ("nine tenths of the words that are shown" in titles) is (name == "said")
        if title == "the result":
            assert titles[0] == title
            assert not [each for each in titles if "figure" in each or "numbers that" in each]


def test_rewrites_change_the_figure_the_last_value_or_the_variables() -> None:
    def named(code: str, *made: str) -> list[str]:
        found = rewrites_of(code, made)
        assert all(parse_problemset(problem("p", "q?", one.code), name="p").problemset for one in found)
        return [one.name for one in found]

    assert {"printed, not returned", "assigned only", "as list"} <= set(named("x = 1\nx"))
    assert {"returned, not printed", "with words before it"} <= set(named("print(3)"))
    assert "printed, not returned" in named("print(3, 4)")  # not one value
    assert named("x = 1\ny = 2", "x")[:2] == ["x: index reset", "x: index as column"]
    assert "closed before it is shown" in named(BARS)
    assert named("") == named("1 +") == []
    assert [may_draw(code) for code in (LINE, "sns.histplot(x)", "hist = 3", "df.plot")] == [True, True, False, False]


CODE = "_helper = 2\nspare = 3\ndef double(x):\n    return 2 * x\ntotal = double(_helper)"


def parsed(query: str, settings: str = "") -> Problem:
    found = parse_problemset(problem("one", query, CODE, settings), name="one").problemset
    assert found is not None
    return found.problems[0]


def checked(*lines: str) -> str:
    return "validator:\n" + "".join(f"  {line}\n" for line in lines)


def test_what_the_query_or_a_validator_names_is_judged() -> None:
    for query, settings, names in (
        ("Store it in `total`; spare nothing.", "", ["total"]),
        ("Store it in total.", "", ["total"]),
        ("Store `total = double(_helper)`.", "", ["_helper", "double", "total"]),
        ("Double it.", checked("namespace_check: {spare: null}"), ["spare"]),
        ("Write `double`.", "", ["double", "spare", "total"]),
        ("Do what is needed.", "", ["double", "spare", "total"]),
    ):
        asked = asked_names(parsed(query, settings), sorted(effects_of(CODE).writes))
        assert sorted(asked.names) == names


def test_the_template_and_tolerances_are_kept_and_nothing_else_is() -> None:
    lines = ("template: basic", "namespace_check:", "  total: {rtol: 0.01, ignore_order: true}", "result: {atol: 2}")
    held = parsed("Store it in `total`.", checked(*lines))
    checks = {"namespace_check": {"total": {"ignore_index": True}, "spare": None}}
    kept = {"total": {"rtol": 0.01, "ignore_index": True}, "spare": None}
    assert with_kept_settings(held, checks) == {"template": "basic", "namespace_check": kept}
    within = {"result": {"rtol": 0.01, "atol": 0.0}}
    assert with_kept_settings(held, within) == {"template": "basic", **within}
    assert with_kept_settings(held, {"template": "intact", "stream": None}) == {"template": "basic", "stream": None}
    by_value = parsed("Store it in `total`.", checked("template: comparison"))
    assert with_kept_settings(by_value, {"template": "intact", "stream": None})["template"] == "intact"
