"""Repeated problems, overused knowledge points and operations that nobody asks for are found across problemsets."""

from authoring.revising.commenting import comment_on, resolve_numbered, unknown_names
from authoring.revising.diversity import measure_diversity, normalised_code
from authoring.store import problemsets
from authoring.store.reviewing.mentions import list_threads_for
from authoring.store.reviewing.reviews import list_comments
from authoring.store.settings import set_setting
from authoring.store.statuses import Origin
from authoring.store.workspace import Workspace
from tests.revising.conftest import problem


def test_what_sets_repeat_overuse_and_leave_out_is_listed(workspace: Workspace) -> None:
    ws = workspace
    code = "top = trips.sort_values('fare').head(3)\ntop['fare'].mean()"
    one = "# %%\nx = 1\n\n" + problem("top", "What is the mean fare of the three cheapest trips?", code)
    one += "".join(
        problem(f"n{n}", f"Count {n}?", f"len(rows) + {n}", more="knowledge_points: [len]\n") for n in range(5)
    )
    two = problem("cheap", "What is the mean fare of the 3 cheapest trips?", "trips.nsmallest(3, 'fare').fare.mean()")
    two += problem("low", "Average what little costs.", code.replace("top", "low"))
    for name, text in (("one", one), ("two", two)):
        problemsets.create(ws, name=name, text=text, author="Ann", origin=Origin.PERSON)
    found = measure_diversity(ws)
    said = {(str(each.one), str(each.other), each.why) for each in found.repetitions}
    assert ("one:top", "two:cheap", "near-equal queries") in said
    assert ("one:top", "two:low", "equal code") in said
    assert found.overused == {"len": 5}
    assert found.used["sort_values"] == 2
    assert "pivot_table" in found.uncovered["reshaping"]
    assert "nsmallest" not in found.uncovered["choosing"]
    assert measure_diversity(ws, ["two"]).problemsets == ("two",)
    set_setting(ws, "annotator_names", ["Ann", "Bo"])
    made = comment_on(ws, "one", "too easy, @ann and @Dee", kind="repetitive", problem="2", by="Bo")
    assert [each.comment_id for each in list_threads_for(ws, "Ann")] == [made]
    assert unknown_names(ws, "too easy, @ann and @Dee") == ("Dee",)
    assert resolve_numbered(ws, str(made), by="Cy") == made
    (comment,) = list_comments(ws, 1)
    assert (comment.problem, comment.kind, comment.resolved_by) == ("n0", "repetitive", "Cy")


def test_names_of_its_own_variables_do_not_tell_code_apart() -> None:
    assert normalised_code("a = df.mean() + 1\nprint(a)") == normalised_code("b = df.mean()+1  # x\nprint(b)")
    assert normalised_code("a = df.mean() + 1\nprint(a)") != normalised_code("a = other.mean() + 1\nprint(a)")
    assert normalised_code("len(df)") == ""
