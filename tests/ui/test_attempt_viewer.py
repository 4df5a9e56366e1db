"""Attempts of a run read one after the other, and what differs between a submission and its reference."""

from collections.abc import Callable

import pytest
from streamlit.testing.v1 import AppTest

from authoring.store.runs import index_attempts
from authoring.store.runs import insert as insert_run
from authoring.store.workspace import Workspace
from authoring.ui.runs.attempt import OWN_LABEL
from evaluator.reporting.agent_faults import LABELS
from tests.ui.row_lists import links, row_lists

Open = Callable[..., AppTest]
Said = Callable[[AppTest], str]


@pytest.fixture
def run(workspace: Workspace) -> int:
    """A run on six problems: those of even numbers crashed, for two causes; the fifth was not judged."""
    run = insert_run(workspace, release="small 1", agent="alpha", out_dir="/x", summary={})
    verdicts = ("CORRECT", "CRASH", "CORRECT", "CRASH", "NOT_JUDGED", "CRASH")
    causes = ("", "KEY_ERROR", "", "NAME_ERROR", "", "KEY_ERROR")
    index_attempts(
        workspace,
        run,
        [
            {"problemset": "trips", "index": n, "verdict": verdict, "subverdict": cause, "question": f"What is {n}?"}
            for n, (verdict, cause) in enumerate(zip(verdicts, causes, strict=True), 1)
        ],
    )
    return run


def address(app: AppTest) -> dict[str, str]:
    return {name: values[0] for name, values in app.query_params.items()}


def test_attempts_are_read_one_after_the_other_and_failures_alone(open_page: Open, run: int, said: Said) -> None:
    app = open_page("runs", run=run, attempt=1)
    assert app.title[0].value == "trips 1"
    assert app.button(key="attempt:previous").disabled
    assert "1 of 6" in said(app)
    app.button(key="attempt:next").click().run()
    assert (app.title[0].value, address(app)["attempt"]) == ("trips 2", "2")
    app.button(key="attempt:failing").click().run()
    app.button(key="attempt:failing").click().run()
    assert app.title[0].value == "trips 6"  # what is not judged is no failure
    assert app.button(key="attempt:failing").disabled
    app.button(key="attempt:previous").click().run()
    assert app.title[0].value == "trips 5"
    shortcuts = [app.button(key=f"attempt:{name}").proto.shortcut for name in ("previous", "next", "failing")]
    assert shortcuts == ["k", "j", "f"]


def test_the_list_that_an_attempt_was_opened_from_is_gone_through_and_gone_back_to(
    open_page: Open, run: int, said: Said
) -> None:
    app = open_page("runs", run=run, r_verdict="CRASH", r_cause="KEY_ERROR")
    (first, _) = links(app).items()
    assert first[1] == "CRASH KEY_ERROR"
    assert "verdict=CRASH&cause=KEY_ERROR" in first[0]
    app = open_page("runs", run=run, attempt=2, verdict="CRASH", cause="KEY_ERROR")
    assert "1 of 2 · verdict CRASH · cause KEY\\_ERROR" in said(app)
    app.button(key="attempt:next").click().run()
    assert app.title[0].value == "trips 6"
    back = next(link.proto for link in app.get("page_link") if link.proto.label == "alpha on small 1")
    assert "r_verdict=CRASH&r_cause=KEY_ERROR" in back.query_string


def test_a_run_tells_how_often_which_cause_stood_behind_its_failures(open_page: Open, run: int) -> None:
    app = open_page("runs", run=run, r_tab="Charts")
    (table,) = [each.value for each in app.table if "Subverdict" in each.value]
    assert table.to_numpy().tolist() == [
        ["CRASH", r"KEY\_ERROR", "2"],
        ["CRASH", r"NAME\_ERROR", "1"],
        [r"NOT\_JUDGED", "–", "1"],
    ]


def test_an_attempt_that_is_gone_says_so_and_leads_to_its_run(
    open_page: Open, workspace: Workspace, run: int, said: Said
) -> None:
    again = {"problemset": "trips", "index": 2, "verdict": "CORRECT", "question": "What is 2?"}
    index_attempts(workspace, run, [again])  # it was judged once more: its record has another number now
    app = open_page("runs", run=run, attempt=2)
    assert "Attempt 2 is not recorded any more." in said(app)
    assert [link.proto.label for link in app.main.get("page_link")] == ["Open the run: alpha on small 1", "All runs"]
    assert [link.proto.label for link in open_page("runs", attempt=99).main.get("page_link")] == ["All runs"]
    app = open_page("runs", attempt=7)
    assert "the run's folder /x is gone" in said(app).replace("\\", "")
    assert "Start a run that keeps them" in [link.proto.label for link in app.main.get("page_link")]


def test_verdicts_and_subverdicts_say_what_they_mean_under_the_pointer(
    open_page: Open, workspace: Workspace, run: int, said: Said
) -> None:
    matrix = row_lists(open_page("runs", run=run))["Verdicts by problem"]
    titles = {span.text or "": span.attrib["title"] for span in matrix.iter("span") if "title" in span.attrib}
    assert titles["KEY_ERROR"] == "it asks for a column, label or key that is not there"
    crash = "the code raised an exception, or its process ended; the subverdict names the kind"
    assert crash in titles.values()
    part = {"category": "namespace_check", "correct": "no", "reason": "'totals' is missing", "variable": "totals"}
    tree = {"category": "and", "correct": "no", "reason": [{**part, "variable": None, "reason": [part]}]}
    record = {"problemset": "trips", "index": 1, "verdict": "CRASH", "subverdict": "KEY_ERROR", "validation": tree}
    index_attempts(workspace, run, [record])
    app = open_page("runs", attempt=7)
    badges = [each.proto for each in app.get("markdown") if "badge[" in each.proto.body and each.proto.help]
    helps = [each.help.replace("\\", "") for each in badges]
    assert helps == [crash, titles["KEY_ERROR"]]
    (table,) = [each.value for each in app.table if "Validator" in each.value]
    assert table["Validator"].tolist() == [
        r"namespace\_check of totals: :small[what that variable holds after the cell]"
    ]


def test_the_labels_of_an_attempt_stand_on_its_page_and_say_what_they_mean(
    open_page: Open, workspace: Workspace, run: int
) -> None:
    labels = ["called-out-of-turn", "cheat-zero", "of-its-own", "<b>:material/home:"]
    index_attempts(workspace, run, [{"problemset": "trips", "index": 1, "verdict": "CORRECT", "labels": labels}])
    app = open_page("runs", run=run, attempt=7)
    badges = {each.proto.body.replace("\\", ""): each.proto.help.replace("\\", "") for each in app.get("markdown")}
    told = {name: next(help_ for body, help_ in badges.items() if f" {name}]" in body) for name in labels[:3]}
    assert told == {
        "called-out-of-turn": LABELS["called-out-of-turn"],
        "cheat-zero": "a trick of the agent `cheat`, which solves nothing: it answers 0 to everything",
        "of-its-own": OWN_LABEL,
    }
    assert not any(":material/home:" in body for body in badges)
    index_attempts(workspace, run, [{"problemset": "trips", "index": 2, "verdict": "CORRECT", "labels": {"a": 1}}])
    assert not open_page("runs", run=run, attempt=8).exception
