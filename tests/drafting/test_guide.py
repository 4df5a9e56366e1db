"""Comments become amendments of the guide; models see how problems were changed; effects of each guide are counted."""

import json
from collections.abc import Mapping
from typing import Any

import pytest

from authoring.drafting.guide.amendment_proposals import propose_amendments, propose_one
from authoring.drafting.guide.guide_effects import guide_effects
from authoring.drafting.problem_history import SetHistory, difference, edits_between, human_edits
from authoring.drafting.refining.refining import RefineOptions, refine, refine_preview
from authoring.drafting.refining.shown_cells import cells_around
from authoring.prompting.prompts import guide_revision
from authoring.store import model_calls, problemsets, revisions
from authoring.store.drafting.guide import decide_amendment, list_amendments, save_guide
from authoring.store.drafting.sketches import SketchItem, add_sketch_comment, insert_sketch, save_sketch
from authoring.store.effort import record_effort
from authoring.store.reviewing.reviews import add_comment, record_decision, resolve_comment
from authoring.store.revisions import Revision
from authoring.store.statuses import AmendmentStatus, Origin
from authoring.store.workspace import Workspace
from evaluator.errors import ContentError
from evaluator.language.document import Document
from evaluator.models import BudgetLimits, BudgetSpentError
from tests.drafting.conftest import NOBODY, Serve
from tests.scripted_model import Say, ScriptedModel

FITTING = {
    **{"old_text": "", "section": "What every problem needs"},
    **{"new_text": "- Say what happens to ties.", "reason": "t"},
}


@pytest.fixture
def commented(ws: Workspace) -> Workspace:
    """A workspace with three comments, the second of them resolved."""
    made = problemsets.create(
        ws, name="trips-1", text="# %%\n1\n", author="template", origin=Origin.TEMPLATE, guide_number=1
    )
    for kind, text in (("ambiguous", "Ties?"), ("repetitive", "Mean again."), ("ambiguous", 'Which "end"?')):
        add_comment(ws, revision_id=made.id, author="Ben", text=text, kind=kind, problem="p1")
    resolve_comment(ws, 2, by="Ann")
    return ws


def listed(*rows: Mapping[str, object]) -> Say:
    return Say(f"```json\n{json.dumps(rows)}\n```")


def test_a_budget_that_is_too_small_for_a_question_asks_none(commented: Workspace, model: ScriptedModel) -> None:
    with pytest.raises(BudgetSpentError, match="tokens"):
        propose_amendments(commented, proposed_by="Ann", author="model", budget=BudgetLimits(tokens=10))
    assert (model.requests, list_amendments(commented)) == ([], [])


def test_without_a_model_comments_are_grouped_by_kind_and_quoted(commented: Workspace) -> None:
    found = propose_amendments(commented, proposed_by="Ann")
    repetitive, ambiguous = found.amendments
    assert (repetitive.comment_ids, ambiguous.comment_ids) == (("c2",), ("c1", "c3"))
    assert ambiguous.new_text.endswith('"Ties?"; "Which \'end\'?".')
    assert (repetitive.section, ambiguous.section) == ("What the set as a whole needs", "What every problem needs")
    assert all("draft by rule" in one.reason and one.provenance["draft_to_edit"] for one in found.amendments)


def test_a_comment_is_proposed_from_once_older_ones_only_on_demand(commented: Workspace) -> None:
    propose_amendments(commented, proposed_by="Ann")
    assert propose_amendments(commented, proposed_by="Ann").comments == 0
    add_comment(commented, revision_id=1, author="Ben", text="Off.", kind="off_the_data")
    save_guide(commented, "Be exact.", base_number=guide_revision(commented).number, author="Ann", message="")
    assert propose_amendments(commented, proposed_by="Ann").comments == 0
    found = propose_amendments(commented, proposed_by="Ann", all_times=True)
    assert [(one.comment_ids, one.section) for one in found.amendments] == [(("c4",), "")]


def test_a_model_sees_guide_and_comments_and_its_change_is_accepted(commented: Workspace, model: ScriptedModel) -> None:
    model.script = [listed({**FITTING, "comments": ["c1", "c3"]})]
    (one,) = propose_amendments(commented, proposed_by="Ann", author="model").amendments
    for part in ("One possible answer", "c2 (repetitive, trips-1/p1, resolved): Mean again.", "revision 1"):
        assert part in model.prompts[0]
    assert (one.comment_ids, one.provenance["guide_revision"], one.provenance["requests"]) == (("c1", "c3"), 1, 1)
    assert decide_amendment(commented, one.id, AmendmentStatus.ACCEPTED, by="Ben").guide_number == 2
    assert "- Say what happens to ties.\n\nWhat the set as a whole needs:" in guide_revision(commented).text


def test_what_does_not_fit_goes_back_and_the_rest_is_kept(commented: Workspace, model: ScriptedModel) -> None:
    wrong: list[dict[str, object]] = [
        {**FITTING, "comments": ["c9"]},
        {**FITTING, "old_text": "Not there", "comments": ["c1"]},
    ]
    model.script = [Say("I would say less."), listed(*wrong, {**FITTING, "comments": "c1"})]
    found = propose_amendments(commented, proposed_by="Ann", author="model")
    assert [one.comment_ids for one in found.amendments] == [("c1",)]
    assert "no JSON list" in model.prompts[1]
    assert "item 1: `comments` must name" in model.prompts[2]
    assert "item 2: the text to change stands 0 times" in model.prompts[2]


def test_garbage_ends_in_a_refusal_and_the_answers_are_kept(commented: Workspace, model: ScriptedModel) -> None:
    model.script = [Say(text) for text in ("", "[" * 50_000, "\x00", "[1]")]
    with pytest.raises(ContentError, match="no usable amendment in 4 answers"):
        propose_amendments(commented, proposed_by="Ann", author="model")
    assert len(model_calls.select(commented, purpose="amend")) == 4
    assert list_amendments(commented) == []


def test_a_person_proposes_a_change_of_a_passage(commented: Workspace) -> None:
    old = "10 to 15 problems"
    found = propose_one(commented, proposed_by="Ann", old_text=old, new_text="8 problems", comment_ids=["c1"])
    (one,) = found.amendments
    assert (one.proposed_by, one.status, one.stale) == ("Ann", "proposed", False)


# effects for each guide, with stated denominators


CELL = '# %%\n"""\nquery: {0}\nvalidator:\n  result:\n"""\n{1}\n'
DRAFT = "# %%\nimport pandas as pd\n\n" + "\n".join(CELL.format(f"Ask {n}.", n) for n in range(1, 5))


def drafted(ws: Workspace, name: str, guide: int, **provenance: int) -> Revision:
    return problemsets.create(
        ws, name=name, text=DRAFT, author="model", origin=Origin.MODEL, guide_number=guide, provenance=provenance
    )


def saved(ws: Workspace, base: Revision, text: str, author: str = "Ann", **more: Any) -> Revision:
    return revisions.save(ws, base.problemset_id, text, base_revision_id=base.id, author=author, **more)


def test_each_guide_is_counted_by_what_its_drafts_came_to(ws: Workspace) -> None:
    first = drafted(ws, "a", 1, repairs=2, prompt_tokens=100, completion_tokens=20)
    reworded = saved(ws, first, DRAFT.replace("Ask 2.", "Ask two."), minutes=6)
    judged = saved(ws, reworded, reworded.text.replace("Ask two.\nvalidator:\n  result:", "Ask two."), minutes=1)
    record_decision(ws, revision_id=judged.id, decision="accepted", by="Ben")
    record_effort(ws, "review", subject="a", person="Ben", minutes=3, problemset_id=first.problemset_id)
    add_comment(ws, revision_id=first.id, author="Ben", text="Ties?", kind="ambiguous")
    drafted(ws, "b", 1)
    untouched = drafted(ws, "c", 2)
    record_decision(ws, revision_id=untouched.id, decision="accepted", by="Ben")
    one, two = guide_effects(ws)
    assert (one.guide_number, one.drafts, one.accepted, one.acceptance_rate) == (1, 2, 1, 0.5)
    assert (one.problems, one.cells_changed, one.edits_per_problem, one.revision_rate) == (4, 2, 0.5, 0.25)
    assert (one.validator_changes, one.minutes, one.measured_problems, one.minutes_per_problem) == (1, 10, 4, 2.5)
    assert (one.comments["ambiguous"], one.comments["other"], one.repairs, one.tokens) == (1, 0, 2, 120)
    assert (two.acceptance_rate, two.edits_per_problem, two.revision_rate) == (1.0, 0.0, 0.0)
    assert (two.measured_problems, two.minutes_per_problem) == (0, None)


def test_without_accepted_sets_quotients_are_unknown(ws: Workspace) -> None:
    drafted(ws, "a", 3)
    problemsets.create(ws, name="own", text=DRAFT, author="Ann", origin=Origin.IMPORT)
    (only,) = guide_effects(ws)
    assert (only.drafts, only.acceptance_rate, only.problems, only.edits_per_problem) == (1, 0.0, 0, None)


def test_an_inserted_problem_is_one_edit_and_broken_text_is_none(ws: Workspace) -> None:
    first = drafted(ws, "a", 1)
    broken = saved(ws, first, '# %%\n"""\nquery: [a\n"""\n1\n')
    whole = saved(ws, broken, DRAFT)
    inserted = f"{CELL.format('New.', 9)}\n{CELL.format('Ask 2.', 2)}"
    longer = saved(ws, whole, DRAFT.replace(CELL.format("Ask 2.", 2), inserted))
    record_decision(ws, revision_id=longer.id, decision="accepted", by="Ben")
    (only,) = guide_effects(ws)
    assert (only.problems, only.incomparable, only.cells_changed) == (5, 2, 1)


# how a problem was changed


FIRST = '# %%\n"""\nquery: What is 1 and 1?\n"""\n1 + 1\n\n'
SECOND = '# %%\n"""\nquery: |\n  What is the sum of the first five numbers?\n"""\nsum(range(5))\n\n'
ADDED = '# %%\n"""\nquery: What is 2 and 2?\n"""\n2 + 2\n\n'
FROM_ONE = SECOND.replace("first five numbers", "numbers from 1 to 5").replace("range(5)", "range(1, 6)")
BY_FORMULA = FROM_ONE.replace("sum(range(1, 6))", "5 * 6 // 2")


@pytest.fixture
def head(ws: Workspace) -> Revision:
    """A set of two problems; people mended the second one twice and put another one before it."""
    first = problemsets.create(ws, name="sums", text=FIRST + SECOND, author="scripted", origin=Origin.MODEL)
    second = saved(ws, first, FIRST + FROM_ONE)
    third = saved(ws, second, FIRST + ADDED + FROM_ONE)
    fourth = saved(ws, third, FIRST + ADDED + FROM_ONE.replace("sum(", "1 * sum("), "Bo")
    return saved(ws, fourth, FIRST + ADDED + BY_FORMULA, "scripted", origin=Origin.MODEL)


def test_a_problem_is_followed_through_revisions_though_its_place_changes(ws: Workspace, head: Revision) -> None:
    history = SetHistory.of(ws, head.problemset_id)
    texts = history.texts("p3")
    assert [text.revision.number for text in texts] == [1, 2, 3, 4, 5]
    assert [text.cell for text in texts][:2] == [SECOND.strip(), FROM_ONE.strip()]
    first = history.revisions[0].id
    assert history.texts("p2", first) == texts
    assert [text.revision.number for text in history.texts("p2")] == [3, 4, 5]  # the one that was put in
    assert history.texts("p9") == ()


def test_what_people_saved_in_a_row_is_one_edit(ws: Workspace, head: Revision) -> None:
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


@pytest.mark.usefixtures("nothing_fails")
def test_a_refining_model_sees_how_people_changed_the_problem(ws: Workspace, head: Revision, serve: Serve) -> None:
    first = SetHistory.of(ws, head.problemset_id).revisions[0]
    add_comment(ws, revision_id=first.id, author="Cy", text="From 0 or from 1?", problem="p2", kind="ambiguous")
    add_comment(ws, revision_id=head.id, author="Cy", text="Name the formula.", problem="p3", line=22)
    answer = BY_FORMULA.replace("# %%", "# %% problem: p3").replace("What is", "By the formula, what is")
    with serve([Say(f"```python\n{answer}```")]) as model:
        refine(ws, "sums", ["p3"], engine=NOBODY)
    (prompt,) = model.prompts
    assert "- problem p3 (other, line 22): Name the formula." in prompt
    assert "## How they were before, and what people changed" in prompt
    assert "-sum(range(5))\n+1 * sum(range(1, 6))" in prompt
    assert "From 0 or from 1?" not in prompt  # it is about the problem that was p2 then
    preview = refine_preview(ws, "sums", ["p2"], engine=NOBODY, options=RefineOptions())
    assert "From 0 or from 1?" in preview.text
    assert "How they were before" not in preview.text


def test_an_amending_model_sees_what_people_made_of_the_problem(ws: Workspace, head: Revision, serve: Serve) -> None:
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


def test_of_a_long_set_the_chosen_problems_and_their_neighbours_are_shown() -> None:
    cells = ["# %%\nimport math\n"]
    cells += [f'# %%\n"""\nquery: What is {number} and 1?\n"""\n{number} + 1\n' for number in range(1, 41)]
    document = Document.parse("\n".join(cells), name="long")
    assert cells_around(document, ["p20"], 5_000) == (document.text.strip(), 0)
    shown = cells_around(document, ["p20", "p3"], 200)
    assert "import math" in shown.text
    lines = shown.text.replace("query: ", "").splitlines()
    assert {"What is 20 and 1?", "What is 3 and 1?", "What is 21 and 1?"} <= set(lines)
    assert "What is 33 and 1?" not in shown.text
    assert shown.text.count("# %%") == len(document.cells) - shown.left_out
    gaps = [int(line.split()[1].strip("(")) for line in lines if line.endswith("cells left out here)")]
    assert sum(gaps) == shown.left_out > 20
