"""Refining chosen problems: the others keep their bytes, and suggestions are decided one by one."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from authoring.drafting.refining.refining import RefineOptions, RefineResult, refine
from authoring.revising.suggestion_decisions import accept_suggestion, change_suggestion, view_suggestion
from authoring.store import model_calls, problemsets, revisions
from authoring.store.database.connections import ConflictError
from authoring.store.reviewing.reviews import add_comment, list_comments
from authoring.store.reviewing.suggestions import find_suggestion, list_suggestions, refuse_suggestion
from authoring.store.revisions import Revision
from authoring.store.statuses import Origin
from authoring.store.workspace import Workspace
from evaluator.errors import ContentError, UsageError
from evaluator.language.document import Document
from evaluator.session import Engine
from tests.drafting.conftest import NOBODY, Serve
from tests.scripted_model import Say

FIRST = '# %% a title\n"""\nquery: What is 1 and 1?\n"""\n1 + 1\n\n\n'
SECOND = '# %%\n"""\nid: sum  # kept\nquery: Store 2 and 2 as `four` and show it.\n"""\nfour = 2 + 2\nfour\n\n'
THIRD = '# %%\n"""\nquery: "What is `four` and 1?"\n"""\nfour + 1'
TEXT = f"notes\n# %%\nimport math\n\n{FIRST}{SECOND}{THIRD}"
NEW = '# %% problem: {0}\n"""\nquery: What is {1} and 1?\n"""\n{1} + 1\n'
FIVE = NEW.format("p1", 5)
TWO = (
    '# %% problem: sum\n"""\nid: sum\nquery: Store 38 and 4 as `four` and show it.\n'
    'validator: {namespace_check: {four: }}\n"""\nfour = 38 + 4\nfour\n'
)


def fenced(*cells: str) -> Say:
    return Say("Done.\n```python\n" + "\n".join(cells) + "```\n")


@pytest.fixture
def base(ws: Workspace) -> Revision:
    return problemsets.create(ws, name="sums", text=TEXT, author="Ann", origin=Origin.PERSON)


def suggested(ws: Workspace, serve: Serve) -> RefineResult:
    with serve([fenced(FIVE, TWO)]):
        return refine(ws, "sums", ["1", "sum"], engine=NOBODY, options=RefineOptions(suggest=True))


@pytest.mark.usefixtures("no_trials")
def test_only_the_chosen_problem_changes_its_bytes(ws: Workspace, base: Revision, serve: Serve, engine: Engine) -> None:
    seen = add_comment(ws, revision_id=base.id, author="Bo", text="too easy", problem="p1", kind="repetitive")
    add_comment(ws, revision_id=base.id, author="Bo", text="not this one", problem="p3")
    with serve([fenced(NEW.format("p1", 41))]) as model:
        made = refine(ws, "sums", ["p1"], engine=engine, options=RefineOptions("use 41"), created_by="Ann")
    assert made.revision is not None
    revision = revisions.find(ws, made.revision)
    changed = FIRST.replace("What is 1", "What is 41").replace("\n1 + 1", "\n41 + 1")
    assert revision.text == TEXT.replace(FIRST, changed)
    assert (revision.origin, revision.author) == ("model", "Ann")
    assert revision.guide_number == made.provenance["guide_revision"]
    assert revision.message == f"refined p1 by scripted; addresses comment {seen}"
    assert revision.provenance["prompts"]["refine"]["version"]
    assert (revision.provenance["refined"], revision.provenance["comments"]) == (["p1"], [seen])
    assert [comment.resolved_at for comment in list_comments(ws, base.problemset_id)] == [None, None]
    for part in ("too easy", "use 41", "Only these problems: p1"):
        assert part in model.prompts[0]
    assert "not this one" not in model.prompts[0]


OTHERWISE = [
    (fenced(FIVE, NEW.format("p3", 6)), "p3 was not to be changed"),
    (fenced(NEW.format("p1", 1)), "no cell differs"),
    (fenced(FIVE, "# %%\nimport os\n"), "no query"),
    (fenced(FIVE, NEW.format("p1", 6)), "stands twice"),
    (fenced(FIVE.replace("5 + 1", "5 +")), "does not parse"),
    (fenced(FIVE.replace("query:", "id: other\nquery:")), "rename, add or drop"),
]


@pytest.mark.usefixtures("nothing_fails")
def test_answers_that_do_something_else_go_back_to_the_model(ws: Workspace, base: Revision, serve: Serve) -> None:
    for number, bad in ((7, OTHERWISE[:3]), (8, OTHERWISE[3:])):
        with serve([*(answer for answer, _ in bad), fenced(NEW.format("p1", number))]) as model:
            refine(ws, "sums", ["p1"], engine=NOBODY)
        for (_, complaint), prompt in zip(bad, model.prompts[1:], strict=True):
            assert complaint in prompt
        assert f"What is {number} and 1?" in revisions.find(ws, "sums").text


@pytest.mark.usefixtures("nothing_fails")
def test_a_dropped_problem_goes_back_and_nothing_is_saved(ws: Workspace, base: Revision, serve: Serve) -> None:
    with serve([fenced(FIVE)]) as model, pytest.raises(ContentError, match="drops problem p3"):
        refine(ws, "sums", ["p1", "p3"], engine=NOBODY)
    assert len(model.requests) == 4
    assert problemsets.find(ws, "sums").head_revision_id == base.id
    assert len(model_calls.select(ws, purpose="refine")) == 4


def test_what_fails_when_it_is_executed_goes_back(ws: Workspace, base: Revision, serve: Serve, engine: Engine) -> None:
    bad = fenced(FIVE.replace("5 + 1", "x = 5"), TWO.replace("four", "vier"))
    with serve([bad, fenced(FIVE.replace("5 + 1", "5 + nothing"), TWO), fenced(FIVE, TWO)]) as model:
        made = refine(ws, "sums", ["p1", "sum"], engine=engine)
    assert "empty answer passes" in model.prompts[1]
    assert "Problem 3: the code fails" in model.prompts[1]
    assert "NameError" in model.prompts[2]
    assert [one.code for one in made.left_over] == ["low-information"]


@pytest.mark.usefixtures("nothing_fails")
def test_an_older_base_is_refused_and_both_works_are_kept(ws: Workspace, base: Revision, serve: Serve) -> None:
    other = TEXT.replace("four + 1", "1 + four")

    def edit(_request: object) -> Say:
        revisions.save(ws, base.problemset_id, other, base_revision_id=base.id, author="Bo")
        return fenced(FIVE)

    with serve(edit), pytest.raises(ConflictError, match="changed by 'Bo'") as caught:
        refine(ws, "sums", ["p1"], engine=NOBODY)
    (kept,) = list_suggestions(ws, base.problemset_id)
    assert f"suggestions {kept.id}" in caught.value.fix
    assert revisions.find(ws, "sums").text == other
    assert "What is 5 and 1?" in accept_suggestion(ws, kept.id, by="Cy").text
    with pytest.raises(ConflictError, match="its head is revision 3"):
        refine(ws, "sums", ["p1"], engine=NOBODY, base_revision_id=base.id)


@pytest.mark.usefixtures("nothing_fails")
def test_accepting_a_suggestion_changes_its_cell_and_is_done_once(ws: Workspace, base: Revision, serve: Serve) -> None:
    made = suggested(ws, serve)
    assert problemsets.find(ws, "sums").head_revision_id == base.id
    assert json.loads(json.dumps(made.to_json()))["suggestions"] == list(made.suggestions)
    first, second = made.suggestions
    accepted = accept_suggestion(ws, first, by="Ann")
    assert Document.parse(accepted.text, name="sums").problem_texts()["sum"] == SECOND.strip()
    assert accepted.text.endswith(SECOND + THIRD)
    assert "What is 5 and 1?" in accepted.text
    assert find_suggestion(ws, first).result_revision_id == accepted.id
    with pytest.raises(ConflictError, match="accepted by 'Ann'"):
        accept_suggestion(ws, first, by="Bo")
    refuse_suggestion(ws, second, by="Bo", reason="no better")
    assert find_suggestion(ws, second).decision_reason == "no better"
    with pytest.raises(ConflictError, match="refused by 'Bo'"):
        change_suggestion(ws, second, TWO, by="Ann")
    assert len(revisions.select(ws, base.problemset_id)) == 2


@pytest.mark.usefixtures("nothing_fails")
def test_a_suggestion_can_be_changed_before_it_is_taken(ws: Workspace, base: Revision, serve: Serve) -> None:
    first, _ = suggested(ws, serve).suggestions
    with pytest.raises(ContentError, match="2 cells"):
        change_suggestion(ws, first, NEW.format("p1", 1) + NEW.format("p2", 1), by="Ann")
    made = change_suggestion(ws, first, '"""\nquery: What is 9 and 9?\n"""\n9 + 9', by="Ann", reason="clearer")
    assert "# %% a title\n" in made.text
    assert "What is 9 and 9?" in made.text
    assert (made.origin, find_suggestion(ws, first).status) == ("person", "changed")


@pytest.mark.usefixtures("nothing_fails")
def test_a_stale_suggestion_is_decided_with_both_texts_in_view(ws: Workspace, base: Revision, serve: Serve) -> None:
    first, _ = suggested(ws, serve).suggestions
    newer = TEXT.replace("What is 1 and 1?", "What is one and one?")
    revisions.save(ws, base.problemset_id, newer, base_revision_id=base.id, author="Bo")
    assert view_suggestion(ws, first).is_stale
    with pytest.raises(ConflictError, match="one and one") as caught:
        accept_suggestion(ws, first, by="Ann")
    assert "What is 5 and 1?" in caught.value.what
    assert find_suggestion(ws, first).status == "open"
    made = accept_suggestion(ws, first, by="Ann", over_newer=True)
    assert "What is 5 and 1?" in made.text
    assert "over the text of revision 2" in find_suggestion(ws, first).decision_reason


@pytest.mark.usefixtures("nothing_fails")
def test_an_unknown_problem_is_named_before_a_model_is_asked(ws: Workspace, base: Revision) -> None:
    with pytest.raises(UsageError, match="no problem '9'") as caught:
        refine(ws, "sums", ["p1", "9"], engine=NOBODY)
    assert "p1, sum, p3" in caught.value.fix


blank = st.text(alphabet=" \t\n", max_size=4)
cells = st.sampled_from(
    [
        "# %%\nimport math\n",
        "# %% a title\nx = 1  # remark",
        '# %%\n"""\nquery: What is 1?\n"""\n1',
        '# %% named\nr"""\nquery: |\n  Two   lines,\n  "quoted"\ntags: [a]  # remark\n"""\n\n2\n',
        "# %%\n",
    ]
)


@given(
    preamble=st.sampled_from(["", "notes\n", "\ufeff", "#!x\n\n"]),
    parts=st.lists(st.tuples(cells, blank), min_size=1, max_size=6, unique_by=lambda part: part[0]),
    line_end=st.sampled_from(["\n", "\r\n"]),
    place=st.integers(0, 5),
)
def test_replacing_a_problem_keeps_every_byte_of_the_others(
    preamble: str, parts: list[tuple[str, str]], line_end: str, place: int
) -> None:
    text = (preamble + "".join(f"{cell}{white}\n" for cell, white in parts)).replace("\n", line_end)
    before = Document.parse(text, name="set").problem_texts()
    if not before:
        return
    chosen = list(before)[place % len(before)]
    made = Document.parse(text, name="set").replace({chosen: '# %%\n"""\nquery: What is 3?\n"""\n3\n'}).text
    now = Document.parse(made, name="set").problem_texts()
    assert {**before, chosen: now[chosen]} == now
    start, found, rest = text.partition(before[chosen])
    assert found
    assert made.startswith(start)
    assert made.endswith(rest.lstrip())
    assert ("\r\n" in made) == ("\r\n" in text)
