"""Prompts are versioned files; a workspace may bring its own, and a broken one is named."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from authoring.drafting.sketching import make_sketch
from authoring.prompting.prompts import FOLDER, PromptBook, digest_of, shipped_prompt
from authoring.store.drafting.sketches import find_sketch
from authoring.store.workspace import Workspace
from evaluator.errors import ContentError
from tests.scripted_model import Say, Script, ScriptedModel

Serve = Callable[[Script], AbstractContextManager[ScriptedModel]]
REPAIR = "Wrong: ${complaint} It costs $$5."


def own(ws: Workspace, name: str, text: str) -> Path:
    path = ws.root / "prompts" / f"{name}.md"
    path.parent.mkdir(exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.md")), ids=lambda path: path.stem)
def test_every_shipped_prompt_begins_with_its_version(path: Path) -> None:
    assert path.read_text(encoding="utf-8").startswith("version: ")
    assert not shipped_prompt(path.stem).text.startswith("version")


def test_version_and_digest_of_the_prompts_stand_in_provenance(ws: Workspace, serve: Serve) -> None:
    with serve([Say('[{"query_idea": "Load it."}]')]):
        found = find_sketch(ws, make_sketch(ws, "trips", author="model")).provenance["prompts"]
    assert set(found) == {"sketch", "system"}
    shipped = shipped_prompt("sketch")
    assert found["sketch"] == {"version": shipped.version, "digest": digest_of(shipped.text), "own": False}


def test_a_workspace_overrides_a_prompt_with_a_file_of_its_own(ws: Workspace, serve: Serve) -> None:
    own(ws, "repair", f"version: 7-ours\n\n{REPAIR}")
    own(ws, "system", "Be brief.")
    with serve([Say("no"), Say('[{"query_idea": "Load it."}]')]) as model:
        found = find_sketch(ws, make_sketch(ws, "trips", author="model")).provenance["prompts"]
    assert model.prompts[1].startswith("Wrong: there is no JSON list")
    assert model.prompts[1].endswith("It costs $5.")
    assert model.requests[0]["messages"][0]["content"] == "Be brief."
    assert (found["repair"]["version"], found["repair"]["own"]) == ("7-ours", True)
    assert (found["system"]["version"], found["system"]["own"]) == ("own", True)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("nothing to fill", r"lacks the places \$\{complaint\}"),
        ("${complaint} ${answer}", r"nothing fills: \$\{answer\}"),
        ("${complaint} costs $ 5", "opens no place"),
        ("${complaint}" + "x" * 200_001, "longer than 200,000 bytes"),
    ],
)
def test_a_prompt_that_cannot_be_filled_is_refused_by_name(ws: Workspace, text: str, says: str) -> None:
    path = own(ws, "repair", text)
    with pytest.raises(ContentError, match=says) as caught:
        PromptBook(ws.root).fill("repair", complaint="no")
    assert caught.value.where == str(path)


def test_a_prompt_in_another_encoding_is_refused(ws: Workspace) -> None:
    own(ws, "system", "").write_bytes("Grüße".encode("utf-16"))
    with pytest.raises(ContentError, match="not UTF-8"):
        PromptBook(ws.root).text("system")
