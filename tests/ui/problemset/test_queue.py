"""The Queue page: filters, claims, what comes next, many sets at once; the lists of rows that hold its sets."""

import json
from collections.abc import Mapping, Sequence
from typing import Any
from xml.etree import ElementTree

import pytest
from streamlit.testing.v1 import AppTest

from authoring.store import problemsets
from authoring.store.people import give_roles
from authoring.store.reviewing.leases import assign_problemset, lease_problemset
from authoring.store.reviewing.queue import QueueFilter
from authoring.store.reviewing.reviews import add_comment, list_decisions, record_decision
from authoring.store.reviewing.tags import add_tag
from authoring.store.revisions import Revision
from authoring.store.settings import set_setting
from authoring.store.statuses import Origin
from authoring.store.workspace import Workspace
from authoring.ui.drawing.row_tables import Caption, Piece, Prose, Row, RowColumn, RowLink, Strong, bars_html, rows_html
from authoring.ui.queue.queueing import queue_table
from authoring.ui.wording import Chip
from tests.ui.acts import Desk, Open, boxes, errors, judge, page_links, payloads, press, said, says, warnings
from tests.ui.conftest import TEXT
from tests.ui.row_lists import heads, names, pick, row_texts, rows, send, words

SETS = "Problemsets"


def create(ws: Workspace, name: str, text: str = TEXT) -> Revision:
    return problemsets.create(ws, name=name, text=text, author="lee", origin=Origin.PERSON)


def status(ws: Workspace, name: str = "shop-sales") -> str:
    return problemsets.find(ws, name).status


def pick_sets(app: AppTest, *revisions: Revision) -> None:
    pick(app, SETS, [each.problemset_id for each in revisions])


def test_filters_narrow_the_list_and_are_cleared_by_a_button(desk: Desk) -> None:
    lease_problemset(desk.ws, create(desk.ws, "other", "# %%\n1\n").problemset_id, holder="mei")
    app = desk.open("queue")
    assert heads(app, SETS) == ["Problemset", "Status", "Last dry run", "Who works on it, and its last change"]
    app.selectbox(key="q_sort").select("name").run()
    assert names(app) == ["other", "shop-sales"]
    app.selectbox(key="q_owner").select("nobody")
    app.selectbox(key="q_family").select("template").run()
    assert names(app) == ["shop-sales"]
    app.checkbox(key="q_suspect").check()
    app.segmented_control(key="q_status").set_value("accepted").run()
    assert "No problemset matches the filters" in said(app)
    press(app, "queue:clear")
    assert set(names(app)) == {"shop-sales", "other"}


def test_a_search_links_to_its_problems_and_threads_that_mention_one_too(desk: Desk) -> None:
    app = desk.open("queue")
    assert not [box for box in boxes(app) if "mention" in box]
    asked = "@mei <b>which</b> shop?"
    add_comment(desk.ws, revision_id=desk.draft.id, author="lee", text=asked, problem="p2", people=["mei"])
    app.session_state["queue:mentions"] = True
    app.run()
    assert "Comments that mention or answer you: 1" in boxes(app)
    assert [label for label in page_links(app) if "lee" in label] != []
    app.text_input(key="q_text").set_value("shop").run()
    hits = [link.proto for link in app.get("page_link") if "p1" in link.proto.label or "p2" in link.proto.label]
    assert len(hits) == 3
    assert all("pid=p" in hit.query_string for hit in hits)


def test_a_claim_is_shown_with_its_end_and_released(desk: Desk) -> None:
    claim = f"claim:{desk.number}"
    app = press(desk.page(), claim)
    for page in (app, desk.open("queue")):
        assert "you, 30 minutes left" in said(page)
    assign_problemset(desk.ws, desk.number, holder="mei", lease_s=100)
    assert "Your claim ends in 2 minutes" in said(app.run())
    press(app, f"{claim}:release")
    assert problemsets.find(desk.ws, desk.number).holder is None
    press(app, claim)
    assign_problemset(desk.ws, desk.number, holder="lee")
    assert "nothing to give back" in warnings(press(app, f"{claim}:release"))
    assert problemsets.find(desk.ws, desk.number).holder == "lee"


def test_a_maintainer_assigns_a_set_to_somebody(desk: Desk) -> None:
    set_setting(desk.ws, "annotator_names", ["mei", "lee"])
    assign = f"claim:{desk.number}:assign"
    app = desk.page()
    app.selectbox(key=assign).select("lee")
    press(app, f"{assign}:send")
    assert problemsets.find(desk.ws, desk.number).holder == "lee"
    assert "lee, 24 hours left" in said(app)
    app.selectbox(key=assign).select("lee")
    set_setting(desk.ws, "annotator_names", ["mei"])  # on a screen that still offers who was removed
    press(app, f"{assign}:send")
    assert "is nobody here any more" in errors(app)


def test_several_sets_are_accepted_assigned_and_tagged_at_once(desk: Desk) -> None:
    set_setting(desk.ws, "annotator_names", ["mei", "lee"])
    sound, new = create(desk.ws, "sound"), create(desk.ws, "new")
    judge(desk.ws, sound.id)
    add_tag(desk.ws, [sound.problemset_id], "week 3", by="lee")
    app = desk.open("queue")
    assert app.button(key="queue:bulk:accept").disabled
    press(app, "queue:bulk:all")
    press(app, "queue:bulk:accept")
    assert status(desk.ws, "sound") == "draft"
    undated = "1 set (new): the newest revision has no dry run that still holds"
    unfit = "1 set (shop-sales): the newest revision is not fit to be accepted"
    asked = "sound (not submitted, 0 of 2 problems reviewed by you)"
    for told in (f"cannot be accepted: {undated}", f"cannot be accepted: {unfit}", "nothing is accepted yet", asked):
        assert told in warnings(app)
    everything = list(rows(app, SETS))
    pick(app, SETS, [key for key in everything if key != str(new.problemset_id)])
    assert app.button(key="queue:bulk:accept").label == "Accept"  # for other sets it was not pressed yet
    pick(app, SETS, everything)
    assert app.button(key="queue:bulk:accept").label == "Accept unreviewed too"
    press(app, "queue:bulk:accept")
    assert [status(desk.ws, name) for name in ("sound", "shop-sales", "new")] == ["accepted", "draft", "draft"]
    says(app, "accepted 1 set (sound)", "accepted without all your ticks Reviewed: 1 set (sound)")
    says(app, f"not accepted: {unfit}", "To fix it: repair the code, its limits or its validators")
    says(app, f"not accepted: {undated}", "press Dry run in the line above the list, and wait for it")
    assert "2 of 3 selected" in said(app)  # what was accepted is done with

    app.selectbox(key="queue:bulk:person").select("lee")
    press(app, "queue:bulk:person:send")
    holders = [problemsets.find(desk.ws, name).holder for name in ("sound", "shop-sales", "new")]
    assert holders == [None, "lee", "lee"]
    for action, tags in (("add", ("week 3",)), ("remove", ())):
        pick_sets(app, new)
        app.selectbox(key="queue:bulk:tag").set_value("week 3")
        press(app, f"queue:bulk:tag:{action}")
        assert problemsets.find(desk.ws, "new").tags == tags
    app.selectbox(key="q_tag").select("week 3").run()
    assert names(app) == ["sound"]


def test_what_changed_since_the_list_was_drawn_says_what_to_do(desk: Desk) -> None:
    app = desk.open("queue")
    for button in ("submit", "accept"):
        seen = desk.head()
        pick_sets(app, desk.draft)
        desk.change(f"{seen.text}# more\n", base=seen)
        press(app, f"queue:bulk:{button}")
        assert "it was changed since this list was drawn" in warnings(app)
        assert "open the set, look at what is new, then select it here and press the button again" in warnings(app)
        assert page_links(app)["What is new"] == f"set={desk.number}&a={seen.id}"
        assert status(desk.ws) == "draft"


def test_a_dry_run_is_ordered_for_each_chosen_set_without_one_on_its_way(desk: Desk) -> None:
    other = create(desk.ws, "other")
    press(desk.open("problemset", set=other.problemset_id), f"set:{other.problemset_id}:dry_run")
    app = desk.open("queue")
    assert app.button(key="queue:bulk:dry_run").disabled
    pick_sets(app, desk.draft, other)
    press(app, "queue:bulk:dry_run")
    assert "ordered a dry run of 1 set (shop-sales)" in said(app)
    assert "not ordered again: 1 set (other): a dry run of the newest revision is on its way" in said(app)
    assert sorted(order["revision_id"] for order in payloads(desk.ws, "dry_run")) == [desk.draft.id, other.id]
    assert page_links(app)["Jobs"] == "view=jobs"
    assert "2 of 2 selected" in said(app)  # what passes is accepted next


def test_several_sets_are_submitted_and_sent_back_with_a_reason_at_once(desk: Desk) -> None:
    other = create(desk.ws, "other")
    problemsets.submit(desk.ws, other.problemset_id, base_revision_id=other.id)
    assign_problemset(desk.ws, desk.number, holder="mei")
    app = press(desk.open("queue"), "queue:bulk:all")
    press(app, "queue:bulk:submit")
    assert (status(desk.ws), problemsets.find(desk.ws, "shop-sales").holder) == ("submitted", None)
    says(app, "submitted 1 set (shop-sales)", "not submitted: 1 set (other): it is submitted already")
    pick_sets(app, desk.draft, other)
    assert "a reason is needed" in errors(press(app, "queue:bulk:reason:send"))
    app.text_area(key="queue:bulk:reason").set_value("name the shops")
    says(press(app, "queue:bulk:reason:send"), "sent back 2 sets", "0 of 2 selected")
    (decision,) = list_decisions(desk.ws, other.problemset_id)
    assert (decision.decision, decision.by, decision.reason) == ("sent_back", "mei", "name the shops")


def test_dry_runs_and_the_next_set_are_for_annotators_and_reviewers(desk: Desk, sign_in: Open) -> None:
    record_decision(desk.ws, revision_id=desk.draft.id, decision="accepted", by="lee")
    button = desk.open("queue").button(key="queue:next")
    assert (button.disabled, "Off: nothing waits for you." in button.help) == (True, True)
    for role, there in (("maintainer", True), ("annotator", True), ("reviewer", True), ("evaluator", False)):
        give_roles(desk.ws, f"{role}@example.org", [role])
        app = sign_in(f"{role}@example.org")
        assert ("queue:bulk:dry_run" in {each.key for each in app.button}) == there
    told = app.button(key="queue:next").help
    assert told == "Off: it is for annotators and reviewers, and your roles include neither."


def test_the_table_to_download_starts_no_formula(ws: Workspace) -> None:
    made = create(ws, "shop", "# %%\n1\n")
    lease_problemset(ws, made.problemset_id, holder="=cmd()")
    lines = queue_table(ws, QueueFilter()).decode("utf-8-sig").splitlines()
    assert lines[0].startswith("name,status,revision")
    assert lines[1].startswith("shop,draft,1,0,0,'=cmd(),")


HOSTILE = "</td><script>alert(1)</script>\"'&amp; :red[x] ![i](http://x) `y` \x1b[31m"


def table(pieces: Sequence[Piece], *, selectable: bool = True) -> ElementTree.Element:
    row = Row(HOSTILE.split("\x1b", maxsplit=1)[0], [pieces], HOSTILE)
    return ElementTree.fromstring(rows_html("<Sets>", [RowColumn([], 1)], [row], key="<k>", selectable=selectable))


def test_whatever_stands_in_a_row_is_text() -> None:
    pieces: list[Piece] = [
        HOSTILE,
        Chip(HOSTILE, ":material/close:", "red"),
        Caption(HOSTILE),
        Strong(HOSTILE),
        Prose(HOSTILE, 400),
        RowLink([HOSTILE], "editor", {"set": HOSTILE}),
    ]
    for piece in pieces:
        made = table([piece])
        assert "<script>alert(1)</script>\"'&amp;" in words(made)
        allowed = {"table", "colgroup", "col", "tbody", "tr", "td", "input", "span", "strong", "code", "a"}
        assert {element.tag for element in made.iter()} <= allowed
        assert not [name for element in made.iter() for name in element.attrib if name.startswith("on")]
    made = table([Prose(f"take `frame` {'x' * 300}", 40)])
    assert [element.text for element in made.iter("code")] == ["frame"]
    assert len(words(made)) == 38
    assert words(made).endswith("…")
    assert RowLink(["x"], "editor", {"set": 3, "pid": "a b&c"}).href == "editor?set=3&pid=a+b%26c"
    assert RowLink(["x"], "help").href == "help"
    counts = {"wrong <answer>": {"blocking": 1, "open": 3}, "other": {"open": 2}}
    made = ElementTree.fromstring(bars_html("Comments", counts, {"blocking": "#000", "open": "#111"}))
    assert [words(cell) for cell in made.iter("td")][1::2] == ["1 blocking, 3 open", "2 open"]
    assert [words(head) for head in made.iter("th")] == ["wrong <answer>", "other"]
    widths = [span.attrib["style"].split(";")[0] for span in made.iter("span")]
    assert widths == ["width: 25.0%", "width: 75.0%", "width: 50.0%"]


@pytest.fixture
def three(ws: Workspace) -> list[str]:
    sets = [
        problemsets.create(ws, name=name, text="# %%\n1\n", author="lee", origin=Origin.PERSON)
        for name in ("one", "two", "three")
    ]
    return [str(each.problemset_id) for each in sets]


def told(app: AppTest) -> Mapping[str, Any]:
    """What the browser is told of the selection."""
    protos = [element.proto for element in app.get("bidi_component")]
    (found,) = [each for each in protos if each.component_name == "benchwright_rows"]
    data: dict[str, Any] = json.loads(found.json)
    return data


def test_selected_is_what_the_browser_last_said_of_shown_rows(open_page: Open, three: list[str], ws: Workspace) -> None:
    add_tag(ws, [int(three[0])], "<b>*week*</b>", by="lee")
    app = open_page()
    assert set(names(app)) == {"one", "two", "three"}
    assert "one <b>*week*</b>" in list(row_texts(app))
    nonsense: list[Any] = [None, 3, [], {"keys": 3, "told": 1}, {"keys": ["1"]}, {"told": "x", "keys": ["1"]}]
    for sent in nonsense:
        send(app, "Problemsets", sent)
        assert "0 of 3 selected" in said(app), sent
    pick(app, "Problemsets", [*three[:2], "999", "<b>"])
    assert "2 of 3 selected" in said(app)
    assert told(app)["picked"] == sorted(three[:2])
    app.text_input(key="q_text").set_value("three").run()
    assert list(rows(app, "Problemsets")) == three[2:]
    assert "0 of 1 selected" in said(app)  # what one does not see is not meant
    app.text_input(key="q_text").set_value("").run()
    assert "0 of 3 selected" in said(app)
    before = told(app)["told"]
    press(app, "queue:bulk:all")
    assert (told(app)["picked"], told(app)["told"]) == (sorted(three), before)
