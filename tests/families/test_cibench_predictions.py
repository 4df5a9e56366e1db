"""Prediction files of CIBench: parity with the published definitions, and files that are wrong."""

import json
from pathlib import Path
from typing import Any

import pytest

from evaluator.errors import ContentError, UsageError
from evaluator.families.cibench.benchmark_folder import export_folder, import_folder
from evaluator.families.cibench.predictions import is_predictions, read_predictions
from evaluator.families.predicted_run import PredictedRun, family_board, import_predictions
from evaluator.language import read_benchmark
from evaluator.reporting import read_run
from evaluator.scoring import last_attempts
from evaluator.scoring.execution_log import execution_text
from tests.families.notebooks import answer, ask, book, png, printed, shown, value, write

pytestmark = pytest.mark.kernel


def ran(text: str = "", image_path: str = "") -> dict[str, Any]:
    return round_of({"text": text, "image_path": image_path}, None)


def failed(message: str = "'boom'") -> dict[str, Any]:
    return round_of(None, message)


def round_of(result: Any, errmsg: str | None) -> dict[str, Any]:
    code = {"text": "```python\nx\n```", "extract_code": "x\n"}
    return {"type": "IPythonInterpreter", "args": code, "result": result, "thought": "", "state": 0,
            "errmsg": errmsg, "valid": 1}  # fmt: skip


CLOSING = {"type": "FinishAction", "args": {"text": "done"}, "result": {"text": "done"}, "errmsg": None}


def predictions(path: Path, notebooks: list[Any]) -> Path:
    content = {
        str(index): {"gold": [], "prediction": ["said"] * len(steps), "origin_prompt": [], "steps": steps}
        for index, steps in enumerate(notebooks)
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(content), encoding="utf-8")
    return path


def benchmark(folder: Path, books: list[dict[str, Any]], name: str = "cibench_template/pandas") -> Path:
    for number, content in enumerate(books):
        write(folder / "notebooks" / name / f"{number:03}.ipynb", content)
    import_folder(folder / "notebooks", folder / "benchmark")
    return folder / "benchmark"


def scored(folder: Path, books: list[dict[str, Any]], notebooks: list[Any], **options: Any) -> PredictedRun:
    about = benchmark(folder, books)
    file = predictions(folder / "predicted" / "model.json", notebooks)
    return import_predictions(file, folder / "run", benchmark=about, **options)


def test_each_outcome_scores_as_the_definitions_say(tmp_path: Path) -> None:
    (tmp_path / "predicted").mkdir()
    for name, data in (("same.png", png()), ("cut.png", png()[:60])):
        (tmp_path / "predicted" / name).write_bytes(data)
    mixed = execution_text([printed("99"), value("42")])
    late = execution_text([printed("1"), printed("careful", "stderr"), printed("42")])
    words, warned = (execution_text([*more, printed("a B c")]) for more in ((), [printed("careful now", "stderr")]))
    same, cut = (ran("", f"![fig-001]({name})\n\n![fig-002](not-there.png)") for name in ("same.png", "cut.png"))
    number, text, figure = answer("x", value("42")), answer("x", printed("a b d e")), answer("p", shown(png()))
    cases: list[tuple[str, dict[str, Any], list[Any], tuple[float, float, Any]]] = [
        ("exec", answer("x = 1"), [ran("The code is succeed without any outputs.")], (1, 1, None)),
        ("num", number, [ran(mixed)], (1, 1, 1)),  # the value goes before what is printed
        ("num", number, [ran(late)], (1, 1, 0)),
        ("num", number, [failed(), failed(), ran(mixed)], (1, 1, 1)),
        ("num", number, [ran(mixed), failed()], (1, 0, 1)),
        ("num", number, [CLOSING], (0, 0, 0)),
        ("num", number, [], (0, 0, 0)),
        ("text", text, [ran(words)], (1, 1, pytest.approx(4 / 7))),
        ("text", text, [ran(warned)], (1, 1, 0)),  # as published, a warning is read as well
        ("vis", figure, [same], (1, 1, pytest.approx(1, abs=1e-4))),
        ("vis", figure, [same, ran(mixed)], (1, 1, 0)),  # a later execution shows none
        ("vis", figure, [cut], (1, 1, 0)),
    ]
    cells = [cell for number, (_, code, *_) in enumerate(cases) for cell in (ask(f"Step {number}"), code)]
    run = scored(tmp_path, [book(*cells, step_types=[tag for tag, *_ in cases])], [[each[2] for each in cases]])
    names = {"exec": "none", "num": "numeric", "text": "text", "vis": "visual"}
    found = read_run(run.out)
    for record, (tag, _, _, (tool, executable, score)) in zip(found.records, cases, strict=True):
        wanted = {"tool": tool, "executable": executable, names[tag]: score}
        assert record.family["scores"] == {name: each for name, each in wanted.items() if each is not None}, record
    board = family_board(last_attempts(found.records), found.manifest)
    assert board == run.board
    assert board is not None
    assert board["all"]["numeric"] == board["modules"]["pandas"]["numeric"] == {"value": 3 / 6, "n": 6}
    assert board["all"]["tool"] == {"value": 10 / 12, "n": 12}


# --- one by one ---

TYPED = book(ask("a"), answer("x", value("42")), ask("b"), answer("p", shown(png())), step_types=["num", "vis"])
UNTYPED = book(ask("a"), answer("x", value("42")), ask("b"), answer("p", shown(png())))
RIGHT = ran("execute_result:\n\n```\n42\n```")


def test_the_verdict_rests_on_scores_and_on_the_last_execution(tmp_path: Path) -> None:
    (tmp_path / "predicted").mkdir()
    (tmp_path / "predicted" / "a.png").write_bytes(png())
    figure = ran("", "![fig-001](a.png)")
    run = scored(
        tmp_path,
        [TYPED] * 4,
        [[[RIGHT], [figure]], [[RIGHT, failed()], [ran()]], [[ran()], [failed()]], [[], [CLOSING]]],
    )
    records = read_run(run.out).records
    assert [record.verdict for record in records] == [
        *["CORRECT", "CORRECT", "CRASH", "WRONG_OUTPUT", "WRONG_OUTPUT", "CRASH", "CRASH", "CRASH"]
    ]
    assert records[1].family["verdict_by_score"] is True
    assert "verdict_by_score" not in records[0].family


def test_a_type_that_the_stored_output_contradicts_is_never_right(tmp_path: Path) -> None:
    figure = book(ask("a"), answer("p", shown(png())), ask("b"), answer("x"), step_types=["num", "text"])
    run = scored(tmp_path, [figure, UNTYPED], [[[RIGHT], [RIGHT]], [[RIGHT], [ran()]]])
    assert run.board["all"]["numeric"] == {"value": 0.0, "n": 1}
    assert run.board["all"]["text"] == {"value": 0.0, "n": 1}
    assert run.board["all"]["general"] == {"value": 1.0, "n": 1}  # of a notebook without types
    assert run.board["all"]["visual"] == {"value": 0.0, "n": 1}


def test_a_step_whose_cell_stored_nothing_waits_under_sound_rules(tmp_path: Path) -> None:
    """No agent can help it; as published it is a zero."""
    empty = book(ask("a"), answer("p"), ask("b"), answer("x"), ask("c"), answer("y"), step_types=["num", "text", "vis"])
    tried = [[[RIGHT], [RIGHT], [ran("", "![fig-001](a.png)")]]]
    sound = scored(tmp_path / "sound", [empty], tried, rules="sound").board["all"]
    published = scored(tmp_path / "published", [empty], tried, rules="published").board["all"]
    for metric in ("numeric", "text", "visual"):
        assert sound[metric] == {"value": None, "n": 1, "not_graded": 1}
        assert published[metric] == {"value": 0.0, "n": 1}


def test_predictions_of_another_notebook_are_refused_under_sound_rules(tmp_path: Path) -> None:
    about = benchmark(tmp_path, [TYPED])
    file = predictions(tmp_path / "predicted" / "model.json", [[[RIGHT]]])
    content = json.loads(file.read_text())
    content["0"]["origin_prompt"] = ["Something else."]
    file.write_text(json.dumps(content))
    with pytest.raises(ContentError, match="other queries were asked than pandas-000 has, and another number of them"):
        import_predictions(file, tmp_path / "run", benchmark=about, rules="sound")
    assert not (tmp_path / "run" / "records.jsonl").exists()
    run = import_predictions(file, tmp_path / "run", benchmark=about, rules="published")
    assert [each.code for each in run.diagnostics] == ["step-count", "other-queries"]


def test_rules_and_mode_are_those_asked_for(tmp_path: Path) -> None:
    wrong = ran("execute_result:\n\n```\n0.42\n```")
    run = scored(tmp_path, [TYPED], [[[wrong], []]], rules="sound", mode="oracle")
    assert (run.board["rules"], run.board["mode"]) == ("sound", "oracle")
    assert run.board["all"]["numeric"] == {"value": 0.0, "n": 1}
    assert run.board["leaderboard"]["O-Num"] == {"value": 0.0, "n": 1}
    assert run.board["leaderboard"]["E-Num"] == {"value": None, "n": 0}


def test_a_picture_that_must_not_be_opened_is_told_and_scores_nothing(tmp_path: Path) -> None:
    links = {
        "/etc/passwd": "lies outside",
        "../secret.png": "lies outside",
        "sub/../../secret.png": "lies outside",
        "link.png": "is a link",
        "folder-link/a.png": "is a link",
        "not-there.png": "is not there",
        "a\0b.png": "lies outside",
    }
    (tmp_path / "secret.png").write_bytes(png())
    (tmp_path / "predicted" / "sub").mkdir(parents=True)
    (tmp_path / "predicted" / "link.png").symlink_to(tmp_path / "secret.png")
    (tmp_path / "predicted" / "folder-link").symlink_to(tmp_path)
    run = scored(tmp_path, [TYPED] * len(links), [[[RIGHT], [ran("", f"![fig-001]({link})")]] for link in links])
    assert [each.code for each in run.diagnostics] == ["picture-not-read"] * len(links)
    assert [why in each.what for each, why in zip(run.diagnostics, links.values(), strict=True)] == [True] * len(links)
    assert run.board["all"]["visual"] == {"value": 0.0, "n": len(links)}


def test_what_is_not_predicted_counts_as_not_tried(tmp_path: Path) -> None:
    run = scored(tmp_path, [TYPED] * 3, [[[RIGHT]], [[RIGHT], [], [RIGHT]]])
    assert [each.code for each in run.diagnostics] == ["step-count", "step-count", "no-prediction"]
    assert run.board["all"]["numeric"] == {"value": 2 / 3, "n": 3}
    assert run.board["all"]["tool"] == {"value": 2 / 6, "n": 6}


def test_files_that_are_wrong_are_told(tmp_path: Path) -> None:
    file = tmp_path / "model.json"
    with pytest.raises(UsageError, match="no such file"):
        read_predictions(file)
    for content in ("[]", "{}", '{"0": ', "[" * 100_000, "\xff"):
        file.write_text(content, encoding="latin-1")
        with pytest.raises(ContentError):
            read_predictions(file)
    file.write_text(json.dumps({"0": [], "x": {}, "1": {"steps": [None, ["round"], [{"type": 1}], [{}]]}}))
    codes = [each.code for each in read_predictions(file).diagnostics]
    assert codes == ["bad-prediction"] * 3 + ["bad-round"] * 3


def test_a_file_of_predictions_is_told_from_records(tmp_path: Path) -> None:
    file = tmp_path / "file"
    for content, wanted in [('{"0": {}}', True), ('\ufeff\n {"12":', True), ('{"benchmark": 1}', False), ("", False)]:
        file.write_text(content, encoding="utf-8")
        assert is_predictions(file) is wanted


# --- folders ---


def test_sets_modules_and_language_come_from_the_folders(tmp_path: Path) -> None:
    root = tmp_path / "data"
    for name in ("cibench_generation/pandas", "cibench_template_chinese/nltk", "cibench_template/nltk/deep"):
        write(root / name / "1.ipynb", TYPED)
    write(root / ".ipynb_checkpoints" / "1.ipynb", TYPED)
    made = import_folder(root, tmp_path / "out")
    assert made.problemsets == 3
    assert made.steps == {name: {"num": 1, "vis": 1} for name in ("generation", "template", "template_cn")}
    about = read_benchmark(tmp_path / "out")
    told = about.manifest.extra["sets"]
    assert [(each["set"], each["module"], each["language"]) for each in told.values()] == [
        *[("generation", "pandas", "en"), ("template", "nltk", "en"), ("template_cn", "nltk", "zh")]
    ]
    assert [loaded.name for loaded in about.sets] == sorted(told)


def test_sets_are_in_the_order_in_which_the_published_program_reads_them(tmp_path: Path) -> None:
    root = tmp_path / "data"
    for name in ("b.ipynb", "a/z.ipynb", "a/10.ipynb", "a/9.ipynb", "A/1.ipynb"):
        write(root / name, book(ask(name), answer("x")))
    import_folder(root, tmp_path / "out")
    asked = [
        loaded.problemset.problems[0].query for loaded in read_benchmark(tmp_path / "out").sets if loaded.problemset
    ]
    assert asked == ["b.ipynb", "A/1.ipynb", "a/10.ipynb", "a/9.ipynb", "a/z.ipynb"]


def test_data_files_come_along_and_missing_ones_are_named(tmp_path: Path) -> None:
    root = tmp_path / "data"
    write(root / "pandas" / "1.ipynb", book(ask("a"), answer("pd.read_csv('data/a.csv')\npd.read_csv('data/b.csv')")))
    (root / "datasources" / "data").mkdir(parents=True)
    (root / "datasources" / "data" / "a.csv").write_text("x\n1\n")
    (root / "datasources" / "data" / "link").symlink_to("/etc/passwd")
    made = import_folder(root, tmp_path / "out")
    assert [each.code for each in made.diagnostics] == ["missing-data"]
    assert "data/b.csv" in made.diagnostics[0].what
    assert [path.name for path in (tmp_path / "out" / "_inputs").iterdir()] == ["a.csv"]


def test_an_edited_benchmark_is_exported_with_the_outputs_of_what_stayed(tmp_path: Path) -> None:
    about = benchmark(tmp_path, [TYPED])
    path = next(about.glob("*.py"))
    path.write_text(path.read_text().replace("query: b", "query: another"))
    (written,) = export_folder(read_benchmark(about), tmp_path / "exported")
    cells = json.loads(written.read_text())["cells"]
    assert cells[:2] == TYPED["cells"][:2]
    assert cells[2]["source"] == "another"
    assert cells[3] == TYPED["cells"][3]
