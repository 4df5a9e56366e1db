"""How a problem was changed, as before and after, and what of it a model is shown when it refines or amends."""

from collections.abc import Callable
from contextlib import AbstractContextManager

import pytest

from authoring.drafting.guide.amendment_proposals import propose_amendments
from authoring.drafting.problem_history import SetHistory, difference, edits_between, human_edits
from authoring.drafting.refining.refining import RefineOptions, refine, refine_preview
from authoring.drafting.refining.shown_cells import cells_around
from authoring.store import problemsets, revisions
from authoring.store.drafting.sketches import SketchItem, add_sketch_comment, insert_sketch, save_sketch
from authoring.store.reviewing.reviews import add_comment
from authoring.store.revisions import Revision
from authoring.store.statuses import Origin
from authoring.store.workspace import Workspace
from evaluator.language.document import Document
from evaluator.session import Engine
from tests.scripted_model import Say, Script, ScriptedModel

Serve = Callable[[Script], AbstractContextManager[ScriptedModel]]
FIRST = '# %%\n"""\nquery: What is 1 and 1?\n"""\n1 + 1\n\n'
SECOND = '# %%\n"""\nquery: |\n  What is the sum of the first five numbers?\n"""\nsum(range(5))\n\n'
ADDED = '# %%\n"""\nquery: What is 2 and 2?\n"""\n2 + 2\n\n'
FROM_ONE = SECOND.replace("first five numbers", "numbers from 1 to 5").replace("range(5)", "range(1, 6)")
BY_FORMULA = FROM_ONE.replace("sum(range(1, 6))", "5 * 6 // 2")


def saved(ws: Workspace, base: Revision, text: str, author: str, origin: Origin = Origin.PERSON) -> Revision:
    return revisions.save(ws, base.problemset_id, text, base_revision_id=base.id, author=author, origin=origin)


@pytest.fixture
def head(ws: Workspace) -> Revision:
    """A set of two problems; people mended the second one twice and put another one before it."""
    first = problemsets.create(ws, name="sums", text=FIRST + SECOND, author="scripted", origin=Origin.MODEL)
    second = saved(ws, first, FIRST + FROM_ONE, "Ann")
    third = saved(ws, second, FIRST + ADDED + FROM_ONE, "Ann")
    fourth = saved(ws, third, FIRST + ADDED + FROM_ONE.replace("sum(", "1 * sum("), "Bo")
    return saved(ws, fourth, FIRST + ADDED + BY_FORMULA, "scripted", Origin.MODEL)


def test_a_problem_is_followed_through_revisions_though_its_place_changes(ws: Workspace, head: Revision) -> None:
    history = SetHistory.of(ws, head.problemset_id)
    texts = history.texts("p3")
    assert [text.revision.number for text in texts] == [1, 2, 3, 4, 5]
    assert [text.cell for text in texts][:2] == [SECOND.strip(), FROM_ONE.strip()]
    first = history.revisions[0].id
    assert history.texts("p2", first) == texts
    assert [text.revision.number for text in history.texts("p2")] == [3, 4, 5]  # the one that was put in
    assert history.texts("p9") == ()


def test_what_people_saved_one_after_the_other_is_one_edit_and_what_a_model_did_another(
    ws: Workspace, head: Revision
) -> None:
    texts = SetHistory.of(ws, head.problemset_id).texts("p3")
    edits = edits_between(texts)
    spans = [(edit.before.revision.number, edit.after.revision.number, edit.by_people) for edit in edits]
    assert spans == [(1, 4, True), (4, 5, False)]
    said = "\n".join(edit.text() for edit in human_edits(texts))
    assert said.startswith("From version 1 to 4, by Bo:\n```diff\n")
    assert "-sum(range(5))\n+1 * sum(range(1, 6))\n```" in said
    assert "5 * 6 // 2" not in said


def test_a_difference_shows_the_lines_that_differ_and_a_few_around_them() -> None:
    before = "\n".join(f"line {number}" for number in range(20))
    shown = difference(before, before.replace("line 10", "line ten"))
    lines = ["@@ -9,5 +9,5 @@", " line 8", " line 9", "-line 10", "+line ten", " line 11", " line 12"]
    assert shown.splitlines() == ["```diff", *lines, "```"]


def test_a_refining_model_sees_how_people_changed_the_problem_and_what_a_comment_was_about(
    ws: Workspace, head: Revision, serve: Serve, engine: Engine
) -> None:
    first = SetHistory.of(ws, head.problemset_id).revisions[0]
    add_comment(ws, revision_id=first.id, author="Cy", text="From 0 or from 1?", problem="p2", kind="ambiguous")
    add_comment(ws, revision_id=head.id, author="Cy", text="Name the formula.", problem="p3", line=22)
    answer = BY_FORMULA.replace("# %%", "# %% problem: p3").replace("What is", "By the formula, what is")
    with serve([Say(f"```python\n{answer}```")]) as model:
        refine(ws, "sums", ["p3"], engine=engine)
    (prompt,) = model.prompts
    assert "- problem p3 (other, line 22): Name the formula." in prompt
    assert "## How they were before, and what people changed" in prompt
    assert "-sum(range(5))\n+1 * sum(range(1, 6))" in prompt
    assert "From 0 or from 1?" not in prompt  # it is about the problem that was p2 then
    preview = refine_preview(ws, "sums", ["p2"], engine=engine, options=RefineOptions())
    assert "From 0 or from 1?" in preview.text
    assert "How they were before" not in preview.text


def test_an_amending_model_sees_the_problem_as_it_was_and_what_people_made_of_it(
    ws: Workspace, head: Revision, serve: Serve
) -> None:
    first = SetHistory.of(ws, head.problemset_id).revisions[0]
    add_comment(ws, revision_id=first.id, author="Cy", text="From 0 or from 1?", problem="p2", kind="ambiguous")
    add_comment(ws, revision_id=first.id, author="Cy", text="Which five?", problem="p2", kind="ambiguous")
    add_comment(ws, revision_id=head.id, author="Cy", text="Too easy.", problem="p1")
    sketch = insert_sketch(ws, seed_id=1, author="model", rng_seed=1, items=[SketchItem(1, "Sums.")], provenance={})
    add_sketch_comment(ws, sketch, author="Cy", text="Of what?", item=1)
    save_sketch(ws, sketch, [SketchItem(1, "Sums of numbers.")], base_number=1, author="Cy", message="")
    with serve([Say("```json\n[]\n```")]) as model:
        propose_amendments(ws, proposed_by="Ann", author="model")
    told = model.prompts[0].partition("# What they are about")[2]
    assert told.count("What is the sum of the first five numbers?") == 2  # as it was, and in the difference
    assert "c2, c1: problem p2 of sums\n```python\n" in told
    assert "Bo made of it:\n```diff\n" in told
    assert "+1 * sum(range(1, 6))" in told
    assert "c3: problem p1 of sums" in told
    assert "Nobody changed it since." in told
    assert "s1: item 1 of sketch trips-1: Sums.\nIt reads now: Sums of numbers." in told


def test_of_a_set_that_is_too_long_the_chosen_problems_and_what_is_near_them_are_shown() -> None:
    cells = ["# %%\nimport math\n"]
    cells += [f'# %%\n"""\nquery: What is {number} and 1?\n"""\n{number} + 1\n' for number in range(1, 41)]
    document = Document.parse("\n".join(cells), name="long")
    assert cells_around(document, ["p20"], 5_000) == (document.text.strip(), 0)
    shown = cells_around(document, ["p20", "p3"], 200)
    assert "import math" in shown.text
    assert {"What is 20 and 1?", "What is 3 and 1?", "What is 21 and 1?"} <= set(
        shown.text.replace("query: ", "").splitlines()
    )
    assert "What is 33 and 1?" not in shown.text
    assert shown.text.count("# %%") == len(document.cells) - shown.left_out
    gaps = [
        int(line.split()[1].strip("(")) for line in shown.text.splitlines() if line.endswith("cells left out here)")
    ]
    assert sum(gaps) == shown.left_out > 20
