"""The server's side of the code editors, and the bundle that the browser's side is made of."""

import hashlib
import json
import re
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from authoring.store import problemsets
from authoring.store.jobs import select as list_jobs
from authoring.store.settings import set_setting
from authoring.store.workspace import Workspace
from authoring.ui.drawing.markup import word_diff_html
from authoring.ui.inputs.code_editor import received
from tests.ui.acts import press, said
from tests.ui.conftest import ROOT
from tests.ui.problemset.acts import Desk

SOURCE = ROOT / "authoring" / "ui" / "frontend"
YAML = "Settings (YAML): validator, limits, tags"


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


def test_every_bundled_package_has_its_version_and_licence_but_no_address() -> None:
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


def test_text_reaches_the_browser_as_data_and_editors_name_their_problem(desk: Desk) -> None:
    app = desk.editor("p2")
    assert list(protos(app)) == ["Query", "Reference code", YAML]
    for proto in protos(app).values():
        assert proto.html_content == ""
        assert "sales" not in proto.js_content
        assert "://" not in proto.js_content  # the script names no host
    assert shown(app)["words"] == ["pd", "sales"]
    names = [shown(app, label)["spoken"] for label in protos(app)]
    assert names == ["Query of problem 2", "Reference code of problem 2", "Settings of problem 2"]


def test_a_text_that_an_editor_sends_is_kept_and_comes_back(desk: Desk) -> None:
    desk.change(desk.text.replace("query: Which", "id: a__b\nquery: Which"))
    app = send(desk.editor("a__b"), "text", "sales.units.max()", number=7)
    assert [(*key, each.text) for key, each in desk.kept().items()] == [("a__b", "code", "sales.units.max()")]
    assert (shown(app)["value"], shown(app)["last_seq"]) == ("sales.units.max()", 7)
    assert not app.error
    again = desk.editor("a__b")
    assert shown(again)["value"] == "sales.units.max()"


def test_keys_carry_the_text_so_that_no_order_of_callbacks_matters(desk: Desk) -> None:
    app = desk.editor()
    send(app, "run", "sales.units.sum()", scope="this")
    send(app, "run", "sales.units.sum()", number=2, scope="on")
    jobs = list_jobs(desk.ws)
    assert [(job.payload["upto"], job.payload.get("first")) for job in jobs] == [(None, 1), (1, None)]
    assert all("sales.units.sum()" in job.payload["text"] for job in jobs)
    send(app, "save", "sales.units.min()", number=3)
    saved = desk.head()
    assert (saved.number, "sales.units.min()" in saved.text) == (2, True)
    assert desk.kept_texts() == []


def test_a_text_on_top_of_one_that_was_replaced_is_not_stored(desk: Desk) -> None:
    app = desk.editor()
    send(app, "text", "late()", load_no=shown(app)["load_no"] - 1)
    send(app, "save", "late()", load_no=shown(app)["load_no"] - 1)
    send(app, "text", "of another server", session="gone")
    assert desk.kept_texts() == []
    assert problemsets.find(desk.ws, desk.number).head_number == 1


def test_a_refused_text_stays_and_is_neither_run_nor_saved_until_chosen(desk: Desk) -> None:
    app = desk.editor()
    desk.keep("theirs()")
    load_no = shown(app)["load_no"]
    send(app, "text", "mine()")
    assert "Another tab of yours has saved a different text" in said(app)
    assert shown(app)["load_no"] == load_no  # what is on the screen is left alone
    app.menu_button(key=f"more:{desk.number}:p1").click("Run all").run()
    assert list_jobs(desk.ws) == []
    press(app, f"conflict:{desk.number}:p1:code:mine")
    assert desk.kept_texts() == ["mine()"]
    assert (shown(app)["value"], shown(app)["load_no"] > load_no) == ("mine()", True)


def test_text_found_in_the_browser_waits_for_a_decision(desk: Desk) -> None:
    app = send(desk.editor(), "found", "lost()")
    assert "Unsent text of yours was found in this browser" in said(app)
    assert (shown(app)["offered"], desk.kept_texts()) == (True, [])
    load_no = shown(app)["load_no"]
    press(app, f"found:{desk.number}:p1:code:theirs")
    assert "Unsent text" not in said(app)
    assert (shown(app)["offered"], shown(app)["load_no"] > load_no) == (False, True)


def test_diagnostics_stand_at_the_line_of_their_own_text(desk: Desk) -> None:
    app = send(desk.editor(), "text", "sales\n\nx = (\n")
    (found,) = shown(app)["diagnostics"]
    assert (found["line"], found["severity"]) == (3, "error")
    assert "was never closed" in found["text"]
    assert shown(app, "Query")["diagnostics"] == []
    setup = desk.editor("setup1")
    assert list(protos(setup)) == ["Setup code"]
    assert shown(setup, "Setup code")["diagnostics"] == []


def test_who_prefers_plain_editors_gets_text_areas(desk: Desk) -> None:
    desk.open("settings").toggle(key="settings:plain").set_value(True).run()
    app = desk.editor()
    assert len(app.text_area) >= 3
    assert protos(app) == {}


def test_what_no_editor_of_ours_sends_is_no_text() -> None:
    sent: list[Any] = [None, "text", {"text": 1}, {"text": "x", "number": "1"}, {"text": {"text": None}}]
    for each in sent:
        assert received({"text": each}, "text") is None
        assert received(each, "save") is None


def test_a_query_is_compared_by_words_and_escaped() -> None:
    assert word_diff_html("a b", "a b") is None
    assert word_diff_html("the <b>mean</b>", "the <i>") == (
        '<div class="bw-words">the &lt;<del>b</del><ins>i</ins>&gt;<del>mean&lt;/b&gt;</del></div>'
    )


def test_a_browser_keeps_settings_under_their_query_and_not_under_a_number(desk: Desk) -> None:
    def mirror_key(problem: str) -> str:
        return str(shown(desk.editor(problem), YAML)["mirror_key"])

    kept_under = mirror_key("p1")
    begin, _, rest = desk.text.partition('# %%\n"""\n')
    desk.change(f'{begin}# %%\n"""\nquery: A new one?\n"""\n1\n\n# %%\n"""\n{rest}')
    assert (mirror_key("p1") == kept_under, mirror_key("p2") == kept_under) == (False, True)
