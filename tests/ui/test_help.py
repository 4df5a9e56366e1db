"""Help inside the app: keys, tour, guide beside the page, documents."""

import ast
import re
from pathlib import Path

from streamlit.testing.v1 import AppTest

from authoring.demo import AMBIGUOUS
from authoring.drafting.guide.guide_effects import shown_guide
from authoring.store import problemsets
from authoring.store.drafting.guide import save_guide
from authoring.store.jobs import cancel, enqueue
from authoring.store.revisions import Revision
from authoring.store.settings import get_setting, set_setting
from authoring.store.statuses import Origin
from authoring.store.workspace import Workspace
from authoring.ui.help.doc_search import EXCERPT, find_sections, wanted_words
from authoring.ui.help.documents import DOCS, FOLDER, read_sections
from authoring.ui.help.handbook import MAX_HITS
from authoring.ui.help.shortcuts import SHORTCUTS
from authoring.ui.help.tour import STEPS
from evaluator.scoring import Verdict
from tests.ui.acts import Open, press, said, says

UI = Path(__file__).parents[2] / "authoring" / "ui"


def test_the_glossary_explains_every_verdict() -> None:
    explained: set[str] = set()  # words of its first column, and those in italics among its meanings
    for line in (FOLDER / "glossary.md").read_text(encoding="utf-8").splitlines():
        if line.startswith("| ") and not line.startswith("| word"):
            first, meaning = line.strip("| ").split(" | ", 1)
            explained |= {word.strip() for word in first.split(",")} | set(re.findall(r"\*([^*]+)\*", meaning))
    assert set(Verdict) - explained == set()


def test_the_sheet_of_shortcuts_lists_the_keys_that_buttons_are_bound_to() -> None:
    bound: set[str] = set()  # bare or as a letter that people can turn off
    for path in UI.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.keyword) and node.arg == "shortcut":
                bound |= {str(each.value) for each in ast.walk(node.value) if isinstance(each, ast.Constant)}
    assert bound == {one.keys for one in SHORTCUTS if not one.in_editor}


def test_h_lists_the_keys_and_letters_can_be_turned_off(open_page: Open, draft: Revision, workspace: Workspace) -> None:
    app = open_page("editor", set=draft.problemset_id)
    assert app.button(key="frame:keys").proto.shortcut == "h"
    assert app.button(key="rail:next").proto.shortcut == "j"
    press(app, "frame:keys")
    assert "`Ctrl+Shift+Enter`" in app.table[0].value["Keys"].tolist()
    app = open_page("settings")
    app.toggle(key="settings:letters").set_value(False).run()
    assert get_setting(workspace, "no_letter_shortcuts") == {"mei": True}
    assert app.button(key="frame:keys").proto.shortcut == ""
    assert open_page("editor", set=draft.problemset_id).button(key="rail:next").proto.shortcut == ""


def test_the_newest_guide_stands_beside_the_editor(open_page: Open, draft: Revision, workspace: Workspace) -> None:
    save_guide(workspace, f"{shown_guide(workspace).text}\n- Be brief.", base_number=1, author="lee", message="")
    app = open_page("editor", set=draft.problemset_id)
    assert "Be brief" not in said(app)
    app.toggle(key="frame:guide").set_value(True).run()
    assert any("\n- Be brief" in each.value for each in app.main.markdown)
    assert "revision 2" in said(app)
    press(app, "frame:guide_close")
    assert "Be brief" not in said(app)


# The tour of the demo


def tour_links(app: AppTest) -> dict[str, str]:
    """Label -> parameters of the links of the tour."""
    labels = {step.link for step in STEPS}
    links = [link.proto for link in app.main.get("page_link")]
    return {link.label: link.query_string for link in links if link.label in labels}


def test_the_tour_leads_from_page_to_page_and_is_remembered(open_page: Open, workspace: Workspace) -> None:
    assert "Tour, step" not in said(open_page())  # no demo
    enqueue(workspace, kind="demo", payload={}, key="demo", created_by="benchwright")
    waiting = problemsets.create(workspace, name="seattle-weather", text="", author="template", origin=Origin.TEMPLATE)
    app = open_page()
    assert "Tour, step 1 of 9" in said(app)
    assert STEPS[0].link not in tour_links(app)  # it speaks of this page
    assert app.button(key="tour:next").label == STEPS[1].link
    press(app, "tour:next")
    assert get_setting(workspace, "tour") == {"mei": 1}
    app = open_page("guide")
    assert "Tour, step 2 of 9" in said(app)
    assert tour_links(app)[STEPS[1].link] == f"set={waiting.problemset_id}"
    app = open_page("problemset", set=waiting.problemset_id)
    assert STEPS[1].link not in tour_links(app)
    press(app, "tour:skip")
    assert "Tour, step" not in said(app)
    (ended,) = [info.value for info in app.info if "the tour is ended" in info.value]
    assert "Settings starts it again" in ended
    assert "To fix it" not in ended
    assert get_setting(workspace, "tour") == {"mei": "ended"}
    app = open_page("settings")
    press(app, "settings:tour")
    assert "Tour, step 1 of 9" in said(app)


def test_steps_of_the_tour_lead_to_what_they_speak_of(open_page: Open, workspace: Workspace) -> None:
    enqueue(workspace, kind="demo", payload={}, key="demo", created_by="benchwright")
    set_setting(workspace, "tour", {"mei": 7})
    assert tour_links(open_page("guide")) == {STEPS[7].link: ""}, "the queue, while the demo is not built"
    waiting = problemsets.create(workspace, name="seattle-weather", text="", author="template", origin=Origin.TEMPLATE)
    at = next(number for number, step in enumerate(STEPS) if step.title == "Answer a comment")
    set_setting(workspace, "tour", {"mei": at})
    assert tour_links(open_page("guide")) == {STEPS[at].link: f"set={waiting.problemset_id}&pid={AMBIGUOUS}"}
    set_setting(workspace, "tour", {"mei": len(STEPS) - 1})
    app = open_page("seeds")
    assert tour_links(app) == {STEPS[-1].link: ""}
    assert app.button(key="tour:next").label == "End the tour"
    assert "Tour, step" not in said(press(app, "tour:next"))


def test_the_tour_waits_for_what_its_next_step_speaks_of(open_page: Open, workspace: Workspace) -> None:
    job = enqueue(workspace, kind="demo", payload={}, key="demo", created_by="benchwright")
    app = press(open_page(), "tour:next")
    says(app, "Tour, step 1 of", "no worker is running")
    assert get_setting(workspace, "tour") is None
    cancel(workspace, job.id)  # nobody waits for it any more
    assert "Tour, step 2 of" in said(press(app, "tour:next"))


# Documents


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
    header = [*app.header, *app.subheader][0]
    assert f"**{header.value}**" in found[hits[0]].replace("\\", "")
    app.text_input(key="help:words").set_value("rules sound published stretchable").run()
    assert "No section has the words" in said(app)
    app.text_input(key="help:words").set_value("independent passes").run()
    excerpts = [caption.value for caption in app.caption if "passes" in caption.value]
    assert any("`--epochs`\\: **independent** **passes** over all problems" in each for each in excerpts)
    assert not any("|" in each or "—" in each for each in excerpts), "an excerpt is plain text"


def test_a_search_puts_the_section_first_whose_heading_has_the_words() -> None:
    first = find_sections("equal values")[0]
    assert (first.name, first.section.title) == ("dseal", "When two values are equal")
    assert "values" in first.excerpt
    assert len(first.excerpt) <= EXCERPT + 4
    assert find_sections(" ") == []
    assert find_sections("reject")[0].section.title == "Dry run, accept, send back", "another word for it"
    assert wanted_words("How do I publish?") == ["publish"]
    assert wanted_words("where is it") == ["where", "is", "it"]
    first = find_sections("how do I publish")[0]
    assert (first.name, first.section.title) == ("maintainers", "Release")


def test_what_the_glossary_says_of_a_term_stands_first() -> None:
    for asked in ("epoch", "Epochs", "what is an epoch?"):
        hits = find_sections(asked)
        assert hits[0].name == "glossary"
        assert hits[0].excerpt == "epoch: one independent pass of an agent over the benchmark"
        assert "Attempts and epochs" in [hit.section.title for hit in hits[1:4]]
