"""Validators are proposed from what the reference leaves behind, and show what they let through."""

import pytest

from authoring.revising.validators.validator_proposals import apply_proposal, propose_validators
from authoring.store import problemsets
from authoring.store.statuses import Origin
from authoring.store.workspace import Workspace
from evaluator.errors import UsageError
from evaluator.session import Engine
from tests.revising.conftest import AddSet, problem

pytestmark = pytest.mark.kernel

TEXT = "# %%\nimport pandas as pd\nfares = pd.Series([1.5, 2.5], index=['a', 'b'])\n\n"
TEXT += problem("twice", "Double `fares`.", "fares * 2")
JUDGED = "validator:\n  template: intact\n  namespace_check:\n    shares: {atol: 0.006}\n"
TEXT += problem("shares", "Store it in `shares`.", "_all = fares.sum()\nscale = 1\nshares = fares / _all", JUDGED)
DOUBLE = "def double(x):\n    return 2 * x\n_spare = 4\nkept = double(4)"
TEXT += problem("double", "Write `double` and call it on 4.", DOUBLE)


def test_options_show_what_they_accept_and_one_is_applied(ws: Workspace, add_set: AddSet, engine: Engine) -> None:
    revision = add_set(TEXT)
    found = propose_validators(ws, revision.id, "twice", engine=engine)
    accepted = {each.title: each.accepted() for each in found.proposals}
    assert all(each.reference_passes for each in found.proposals)
    assert "order reversed" not in accepted["the result"]
    assert "order reversed" in accepted["the result in any order"]
    assert "under another name" in accepted["the result"]
    assert "under another name" not in accepted["the result with all its names"]
    assert "index reset" in accepted["the result with any index"]
    assert "as list" in accepted["the values of the result in any container"]
    assert not [title for title, names in accepted.items() if "printed, not returned" in names]
    chosen = next(each for each in found.proposals if each.title == "the result in any order")
    saved = apply_proposal(ws, found, chosen.number, by="Ann")
    before, after = (each.document().cells for each in (revision, saved))
    assert [old.raw == new.raw for old, new in zip(before, after, strict=True)] == [True, False, True, True]
    assert "validator:\n  result:\n    ignore_order: true\n" in after[1].raw
    with pytest.raises(UsageError, match="no proposal 99"):
        apply_proposal(ws, found, 99, by="Ann")
    made = propose_validators(ws, saved.id, "double", engine=engine)
    titles = [each.title for each in made.proposals if each.reference_passes]
    assert "unit tests of `double` with the calls in the code" in titles
    variables = next(each for each in made.proposals if each.title == "the variables that it makes")
    assert "kept: in a list" not in variables.accepted()
    assert variables.validator == {"namespace_check": {"kept": None}}


def test_only_the_variable_that_the_query_names_is_judged_and_settings_are_kept(
    ws: Workspace, add_set: AddSet, engine: Engine
) -> None:
    found = propose_validators(ws, add_set(TEXT).id, "shares", engine=engine)
    assert all(name.startswith("shares: ") for name in (each.name for each in found.rewrites))
    written = {"template": "intact", "namespace_check": {"shares": {"atol": 0.006}}}
    loose = {"atol": 0.006, "ignore_order": True, "ignore_index": True}
    assert [dict(each.validator) for each in found.proposals] == [
        written,
        {"template": "intact", "namespace_check": {"shares": loose}},
    ]


DRAWN = "# %%\nimport pandas as pd\nfares = pd.Series([1.5, 2.5, 9.0], index=['a', 'b', 'c'])\n\n"
DRAWN += problem("bars", "Draw `fares` as bars.", "fares.plot.bar(xlabel='kind', ylabel='fare', title='Fares')")
DRAWN += problem(
    "line", "Draw `fares` as a line.", "import matplotlib.pyplot as plt\nplt.plot(fares.index, fares)\nplt.show()"
)
DRAWN += problem("printed", "Print the mean.", "print(fares.mean())")
DRAWN += problem("number", "What is the mean?", "fares.mean()")
SAID = "Three fares are known, the cheapest is that of kind a and the dearest one that of kind c"
DRAWN += problem("said", "Describe the fares.", f"print('{SAID}')")
FAKE = "class Land:\n    def plot(self):\n        return fares * 2\n\n\nLand().plot()"
DRAWN += problem("fake", "Double the fares of a plot.", FAKE)
DRAWN += problem("hist", "Count the fares in bins.", "hist = fares.value_counts(bins=2)\nhist")


@pytest.fixture(scope="module")
def drawn(ws: Workspace) -> str:
    made = problemsets.create(ws, name="drawn", text=DRAWN, author="Ann", origin=Origin.PERSON)
    return f"drawn@{made.number}"


@pytest.mark.parametrize("name", ["bars", "line"])
def test_code_that_draws_is_offered_what_its_figure_shows(ws: Workspace, drawn: str, engine: Engine, name: str) -> None:
    found = propose_validators(ws, drawn, name, engine=engine)
    accepted = {each.title: set(each.accepted()) for each in found.proposals}
    assert all(each.reference_passes for each in found.proposals)
    assert not [title for title in accepted if title.startswith("the result")]
    wrong = {"on logarithmic axes", "off by 0.5 %", "something else in its place", "closed before it is shown"}
    plain = accepted["what the figure shows, whatever it looks like"]
    named = accepted["what the figure shows, with its titles, names of axes and legends"]
    assert {"another size", "other colours"} <= plain & named
    assert "with a title" in plain
    assert ("with a title" in named) is (name == "line")
    assert not plain & wrong
    assert not named & wrong
    assert "without names of axes" in plain
    assert ("without names of axes" in named) is (name == "line")  # which has none
    chosen = next(each for each in found.proposals if "whatever it looks like" in each.title)
    assert chosen.validator == {"template": "intact", "visual": {"pass_at": 0}}


@pytest.mark.parametrize(
    ("name", "title", "right", "wrong"),
    [
        ("printed", "the numbers that are shown", {"returned, not printed", "with words before it"}, {"off by 0.5 %"}),
        ("number", "the numbers that are shown", {"printed, not returned"}, {"off by 0.5 %", "assigned only"}),
        ("said", "nine tenths of the words", {"returned, not printed", "in a list"}, {"assigned only"}),
    ],
)
def test_shown_numbers_and_long_texts_are_offered_what_reads_them(
    ws: Workspace, drawn: str, engine: Engine, name: str, title: str, right: set[str], wrong: set[str]
) -> None:
    found = propose_validators(ws, drawn, name, engine=engine)
    chosen = next(each for each in found.proposals if each.title.startswith(title))
    assert chosen.reference_passes
    assert right <= set(chosen.accepted())
    assert not wrong & set(chosen.accepted())
    titles = [each.title for each in found.proposals]
    assert ("nine tenths of the words that are shown" in titles) is (name == "said")


def test_a_table_that_is_only_called_like_a_figure_is_judged_as_a_table(
    ws: Workspace, drawn: str, engine: Engine
) -> None:
    found = propose_validators(ws, drawn, "hist", engine=engine)
    titles = [each.title for each in found.proposals]
    assert "the result" in titles
    assert not [title for title in titles if "figure" in title or "numbers that" in title]


def test_what_is_only_called_like_drawing_is_offered_its_value(ws: Workspace, drawn: str, engine: Engine) -> None:
    found = propose_validators(ws, drawn, "fake", engine=engine)
    assert next(each.title for each in found.proposals if each.reference_passes) == "the result"
