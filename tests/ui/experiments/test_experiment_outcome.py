"""Tables, curves and files of an experiment's runs, also of those that are broken."""

import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest

from authoring.jobs.experiments import parse_experiment, plan_in_workspace, report_of
from authoring.store import experiments, runs
from authoring.store.runs import count_attempts, ids_by_folder
from authoring.store.workspace import Workspace
from authoring.ui.experiments.outcome_charts import curve_lines, rate_points
from authoring.ui.experiments.outcome_tables import (
    board_table,
    forgiving_table,
    main_table,
    published_table,
)
from evaluator.running import plan
from tests.ui.conftest import TEXT
from tests.ui.experiments.screen import (
    FILE,
    HOSTILE,
    Open,
    Said,
    carry_out,
    end,
    field,
    forecast,
    labels,
    press,
)

ALONE = "name: two\nbenchmarks: [benchmarks/shop]\nagents: [oracle]\n"


def test_attempts_and_published_rows_are_drawn_as_curves_and_beside_ours(
    open_page: Open, workspace: Workspace, stored: experiments.ExperimentText, said: Said
) -> None:
    others = "{label: three, max_attempts: 3, feedback: [error]}, {label: own, history: own}"
    policies = f"policies: [{{label: one}}, {others}]\n"
    text = FILE.replace("label: shop", "label: DSEval-SO").replace(
        "- oracle", "- {agent: oracle, label: CoML + GPT-3.5}"
    )
    experiments.save(workspace, "two", f"{text}{policies}published: dseval\n", base=stored.digest)
    carry_out(workspace)
    app = open_page("experiments", experiment="two")
    assert len(app.get("vega_lite_chart")) >= 2
    assert "Pass rate over attempts" in said(app)
    assert "Losses between policies" in said(app)
    assert "data, not measured here" in said(app).replace("\\", "")
    (table,) = [each.value for each in app.table if "Judged" in each.value.columns]
    assert "Published" in table.columns
    assert any(each.label.endswith("without a run here") for each in app.expander)


def test_the_table_has_intervals_published_rows_links_and_downloads(
    open_page: Open, workspace: Workspace, stored: experiments.ExperimentText, said: Said
) -> None:
    app = open_page("experiments", experiment="two")
    assert "Nothing is judged yet" in said(app)
    carry_out(workspace)  # as the command line does in this folder
    app = open_page("experiments", experiment="two")
    (table,) = [each.value for each in app.table if "Correct" in each.value.columns and "Judged" in each.value.columns]
    assert list(table["Agent"]) == ["oracle", "nothing"]
    assert list(table["Correct"]) == ["100.0 (34.2 to 100.0)", "0.0 (0.0 to 65.8)"]
    assert "was started at the command line" in said(app)
    assert "rules sound; scoring version" in said(app).replace("\\", "")
    (agents,) = [each.value for each in app.table if "Ran as" in each.value.columns]
    assert list(agents["Ran as"]) == ["oracle", "empty"]
    press(app, "Link them")
    assert "linked 2 runs" in said(app)
    assert "was started at the command line" not in said(app)
    folders = [str(path.parent) for path in (workspace.root / "runs").rglob("records.jsonl")]
    linked = ids_by_folder(workspace, folders)
    assert sorted(linked) == sorted(folders)
    assert count_attempts(workspace, linked[folders[0]]) != {}
    assert [row.summary["experiment"] for row in runs.select(workspace)] == ["two", "two"]
    assert [str(each.proto.label) for each in app.get("download_button")][-3:] == [
        *("Table (.csv)", "All of it (.json)", "Report (.html)"),
    ]
    assert len(app.get("vega_lite_chart")) == 1


def test_the_list_tells_that_an_experiment_was_run_at_the_command_line(
    open_page: Open, workspace: Workspace, stored: experiments.ExperimentText, said: Said
) -> None:
    assert "not started" in said(open_page("experiments"))
    carry_out(workspace)
    app = open_page("experiments")
    assert "run from the command line" in said(app)
    assert "not started" not in said(app)


def test_another_run_in_the_folder_of_an_entry_is_told_and_shows_no_rates(
    open_page: Open, workspace: Workspace, stored: experiments.ExperimentText, said: Said
) -> None:
    carry_out(workspace)
    experiments.save(workspace, "two", FILE.replace("agent: empty", "agent: cheat"), base=stored.digest)
    app = open_page("experiments", experiment="two")
    (table,) = [each.value for each in app.table if "Correct" in each.value.columns and "Judged" in each.value.columns]
    assert list(table["Judged"]) == ["2", "another run"]
    assert list(table["Correct"]) == ["100.0 (34.2 to 100.0)", "–"]
    assert "its agent is 'empty', not 'cheat'" in said(app).replace("\\", "")


@pytest.mark.parametrize("damage", ["gone", "broken", "cut short"])
def test_outputs_that_vanish_or_break_are_told_and_the_file_stays(
    open_page: Open, workspace: Workspace, stored: experiments.ExperimentText, said: Said, damage: str
) -> None:
    app = open_page("experiments", experiment="two")
    press(app, "Check and forecast")
    end(workspace, "experiment_check", {**forecast(), "name": "two"})
    app = open_page("experiments", experiment="two")
    app.button(key="experiment:start").click().run()
    end(workspace, "experiment", {"name": "two", "runs": [], "not_judged": 1, "refused": ["shop"], "diagnostics": []})
    carry_out(workspace)
    records = sorted((workspace.root / "runs").rglob("records.jsonl"))[0]
    if damage == "gone":
        shutil.rmtree(workspace.root / "runs")
    elif damage == "broken":
        records.write_text('{"half": \n{}\n')
    else:
        records.write_bytes(records.read_bytes()[:-20])
    app = open_page("experiments", experiment="two")
    assert "the fault is ours" not in said(app)
    assert field(app).value == FILE
    wanted = {"gone": "Its outputs are gone", "broken": "records.jsonl:1", "cut short": "1 of 2"}[damage]
    told = said(app) + str([table.value.to_dict() for table in app.table])
    assert wanted in told.replace("\\", "")
    assert "Refused, and in no rate: shop" in said(app)
    assert "Check and forecast" in labels(app)


def test_a_run_that_cannot_be_read_is_named_and_the_others_stay_in_the_table(
    open_page: Open, workspace: Workspace, stored: experiments.ExperimentText, said: Said
) -> None:
    carry_out(workspace)
    (records,) = (workspace.root / "runs" / "two-agents" / "shop" / "nothing").rglob("records.jsonl")
    whole = records.read_bytes()
    records.write_bytes(b'{"half": \n' + whole)
    app = open_page("experiments", experiment="two")
    (error,) = [each.value.replace("\\", "") for each in app.main.error]
    assert "nothing: the line is no result record" in error
    assert "reference-reference/records.jsonl:1" in error
    assert "To fix it: remove the line" in error
    (table,) = [each.value for each in app.table if "Judged" in each.value.columns]
    assert list(table["Agent"]) == ["oracle", "nothing"]
    assert list(table["Judged"]) == ["2", "cannot be read"]
    assert list(table["Correct"]) == ["100.0 (34.2 to 100.0)", "–"]
    body = report_of(parse_experiment("two", FILE), plan_in_workspace(workspace, parse_experiment("two", FILE)))
    assert [(run["state"], run["judged"]) for run in body.to_json()["runs"]] == [("done", 2), ("broken", None)]
    assert not body.is_done
    assert "1 of 2 runs cannot be read" in body.to_text()
    records.write_bytes(whole)
    app = open_page("experiments", experiment="two")
    assert not app.main.error
    assert "cannot be read" not in said(app)


def test_files_that_cannot_be_read_are_told_in_place(open_page: Open, workspace: Workspace, said: Said) -> None:
    folder = experiments.folder_of(workspace)
    folder.mkdir()
    (folder / "binary.yaml").write_bytes(b"\xff\x00")
    os.mkfifo(folder / "pipe.yaml")
    (folder / f"{'x' * 80} & <b>.yaml").write_text("a: 1")
    app = open_page("experiments")
    assert not app.main.error
    app = open_page("experiments", experiment="binary")
    assert "no UTF\\-8 text" in said(app)
    app = open_page("experiments", experiment="bineary")
    assert "open 'binary'" in said(app).replace("\\", "")
    assert not app.exception


def test_names_of_strangers_are_text_wherever_they_are_shown() -> None:
    run = {
        **{"benchmark": HOSTILE, "agent": HOSTILE, "policy": HOSTILE, "state": "done", "problems": 2, "judged": 2},
        **{"not_judged": 0, "pass_rate": 0.5, "interval": [0.1, 0.9], "without_intact": 0.5, "out": "/x"},
        **{"without_presentation": 0.5, "without_both": 0.5, "tokens": None, "cost": None, "published": 0.7},
        "scores": {HOSTILE: 0.5},
    }
    scores = {"model": HOSTILE, "published": True, "scores": {HOSTILE: 0.5}}
    tables = [
        *(main_table([run]), forgiving_table([run])),
        board_table({"columns": [HOSTILE], "rows": [scores]}),
        published_table([{"benchmark": HOSTILE, "agent": HOSTILE, "correct": 0.5}]),
    ]
    for (row,) in tables:
        assert "<script>" not in json.dumps(row)
        assert "](" not in json.dumps(row)
    spec = rate_points([(HOSTILE, run)])
    assert spec is not None
    assert [each["from"] for each in spec["data"]["values"]] == ["this workspace", "published"]
    assert curve_lines([("a", [])], over="attempts") is None
    lines = curve_lines([("a", [[1, 0.5], [2, 0.75]])], over="attempts")
    assert lines is not None
    assert [each["rate"] for each in lines["data"]["values"]] == [0.5, 0.75]
    assert "://" not in json.dumps([spec, lines])


def test_the_data_of_a_benchmark_are_read_once_while_its_runs_go_on(
    workspace: Workspace, open_page: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench = workspace.root / "benchmarks" / "shop"
    (bench / "_inputs").mkdir(parents=True)
    (bench / "_inputs" / "table.csv").write_text("a\n1\n")
    (bench / "shop.py").write_text(TEXT)
    (bench / "_manifest.yaml").write_text("name: shop\nversion: '1'\n")
    experiments.save(workspace, "two", ALONE, base=None)
    carry_out(workspace, "two")
    read: list[Path] = []
    digest: Any = plan.digest_of_folder

    def counted(folder: Path) -> str:
        read.append(folder)
        return str(digest(folder))

    monkeypatch.setattr(plan, "digest_of_folder", counted)
    app = open_page("experiments", experiment="two")
    (records,) = workspace.root.rglob("records.jsonl")
    for _ in range(3):
        with records.open("ab") as file:
            file.write(records.read_bytes().splitlines(keepends=True)[-1])
        app.run()
    assert not app.exception
    assert len(read) <= 1, f"the data are read {len(read)} times at 4 looks"
