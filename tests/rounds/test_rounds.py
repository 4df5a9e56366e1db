"""Three rounds with a model, people in between, a budget that ends, and a model that fails."""

import json
import re
import subprocess
import sys
from collections import Counter
from contextlib import nullcontext
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from authoring.drafting.sketching import Author
from authoring.languages import Language
from authoring.rounds import parallel_engines, rounds
from authoring.rounds.plan_progress import RoundsStatus, rounds_status
from authoring.rounds.rounds import RoundsOrder, StepOrder, find_rounds, plan_rounds, step_rounds
from authoring.store import problemsets, revisions
from authoring.store.drafting.bootstrap import list_bootstrap_items
from authoring.store.drafting.guide import NewAmendment, decide_amendment, insert_amendments
from authoring.store.drafting.seeds import SeedFacts, SeedFile, insert_seed
from authoring.store.reviewing.reviews import record_decision
from authoring.store.reviewing.suggestions import NewSuggestion, insert_suggestions, refuse_suggestion
from authoring.store.statuses import AmendmentStatus
from authoring.store.workspace import Workspace
from evaluator.errors import ToolkitError
from evaluator.models import BudgetLimits, BudgetSpentError
from tests.drafting.conftest import DATA, PROFILE
from tests.scripted_model import KEY, Refuse, Say, ScriptedModel, Step, scripted_model

SEEDS = ("alpha", "beta", "gamma")
SKETCH = Say(json.dumps({"problems": [{"query_idea": f"Idea {n}.", "knowledge_points": ["len"]} for n in (1, 2)]}))
DRAFT = '''# %%
import pandas as pd

# %%
"""
query: Load `inputs/NAME.csv` as `trips` and return the number of its rows.
id: load
validator:
  namespace_check:
    trips:
"""
trips = pd.read_csv("inputs/NAME.csv")
len(trips)

# %%
"""
query: Return the largest trip id of ROUND.
id: largest
"""
int(trips["Trip id"].max()) + 1000
'''
RULE = "Name the unit of every result."


class Endpoint:
    """Plays the model: sketches, drafts after the seed in the prompt, one of them broken at first."""

    def __init__(self) -> None:
        self.fails_on = ""  # a request of this kind and seed
        self.answered: Counter[str] = Counter()
        self.prompts: list[tuple[str, str, str]] = []  # kind, seed, text

    def __call__(self, request: dict[str, Any]) -> Step:
        texts = [str(message["content"]) for message in request["messages"]]
        kind = "sketch" if "Plan a new problemset" in texts[1] else "draft"
        seed = re.findall(r"File `inputs/(\w+)\.csv`", texts[1])[0]
        self.prompts.append((kind, seed, texts[1]))
        if self.fails_on == f"{kind} {seed}":
            return Refuse(500, "out of order")
        self.answered[json.dumps([request["messages"], request.get("seed")])] += 1
        if kind == "sketch":
            return SKETCH
        number = sum(1 for told, name, _ in self.prompts if (told, name) == (kind, seed))
        text = DRAFT.replace("NAME", seed).replace("ROUND", f"draft {number}")
        broken = seed == "alpha" and len(texts) == 2  # sent back once, then whole
        return Say(f"```python\n{text.replace('len(trips)', 'len(trips') if broken else text}```")

    def of(self, kind: str, seed: str) -> list[str]:
        return [text for told, name, text in self.prompts if (told, name) == (kind, seed)]


def add_seeds(ws: Workspace) -> None:
    table: dict[str, Any] = PROFILE["tables"][0]
    for name in SEEDS:
        data = DATA.encode()
        file = SeedFile(f"{name}.csv", ws.put_bytes(data), len(data), "csv")
        profile = {**PROFILE, "tables": [{**table, "file": f"{name}.csv"}]}
        insert_seed(ws, name=name, files=[file], profile=profile, facts=SeedFacts(title=name.title()))


def revise_and_accept(ws: Workspace, name: str) -> None:
    head = revisions.find(ws, name)
    text = head.text.replace("the largest trip id", "1000 plus the largest trip id")
    made = revisions.save(ws, head.problemset_id, text, base_revision_id=head.id, author="Ada", minutes=2.0)
    record_decision(ws, revision_id=made.id, decision="accepted", by="Ada")


def stepped(ws: Workspace, **order: Any) -> RoundsStatus:
    return step_rounds(ws, "loop", StepOrder(**order))


@pytest.fixture
def endpoint(monkeypatch: pytest.MonkeyPatch) -> Any:
    played = Endpoint()
    with scripted_model(played) as model:
        monkeypatch.setenv("OPENAI_BASE_URL", model.url)
        monkeypatch.setenv("OPENAI_API_KEY", KEY)
        monkeypatch.setenv("BENCHWRIGHT_MODEL", "scripted")
        monkeypatch.setenv("BENCHWRIGHT_MODEL_RETRIES", "0")
        yield played, model


@pytest.mark.usefixtures("nothing_fails")
def test_three_rounds_with_people_a_budget_and_a_failure(
    ws: Workspace, endpoint: tuple[Endpoint, ScriptedModel], monkeypatch: pytest.MonkeyPatch
) -> None:
    nobody = SimpleNamespace(environment_id="none")
    monkeypatch.setattr(rounds, "dry_run", lambda *_, **__: SimpleNamespace(failures=()))
    monkeypatch.setattr(parallel_engines, "engines_of_worker", lambda *_: nullcontext((nobody, nobody)))
    played, _ = endpoint
    add_seeds(ws)
    order = RoundsOrder(name="loop", seeds=SEEDS, rounds=3, revise=1, author=Author.MODEL, model="scripted", by="Ada")
    plan = plan_rounds(ws, order)
    assert plan_rounds(ws, order) == plan
    assert plan.plan["language"] == Language.ENGLISH
    assert plan_rounds(ws, replace(order, name="zh", language=Language.CHINESE)).plan["language"] == "zh"

    with pytest.raises(BudgetSpentError):  # a sketch may take 4,000 tokens, a draft 12,000
        stepped(ws, budget=BudgetLimits(tokens=9_000))
    assert [item.state for item in list_bootstrap_items(ws, plan.id)] == ["sketched", "planned", "planned"]
    assert rounds_status(ws, plan).can_step

    played.fails_on = "draft beta"
    with pytest.raises(ToolkitError, match="500"):
        stepped(ws)
    played.fails_on = ""
    status = stepped(ws, budget=BudgetLimits(tokens=10_000_000))
    assert set(played.answered.values()) == {1}  # nothing that was answered was asked again
    assert len(played.of("sketch", "alpha")) == len(played.of("sketch", "beta")) == 1
    assert len(played.of("draft", "alpha")) == 2  # the repair
    assert len(played.of("draft", "beta")) == 2  # the one that failed
    assert len(problemsets.select(ws)) == 3

    head = revisions.find(ws, "loop-beta-1")
    change = NewSuggestion("largest", "as it stands", "as the model would have it", "shorter")
    (suggestion,) = insert_suggestions(ws, head.id, [change], author="scripted", provenance={})
    assert stepped(ws).suggestions == (suggestion,)
    refuse_suggestion(ws, suggestion, by="Ada", reason="the longer one says what is meant")

    assert status.rounds[0].drafted == 3
    assert (status.missing, status.revise[0]) == (1, "loop-alpha-1")
    assert stepped(ws).to_json() == status.to_json()  # nothing to do without a person
    revise_and_accept(ws, "loop-alpha-1")
    (amendment,) = insert_amendments(ws, [NewAmendment("", RULE)], base_number=1, proposed_by="model")
    waiting = stepped(ws)
    assert (waiting.missing, waiting.amendments) == (0, (amendment,))
    assert "decide the proposed amendments" in waiting.next_text
    decide_amendment(ws, amendment, AmendmentStatus.ACCEPTED, by="Ada")

    second = stepped(ws)
    assert [(r.planned, r.accepted, r.redrafted) for r in second.rounds] == [(3, 1, 2), (2, 0, 0)]
    assert second.rounds[0].edits_per_problem == 0.5
    assert (second.rounds[0].guides, second.rounds[1].guides) == ((1,), (2,))
    revise_and_accept(ws, "loop-beta-2")
    third = stepped(ws)
    assert third.rounds[2].planned == 1
    for kind in ("sketch", "draft"):
        last = played.of(kind, "gamma")[-1]
        assert RULE in last
        for seed in ("alpha", "beta"):
            assert f"inputs/{seed}.csv" in last
        assert "1000 plus the largest trip id" in last
        assert RULE not in played.of(kind, "gamma")[0]
    revise_and_accept(ws, third.revise[0])
    done = stepped(ws)
    assert done.finished
    assert set(played.answered.values()) == {1}
    assert rounds_status(ws, find_rounds(ws, "loop")).to_json() == done.to_json()


@pytest.mark.deep
def test_two_that_step_at_once_do_the_work_once(ws: Workspace, endpoint: tuple[Endpoint, ScriptedModel]) -> None:
    played, _ = endpoint
    add_seeds(ws)
    plan = plan_rounds(ws, RoundsOrder(name="loop", seeds=("beta",), rounds=1, author=Author.MODEL, model="scripted"))
    command = [sys.executable, "-c", "from authoring.cli.main import main; main()", "bootstrap", "step", "loop"]
    place = ["--workspace", str(ws.root)]
    both = [subprocess.Popen([*command, *place], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) for _ in (1, 2)]
    for process in both:
        _, told = process.communicate()
        assert process.returncode == 0, told
    assert [(kind, seed) for kind, seed, _ in played.prompts] == [("sketch", "beta"), ("draft", "beta")]
    assert len(problemsets.select(ws)) == 1
    assert rounds_status(ws, plan).rounds[0].drafted == 1
