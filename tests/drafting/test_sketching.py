"""Sketches by template and by a model that is not always well-behaved."""

import json
from collections.abc import Callable
from contextlib import AbstractContextManager

import pytest

from authoring.drafting.sketching import make_sketch, thread_complaint
from authoring.store import model_calls
from authoring.store.drafting.guide import current_guide, save_guide
from authoring.store.drafting.sketches import SketchItem, find_sketch, list_sketches
from authoring.store.workspace import Workspace
from evaluator.errors import ContentError, ToolkitError, UsageError
from tests.scripted_model import KEY, Drop, Refuse, Say, Script, ScriptedModel

Serve = Callable[[Script], AbstractContextManager[ScriptedModel]]

ITEMS = [
    {"query_idea": "Load it.", "knowledge_points": ["read_csv"], "depends_on": [], "difficulty": "easy"},
    {"query_idea": "Count it.", "knowledge_points": ["len"], "depends_on": [1], "difficulty": "hard"},
]
GOOD = Say(f"```json\n{json.dumps(ITEMS)}\n```")


def test_a_model_is_told_the_guide_the_data_and_the_form(ws: Workspace, serve: Serve) -> None:
    with serve([GOOD]) as model:
        make_sketch(ws, "trips", author="model")
    (prompt,) = model.prompts
    for part in (
        "One possible answer",
        "inputs/trips.csv",
        "`Länge km`",
        "60 rows",
        "query_idea",
        "Trips of one month",
    ):
        assert part in prompt


def test_a_sketch_by_a_model_keeps_its_items_and_provenance(ws: Workspace, serve: Serve) -> None:
    with serve([GOOD]):
        sketch = find_sketch(ws, make_sketch(ws, 1, author="model", rng_seed=5, created_by="Ann"))
    assert [item.query_idea for item in sketch.items] == ["Load it.", "Count it."]
    assert sketch.items[1].depends_on == (1,)
    found = sketch.provenance
    assert (found["model"], found["requests"], found["repairs"]) == ("scripted", 1, 0)
    assert (found["prompt_tokens"], found["completion_tokens"]) == (100, 20)
    assert found["guide_revision"] == 1
    assert len(found["prompt_hash"]) == 64
    assert found["params"]["rng_seed"] == 5


def test_a_sketch_follows_the_guide_of_its_workspace(ws: Workspace, serve: Serve) -> None:
    first = current_guide(ws, "Shipped.")
    save_guide(ws, "Ask about trips only.", base_number=first.number, author="Ann", message="")
    with serve([GOOD]) as model:
        by_model = find_sketch(ws, make_sketch(ws, "trips", author="model"))
    by_template = find_sketch(ws, make_sketch(ws, "trips"))
    assert "# Guide\nAsk about trips only.\n" in model.prompts[0]
    assert (by_model.provenance["guide_revision"], by_template.provenance["guide_revision"]) == (2, 2)


def test_a_malformed_answer_is_repaired(ws: Workspace, serve: Serve) -> None:
    with serve([Say("I would start by loading the data."), GOOD]) as model:
        sketch = find_sketch(ws, make_sketch(ws, "trips", author="model"))
    assert len(sketch.items) == 2
    assert sketch.provenance["repairs"] == 1
    assert "no JSON list" in model.prompts[1]
    assert model.requests[1]["messages"][2] == {"role": "assistant", "content": "I would start by loading the data."}


def test_a_busy_and_dropping_endpoint_is_asked_again(ws: Workspace, serve: Serve) -> None:
    with serve([Refuse(429, "slow", headers=(("Retry-After", "1"),)), Drop(), GOOD]) as model:
        make_sketch(ws, "trips", author="model")
    assert len(model.requests) == 3
    (call,) = model_calls.select(ws, purpose="sketch", subject="seed 1")
    assert call.answer == GOOD.text
    assert call.seconds >= 1


def test_an_answer_that_was_cut_off_is_asked_for_again(ws: Workspace, serve: Serve) -> None:
    with serve([Say('```json\n[{"query_idea": "Load', finish_reason="length"), GOOD]) as model:
        make_sketch(ws, "trips", author="model")
    assert "cut off" in model.prompts[1]


@pytest.mark.parametrize("garbage", ["", "no", "[" * 50_000, "x" * 5_000_000, "\x00\ud800", '[{"a": 1}]'])
def test_garbage_ends_in_a_refusal_and_the_answers_are_kept(ws: Workspace, serve: Serve, garbage: str) -> None:
    with serve([Say(garbage)]) as model, pytest.raises(ContentError, match="no usable sketch in 4 answers") as caught:
        make_sketch(ws, "trips", author="model")
    assert "--rng-seed or --model" in caught.value.fix
    assert len(model.requests) == 4
    assert len(model_calls.select(ws, purpose="sketch")) == 4
    assert list_sketches(ws) == []


def test_a_wrong_key_stores_nothing_but_the_failed_call(
    ws: Workspace, serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    with serve([GOOD]):
        monkeypatch.setenv("OPENAI_API_KEY", "sk-wrong-0123456789abcdef")
        with pytest.raises(ToolkitError, match="401"):
            make_sketch(ws, "trips", author="model")
    assert list_sketches(ws) == []
    (call,) = model_calls.select(ws)
    assert "401" in call.error


def test_the_key_is_nowhere_in_the_workspace(ws: Workspace, serve: Serve) -> None:
    with serve([Refuse(400, f"bad {KEY}"), GOOD]):
        with pytest.raises(ToolkitError):
            make_sketch(ws, "trips", author="model")
        make_sketch(ws, "trips", author="model")
    for path in ws.root.rglob("*"):
        assert not path.is_file() or KEY.encode() not in path.read_bytes()


def test_without_a_model_or_a_seed_the_message_names_the_remedy(ws: Workspace) -> None:
    with pytest.raises(ToolkitError, match="no model is named"):
        make_sketch(ws, "trips", author="model")
    with pytest.raises(UsageError, match="no seed is called 'trip'"):
        make_sketch(ws, "trip")
    with pytest.raises(UsageError, match="no author 'me'"):
        make_sketch(ws, "trips", author="me")


def items_that_build_on(*depends_on: tuple[int, ...]) -> list[SketchItem]:
    return [SketchItem(number, f"Item {number}.", depends_on=on) for number, on in enumerate(depends_on, 1)]


@pytest.mark.parametrize(("depends_on", "told"), [
    (((), *((1,),) * 11), "0 of 12 use a result"),
    (((), (1,), *((2,),) * 10), "10 of 12 use a result of an earlier one and 0 one"),
    (((), (1,), (2,), (3,), (4,), *((2,),) * 5, (1,), (1,)), "8 of 12 use a result of an earlier one and 2 one"),
    (((), (1,), (2,), (3,), (3,), (3,), *((2,),) * 4, (1,), (1,)), ""),
    (((), *((1,),) * 8), ""),  # a short one is judged by other things
])  # fmt: skip
def test_a_sketch_without_a_thread_is_sent_back(depends_on: tuple[tuple[int, ...], ...], told: str) -> None:
    complaint = thread_complaint(items_that_build_on(*depends_on))
    assert (told in complaint) if told else complaint == ""


def test_the_thread_that_is_missing_is_named_to_the_model(ws: Workspace, serve: Serve) -> None:
    def listed(*depends_on: list[int]) -> Say:
        levels = ["easy", "medium", "hard"] * 4
        rows = [{"query_idea": "Ask.", "depends_on": on, "difficulty": levels[n]} for n, on in enumerate(depends_on)]
        return Say(json.dumps(rows))

    flat, threaded = listed(*([[]] + [[1]] * 9)), listed([], [1], [2], [3], [4], [5], [2], [2], [1], [1])
    with serve([flat, threaded]) as model:
        sketch = find_sketch(ws, make_sketch(ws, "trips", author="model"))
    assert "0 of 10 use a result" in model.prompts[1]
    assert sketch.items[5].depends_on == (5,)
    assert sketch.provenance["left_over"] == ""
