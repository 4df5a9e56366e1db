"""What is paid is paid once; what is granted is not exceeded; the key stays in the environment."""

import json
import logging
import re
from typing import Any

import pytest

from authoring.drafting.sketching import make_sketch
from authoring.prompting.repair_loop import open_client
from authoring.store import model_calls
from authoring.store.drafting.sketches import find_sketch, list_sketches
from authoring.store.workspace import Workspace
from evaluator.errors import ToolkitError, UsageError
from evaluator.models import BudgetLimits, BudgetSpentError, Message, ModelSettings
from tests.drafting.conftest import Serve
from tests.scripted_model import KEY, Refuse, Say

GOOD = Say(json.dumps({"problems": [{"query_idea": "Load it."}, {"query_idea": "Count it."}]}))
BAD = Say("I would rather not.")


def test_a_sketch_that_is_repeated_is_recalled_and_not_paid_again(ws: Workspace, serve: Serve) -> None:
    with serve([BAD, GOOD]) as model:
        first, second = (find_sketch(ws, make_sketch(ws, "trips", author="model")) for _ in range(2))
    assert first.items == second.items
    assert len(model.requests) == len(model_calls.select(ws)) == 2
    assert (first.provenance["recalled"], second.provenance["recalled"]) == (0, 2)


def test_another_rng_seed_or_endpoint_is_asked_itself(ws: Workspace, serve: Serve) -> None:
    for rng_seeds in ((0, 1), (0,)):
        with serve([GOOD]) as model:
            for rng_seed in rng_seeds:
                make_sketch(ws, "trips", author="model", rng_seed=rng_seed)
        assert len(model.requests) == len(rng_seeds)


def test_a_failed_call_is_asked_again_and_those_before_it_are_recalled(ws: Workspace, serve: Serve) -> None:
    with serve([BAD, Refuse(400, "not now"), GOOD]) as model:
        with pytest.raises(ToolkitError, match="HTTP 400"):
            make_sketch(ws, "trips", author="model")
        made = find_sketch(ws, make_sketch(ws, "trips", author="model"))
    assert (made.provenance["recalled"], len(model.requests)) == (1, 3)
    assert [bool(call.error) for call in model_calls.select(ws)] == [False, True, False]


def test_a_budget_ends_a_sketch_before_the_request(ws: Workspace, serve: Serve) -> None:
    with serve([BAD, GOOD]) as model:
        with pytest.raises(BudgetSpentError, match="nothing was asked") as first:
            make_sketch(ws, "trips", author="model", budget=BudgetLimits(tokens=0))
        needed = int(re.findall(r"up to (\d+)", first.value.what)[0])
        with pytest.raises(BudgetSpentError, match="the sketch is left undone") as caught:
            make_sketch(ws, "trips", author="model", budget=BudgetLimits(tokens=needed))
        assert caught.value.exit_code == 1
        assert f"120 of {needed} tokens are used" in caught.value.what
        assert (len(model.requests), list_sketches(ws)) == (1, [])
        make_sketch(ws, "trips", author="model", budget=BudgetLimits(tokens=2 * needed))
        assert len(model.requests) == 2


def test_a_job_is_charged_for_its_earlier_starts(ws: Workspace, serve: Serve) -> None:
    question = [Message("user", "How many?")]
    with serve([GOOD]) as model:
        settings = ModelSettings("scripted", model.url)
        for job, asked in ((1, 1), (1, 1), (2, 2)):
            client = open_client(ws, settings, purpose="t", subject="s", budget=BudgetLimits(tokens=160), job_id=job)
            try:
                client.complete(question, max_tokens=50, repeat=len(model_calls.select(ws)))
            except BudgetSpentError:
                assert job == 1
            assert len(model.requests) == asked
    assert [call.job_id for call in model_calls.select(ws)] == [1, 2]


def test_a_budget_of_money_needs_a_price_which_is_kept_with_each_call(ws: Workspace, serve: Serve) -> None:
    asked: dict[str, Any] = {"author": "model", "budget": BudgetLimits(cost=1)}
    with serve([GOOD]) as model:
        with pytest.raises(UsageError, match="no price is known"):
            make_sketch(ws, "trips", **asked)
        assert model.requests == []
        sketch = find_sketch(ws, make_sketch(ws, "trips", model="gpt-4o-mini", **asked))
    (call,) = model_calls.select(ws)
    assert call.cost == pytest.approx((100 * 0.15 + 20 * 0.60) / 1e6)
    assert (call.currency, sketch.provenance["currency"]) == ("USD", "USD")


@pytest.mark.parametrize("step", [GOOD, Refuse(401, f"no such key: {KEY}"), Refuse(500, KEY), BAD])
def test_the_key_is_in_no_file_and_no_message(
    ws: Workspace,
    serve: Serve,
    step: Say | Refuse,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    capfd: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("BENCHWRIGHT_MODEL_RETRIES", "0")
    caplog.set_level(logging.DEBUG)
    said = ""
    with serve([step]), ws.read() as db:
        db.execute("SELECT id FROM seed").fetchone()  # a reader keeps the write-ahead log from being folded in
        try:
            make_sketch(ws, "trips", author="model")
        except ToolkitError as error:
            said = f"{error} {error!r}"
        files = [path for path in ws.root.rglob("*") if path.is_file()]
        assert any(path.name.endswith("-wal") for path in files)
        assert [path.name for path in files if KEY.encode() in path.read_bytes()] == []
    written = capfd.readouterr()
    assert KEY not in said + caplog.text + written.out + written.err
