"""The server's side of the code editors, and the bundle that the browser's side is made of."""

import hashlib
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from authoring.store import autosaves, problemsets, revisions
from authoring.store.jobs import select as list_jobs
from authoring.store.revisions import Revision
from authoring.store.settings import set_setting
from authoring.store.workspace import Workspace
from authoring.ui.drawing.markup import word_diff_html
from authoring.ui.inputs.code_editor import received

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "authoring" / "ui" / "frontend"
Open = Callable[..., AppTest]
Said = Callable[[AppTest], str]


@pytest.fixture(autouse=True)
def code_editors(workspace: Workspace) -> None:
    set_setting(workspace, "plain_editors", {})


def protos(app: AppTest) -> dict[str, Any]:
    """The code editors on the screen by their label."""
    found = [element.proto for element in app.get("bidi_component")]
    return {json.loads(proto.json)["label"]: proto for proto in found if proto.component_name == "benchwright_editor"}


def shown(app: AppTest, label: str = "Reference code") -> dict[str, Any]:
    data: dict[str, Any] = json.loads(protos(app)[label].json)
    return data


def send(app: AppTest, event: str, text: str, *, number: int = 1, **more: Any) -> AppTest:
    """Do what the browser does: send a text with an event of the editor of the reference code."""
    proto, data = protos(app)["Reference code"], shown(app)
    sent = {"text": text, "number": number, "session": data["session"], "load_no": data["load_no"], **more}
    states = app._tree.get_widget_states()
    state = states.widgets.add()
    if event == "text":
        state.id = proto.id
        state.json_value = json.dumps({"text": sent})
    else:
        state.id = f"$$STREAMLIT_INTERNAL_KEY_{proto.id}__events"
        state.json_trigger_value = json.dumps([{"event": event, "value": sent}])
    app._run(states)
    assert not app.exception
    return app


def test_the_committed_bundle_was_built_from_the_committed_source() -> None:
    names = ("index.js", "mirror.js", "package-lock.json", "build.sh")
    digest = hashlib.sha256(b"".join((SOURCE / name).read_bytes() for name in names)).hexdigest()
    with (ROOT / "static" / "cm6.js").open(encoding="utf-8") as bundle:
        assert bundle.readline().strip() == f"// Built by authoring/ui/frontend/build.sh from {digest}"


def test_every_package_in_the_bundle_has_one_version_and_its_licence_but_no_address() -> None:
    lock = json.loads((SOURCE / "package-lock.json").read_text())
    wanted = json.loads((SOURCE / "package.json").read_text())
    exact = re.compile(r"\d+\.\d+\.\d+")
    assert all(exact.fullmatch(version) for version in (wanted["dependencies"] | wanted["devDependencies"]).values())
    assert wanted["dependencies"]["codemirror"] == "6.0.2"
    packages = {name: each for name, each in lock["packages"].items() if name}
    assert not any("resolved" in each for each in packages.values())
    licences = (ROOT / "static" / "cm6.LICENSES.txt").read_text(encoding="utf-8")
    for name, each in packages.items():
        if not each.get("dev"):
            assert f"{name.removeprefix('node_modules/')} {each['version']}\n" in licences


def test_text_reaches_the_browser_as_data_only_and_the_script_names_no_host(open_page: Open, draft: Revision) -> None:
    app = open_page("editor", set=draft.problemset_id, pid="p1")
    assert list(protos(app)) == ["Query", "Reference code", "Settings (YAML): validator, limits, tags"]
    for proto in protos(app).values():
        assert proto.html_content == ""
        assert "sales" not in proto.js_content
        assert "://" not in proto.js_content
    assert shown(app)["words"] == ["pd", "sales"]


def test_a_screen_reader_hears_of_which_problem_an_editor_is(open_page: Open, draft: Revision) -> None:
    app = open_page("editor", set=draft.problemset_id, pid="p2")
    names = [shown(app, label)["spoken"] for label in protos(app)]
    assert names == ["Query of problem 2", "Reference code of problem 2", "Settings of problem 2"]


def test_a_text_that_an_editor_sends_is_kept_and_comes_back(
    open_page: Open, draft: Revision, workspace: Workspace
) -> None:
    app = send(open_page("editor", set=draft.problemset_id, pid="p2"), "text", "sales.units.max()", number=7)
    (saved,) = autosaves.select(workspace, "mei", draft.problemset_id)
    assert (saved.problem, saved.field, saved.text) == ("p2", "code", "sales.units.max()")
    assert (shown(app)["value"], shown(app)["last_seq"]) == ("sales.units.max()", 7)
    again = open_page("editor", set=draft.problemset_id, pid="p2")
    assert shown(again)["value"] == "sales.units.max()"


def test_keys_carry_the_text_so_that_no_order_of_callbacks_matters(
    open_page: Open, draft: Revision, workspace: Workspace
) -> None:
    app = open_page("editor", set=draft.problemset_id, pid="p1")
    send(app, "run", "sales.units.sum()", scope="this")
    send(app, "run", "sales.units.sum()", number=2, scope="on")
    jobs = list_jobs(workspace)
    assert [(job.payload["upto"], job.payload.get("first")) for job in jobs] == [(None, 1), (1, None)]
    assert all("sales.units.sum()" in job.payload["text"] for job in jobs)
    send(app, "save", "sales.units.min()", number=3)
    head = revisions.find(workspace, problemsets.find(workspace, draft.problemset_id).head_revision_id)
    assert (head.number, "sales.units.min()" in head.text) == (2, True)
    assert autosaves.select(workspace, "mei", draft.problemset_id) == []


def test_a_text_on_top_of_one_that_was_replaced_is_not_stored(
    open_page: Open, draft: Revision, workspace: Workspace
) -> None:
    app = open_page("editor", set=draft.problemset_id, pid="p1")
    send(app, "text", "late()", load_no=shown(app)["load_no"] - 1)
    send(app, "save", "late()", load_no=shown(app)["load_no"] - 1)
    send(app, "text", "of another server", session="gone")
    assert autosaves.select(workspace, "mei", draft.problemset_id) == []
    assert problemsets.find(workspace, draft.problemset_id).head_number == 1


def test_a_refused_text_stays_and_is_neither_run_nor_saved_until_one_is_chosen(
    open_page: Open, draft: Revision, workspace: Workspace, said: Said
) -> None:
    app = open_page("editor", set=draft.problemset_id, pid="p1")
    autosaves.save(
        workspace,
        person="mei",
        problemset_id=draft.problemset_id,
        problem="p1",
        field="code",
        text="theirs()",
        base_revision_id=draft.id,
        writer="another tab",
        expected_saved_no=None,
    )
    load_no = shown(app)["load_no"]
    send(app, "text", "mine()")
    assert "Another tab of yours has saved a different text" in said(app)
    assert shown(app)["load_no"] == load_no  # what is on the screen is left alone
    app.menu_button(key=f"more:{draft.problemset_id}:p1").click("Run all").run()
    assert list_jobs(workspace) == []
    app.button(key=f"conflict:{draft.problemset_id}:p1:code:mine").click().run()
    assert [saved.text for saved in autosaves.select(workspace, "mei", draft.problemset_id)] == ["mine()"]
    assert (shown(app)["value"], shown(app)["load_no"] > load_no) == ("mine()", True)


def test_text_found_in_the_browser_waits_for_a_decision(
    open_page: Open, draft: Revision, workspace: Workspace, said: Said
) -> None:
    app = send(open_page("editor", set=draft.problemset_id, pid="p1"), "found", "lost()")
    assert "Unsent text of yours was found in this browser" in said(app)
    assert (shown(app)["offered"], autosaves.select(workspace, "mei", draft.problemset_id)) == (True, [])
    load_no = shown(app)["load_no"]
    app.button(key=f"found:{draft.problemset_id}:p1:code:theirs").click().run()
    assert "Unsent text" not in said(app)
    assert (shown(app)["offered"], shown(app)["load_no"] > load_no) == (False, True)


def test_diagnostics_stand_at_the_line_of_their_own_text(open_page: Open, draft: Revision) -> None:
    app = send(open_page("editor", set=draft.problemset_id, pid="p1"), "text", "sales\n\nx = (\n")
    (found,) = shown(app)["diagnostics"]
    assert (found["line"], found["severity"]) == (3, "error")
    assert "was never closed" in found["text"]
    assert shown(app, "Query")["diagnostics"] == []


def test_a_setup_cell_has_one_editor_with_its_own_diagnostics(open_page: Open, draft: Revision) -> None:
    app = open_page("editor", set=draft.problemset_id, pid="setup1")
    assert list(protos(app)) == ["Setup code"]
    assert shown(app, "Setup code")["diagnostics"] == []


def test_names_and_ids_may_hold_two_underscores(open_page: Open, draft: Revision, workspace: Workspace) -> None:
    text = draft.text.replace("query: How many", "id: a__b\nquery: How many")
    revisions.save(workspace, draft.problemset_id, text, base_revision_id=draft.id, author="lee")
    app = send(open_page("editor", set=draft.problemset_id, pid="a__b"), "text", "sales")
    assert autosaves.select(workspace, "mei", draft.problemset_id)[0].problem == "a__b"
    assert not app.error


def test_who_prefers_plain_editors_gets_text_areas(open_page: Open, draft: Revision) -> None:
    app = open_page("settings")
    app.toggle(key="settings:plain").set_value(True).run()
    app = open_page("editor", set=draft.problemset_id, pid="p1")
    assert len(app.text_area) >= 3
    assert protos(app) == {}


@pytest.mark.parametrize("sent", [None, "text", {"text": 1}, {"text": "x", "number": "1"}, {"text": {"text": None}}])
def test_what_no_editor_of_ours_sends_is_no_text(sent: Any) -> None:
    assert received({"text": sent}, "text") is None
    assert received(sent, "save") is None


def test_a_query_is_compared_by_words_and_escaped() -> None:
    assert word_diff_html("a b", "a b") is None
    assert word_diff_html("the <b>mean</b>", "the <i>") == (
        '<div class="bw-words">the &lt;<del>b</del><ins>i</ins>&gt;<del>mean&lt;/b&gt;</del></div>'
    )


def test_a_browser_keeps_settings_under_the_query_they_belong_to_and_not_under_a_number(
    open_page: Open, draft: Revision, workspace: Workspace
) -> None:
    label = "Settings (YAML): validator, limits, tags"
    kept = {key: shown(open_page("editor", set=draft.problemset_id, pid=key), label) for key in ("p1", "p2")}
    begin, _, rest = draft.text.partition('# %%\n"""\n')
    text = f'{begin}# %%\n"""\nquery: A new one?\n"""\n1\n\n# %%\n"""\n{rest}'
    revisions.save(workspace, draft.problemset_id, text, base_revision_id=draft.id, author="lee")
    now = {key: shown(open_page("editor", set=draft.problemset_id, pid=key), label) for key in ("p1", "p2", "p3")}
    assert [kept["p1"]["mirror_key"], kept["p2"]["mirror_key"]] == [now["p2"]["mirror_key"], now["p3"]["mirror_key"]]
    assert now["p1"]["mirror_key"] not in {each["mirror_key"] for each in kept.values()}
