"""Answers are tried on the reference's state, and kept as examples when their verdict fits."""

import pytest

from authoring.checks.dry_run.dry_running import dry_run
from authoring.revising.affected.rerunning import rerun
from authoring.revising.validators.answer_trials import Kept, keep_answer, try_answer, with_example, without_example
from authoring.store.reviewing.roundtable import NewItem, find_item, list_roundtable, open_items, resolve_item
from authoring.store.workspace import Workspace
from evaluator.errors import ContentError, UsageError
from evaluator.language import example_answers, parse_problemset
from evaluator.session import Engine
from tests.revising.conftest import add_set, problem, save

TEXT = "# %%\nrows = [3, 1, 2]\n\n" + problem("clean", "Sort `rows` into `clean`.", "clean = sorted(rows)\nclean")
TEXT += problem("total", "What is the sum of `clean`?", "sum(clean)", more="# sums\ntags: [sum]  # one\n")


def test_answers_are_judged_on_the_reference_state_and_kept_in_one_cell(ws: Workspace, engine: Engine) -> None:
    first = add_set(ws, TEXT)
    right = try_answer(ws, first.id, "total", 'print("adding")\nclean[0] + clean[1] + clean[2]', engine=engine)
    assert (right.judged.verdict, right.to_json()["outputs"][0]["text"]) == ("CORRECT", "adding\n")
    with pytest.raises(ContentError, match="is judged CORRECT, so it cannot be kept as rejected"):
        keep_answer(ws, right, Kept.REJECTED, by="Ann")
    second = keep_answer(ws, right, Kept.ACCEPTED, by="Ann")
    before, after = (each.document().cells for each in (first, second))
    assert [old.raw == new.raw for old, new in zip(before, after, strict=True)] == [True, True, False]
    assert "# sums\ntags: [sum]  # one\n" in after[2].raw
    wrong = try_answer(ws, second.id, 2, "len(clean)", engine=engine)
    assert (wrong.judged.verdict, wrong.judged.subverdict) == ("WRONG_OUTPUT", "VALUE_MISMATCH")
    third = keep_answer(ws, wrong, Kept.REJECTED, by="Ann")
    parsed = parse_problemset(third.text, name="x").problemset
    assert parsed is not None
    kept = example_answers(parsed.problems[1])
    assert [(each.side, each.verdict) for each in kept] == [("accept", ""), ("reject", "WRONG_OUTPUT")]
    assert "# sums\ntags: [sum]  # one\n" in third.text, "what the author wrote stays"
    again = try_answer(ws, third.id, "total", "len(clean)\n", engine=engine)
    assert [(kept.example.where, kept.judged.verdict, kept.holds) for kept in again.examples] == [
        ("examples.accept[0]", "CORRECT", True),
        ("examples.reject[0]", "WRONG_OUTPUT", True),
    ]
    with pytest.raises(ContentError, match="keeps this answer already"):
        keep_answer(ws, again, Kept.REJECTED, by="Ann")
    with pytest.raises(UsageError, match="no problem 'nine'"):
        try_answer(ws, third.id, "nine", "1", engine=engine)


def test_a_kept_answer_is_judged_by_every_dry_run(ws: Workspace, engine: Engine) -> None:
    kept = "examples:\n  reject:\n  - |\n    6.0\n"
    text = "# %%\nrows = [3, 1, 2]\n\n" + problem("total", "What is the sum of `rows`?", "sum(rows)", more=kept)
    first = add_set(ws, text)
    done = dry_run(ws, first.id, engine=engine)
    (failure,) = done.failures
    assert (failure.check, failure.index) == ("examples", 1)
    assert "examples.reject[0] is judged CORRECT, but must be anything but CORRECT" in failure.what
    assert done.dry_run.problems[0].findings["empty"]["correct"] == "no"
    mended = save(ws, first, text.replace("6.0", "7"))
    again = rerun(ws, mended.id, engine=engine)
    assert (again.result.passed, again.affected[0].reasons) == (True, ("its examples changed",))
    assert again.result.dry_run.problems[0].examples[0]["verdict"] == "WRONG_OUTPUT"


def test_examples_come_into_and_out_of_settings() -> None:
    settings = "tags: [sum]  # one\nexamples:\n  accept:\n  - 1 + 1\n# which\nid: x\n"
    more = with_example(settings, "2\n", Kept.REJECTED)
    assert more.startswith("tags: [sum]  # one\nexamples:")
    assert more.endswith("# which\nid: x\n")
    with pytest.raises(ContentError, match="keeps this answer already"):
        with_example(more, " 1 + 1\n", Kept.REJECTED)
    fewer = without_example(without_example(more, "accept", 0), "reject", 0)
    assert fewer == "tags: [sum]  # one\n# which\nid: x\n"
    with pytest.raises(ContentError, match="cannot be read"):
        with_example("tags: [", "2", Kept.ACCEPTED)


def test_what_a_dry_run_leaves_open_is_settled_once(ws: Workspace, engine: Engine) -> None:
    text = problem("free", "Do as you like.", "z = 1", more="validator: {template: basic}\n")
    first = add_set(ws, text + problem("broken", "Crash?", "1 / 0"))
    dry_run(ws, first.id, engine=engine)
    items = list_roundtable(ws, first.problemset_id, only_open=True)
    assert [(item.problem, item.evidence["kind"]) for item in items] == [
        ("free", "empty_passes"),
        ("broken", "reference_fails"),
    ]
    assert "ZeroDivisionError" in items[1].evidence["why"]
    with pytest.raises(UsageError, match="no resolution 'wrong'"):
        resolve_item(ws, items[0].id, resolution="wrong", by="Bo")
    resolve_item(ws, items[0].id, resolution="validator_too_loose", by="Bo", note="ask for z")
    with pytest.raises(ContentError, match="settled as validator_too_loose by Bo"):
        resolve_item(ws, items[0].id, resolution="agent_wrong", by="Cy")
    dry_run(ws, first.id, engine=engine)
    assert list_roundtable(ws, first.problemset_id, only_open=True) == [items[1]], "nothing is opened twice"
    (by_hand,) = open_items(ws, first.id, [NewItem("free", "rows or values?", {})], by="Ann")
    assert find_item(ws, by_hand).opened_by == "Ann"
