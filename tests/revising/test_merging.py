"""Two edits of one text come together: what one side alone did is kept byte for byte, what both did is shown."""

from hypothesis import example, given
from hypothesis import strategies as st

from authoring.revising.merging import Merged, Side, merge_texts
from evaluator.language import Problemset, with_language_version


def problem(name: str, *, query: str = "", code: str = "", id_: bool = True, more: str = "") -> str:
    settings_ = (f"id: {name}\n" if id_ else "") + more
    return f'# %%\n"""\nquery: {query or f"What is {name}?"}\n{settings_}"""\n\n{code or f"{name} = 1"}\n\n'


SETUP = "# %%\nimport pandas as pd\n\n"
BASE = SETUP + "".join(problem(name) for name in "abc")


def merged(theirs: str, mine: str, **takes: Side) -> Merged:
    return merge_texts("set", BASE, theirs, mine, takes=takes)


cells = st.builds(
    lambda name, query, code, id_, lines: problem(name, query=query, code=code, id_=id_) + "\n" * lines,
    st.sampled_from("abcdef"),
    st.sampled_from(["", "How many?", "Which one?"]),
    st.sampled_from(["", "x = 2", "y = a + 1\ny"]),
    st.booleans(),
    st.integers(0, 2),
)
setups = st.sampled_from([SETUP, "# %% load\ndf = 1\n", "# %%\n# only a remark\n"])
texts = st.builds(
    lambda preamble, parts: preamble + "".join(parts),
    st.sampled_from(["", "# by Ann\n"]),
    st.lists(
        st.one_of(cells, setups), max_size=6, unique_by=lambda cell: cell.split("id: ")[-1][:1] + str("id: " in cell)
    ),
)


@given(texts, texts)
def test_where_one_side_changed_nothing_the_other_is_the_result(base: str, other: str) -> None:
    assert merge_texts("set", base, other, base).text == other
    assert merge_texts("set", base, base, other).text == other
    assert merge_texts("set", base, other, other).text == other


@given(texts, texts, texts)
@example(
    base="".join([problem("b", id_=False), problem("c"), problem("a")]),
    theirs="".join([problem("b"), problem("a"), problem("c")]),
    mine="".join([problem("a"), problem("b", id_=False), problem("c")]),
)
def test_conflicts_are_the_same_from_either_side(base: str, theirs: str, mine: str) -> None:
    one, other = merge_texts("set", base, theirs, mine), merge_texts("set", base, mine, theirs)
    swapped = {(c.field, c.base, c.mine, c.theirs) for c in other.conflicts}
    assert {(c.field, c.base, c.theirs, c.mine) for c in one.conflicts} == swapped
    assert (one.text is None) == (other.text is None)
    if one.text is not None and other.text is not None:
        assert sorted(one.text.split()) == sorted(other.text.split())


def test_what_different_people_changed_comes_together() -> None:
    theirs = BASE.replace("a = 1", "a = 2")
    mine = BASE.replace("What is c?", "How much is c?")
    found = merged(theirs, mine)
    assert found.text == theirs.replace("What is c?", "How much is c?")
    assert found.conflicts == ()
    assert found.from_mine == ("c",)
    found = merged(BASE.replace("b = 1", "b = 2"), BASE.replace("What is b?", "How much is b?"))
    assert found.text == BASE.replace("b = 1", "b = 2").replace("What is b?", "How much is b?")


def test_one_field_changed_by_both_is_a_conflict_with_three_texts() -> None:
    theirs, mine = BASE.replace("b = 1", "b = 2"), BASE.replace("b = 1", "b = 3")
    found = merged(theirs, mine)
    assert found.text is None
    (conflict,) = found.conflicts
    assert (conflict.cell, conflict.field) == ("b", "code")
    assert (conflict.base, conflict.theirs, conflict.mine) == ("b = 1", "b = 2", "b = 3")
    assert merged(theirs, mine, b=Side.MINE).text == mine
    assert merged(theirs, mine, b=Side.THEIRS).text == theirs
    assert merged(theirs, mine, **{"*": Side.MINE}).decided == (conflict,)


def test_a_cell_that_one_side_deleted_and_the_other_changed_is_a_conflict() -> None:
    without = BASE.replace(problem("b"), "")
    changed = BASE.replace("b = 1", "b = 2")
    (conflict,) = merged(without, changed).conflicts
    assert (conflict.cell, conflict.field, conflict.theirs) == ("b", "cell", "")
    assert merged(without, changed, b=Side.MINE).text == changed
    assert merged(without, changed, b=Side.THEIRS).text == without
    assert merged(without, BASE.replace("c = 1", "c = 2")).text == without.replace("c = 1", "c = 2")


def test_new_cells_of_both_sides_stand_where_they_were_put() -> None:
    theirs = BASE.replace(problem("b"), problem("b") + problem("new"))
    mine = BASE + problem("last")
    found = merged(theirs, mine)
    assert found.text == theirs + problem("last")
    beside = merged(theirs, BASE.replace(problem("b"), problem("b") + problem("other"))).text
    assert beside is not None
    ids = [each.metadata["id"] for each in Problemset.parse(beside).problems]
    assert (ids[:2], set(ids[2:4]), ids[4:]) == (["a", "b"], {"new", "other"}, ["c"])


def test_a_moved_cell_keeps_what_the_other_side_changed_in_it() -> None:
    moved = SETUP + problem("c") + problem("a") + problem("b")
    assert merged(moved, BASE.replace("c = 1", "c = 2")).text == moved.replace("c = 1", "c = 2")
    assert merged(BASE.replace("c = 1", "c = 2"), moved).text == moved.replace("c = 1", "c = 2")


def test_cells_moved_to_different_places_are_a_conflict_of_order() -> None:
    theirs = SETUP + problem("c") + problem("a") + problem("b")
    mine = SETUP + problem("b") + problem("a") + problem("c")
    (conflict,) = merged(theirs, mine).conflicts
    assert conflict.field == "order"
    assert merged(theirs, mine, order=Side.MINE).text == mine
    assert merged(theirs, mine, order=Side.THEIRS).text == theirs


def test_problems_without_ids_are_told_apart_by_their_text() -> None:
    base = SETUP + "".join(problem(name, id_=False) for name in "abc")
    theirs = base.replace(problem("a", id_=False), problem("zero", id_=False) + problem("a", id_=False))
    mine = base.replace("c = 1", "c = 2")
    assert merge_texts("set", base, theirs, mine).text == theirs.replace("c = 1", "c = 2")


def test_a_text_that_does_not_parse_is_merged_as_a_whole() -> None:
    broken = BASE.replace('"""', '"', 1)
    assert merged(broken, BASE).text == broken
    assert merged(BASE, broken).text == broken
    (conflict,) = merged(BASE.replace("a = 1", "a = 2"), broken).conflicts
    assert conflict.field == "cell"


def test_a_merge_keeps_the_language_version_of_the_text() -> None:
    theirs, mine = BASE.replace("b = 1", "b = 2"), BASE.replace("c = 1", "c = 2")
    for version, seconds in ((2, 1.0), (3, 5.0)):
        sides = [with_language_version(text, version) for text in (BASE, theirs, mine)]
        text = merge_texts("set", *sides).text
        assert text == with_language_version(theirs.replace("c = 1", "c = 2"), version)
        assert {each.time_limit_s for each in Problemset.parse(text).problems} == {seconds}
    found = merge_texts("set", BASE, with_language_version(theirs), mine)
    assert found.text == with_language_version(theirs.replace("c = 1", "c = 2"))
