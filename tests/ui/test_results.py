"""Results of runs on the screen: withheld rates, filters in the address, one attempt, two runs, charts, releases."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from authoring.store import jobs, releases
from authoring.store.database import connections
from authoring.store.jobs import Job, enqueue
from authoring.store.reviewing.reviews import record_decision
from authoring.store.reviewing.roundtable import list_roundtable
from authoring.store.revisions import Revision
from authoring.store.run_results import ProblemFilter
from authoring.store.runs import find as find_run
from authoring.store.runs import index_attempts
from authoring.store.runs import insert as insert_run
from authoring.store.workspace import Workspace
from authoring.ui.runs.charts import coverage_bars, dependency_graph, rate_bars, verdict_bars
from authoring.ui.runs.exporting import _attempts, _comparison, _matrix, file_name
from authoring.ui.runs.rates import Solved
from authoring.ui.runs.run_form import asked_words
from tests.reporting.conftest import QUERY, SET, record, write_run
from tests.ui import row_lists

Open = Callable[..., AppTest]
Said = Callable[[AppTest], str]
MOST_STATEMENTS = 12  # of one interaction


@pytest.fixture
def runs(workspace: Workspace, tmp_path: Path) -> tuple[int, int]:
    """Two runs on one benchmark: the first one failed at problem 2, and looked around there."""
    one = [
        record(1, code="1 + 1"),
        record(2, "CRASH", code="boom()", marks=("ctypes",), extended_verdict="NameError: boom"),
    ]
    two = [record(1, code="2"), record(2, code="2 + 2")]
    folder = write_run(tmp_path, *one)
    ids = []
    for agent, records in (("alpha", one), ("beta", two)):
        run = insert_run(workspace, release="small 1", agent=agent, out_dir=f"{folder}", summary={})
        index_attempts(workspace, run, [each.to_json() for each in records])
        ids.append(run)
    return ids[0], ids[1]


@pytest.fixture
def statements(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The queries that reach the database."""
    seen: list[str] = []
    connect = connections.connect

    def traced(*arguments: Any, **options: Any) -> Any:
        db = connect(*arguments, **options)
        db.conn.set_trace_callback(lambda sql: seen.append(sql) if sql.lstrip().upper().startswith("SELECT") else None)
        return db

    monkeypatch.setattr(connections, "connect", traced)
    return seen


def links(app: AppTest) -> list[str]:
    return [str(link.proto.label) for link in app.get("page_link")]


def test_a_run_withholds_its_rates_while_anything_is_not_judged(
    open_page: Open, workspace: Workspace, said: Said
) -> None:
    run = insert_run(workspace, release="r 1", agent="a", out_dir="/x", summary={"pass_rate": 1.0})
    base = {"problemset": "s", "question": "why?"}
    index_attempts(workspace, run, [{**base, "index": n, "verdict": v} for n, v in ((1, "CORRECT"), (2, "NOT_JUDGED"))])
    app = open_page("runs", run=run)
    assert [metric.value for metric in app.metric] == ["–", "1", "1"]
    assert "Rates are withheld: 1 not judged" in said(app)
    assert "withheld: 1 of 2 problems not judged" in said(open_page("runs"))


def test_the_filters_of_a_run_stand_in_its_address(
    open_page: Open, runs: tuple[int, int], statements: list[str]
) -> None:
    open_page("runs")
    statements.clear()
    app = open_page("runs", run=runs[0], r_verdict="CRASH")
    assert list(row_lists.links(app).values()) == ["CRASH"]
    app.selectbox(key="r_verdict").select("any")
    app.text_input(key="r_text").set_value("ONE and one")
    statements.clear()
    app.run()
    assert len(statements) <= MOST_STATEMENTS, statements
    assert list(row_lists.links(app).values()) == ["CORRECT", "CRASH"]


def test_an_attempt_shows_submission_and_reference_side_by_side_and_leads_on(
    open_page: Open, runs: tuple[int, int], draft: Revision, said: Said, statements: list[str]
) -> None:
    app = open_page("runs", run=runs[0], attempt=2)
    assert [code.value for code in app.main.code] == ["2 + 2", "boom()"]
    assert "NameError: boom" in said(app)
    assert "Worth a look: ctypes" in said(app)
    assert "does not hold the problem" in said(app)
    statements.clear()
    app.run()
    assert len(statements) <= MOST_STATEMENTS, statements
    assert "beta :green-badge[:material/check: CORRECT]" in links(app)


def test_an_attempt_shows_what_it_printed_and_the_conversation_behind_it_when_the_run_kept_them(
    open_page: Open, runs: tuple[int, int], workspace: Workspace, said: Said
) -> None:
    assert "Not kept: the run is older than this" in said(open_page("runs", attempt=2))
    kept = {
        "key": ["sums", 2, 1, 1],
        "outputs": [{"output_type": "display_data", "data": {"text/markdown": "**looked around**"}}],
        "error": {"name": "NameError", "message": "boom", "traceback": ""},
        "transcript": [{"role": "user", "content": "And two and two?"}, {"role": "assistant", "content": "boom()"}],
    }
    (Path(find_run(workspace, runs[0]).out_dir) / "details.jsonl").write_text(json.dumps(kept) + "\n")
    app = open_page("runs", attempt=2)
    assert "**looked around**" in said(app)
    assert [each.label for each in app.expander if "NameError" in each.label] == ["NameError\\: boom"]
    assert "Not kept" not in said(app)
    assert [each.label for each in app.expander if "Transcript" in each.label] == ["Transcript: 2 messages"]


def test_a_failing_problem_leads_to_its_editor_when_the_workspace_holds_it(
    open_page: Open, draft: Revision, workspace: Workspace
) -> None:
    run = insert_run(workspace, release="r 1", agent="a", out_dir="/x", summary={})
    base = {"problemset": "shop-sales", "question": "Which shop sold most?", "verdict": "CRASH"}
    index_attempts(workspace, run, [{**base, "index": 1}])
    app = open_page("runs", attempt=1)
    (link,) = [each for each in app.get("page_link") if each.proto.label == "Open the problem in the editor"]
    assert f"set={draft.problemset_id}&pid=p2" in link.proto.query_string  # by its query, not by its number


def test_a_mode_takes_the_place_of_policies(open_page: Open, workspace: Workspace, draft: Revision) -> None:
    release = releases.insert(workspace, name="small", version="1", digest="d", path="/x", items=[(draft.id, "sums")])
    app = open_page("runs")
    app.selectbox(key="run:agent").select("react-cibench").run()
    app.text_input(key="run:model").set_value("some-model")
    app.selectbox(key="run:state").select("own")
    app.selectbox(key="run:mode").select("oracle").run()
    assert [each.key for each in app.selectbox if each.key in ("run:state", "run:stop")] == []
    app.button(key="run:start").click().run()
    (job,) = jobs.select(workspace, kinds=("run",))
    assert job.payload == {
        **{"release": release, "agent": "react-cibench:some-model", "mode": "oracle", "max_attempts": 3},
        **{"sets": [], "limit": None, "epochs": 1, "workers": 1, "rng_seed": 0, "engine": "auto"},
        **{"rules": None, "environment": None, "outputs": "shown", "allow_mismatch": False},
    }
    assert asked_words(workspace, job.payload).endswith("max attempts 3 · mode oracle")


def test_a_benchmark_of_a_family_is_offered_the_modes_of_that_family(
    open_page: Open, workspace: Workspace, draft: Revision, tmp_path: Path
) -> None:
    made = {}
    for family in ("none", "cibench", "qwen"):
        folder = tmp_path / family
        folder.mkdir()
        line = "" if family == "none" else f"family: {family}\n"
        (folder / "_manifest.yaml").write_text(f"name: {family}\nversion: '1'\n{line}")
        items = [(draft.id, "sums")]
        made[family] = releases.insert(
            workspace, name=family, version="1", digest=family, path=str(folder), items=items
        )
    gone = releases.insert(workspace, name="gone", version="1", digest="d", path="/x", items=[(draft.id, "sums")])
    app = open_page("runs")

    def offered(release: int) -> list[str]:
        app.selectbox(key="run:release").select(release).run()
        return [title.partition(":")[0] for title in app.selectbox(key="run:mode").options]

    cibench = ["end-to-end", "oracle", "oracle-as-run", "oracle-from-truth"]
    assert offered(made["none"]) == offered(gone) == ["chosen below", *cibench, "qwen"]
    assert offered(made["cibench"]) == ["chosen below", *cibench]
    app.selectbox(key="run:mode").select("oracle").run()
    assert offered(made["qwen"]) == ["chosen below", "qwen"]
    assert app.selectbox(key="run:mode").value == ""  # what was chosen is no mode of this one
    app.selectbox(key="run:mode").select("qwen").run()
    assert not app.exception


def test_a_run_is_ordered_with_every_option_of_the_command_line(
    open_page: Open, workspace: Workspace, runs: tuple[int, int], draft: Revision, said: Said
) -> None:
    items = [(draft.id, "sums")]
    release = releases.insert(workspace, name="small", version="1", digest="d", path="/x", items=items)
    app = open_page("runs")
    app.selectbox(key="run:agent").select("replay").run()
    app.selectbox(key="run:replay").select(runs[0])
    app.multiselect(key=f"run:sets:release:{release}").set_value(["sums"])
    app.multiselect(key="run:feedback").set_value(["error", "hint"])
    for name, number in (("limit", 3), ("epochs", 2), ("max_attempts", 4), ("workers", 2), ("rng_seed", 7)):
        app.number_input(key=f"run:{name}").set_value(number)
    for name, choice in (("state", "own"), ("history", "own"), ("between_attempts", "kept"), ("engine", "replay")):
        app.selectbox(key=f"run:{name}").select(choice)
    app.selectbox(key="run:rules").select("published")
    app.selectbox(key="run:environment").select("default")
    app.selectbox(key="run:stop").select("visible")
    app.text_input(key="run:judge").set_value(" eyes-1 ")
    app.number_input(key="run:budget:minutes").set_value(3.0)
    app.button(key="run:start").click().run()
    app.button(key="run:start").click().run()  # the same again is the same job
    (job,) = jobs.select(workspace, kinds=("run",))
    assert (job.created_by, job.payload) == (
        "mei",
        {
            **{"release": release, "agent": f"replay:{find_run(workspace, runs[0]).out_dir}/records.jsonl"},
            "called": "replay of run 1, alpha",
            **{"sets": ["sums"], "limit": 3, "epochs": 2, "max_attempts": 4, "workers": 2, "rng_seed": 7},
            **{"state": "own", "history": "own", "between_attempts": "kept", "feedback": ["error", "hint"]},
            **{"engine": "replay", "rules": "published", "environment": "default", "outputs": "shown"},
            **{"stop": "visible", "judge": "eyes-1"},
            **{"allow_mismatch": False, "budget": {"tokens": None, "cost": None, "minutes": 3.0}},
        },
    )
    assert "max attempts 4" in said(app)
    assert r"stop visible · judge eyes\-1" in said(app)
    app.selectbox(key="run:agent").select("chat").run()
    app.button(key="run:start").click().run()
    assert "no model is named and none is configured" in app.error[0].value
    app.text_input(key="run:model").set_value("m-1")
    app.button(key="run:start").click().run()
    assert jobs.select(workspace, kinds=("run",))[0].payload["agent"] == "chat:m-1"


def test_what_a_run_could_not_judge_is_ordered_again(open_page: Open, workspace: Workspace, said: Said) -> None:
    summary = {"total": 5, "asked": {"agent": "oracle", "epochs": 2}, "started_by": "lee", "job": 3}
    run = insert_run(workspace, release="r 1", agent="oracle", out_dir="/x", summary=summary)
    base = {"problemset": "s", "question": "why?"}
    index_attempts(workspace, run, [{**base, "index": n, "verdict": v} for n, v in ((1, "CORRECT"), (2, "NOT_JUDGED"))])
    app = open_page("runs", run=run)
    assert "epochs 2 · started by lee · job 3" in said(app)
    app.button(key=f"run:{run}:again").click().run()
    (job,) = jobs.select(workspace, kinds=("run",))
    assert job.payload == {"again": run, "budget": None}


def test_a_page_of_jobs_asks_the_workspace_a_dozen_times_at_most(
    open_page: Open, workspace: Workspace, statements: list[str]
) -> None:
    for number in range(60):
        enqueue(workspace, kind="draft", payload={}, key=f"draft:{number}")
    app = open_page("runs", view="jobs")
    statements.clear()
    app.run()
    assert len(statements) <= MOST_STATEMENTS, statements
    assert len([button for button in app.button if str(button.key).endswith(":cancel")]) == 50


def test_results_of_elsewhere_are_imported_as_a_run(open_page: Open, workspace: Workspace, said: Said) -> None:
    app = open_page("runs")
    app.selectbox(key="import:results:form").select("records").run()
    app.button(key="import:results:send").click().run()
    app.run()
    assert "no file was chosen" in app.error[0].value, "in the form, as long as nothing in it is changed"
    app.file_uploader(key="import:results:file:records:0").upload("theirs.jsonl", b"{}", "application/json").run()
    assert not app.error
    app.text_input(key="import:results:agent").set_value("their agent")
    app.session_state["import:results:popover"] = True
    app.button(key="import:results:send").click().run()
    assert not app.session_state["import:results:popover"]  # it would cover what the job came to
    (job,) = jobs.select(workspace, kinds=("import_results",))
    assert (job.payload["agent"], job.payload["release"], job.payload["file"]["name"]) == (
        *("their agent", None),
        "theirs.jsonl",
    )
    made = {"id": 1, "agent": "their agent", "benchmark": "trips", "version": "2", "records": 7, "findings": []}
    assert jobs.finish(workspace, claimed(workspace, job), "w", result=made)
    app.run()
    assert r"Imported 7 records of **their agent** on **trips 2**." in said(app)


def test_the_folder_of_a_run_is_imported_as_it_is_or_as_an_archive(open_page: Open, workspace: Workspace) -> None:
    app = open_page("runs")
    app.button(key="import:results:send").click().run()
    assert "no file was chosen" in app.error[0].value
    folder = app.file_uploader(key="import:results:file:run:0")
    folder.upload("mine/notes.json", b"{}").upload("mine/records.jsonl", b"{}").run()
    app.button(key="import:results:send").click().run()
    assert r"the folder holds no run\: there is no manifest\.json" in app.error[0].value
    folder = app.file_uploader(key="import:results:file:run:0")
    for name in ("records.jsonl", "manifest.json", "details.jsonl"):
        folder.upload(f"mine/{name}", b"{}")
    folder.run()
    app.button(key="import:results:send").click().run()
    (job,) = jobs.select(workspace, kinds=("import_results",))
    assert [each["name"] for each in (job.payload["file"], *job.payload["beside"])] == [
        *("records.jsonl", "manifest.json", "details.jsonl"),
    ]
    assert jobs.finish(workspace, claimed(workspace, job), "w", result={"id": 1, "records": 1, "agent": "oracle"})
    app.run()
    app.file_uploader(key="import:results:file:zip:1").upload("mine.zip", b"PK", "application/zip").run()
    app.button(key="import:results:send").click().run()
    newest = jobs.select(workspace, kinds=("import_results",))[0]
    assert (newest.payload["file"]["name"], "beside" in newest.payload) == ("mine.zip", False)


def imported(workspace: Workspace, name: str) -> None:
    folder = workspace.root / "benchmarks" / name
    folder.mkdir(parents=True)
    (folder / "_manifest.yaml").write_text(f"name: {name}\n", encoding="utf-8")
    (folder / "q1.py").write_text("", encoding="utf-8")


def test_predictions_are_imported_for_an_imported_benchmark(open_page: Open, workspace: Workspace, said: Said) -> None:
    app = open_page("runs")
    app.selectbox(key="import:results:form").select("predictions").run()
    app.file_uploader(key="import:results:file:predictions:0").upload("model.json", b"{}", "application/json").run()
    app.button(key="import:results:send").click().run()
    assert "none is chosen" in app.error[0].value
    imported(workspace, "bench")
    app.run()
    app.selectbox(key="import:results:benchmark").select("bench")
    app.selectbox(key="import:results:mode").select("oracle")
    app.button(key="import:results:send").click().run()
    (job,) = jobs.select(workspace, kinds=("import_results",))
    asked = {name: job.payload[name] for name in ("benchmark", "mode", "rules", "agent")}
    assert asked == {"benchmark": "bench", "mode": "oracle", "rules": "published", "agent": ""}
    finding = {"source": "a.json, line 1", "problem": "", "what": "odd <b>", "fix": "mend it"}
    claimed = jobs.claim(workspace, owner="w", kinds=["import_results"])
    assert claimed is not None
    assert jobs.finish(workspace, claimed.id, "w", result={"id": 1, "findings": [finding], "more": 3})
    app.run()
    assert "4 things to look at" in [each.label for each in app.expander]
    assert r"odd \<b\>" in said(app)


def test_an_imported_benchmark_can_be_run_on(open_page: Open, workspace: Workspace) -> None:
    imported(workspace, "bench")
    app = open_page("runs")
    assert app.selectbox(key="run:release").options == ["bench (imported)"]
    app.multiselect(key="run:sets:benchmark:bench").set_value(["q1"])
    app.button(key="run:start").click().run()
    (job,) = jobs.select(workspace, kinds=("run",))
    assert (job.payload["benchmark"], job.payload["sets"]) == (str(workspace.root / "benchmarks" / "bench"), ["q1"])
    assert "release" not in job.payload
    assert asked_words(workspace, job.payload).startswith("oracle on bench · sets q1")


def test_a_benchmark_named_as_a_release_is_numbered_has_choices_of_its_own(
    open_page: Open, workspace: Workspace, draft: Revision
) -> None:
    release = releases.insert(workspace, name="small", version="1", digest="d", path="/x", items=[(draft.id, "sums")])
    imported(workspace, str(release))
    app = open_page("runs")
    app.multiselect(key=f"run:sets:release:{release}").set_value(["sums"])
    app.selectbox(key="run:release").select(str(release)).run()
    assert app.multiselect(key=f"run:sets:benchmark:{release}").value == []


def test_a_link_chooses_what_it_is_about_and_a_later_choice_stays(
    open_page: Open, workspace: Workspace, draft: Revision
) -> None:
    releases.insert(workspace, name="small", version="1", digest="d", path="/x", items=[(draft.id, "sums")])
    imported(workspace, "1")
    app = open_page("runs", on="benchmark:1")
    assert app.selectbox(key="run:release").value == "1"
    app.selectbox(key="run:release").select(1).run()
    assert app.selectbox(key="run:release").value == 1
    app.switch_page("authoring/ui/pages/releases.py").run()
    app.query_params["on"] = "benchmark:1"
    app.switch_page("authoring/ui/pages/runs.py").run()  # the same link again
    assert app.selectbox(key="run:release").value == "1"
    assert open_page("runs", on="release:1").selectbox(key="run:release").value == 1
    assert open_page("runs", on="benchmark:gone").selectbox(key="run:release").value == 1


def test_notebooks_and_records_of_other_systems_are_imported_under_releases(
    open_page: Open, workspace: Workspace, said: Said
) -> None:
    app = open_page("releases")
    app.button(key="import:family:send").click().run()
    app.run()
    assert "no file was chosen" in app.error[0].value, "in the form, as long as nothing in it is changed"
    app.selectbox(key="import:family:form").select("qwen").run()
    assert not app.error
    app.file_uploader(key="import:family:file:qwen:0").upload("eval.jsonl", b"{}", "application/json").run()
    app.text_input(key="import:family:name").set_value("mini")
    app.checkbox(key="import:family:queue").check()
    app.button(key="import:family:send").click().run()
    (job,) = jobs.select(workspace, kinds=("import_family",))
    assert (job.payload["family"], job.payload["name"], job.payload["queue"]) == ("qwen", "mini", True)
    claimed = jobs.claim(workspace, owner="w", kinds=["import_family"])
    assert claimed is not None
    made = {"benchmark": "mini", "problemsets": 2, "problems": 2, "kept": [{"name": "q1", "problemset": 1}]}
    finding = {"source": "eval.jsonl, line 1", "problem": "", "what": "there is no file '<i>'", "fix": "add it"}
    result = {**made, "refused": [{"name": "q2", "why": "the name is taken"}], "findings": [finding], "more": 0}
    assert jobs.finish(workspace, claimed.id, "w", result=result)
    imported(workspace, "mini")
    app.run()
    text = said(app)
    assert "Imported **mini**: 2 problemsets, 2 problems." in text
    assert "1 thing to look at" in [each.label for each in app.expander]
    assert "q2 is not in the queue: the name is taken" in text
    assert r"there is no file '\<i\>'" in text
    assert "Imported benchmarks, to run agents on under Runs: mini." in text


def test_two_runs_are_compared_problem_by_problem(
    open_page: Open, runs: tuple[int, int], said: Said, statements: list[str]
) -> None:
    app = open_page("runs", a=runs[0], b=runs[1])
    assert [box.label.count("CORRECT") for box in app.expander if "badge" in box.label] == [1]
    assert [box.label.endswith("What is one and one?") for box in app.expander if "badge" in box.label] == [True]
    assert (
        "verdicts differ: 1 · solved by both: 1 · only A solved: 0 · only B solved: 1 · solved by none: 0 · all: 2"
        in said(app)
    )
    assert "B minus A\\: \\+50" in said(app)
    assert "only one solved\\: p = 1." in said(app)
    statements.clear()
    app.selectbox(key="r_pairs").select("solved by both").run()
    assert len(statements) <= MOST_STATEMENTS, statements
    assert [box.label.count("CORRECT") for box in app.expander if "badge" in box.label] == [2]
    assert "No problem is like that" in said(open_page("runs", a=runs[0], b=runs[1], r_pairs="solved by none"))


def test_no_statistics_are_shown_of_runs_that_were_judged_by_other_rules(
    open_page: Open, workspace: Workspace, runs: tuple[int, int], tmp_path: Path, said: Said
) -> None:
    (tmp_path / "other").mkdir()
    folder = write_run(tmp_path / "other", rules="published")
    manifest = Path(find_run(workspace, runs[0]).out_dir) / "manifest.json"
    manifest.write_text(json.dumps({**json.loads(manifest.read_text()), "rules": "sound"}))
    other = insert_run(workspace, release="small 1", agent="gamma", out_dir=str(folder), summary={})
    index_attempts(workspace, other, [record(1).to_json()])
    assert "No statistics: the runs were judged under another rules" in said(open_page("runs", a=runs[0], b=other))


def test_downloads_hold_the_attempts_the_matrix_and_the_comparison(workspace: Workspace, runs: tuple[int, int]) -> None:
    index_attempts(workspace, runs[1], [record(3, code="=cmd()").to_json()])
    one, two = (find_run(workspace, run) for run in runs)
    attempts = _attempts(workspace, two).splitlines()
    assert attempts[0].startswith("problemset,problem,epoch,attempt,counts,verdict")
    assert attempts[3].endswith(",'=cmd()")
    assert _matrix(workspace, [one, two], ProblemFilter(verdict="CRASH")).splitlines() == [
        "problemset,problem,query,alpha (run 1),beta (run 2)",
        f"sums,2,{QUERY},CRASH,CORRECT",
    ]
    assert _comparison(workspace, one, two).splitlines()[1:] == [
        "sums,2,1,CRASH,CORRECT,second",
        "sums,1,1,CORRECT,CORRECT,both",
    ]
    assert file_name("../r 1", "=a/b", ending="csv") == "r-1-a-b.csv"


def test_the_charts_of_a_run_are_drawn_from_the_benchmark_it_asked(
    open_page: Open, runs: tuple[int, int], said: Said
) -> None:
    app = open_page("runs", run=runs[0], r_tab="Charts")
    assert [heading.value for heading in app.header] == [
        "Verdicts by problemset",
        "Why problems were not solved",
        "Difficulty against pass rate",
        "What the reference code calls",
        "Who rests on whom",
    ]
    assert [box.label for box in app.expander if "table" in box.label] == ["The same as a table"] * 3  # no code calls
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


def test_the_gate_says_what_blocks_the_next_release(
    open_page: Open, draft: Revision, workspace: Workspace, said: Said, statements: list[str]
) -> None:
    app = open_page("releases")
    assert "0 ready · 0 blocking · 1 left out" in said(app)
    record_decision(workspace, revision_id=draft.id, decision="accepted", by="mei")
    statements.clear()
    app.run()
    assert len(statements) <= MOST_STATEMENTS, "\n".join(f"{n}: {s[:150]}" for n, s in enumerate(statements))
    assert "1 accepted problemset must be put right" in app.error[0].value
    assert "does not pass its own validators" in said(app)


def test_a_release_is_verified_and_compared_with_another(
    open_page: Open, draft: Revision, workspace: Workspace, tmp_path: Path, said: Said
) -> None:
    write_run(tmp_path)
    items = [(draft.id, "sums")]
    one = releases.insert(workspace, name="b", version="1", digest="d", path=str(tmp_path / "bench"), items=items)
    releases.insert(workspace, name="b", version="2", digest="e", path=str(tmp_path / "bench"), items=items)
    app = open_page("releases", release=one)
    app.button(key=f"release:{one}:verify").click().run()
    assert "without it nothing can be verified" in app.error[0].value
    assert QUERY not in said(app)


def test_an_erratum_shows_changed_problems_and_moved_ranks_and_scores_stored_runs(
    open_page: Open, draft: Revision, workspace: Workspace, runs: tuple[int, int], tmp_path: Path, said: Said
) -> None:
    ids = []
    for version, changed in (("1", ""), ("2", "All told, ")):
        folder = tmp_path / f"release-{version}"
        folder.mkdir()
        (folder / "_manifest.yaml").write_text(f'name: small\nversion: "{version}"\n')
        (folder / "sums.py").write_text(SET.replace("And two", f"{changed}and two"))
        ids.append(
            releases.insert(
                workspace, name="small", version=version, digest=version, path=str(folder), items=[(draft.id, "sums")]
            )
        )
    later = insert_run(workspace, release="small 2", agent="alpha", out_dir="/later", summary={})
    index_attempts(workspace, later, [record(1).to_json(), record(2).to_json()])
    app = open_page("releases", release=ids[1], r_part="Differences")
    assert [box.label for box in app.expander if "changed" in box.label] == ["**sums: p2** changed: query"]
    table = app.table[-1].value
    assert table["Agent"].tolist() == ["alpha", "beta"]
    assert table["small 1"].tolist() == ["1. (50.0%)", "100.0%"]
    app.button(key=f"rescore:{ids[0]}:{ids[1]}").click().run()
    (job,) = jobs.select(workspace, kinds=("run",))
    assert job.payload == {"rescore": runs[1], "release": ids[1]}


def test_a_suspect_attempt_waits_at_the_roundtable(
    open_page: Open, draft: Revision, workspace: Workspace, said: Said
) -> None:
    run = insert_run(workspace, release="r 1", agent="alpha", out_dir="/x", summary={})
    base = {"problemset": "shop-sales", "question": "Which shop sold most?", "verdict": "CRASH", "code": "boom()"}
    index_attempts(workspace, run, [{**base, "index": 2, "extended_verdict": "it broke"}])
    app = open_page("runs", attempt=1)
    app.button(key="suspect:1:send").click().run()
    assert "a suspicion needs a note" in app.error[0].value
    app.text_area(key="suspect:1:note").set_value("both shops sold three")
    app.button(key="suspect:1:send").click().run()
    (item,) = list_roundtable(workspace, only_open=True)
    assert (item.problemset_id, item.problem, item.opened_by) == (draft.problemset_id, "p2", "mei")
    assert (item.evidence["why"], item.evidence["code"]) == ("alpha was judged CRASH: it broke", "boom()")
    assert "suspect\\: both shops sold three" in said(app)
    assert not [button for button in app.button if button.key == "suspect:1:send"]  # once is enough
    assert "both shops sold three" in said(open_page("roundtable", set=draft.problemset_id))


def test_a_benchmark_is_imported_from_an_archive(open_page: Open, workspace: Workspace, said: Said) -> None:
    app = open_page("releases")
    app.button(key="import:benchmark:send").click().run()
    assert "no archive was chosen" in app.error[0].value
    app.file_uploader(key="import:benchmark:file:0").upload("city.zip", b"PK", "application/zip").run()
    app.session_state["import:benchmark:popover"] = True
    app.button(key="import:benchmark:send").click().run()
    assert not app.session_state["import:benchmark:popover"]  # it would cover what the job came to
    (job,) = jobs.select(workspace, kinds=("import_benchmark",))
    assert (job.key, job.payload["file"]["name"], job.created_by) == ("import:benchmark", "city.zip", "mei")
    assert jobs.finish(workspace, claimed(workspace, job), "w", result=RESULT)
    app = open_page("releases")
    assert "trips is not in the queue: the name is taken" in said(app)
    assert "Imported **city 2**: 1 problemset." in said(app)
    app.button(key=f"hide:{job.id}").click().run()
    assert "Imported **city 2**" not in said(app)


RESULT = {
    "benchmark": "city 2",
    "kept": [{"name": "walks", "problemset": 1}],
    "refused": [{"name": "trips", "why": "the name is taken"}],
    "own_validators": True,
}


def claimed(ws: Workspace, job: Job) -> int:
    found = jobs.claim(ws, owner="w", kinds=(job.kind,))
    assert found is not None
    return found.id
