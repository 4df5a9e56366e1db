"""Help inside the app: keys, tour, guide, documents; messages that name pages where they name commands elsewhere."""

import re

import pytest
from streamlit.testing.v1 import AppTest

from authoring.drafting.guide.guide_effects import shown_guide
from authoring.store import problemsets
from authoring.store.drafting.guide import save_guide
from authoring.store.jobs import cancel, enqueue
from authoring.store.revisions import Revision
from authoring.store.settings import get_setting
from authoring.store.statuses import Origin
from authoring.store.workspace import Workspace
from authoring.ui import state
from authoring.ui.advice import in_app
from authoring.ui.help.doc_search import EXCERPT, find_sections, wanted_words
from authoring.ui.help.documents import DOCS, FOLDER, read_sections
from authoring.ui.help.handbook import MAX_HITS
from authoring.ui.help.tour import STEPS
from evaluator.scoring import Verdict
from tests.ui.acts import Open, press, said, says


def test_the_glossary_has_every_verdict() -> None:
    explained: set[str] = set()  # words of its first column, and those in italics among its meanings
    for line in (FOLDER / "glossary.md").read_text(encoding="utf-8").splitlines():
        if line.startswith("| ") and not line.startswith("| word"):
            first, meaning = line.strip("| ").split(" | ", 1)
            explained |= {word.strip() for word in first.split(",")} | set(re.findall(r"\*([^*]+)\*", meaning))
    assert set(Verdict) - explained == set()


def test_h_lists_the_keys_and_letters_can_be_turned_off(open_page: Open, draft: Revision, ws: Workspace) -> None:
    app = open_page("editor", set=draft.problemset_id)
    assert app.button(key="frame:keys").proto.shortcut == "h"
    assert app.button(key="rail:next").proto.shortcut == "j"
    press(app, "frame:keys")
    assert "`Ctrl+Shift+Enter`" in app.table[0].value["Keys"].tolist()
    app = open_page("settings")
    app.toggle(key="settings:letters").set_value(False).run()
    assert get_setting(ws, "no_letter_shortcuts") == {"mei": True}
    assert app.button(key="frame:keys").proto.shortcut == ""
    assert open_page("editor", set=draft.problemset_id).button(key="rail:next").proto.shortcut == ""


def test_the_newest_guide_stands_beside_the_editor(open_page: Open, draft: Revision, ws: Workspace) -> None:
    save_guide(ws, f"{shown_guide(ws).text}\n- Be brief.", base_number=1, author="lee", message="")
    app = open_page("editor", set=draft.problemset_id)
    assert "Be brief" not in said(app)
    app.toggle(key="frame:guide").set_value(True).run()
    assert any("\n- Be brief" in each.value for each in app.main.markdown)
    assert "revision 2" in said(app)
    press(app, "frame:guide_close")
    assert "Be brief" not in said(app)


def tour_links(app: AppTest) -> dict[str, str]:
    """Label -> parameters of the links of the tour."""
    labels = {step.link for step in STEPS}
    links = [link.proto for link in app.main.get("page_link")]
    return {link.label: link.query_string for link in links if link.label in labels}


def test_the_tour_leads_from_page_to_page_and_is_remembered(open_page: Open, ws: Workspace) -> None:
    assert "Tour, step" not in said(open_page())  # no demo
    job = enqueue(ws, kind="demo", payload={}, key="demo", created_by="benchwright")
    app = press(open_page(), "tour:next")
    says(app, "Tour, step 1 of", "no worker is running")
    cancel(ws, job.id)  # nobody waits for it any more
    waiting = problemsets.create(ws, name="seattle-weather", text="", author="template", origin=Origin.TEMPLATE)
    app = open_page()
    assert STEPS[0].link not in tour_links(app)  # it speaks of this page
    assert app.button(key="tour:next").label == STEPS[1].link
    press(app, "tour:next")
    assert get_setting(ws, "tour") == {"mei": 1}
    app = open_page("guide")
    assert "Tour, step 2 of 9" in said(app)
    assert tour_links(app)[STEPS[1].link] == f"set={waiting.problemset_id}"
    press(app, "tour:skip")
    assert "Tour, step" not in said(app)
    says(app, "the tour is ended", "Settings starts it again")
    assert get_setting(ws, "tour") == {"mei": "ended"}
    assert "Tour, step 1 of 9" in said(press(open_page("settings"), "settings:tour"))


def test_a_document_is_shown_with_all_its_sections(open_page: Open) -> None:
    assert {path.stem for path in FOLDER.glob("*.md")} == set(DOCS)
    assert all(len(read_sections(name)) > 1 for name in DOCS)
    app = open_page("help", doc="evaluators")
    assert not app.error
    assert "(help?doc=dseal#verdicts)" in said(app)
    titles = [(each.level, each.title.replace("`", "")) for each in read_sections("evaluators") if each.title]
    assert [header.value for header in app.header] == [title for level, title in titles if level == 2]
    assert [header.value for header in app.subheader] == [title for level, title in titles if level == 3]
    assert [title.value for title in open_page("help", doc="glossary").title] == ["Help: Glossary"]


def test_documents_are_searched_by_words_on_the_page(open_page: Open) -> None:
    app = open_page("help", doc="maintainers")
    app.text_input(key="help:words").set_value("budget tokens resume").run()
    found = {link.query_string: link.label for link in (each.proto for each in app.main.get("page_link"))}
    hits = [address for address in found if "section=" in address]
    assert 0 < len(hits) <= MAX_HITS
    assert "doc" not in app.query_params
    assert any("**tokens**" in caption.value for caption in app.caption)
    doc, _, section = hits[0].removeprefix("doc=").partition("&section=")
    app = open_page("help", doc=doc, section=section)
    assert f"**{[*app.header, *app.subheader][0].value}**" in found[hits[0]].replace("\\", "")
    app.text_input(key="help:words").set_value("rules sound published stretchable").run()
    assert "No section has the words" in said(app)


def test_a_search_puts_first_what_the_words_are_about() -> None:
    first = find_sections("equal values")[0]
    assert (first.name, first.section.title) == ("dseal", "When two values are equal")
    assert len(first.excerpt) <= EXCERPT + 4
    assert find_sections(" ") == []
    assert find_sections("reject")[0].section.title == "Dry run, accept, send back", "another word for it"
    assert (wanted_words("How do I publish?"), wanted_words("where is it")) == (["publish"], ["where", "is", "it"])
    for asked in ("epoch", "Epochs", "what is an epoch?"):  # what the glossary says of a term stands first
        hits = find_sections(asked)
        assert hits[0].excerpt == "epoch: one independent pass of an agent over the benchmark"
        assert "Attempts and epochs" in [hit.section.title for hit in hits[1:4]]


def test_a_command_becomes_the_words_of_the_app() -> None:
    create = "benchwright env create NAME -r requirements.txt, then --environment NAME"
    cases = [
        ("see benchwright roundtable resolve", "see the item on the page Roundtable, Settle it", "roundtable"),
        ("run it first: benchwright dry-run a-1@2", "run it first: Dry run on the problemset's page", "queue"),
        ("see 'benchwright suggestion list'", "see Suggestions on the problemset's page", "queue"),
        (f"run in one that has it: {create}", "run in one that has it: Environments under Settings", "settings"),
        ("rename: `benchwright seed show` lists them", "rename: the page Seeds & ideas lists them", "seeds"),
        ("the folder that `benchwright run --out` wrote", "the folder that `benchwright run --out` wrote", ""),
        ("make it: benchwright env create coml --for-agent coml", "make it: Environments under Settings", "settings"),
        ("leave it out", "leave it out", ""),
    ]
    for message, told, page in cases:
        words, way = in_app(message)
        assert (words, way.page if way else "") == (told, page)


def test_a_message_that_names_a_command_draws_the_way_there(open_page: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    real = state.take_flashes
    told = [state.Notice("error", "there is no item 9", fix="list them: benchwright roundtable list")]
    monkeypatch.setattr(state, "take_flashes", lambda: [*real(), *told])
    app = open_page()
    assert r"To fix it: list them\: the page Roundtable" in app.error[0].value
    assert "Go to Roundtable" in [link.proto.label for link in app.get("page_link")]
