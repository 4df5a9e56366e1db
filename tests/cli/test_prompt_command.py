"""`benchwright prompt` prints what a model would be sent, asks nothing, and measures it."""

import json
from pathlib import Path

import pytest

from authoring.cli.main import run_command_line
from authoring.drafting.draft import make_draft
from authoring.drafting.sketching import make_sketch
from authoring.store import model_calls
from authoring.store.drafting.sketches import find_sketch
from authoring.store.workspace import Workspace
from evaluator.errors import ContentError
from tests.cli.conftest import Serve
from tests.lent_engines import Lend
from tests.scripted_model import Say

pytestmark = pytest.mark.usefixtures("lent_engines")


@pytest.fixture
def ws(w: Workspace) -> Workspace:
    return w


def printed(capsys: pytest.CaptureFixture[str], ws: Workspace, *words: str) -> tuple[str, str]:
    assert run_command_line(["prompt", *words, "--workspace", str(ws.root)]) == 0
    shown = capsys.readouterr()
    return shown.out, shown.err


def test_the_prompt_that_is_shown_is_the_one_that_is_sent(
    ws: Workspace, lender: Lend, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, serve: Serve
) -> None:
    model = serve([Say('[{"query_idea": "Load it."}]'), Say("")])
    monkeypatch.setenv("BENCHWRIGHT_MODEL", "scripted")
    made = find_sketch(ws, make_sketch(ws, "penguins", author="model", rng_seed=4, examples="nearest"))
    with pytest.raises(ContentError, match="no usable draft"):
        make_draft(ws, made.id, engine=lender(), author="model")
    sketch, draft = (request["messages"] for request in model.requests[:2])
    shown, sizes = printed(capsys, ws, "sketch", "penguins", "--rng-seed", "4", "--examples", "nearest")
    assert shown.rstrip("\n") == f"[system]\n{sketch[0]['content']}\n\n[user]\n{sketch[1]['content']}".rstrip("\n")
    assert sizes.startswith("about ")
    assert sizes.endswith("nothing is cut\n")
    shown, _ = printed(capsys, ws, "draft", made.name)
    assert draft[1]["content"].strip() in shown
    assert len(model_calls.select(ws)) == len(model.requests)  # showing asks nothing


def test_the_options_of_the_asking_commands_are_those_of_the_showing_ones(
    ws: Workspace, capsys: pytest.CaptureFixture[str]
) -> None:
    plain, _ = printed(capsys, ws, "sketch", "penguins", "--json")
    other, _ = printed(
        capsys, ws, "sketch", "penguins", "--mix", "easy=1,hard=2", "--language", "zh", "--examples", "none", "--json"
    )
    known, made = json.loads(plain), json.loads(other)
    assert "1 easy, 0 medium, 2 hard" in made["text"]
    assert set(known["blocks"]) - set(made["blocks"]) == {"outline"}
    assert set(made["blocks"]) - set(known["blocks"]) == {"query language"}
    assert made["tokens"] == sum(made["blocks"].values())


def test_topics_and_amendments_are_shown_too(ws: Workspace, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "topics.yaml"
    file.write_text("topics: [{title: Sorting, modules: [numpy]}]\n", encoding="utf-8")
    shown, _ = printed(capsys, ws, "topic", "1", "--file", str(file), "--seed", "penguins")
    assert "# Topic\nSorting." in shown
    assert "penguins.csv" in shown
    shown, _ = printed(capsys, ws, "guide")
    assert "# Guide (revision 1)" in shown


def test_a_refinement_is_shown_with_what_an_execution_says(
    ws: Workspace, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "sums.py"
    file.write_text('# %%\n"""\nquery: What is 1 by 0?\n"""\n1 / 0\n', encoding="utf-8")
    assert run_command_line(["import", "problemset", str(file), "--workspace", str(ws.root)]) in (0, 1)
    capsys.readouterr()
    shown, _ = printed(capsys, ws, "refine", "sums", "--problems", "1", "--instruction", "use 2")
    assert "What is wanted: use 2" in shown
    assert "ZeroDivisionError" in shown
    shown, _ = printed(capsys, ws, "refine", "sums", "--problems", "1", "--no-findings")
    assert "ZeroDivisionError" not in shown


@pytest.mark.deep
def test_prompts_of_all_seeds_are_measured_beside_reported_tokens(
    ws: Workspace, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, serve: Serve
) -> None:
    serve([Say('[{"query_idea": "Load it."}]', prompt_tokens=3_000)])
    monkeypatch.setenv("BENCHWRIGHT_MODEL", "scripted")
    make_sketch(ws, "penguins", author="model")
    table, note = printed(capsys, ws, "measure")
    lines = table.splitlines()
    assert lines[0].split()[:3] == ["seed", "prompt", "tokens"]
    assert sum(line.startswith("nyc-flights ") for line in lines) == 2
    assert note.startswith("estimated / reported tokens of 1 calls: ")
    measured = json.loads(printed(capsys, ws, "measure", "--json")[0])
    assert measured["estimates"]["calls"] == 1
    assert 0.5 < measured["estimates"]["median"] < 2
    assert {row["prompt"] for row in measured["prompts"]} == {"sketch", "draft"}
    assert all(row["tokens"] < 20_000 and not row["cut"] for row in measured["prompts"])
