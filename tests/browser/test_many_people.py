"""Ten people at once on one workspace: nothing is lost, and each save is a revision or a conflict that is shown."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import expect

from authoring.store import autosaves, problemsets, revisions
from authoring.store.settings import set_setting
from authoring.store.statuses import Origin
from tests.browser.conftest import OpenTab, RunningApp, serve, text_box, until

pytestmark = [pytest.mark.browser, pytest.mark.deep]

ALONE = ("Ana", "Bo", "Cem", "Dana", "Eli", "Finn")  # each on a problemset of their own
BESIDE = ("Gita", "Hugo")  # on one problemset, on different problems
AGAINST = ("Ines", "Jun")  # on one problem
TEXT = '''# %%
"""
query: What is one and one?
id: first
"""
1 + 1

# %%
"""
query: What is two and two?
id: second
"""
2 + 2
'''


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningApp]:
    with serve(tmp_path_factory.mktemp("people"), "--no-worker", seeds=False) as app:
        set_setting(app.workspace, "annotator_names", [*ALONE, *BESIDE, *AGAINST])
        yield app


def test_ten_people_edit_and_save_at_once_and_nothing_is_lost(served: RunningApp, open_tab: OpenTab) -> None:
    ws = served.workspace
    names = [*(f"set-of-{name}" for name in ALONE), "shared", "disputed"]
    sets = {
        name: problemsets.create(ws, name=name, text=TEXT, author="template", origin=Origin.TEMPLATE).problemset_id
        for name in names
    }
    places = {name: (sets[f"set-of-{name}"], "first") for name in ALONE}
    places |= {name: (sets["shared"], pid) for name, pid in zip(BESIDE, ("first", "second"), strict=True)}
    places |= dict.fromkeys(AGAINST, (sets["disputed"], "first"))
    pages = {name: open_tab(width=900, height=700) for name in places}
    for name, page in pages.items():
        problemset, problem = places[name]
        page.goto(f"/editor?set={problemset}&pid={problem}&user={name}", wait_until="commit")
    for name, page in pages.items():
        text_box(page).press("Control+End")
        text_box(page).press_sequentially(f"  # by {name}")
    for page in pages.values():
        text_box(page).press("Control+s")

    for name in (*ALONE, *BESIDE):
        expect(pages[name].get_by_text("all saved as revision")).to_be_visible()
        row = problemsets.find(ws, places[name][0])
        assert f"# by {name}" in revisions.find(ws, row.head_revision_id).text
    for name in ALONE:
        assert [revision.author for revision in revisions.select(ws, places[name][0])] == ["template", name]
    shared = revisions.select(ws, sets["shared"])
    assert {revision.author for revision in shared} == {"template", *BESIDE}

    until(pages[AGAINST[0]], lambda: len(revisions.select(ws, sets["disputed"])) == 2)
    won = revisions.find(ws, problemsets.find(ws, sets["disputed"]).head_revision_id)
    (lost,) = set(AGAINST) - {won.author}
    assert f"# by {won.author}" in won.text
    expect(pages[lost].get_by_text("Somebody saved a revision that changes this field too").first).to_be_visible()
    assert [saved.text for saved in autosaves.select(ws, lost, sets["disputed"])] == [f"1 + 1  # by {lost}"]
    for page in pages.values():
        expect(page.get_by_text("the fault is ours")).to_have_count(0)
