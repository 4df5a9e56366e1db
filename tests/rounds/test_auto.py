"""From seeds to a release with nobody in between."""

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest

from authoring.progress import PipelineEvent
from authoring.rounds.auto import AutoOrder, bootstrap_auto
from authoring.seeds.workspace_setup import open_workspace
from authoring.store import problemsets
from authoring.store.drafting.sketches import list_sketches
from authoring.store.reviewing.reviews import list_decisions
from authoring.store.workspace import Workspace
from authoring.templates import sketched_thread, template_draft
from evaluator.errors import UsageError
from evaluator.running import Executor, RunConfig, run_benchmark
from tests.templates.conftest import Agreeable

pytestmark = pytest.mark.kernel

SEEDS = ("penguins", "state-crime")


class StoppedError(Exception):
    """What stops the work in the middle."""


def files_of(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def order(folder: Path) -> AutoOrder:
    return AutoOrder(name="two", out=folder / "two-1.0", seeds=SEEDS, sketches=1, rng_seed=3)


@pytest.mark.usefixtures("shared_engines", "no_trials")
def test_a_stopped_plan_goes_on_to_a_release(ws: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of three problems without a figure, which the checks execute first."""
    monkeypatch.setattr(template_draft, "Bench", Agreeable)
    for module, name, value in (
        *((sketched_thread, "PROBLEMS", 3), (sketched_thread, "MOST_FIGURES", 0)),
        *((sketched_thread, "MIN_PROBLEMS", 2), (template_draft, "MIN_PROBLEMS", 2)),
    ):
        monkeypatch.setattr(module, name, value)
    wanted = replace(order(tmp_path), seeds=("mauna-loa-co2",), least=2)

    def stop(event: PipelineEvent) -> None:
        if "checking" in event.text:
            raise StoppedError

    with pytest.raises(StoppedError):
        bootstrap_auto(ws, wanted, on_event=stop)
    made = bootstrap_auto(ws, wanted)
    assert made.release is not None
    assert made.release.problems == made.seeds[0].accepted >= 2
    assert len(list_sketches(ws)) == len(problemsets.select(ws)) == 1  # nothing was done twice
    told: list[str] = []
    again = bootstrap_auto(ws, wanted, on_event=lambda event: told.append(event.text))
    assert (again.release, told) == (made.release, [])
    with pytest.raises(UsageError, match="--rng-seed was 3, now 4"):
        bootstrap_auto(ws, replace(wanted, rng_seed=4))
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "a.txt").touch()
    with pytest.raises(UsageError, match="not empty"):
        bootstrap_auto(ws, replace(wanted, out=tmp_path / "full"))
    (decided,) = list_decisions(ws, problemsets.select(ws)[0].id)
    assert (decided.by, decided.decision) == ("bootstrap", "accepted")
    assert "passes every check: lint, gold" in decided.reason
    card = (wanted.out / "README.md").read_text(encoding="utf-8")
    assert "1 problemset no person looked at: accepted by rule alone" in card


@pytest.mark.deep
def test_two_workspaces_give_the_same_bytes_also_when_one_was_stopped(tmp_path: Path) -> None:
    straight = bootstrap_auto(open_workspace(tmp_path / "a"), order(tmp_path / "a-out"))
    assert straight.release is not None
    assert straight.release.problems == sum(seed.accepted for seed in straight.seeds) >= 20
    ws, wanted = open_workspace(tmp_path / "b"), order(tmp_path / "b-out")
    for words in (r"\b3 of \d+ problems done", "checking"):

        def stop(event: PipelineEvent, words: str = words) -> None:
            if re.search(words, event.text):
                raise StoppedError

        with pytest.raises(StoppedError):
            bootstrap_auto(ws, wanted, on_event=stop)
    resumed = bootstrap_auto(ws, replace(wanted, executor=Executor.DASK))
    assert resumed.release is not None
    assert files_of(wanted.out) == files_of(tmp_path / "a-out" / "two-1.0")
    assert len(list_sketches(ws)) == len(problemsets.select(ws)) == len(SEEDS)  # nothing was done twice

    for agent, right in (("oracle", straight.release.problems), ("empty", 0)):
        out = tmp_path / agent
        run_benchmark(RunConfig(benchmark=wanted.out, agent=agent, out=out))
        lines = (out / "records.jsonl").read_text(encoding="utf-8").splitlines()
        verdicts = [json.loads(line)["verdict"] for line in lines]
        assert (len(verdicts), verdicts.count("CORRECT")) == (straight.release.problems, right)
