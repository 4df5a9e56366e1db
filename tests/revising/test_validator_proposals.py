"""Validators are proposed from what the reference leaves behind, and show what they let through."""

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
from tests.revising.conftest import AddSet, problem

JUDGED = "validator:\n  template: intact\n  namespace_check:\n    shares: {atol: 0.006}\n"
SHARES = "_all = fares.sum()\nscale = 1\nshares = fares / _all"
DOUBLE = "def double(x):\n    return 2 * x\n_spare = 4\nkept = double(4)"
BARS = "fares.plot.bar(xlabel='kind', ylabel='fare', title='Fares')"
LINE = "import matplotlib.pyplot as plt\nplt.plot(fares.index, fares)\nplt.show()"
FAKE = "class Land:\n    def plot(self):\n        return fares * 2\n\n\nLand().plot()"
SAID = "Three fares are known, the cheapest is that of kind a and the dearest one that of kind c"
TEXT = "# %%\nimport pandas as pd\nfares = pd.Series([1.5, 2.5, 9.0], index=['a', 'b', 'c'])\n\n"
TEXT += problem("twice", "Double `fares`.", "fares * 2")
TEXT += problem("shares", "Store it in `shares`.", SHARES, JUDGED)
TEXT += problem("double", "Write `double` and call it on 4.", DOUBLE)
TEXT += problem("printed", "Print the mean.", "print(fares.mean())")
TEXT += problem("number", "What is the mean?", "fares.mean()")
TEXT += problem("said", "Describe the fares.", f"print('{SAID}')")
TEXT += problem("fake", "Double the fares of a plot.", FAKE)
TEXT += problem("hist", "Count the fares in bins.", "hist = fares.value_counts(bins=2)\nhist")
PATIENT = "execution: {max_time: 60}\n"  # busy machines draw slowly
TEXT += problem("bars", "Draw `fares` as bars.", BARS, PATIENT)
TEXT += problem("line", "Draw `fares` as a line.", LINE, PATIENT)


@pytest.fixture(scope="module")
def drawn(ws: Workspace) -> str:
    made = problemsets.create(ws, name="drawn", text=TEXT, author="Ann", origin=Origin.PERSON)
    return f"drawn@{made.number}"


def look_at(patch: pytest.MonkeyPatch, *names: str) -> None:
    """Try only the rewrites of these names: each is executed, and judged under every option."""

    def chosen(code: str, made: tuple[str, ...]) -> tuple[Rewrite, ...]:
        return tuple(one for one in rewrites_of(code, made) if one.name in names)

    patch.setattr(validator_proposals, "rewrites_of", chosen)


def accepted(found: Proposals) -> dict[str, set[str]]:
    return {each.title: set(each.accepted()) for each in found.proposals}


def test_options_show_what_they_accept_and_one_is_applied(
    ws: Workspace, add_set: AddSet, engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = ("order reversed", "index reset", "as list", "under another name", "off by 0.5 %", "printed, not returned")
    look_at(monkeypatch, *names)
    revision = add_set(TEXT)
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
    assert [old.raw != new.raw for old, new in zip(before, after, strict=True)] == [False, True, *[False] * 9]
    assert "validator:\n  result:\n    ignore_order: true\n" in after[1].raw
    with pytest.raises(UsageError, match="no proposal 99"):
        apply_proposal(ws, found, 99, by="Ann")


def test_variables_and_functions_that_the_query_asks_for_are_judged(
    ws: Workspace, drawn: str, engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    look_at(monkeypatch, "kept: in a list", "shares: order reversed")
    made = propose_validators(ws, drawn, "double", engine=engine)
    titles = [each.title for each in made.proposals if each.reference_passes]
    assert "unit tests of `double` with the calls in the code" in titles
    variables = next(each for each in made.proposals if each.title == "the variables that it makes")
    assert "kept: in a list" not in variables.accepted()
    assert variables.validator == {"namespace_check": {"kept": None}}
    found = propose_validators(ws, drawn, "shares", engine=engine)
    loose = {"atol": 0.006, "ignore_order": True, "ignore_index": True}
    assert [(dict(each.validator), each.accepted()) for each in found.proposals] == [
        ({"template": "intact", "namespace_check": {"shares": {"atol": 0.006}}}, []),
        ({"template": "intact", "namespace_check": {"shares": loose}}, ["shares: order reversed"]),
    ]


FIGURES = ("off by 0.5 %", "closed before it is shown", "another size", "with a title", "without names of axes")


@pytest.mark.parametrize(
    ("name", "tried"), [("bars", FIGURES), *(pytest.param(one, (), marks=pytest.mark.deep) for one in ("bars", "line"))]
)
def test_code_that_draws_is_offered_what_its_figure_shows(
    ws: Workspace, drawn: str, engine: Engine, monkeypatch: pytest.MonkeyPatch, name: str, tried: tuple[str, ...]
) -> None:
    """Some other ways to draw it, or all of them: each takes half a second."""
    if tried:
        look_at(monkeypatch, *tried)
    found = propose_validators(ws, drawn, name, engine=engine)
    right = accepted(found)
    assert all(each.reference_passes for each in found.proposals)
    assert not [title for title in right if title.startswith("the result")]
    wrong = {"on logarithmic axes", "off by 0.5 %", "something else in its place", "closed before it is shown"}
    plain = right["what the figure shows, whatever it looks like"]
    named = right["what the figure shows, with its titles, names of axes and legends"]
    assert {"another size", *(() if tried else ("other colours",))} <= plain & named
    assert "with a title" in plain
    assert ("with a title" in named) is (name == "line")
    assert not (plain | named) & wrong
    assert "without names of axes" in plain
    assert ("without names of axes" in named) is (name == "line")  # which has none
    chosen = next(each for each in found.proposals if "whatever it looks like" in each.title)
    assert chosen.validator == {"template": "intact", "visual": {"pass_at": 0}}


def test_shown_numbers_and_long_texts_are_offered_what_reads_them(
    ws: Workspace, drawn: str, engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, title, right, wrong in (
        ("printed", "the numbers that are shown", {"returned, not printed", "with words before it"}, {"off by 0.5 %"}),
        ("number", "the numbers that are shown", {"printed, not returned"}, {"off by 0.5 %", "assigned only"}),
        ("said", "nine tenths of the words", {"returned, not printed", "in a list"}, {"assigned only"}),
    ):
        look_at(monkeypatch, *right, *wrong)
        found = propose_validators(ws, drawn, name, engine=engine)
        chosen = next(each for each in found.proposals if each.title.startswith(title))
        assert chosen.reference_passes
        assert set(chosen.accepted()) == right
        titles = [each.title for each in found.proposals]
        assert ("nine tenths of the words that are shown" in titles) is (name == "said")


def test_what_is_only_called_like_a_figure_is_judged_by_its_value(
    ws: Workspace, drawn: str, engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    look_at(monkeypatch)
    for name in ("hist", "fake"):
        found = propose_validators(ws, drawn, name, engine=engine)
        titles = [each.title for each in found.proposals if each.reference_passes]
        assert titles[0] == "the result"
        assert not [title for title in titles if "figure" in title or "numbers that" in title]


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
