"""Results of runs on the screen: rates, filters in the address, one attempt after the other, runs compared, charts."""

import json
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from authoring.store import jobs
from authoring.store.reviewing.roundtable import list_roundtable
from authoring.store.revisions import Revision
from authoring.store.run_results import ProblemFilter, list_other_agents
from authoring.store.runs import find as find_run
from authoring.store.runs import index_attempts
from authoring.store.runs import insert as insert_run
from authoring.store.workspace import Workspace
from authoring.ui.runs.attempt import OWN_LABEL
from authoring.ui.runs.charts import coverage_bars, dependency_graph, rate_bars, verdict_bars
from authoring.ui.runs.exporting import _attempts, _comparison, _matrix, file_name
from authoring.ui.runs.rates import Solved
from authoring.ui.runs.run_words import run_title
from evaluator.reporting.agent_faults import LABELS
from tests.reporting.conftest import QUERY, record, write_run
from tests.ui import row_lists
from tests.ui.acts import Open, boxes, errors, fail, finish, page_links, payloads, press, said, says


def enter(ws: Workspace, *verdicts: str, agent: str = "alpha", out: str = "/x", **summary: Any) -> int:
    """Enter a run on problems of the set `trips`, and return its id; a cause may follow a verdict after a slash."""
    run = insert_run(ws, release="small 1", agent=agent, out_dir=out, summary=summary)
    rows = [
        {"problemset": "trips", "index": n, "verdict": verdict, "subverdict": cause, "question": f"What\n*is* {n}?"}
        for n, (verdict, _, cause) in enumerate((each.partition("/") for each in verdicts), 1)
    ]
    index_attempts(ws, run, rows)
    return run


@pytest.fixture
def runs(ws: Workspace, tmp_path: Path) -> tuple[int, int]:
    """Two runs on one benchmark: the first one failed at problem 2, and looked around there."""
    failed = record(2, "CRASH", code="boom()", marks=("ctypes",), extended_verdict="NameError: boom")
    one, two = [record(1, code="1 + 1"), failed], [record(1, code="2"), record(2, code="2 + 2")]
    folder = write_run(tmp_path, *one)
    ids = []
    for agent, records in (("alpha", one), ("beta", two)):
        ids.append(insert_run(ws, release="small 1", agent=agent, out_dir=f"{folder}", summary={}))
        index_attempts(ws, ids[-1], [each.to_json() for each in records])
    return ids[0], ids[1]


def test_a_run_shows_its_rates_and_withholds_them_while_some_wait(open_page: Open, ws: Workspace) -> None:
    whole = enter(ws, "CORRECT", "CRASH", agent="oracle", out="/y", pass_rate=0.5, judged=2, not_judged=0,
                  refused=["odd-set"])  # fmt: skip
    part = enter(ws, "CORRECT", "NOT_JUDGED", pass_rate=1.0)
    app = open_page("runs", run=whole)
    assert [metric.value for metric in app.metric] == ["50.0%", "2", "0"]
    assert "odd-set" in said(app)
    assert list(row_lists.links(app).values()) == ["CORRECT", "CRASH"]
    app = open_page("runs", run=part)
    assert [metric.value for metric in app.metric] == ["–", "1", "1"]
    assert "Rates are withheld: 1 not judged" in said(app)
    app = open_page("runs")
    assert "withheld: 1 of 2 problems not judged" in said(app)
    assert "**oracle** on small 1" in page_links(app)


def test_filters_of_a_run_stand_in_its_address(open_page: Open, runs: tuple[int, int]) -> None:
    app = open_page("runs", run=runs[0], r_verdict="CRASH")
    assert list(row_lists.links(app).values()) == ["CRASH"]
    app.selectbox(key="r_verdict").select("any")
    app.text_input(key="r_text").set_value("ONE and one")
    app.run()
    assert list(row_lists.links(app).values()) == ["CORRECT", "CRASH"]


def test_the_charts_of_a_run_are_drawn_from_the_benchmark_it_asked(open_page: Open, runs: tuple[int, int]) -> None:
    app = open_page("runs", run=runs[0], r_tab="Charts")
    assert [heading.value for heading in app.header] == [
        "Verdicts by problemset",
        "Why problems were not solved",
        "Difficulty against pass rate",
        "What the reference code calls",
        "Who rests on whom",
    ]
    assert [box for box in boxes(app) if "table" in box] == ["The same as a table"] * 3  # no code calls
    app.session_state["numbers:difficulty"] = True
    app.run()
    assert app.table[0].value.to_dict("records") == [{"Verdict": "CRASH", "Subverdict": "–", "Problems": "1"}]
    assert [table.value.to_dict("records") for table in app.table[1:]] == [
        [{"Difficulty": "0 to 7", "Solved": "1 of 2", "Rate": r"50\.0% \(9\.5% to 90\.5%\)"}]
    ]
    assert "Wilson" in said(app)


def test_charts_hold_names_as_data_and_no_address() -> None:
    evil = "<script>x</script>\u202e"
    bars = verdict_bars({evil: {"CORRECT": 1, "MADE_UP": 2}})
    assert bars["data"]["values"][0]["group"] == "<script>x</script>\\u{202e}"
    assert bars["layer"][0]["encoding"]["color"]["scale"]["domain"] == ["CORRECT", "MADE_UP"]
    graph = dependency_graph([frozenset(), frozenset({1}), frozenset({1, 2})], {1: "CORRECT", 2: "CRASH"})
    edges, nodes = (graph["layer"][number]["data"]["values"] for number in (0, 1))
    assert [(edge["problem"], edge["to"]) for edge in edges] == [(1, 2), (1, 3), (2, 3)]
    assert [(node["depth"], node["verdict"]) for node in nodes] == [(1, "CORRECT"), (2, "CRASH"), (3, "not asked")]
    rates = rate_bars([(evil, Solved(1, 2)), ("waiting", Solved(1, 2, 1))], axis="")
    assert rates is not None
    assert len(rates["data"]["values"]) == 1
    assert rate_bars([("waiting", Solved(1, 2, 1))], axis="") is None
    whole = coverage_bars([("pandas.read_csv", Solved(1, 3))], split=True)
    assert [row["problems"] for row in whole["data"]["values"]] == [1, 2]
    assert "url" not in str([bars, graph, rates, whole])


def test_downloads_hold_the_attempts_the_matrix_and_the_comparison(ws: Workspace, runs: tuple[int, int]) -> None:
    index_attempts(ws, runs[1], [record(3, code="=cmd()").to_json()])
    one, two = (find_run(ws, run) for run in runs)
    attempts = _attempts(ws, two).splitlines()
    assert attempts[0].startswith("problemset,problem,epoch,attempt,counts,verdict")
    assert attempts[3].endswith(",'=cmd()")
    assert _matrix(ws, [one, two], ProblemFilter(verdict="CRASH")).splitlines() == [
        "problemset,problem,query,alpha (run 1),beta (run 2)",
        f"sums,2,{QUERY},CRASH,CORRECT",
    ]
    assert _comparison(ws, one, two).splitlines()[1:] == [
        "sums,2,1,CRASH,CORRECT,second",
        "sums,1,1,CORRECT,CORRECT,both",
    ]
    assert file_name("../r 1", "=a/b", ending="csv") == "r-1-a-b.csv"


SIX = ("CORRECT", "CRASH/KEY_ERROR", "CORRECT", "CRASH/NAME_ERROR", "NOT_JUDGED", "CRASH/KEY_ERROR")


def test_an_attempt_shows_submission_and_reference_and_leads_on(
    open_page: Open, runs: tuple[int, int], draft: Revision, ws: Workspace
) -> None:
    app = open_page("runs", run=runs[0], attempt=2)
    assert [code.value for code in app.main.code] == ["2 + 2", "boom()"]
    for told in ("NameError: boom", "Worth a look: ctypes", "does not hold the problem", "Not kept: the run is older"):
        assert told in said(app)
    app.run()
    assert "beta :green-badge[:material/check: CORRECT]" in page_links(app)
    kept = {
        "key": ["sums", 2, 1, 1],
        "outputs": [{"output_type": "display_data", "data": {"text/markdown": "**looked around**"}}],
        "error": {"name": "NameError", "message": "boom", "traceback": ""},
        "transcript": [{"role": "user", "content": "And two and two?"}, {"role": "assistant", "content": "boom()"}],
    }
    (Path(find_run(ws, runs[0]).out_dir) / "details.jsonl").write_text(json.dumps(kept) + "\n")
    app = open_page("runs", attempt=2)
    assert "**looked around**" in said(app)
    assert {"NameError\\: boom", "Transcript: 2 messages"} <= set(boxes(app))
    assert "Not kept" not in said(app)


def test_a_failure_leads_to_editor_and_roundtable(open_page: Open, draft: Revision, ws: Workspace) -> None:
    run = insert_run(ws, release="r 1", agent="alpha", out_dir="/x", summary={})
    base = {"problemset": "shop-sales", "question": "Which shop sold most?", "verdict": "CRASH", "code": "boom()"}
    index_attempts(ws, run, [{**base, "index": 1, "extended_verdict": "it broke"}])
    app = open_page("runs", attempt=1)
    address = page_links(app)["Open the problem in the editor"]
    assert f"set={draft.problemset_id}&pid=p2" in address, "by its query, not by its number"
    assert "a suspicion needs a note" in errors(press(app, "suspect:1:send"))
    app.text_area(key="suspect:1:note").set_value("both shops sold three")
    press(app, "suspect:1:send")
    (item,) = list_roundtable(ws, only_open=True)
    assert (item.problemset_id, item.problem, item.opened_by) == (draft.problemset_id, "p2", "mei")
    assert (item.evidence["why"], item.evidence["code"]) == ("alpha was judged CRASH: it broke", "boom()")
    assert "suspect: both shops sold three" in said(app)
    assert not [button for button in app.button if button.key == "suspect:1:send"]  # once is enough
    assert "both shops sold three" in said(open_page("roundtable", set=draft.problemset_id))


def test_attempts_are_read_one_after_the_other_and_failures_alone(open_page: Open, ws: Workspace) -> None:
    run = enter(ws, *SIX)
    app = open_page("runs", run=run, attempt=1)
    assert app.title[0].value == "trips 1"
    assert app.button(key="attempt:previous").disabled
    assert "1 of 6" in said(app)
    press(app, "attempt:next")
    assert (app.title[0].value, app.query_params["attempt"]) == ("trips 2", "2")
    press(press(app, "attempt:failing"), "attempt:failing")
    assert app.title[0].value == "trips 6"  # what is not judged is no failure
    assert app.button(key="attempt:failing").disabled
    assert press(app, "attempt:previous").title[0].value == "trips 5"
    shortcuts = [app.button(key=f"attempt:{name}").proto.shortcut for name in ("previous", "next", "failing")]
    assert shortcuts == ["k", "j", "f"]
    app = open_page("runs", run=run, r_verdict="CRASH", r_cause="KEY_ERROR")
    (first, _) = row_lists.links(app).items()
    assert first[1] == "CRASH KEY_ERROR"
    assert "verdict=CRASH&cause=KEY_ERROR" in first[0]
    app = open_page("runs", run=run, attempt=2, verdict="CRASH", cause="KEY_ERROR")
    assert "1 of 2 · verdict CRASH · cause KEY_ERROR" in said(app)
    assert press(app, "attempt:next").title[0].value == "trips 6"
    assert "r_verdict=CRASH&r_cause=KEY_ERROR" in page_links(app)["alpha on small 1"]
    again = {"problemset": "trips", "index": 2, "verdict": "CORRECT", "question": "What is 2?"}
    index_attempts(ws, run, [again])  # it was judged once more: its record has another number now
    app = open_page("runs", run=run, attempt=2)
    assert "Attempt 2 is not recorded any more." in said(app)
    assert [link.proto.label for link in app.main.get("page_link")] == ["Open the run: alpha on small 1", "All runs"]
    assert "the run's folder /x is gone" in said(open_page("runs", attempt=7))


def test_verdicts_validators_and_labels_say_what_they_mean(open_page: Open, ws: Workspace) -> None:
    run = enter(ws, "CRASH/KEY_ERROR")
    matrix = row_lists.row_lists(open_page("runs", run=run))["Verdicts by problem"]
    titles = {span.text or "": span.attrib["title"] for span in matrix.iter("span") if "title" in span.attrib}
    assert titles["KEY_ERROR"] == "it asks for a column, label or key that is not there"
    part = {"category": "namespace_check", "correct": "no", "reason": "'totals' is missing", "variable": "totals"}
    tree = {"category": "and", "correct": "no", "reason": [{**part, "variable": None, "reason": [part]}]}
    labels = ["called-out-of-turn", "cheat-zero", "of-its-own", "<b>:material/home:"]
    facts = {"problemset": "trips", "verdict": "CRASH", "subverdict": "KEY_ERROR", "validation": tree, "labels": labels}
    index_attempts(ws, run, [{**facts, "index": 1}])
    app = open_page("runs", attempt=2)
    helps = {each.proto.body.replace("\\", ""): each.proto.help.replace("\\", "") for each in app.get("markdown")}
    told = [next(help_ for body, help_ in helps.items() if f" {name}]" in body) for name in labels[:3]]
    trick = "a trick of the agent `cheat`, which solves nothing: it answers 0 to everything"
    assert told == [LABELS["called-out-of-turn"], trick, OWN_LABEL]
    assert titles["KEY_ERROR"] in helps.values()
    assert not any(":material/home:" in body for body in helps)
    (table,) = [each.value for each in app.table if "Validator" in each.value]
    told_of = r"namespace\_check of totals: :small[what that variable holds after the cell]"
    assert table["Validator"].tolist() == [told_of]


def test_two_runs_are_compared_by_problem(
    open_page: Open, runs: tuple[int, int], ws: Workspace, tmp_path: Path
) -> None:
    def correct(app: AppTest) -> list[int]:
        return [box.count("CORRECT") for box in boxes(app) if "badge" in box]

    assert page_links(open_page("runs", run=runs[0]))["Compare"] == f"a={runs[0]}&b={runs[1]}"
    app = open_page("runs", a=runs[0], b=runs[1])
    assert correct(app) == [1]
    counts = "solved by both: 1 · only A solved: 0 · only B solved: 1 · solved by none: 0 · all: 2"
    says(app, f"verdicts differ: 1 · {counts}", "B minus A: +50", "only one solved: p = 1.")
    app.selectbox(key="r_pairs").select("solved by both").run()
    assert correct(app) == [2]
    (tmp_path / "other").mkdir()
    folder = write_run(tmp_path / "other", rules="published")
    manifest = Path(find_run(ws, runs[0]).out_dir) / "manifest.json"
    manifest.write_text(json.dumps({**json.loads(manifest.read_text()), "rules": "sound"}))
    other = insert_run(ws, release="small 1", agent="gamma", out_dir=str(folder), summary={})
    index_attempts(ws, other, [record(1).to_json()])
    assert "No statistics: the runs were judged under another rules" in said(open_page("runs", a=runs[0], b=other))


def test_runs_are_selected_in_their_list_and_compared(open_page: Open, ws: Workspace, tmp_path: Path) -> None:
    several = []
    for number in range(6):  # of one agent, in two modes; every second one solved the first problem
        folder = tmp_path / f"run{number}"
        folder.mkdir()
        mode = "oracle" if number % 2 else "end-to-end"
        (folder / "manifest.json").write_text(json.dumps({"format": 1, "mode": mode, "epochs": number + 1}))
        several.append(enter(ws, "CORRECT" if number % 2 else "CRASH", "TIMEOUT", out=str(folder)))
    app = open_page("runs")
    says(app, "run 1 · mode end-to-end", "run 2 · mode oracle, 2 epochs", "Select 2 to 5 runs")
    for run in several:
        app.checkbox(key=f"runs:select:{run}").check()
    assert "6 runs are selected, and 5 at most are compared." in said(app.run())
    for run in several[3:]:
        app.checkbox(key=f"runs:select:{run}").uncheck()
    assert set(page_links(app.run())["Compare 3 runs"]) == set("runs=1%2C2%2C3")
    press(app, "runs:select:clear")
    assert not any(app.checkbox(key=f"runs:select:{run}").value for run in several)

    app = open_page("runs", runs="2,1,3")
    assert app.title[0].value == "Compare 3 runs"
    (table,) = [each.value for each in app.table]
    assert table["Run"][0] == "**A** · alpha on small 1 · mode oracle, 2 epochs"
    assert table["Pass rate"].tolist()[0].startswith("50.0% of 2 problems (95% CI 9.5% to 90.5%)")
    assert table["Only this one solved"].tolist() == ["1", "0", "0"]
    assert "verdicts differ: 1 · solved by some: 1 · solved by all: 0 · solved by none: 1 · all: 2" in said(app)
    assert row_lists.heads(app, "Verdicts by problem") == ["Problem", "A", "B", "C"]
    links = row_lists.links(app)
    assert links["runs?run=2&attempt=3"] == "CORRECT"
    assert links["runs?run=1&attempt=1"] == links["runs?run=3&attempt=5"] == "CRASH"
    statistics = {name: query for name, query in page_links(app).items() if "Stat" in name}
    assert statistics == {"Statistics: A and B": "a=2&b=1", "Statistics: A and C": "a=2&b=3"}
    app.selectbox(key="r_several").select("solved by all").run()
    assert "No problem is like that" in said(app)
    named = [each for each in page_links(open_page("runs", run=several[0], attempt=1)) if ", run " in each]
    assert [each.partition(" :")[0] for each in named] == [f"alpha, run {run}" for run in reversed(several[1:])]
    assert "the address of this page names" in said(open_page("runs", runs="1,x"))


def test_scoring_again_shows_its_job_at_the_button_and_then_the_new_run(open_page: Open, ws: Workspace) -> None:
    run = enter(ws, "CRASH", agent="cheat")
    app = press(open_page("runs", run=run), f"run:{run}:rescore")
    button = app.button(key=f"run:{run}:rescore")
    assert (button.label, button.disabled) == ("Scoring again …", True)
    assert f"job {jobs.select(ws, kinds=('run',))[0].id}" in said(app)
    fail(ws, "run", "its records are gone")
    app = open_page("runs", run=run)
    assert "its records are gone" in said(app)
    press(app, f"run:{run}:rescore")
    made = enter(ws, "CRASH", agent="cheat", out="/y", rescored_from=run)
    finish(ws, "run", {"id": made})
    app = open_page("runs", run=run)
    assert not app.button(key=f"run:{run}:rescore").disabled
    assert [query for label, query in page_links(app).items() if label.startswith("Scored again")] == [f"run={made}"]
    app = open_page("runs", run=made)
    assert app.title[0].value == f"cheat on small 1 · run {run}, scored again"
    assert f"Open run {run}, whose submissions these are" in page_links(app)
    assert f"{made} · cheat on small 1, run {run}, scored again" in run_title(find_run(ws, made))


def test_submissions_of_one_run_are_no_other_agents_however_often_scored(ws: Workspace) -> None:
    run, other = enter(ws, "CRASH", agent="cheat"), enter(ws, "CRASH", agent="oracle", out="/o")
    copies = [enter(ws, "CRASH", agent="cheat", out=f"/c{n}", rescored_from=run) for n in (1, 2)]
    again = enter(ws, "CRASH", agent="cheat", out="/d", rescored_from=copies[0])

    def seen(each: int) -> list[int]:
        return [mark.run_id for mark in list_other_agents(ws, each, "small 1", ("trips", 1))]

    assert [seen(each) for each in (run, *copies, again)] == [[other]] * 4
    assert seen(other) == [again]
    gone = enter(ws, "CRASH", agent="plan", out="/e", rescored_from=99)
    assert gone in seen(run)


def test_results_of_elsewhere_are_imported_as_a_run(open_page: Open, ws: Workspace) -> None:
    app, send = open_page("runs"), "import:results:send"
    app.selectbox(key="import:results:form").select("records").run()
    assert "no file was chosen" in errors(press(app, send).run()), "in the form, as long as nothing in it is changed"
    app.file_uploader(key="import:results:file:records:0").upload("theirs.jsonl", b"{}", "application/json").run()
    assert not app.error
    app.text_input(key="import:results:agent").set_value("their agent")
    app.session_state["import:results:popover"] = True
    press(app, send)
    assert not app.session_state["import:results:popover"]  # it would cover what the job came to
    made = {"id": 1, "agent": "their agent", "benchmark": "trips", "version": "2", "records": 7}
    finding = {"source": "a.json, line 1", "problem": "", "what": "odd <b>", "fix": "mend it"}
    order = finish(ws, "import_results", {**made, "findings": [finding], "more": 3}).payload
    assert (order["agent"], order["release"], order["file"]["name"]) == ("their agent", None, "theirs.jsonl")
    says(app.run(), "Imported 7 records of **their agent** on **trips 2**.")
    assert "4 things to look at" in boxes(app)
    assert any(r"odd \<b\>" in each.value for each in app.markdown)


def test_the_folder_of_a_run_is_imported(open_page: Open, ws: Workspace) -> None:
    app = open_page("runs")
    for names in (["notes.json", "records.jsonl"], ["records.jsonl", "manifest.json", "details.jsonl"]):
        folder = app.file_uploader(key="import:results:file:run:0")
        for name in names:
            folder.upload(f"mine/{name}", b"{}")
        folder.run()
        press(app, "import:results:send")
        assert ("the folder holds no run: there is no manifest.json" in errors(app)) == ("notes.json" in names)
    (order,) = payloads(ws, "import_results")
    assert [each["name"] for each in (order["file"], *order["beside"])] == names


def test_predictions_are_imported_for_an_imported_benchmark(open_page: Open, ws: Workspace) -> None:
    app = open_page("runs")
    app.selectbox(key="import:results:form").select("predictions").run()
    app.file_uploader(key="import:results:file:predictions:0").upload("model.json", b"{}", "application/json").run()
    assert "none is chosen" in errors(press(app, "import:results:send"))
    folder = ws.root / "benchmarks" / "bench"
    folder.mkdir(parents=True)
    (folder / "_manifest.yaml").write_text("name: bench\n", encoding="utf-8")
    app.run()
    app.selectbox(key="import:results:benchmark").select("bench")
    app.selectbox(key="import:results:mode").select("oracle")
    press(app, "import:results:send")
    (order,) = payloads(ws, "import_results")
    asked = {name: order[name] for name in ("benchmark", "mode", "rules", "agent")}
    assert asked == {"benchmark": "bench", "mode": "oracle", "rules": "published", "agent": ""}
