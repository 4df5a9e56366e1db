"""The gate before a release: what blocks, what is left out, on which evidence."""

from pathlib import Path
from typing import Any

import pytest

from authoring.release import (
    GateCheck,
    GateStanding,
    create_release,
    preview_card,
    release_gate,
    unanswered,
    waivers_of,
)
from authoring.seeds.made.statement import MadeData, write_statement
from authoring.store import dry_runs, problemsets, runs
from authoring.store.drafting.confirmations import Said, confirm_column
from authoring.store.drafting.seeds import find_seed, save_profile
from authoring.store.dry_runs import DryRunProblem
from authoring.store.reviewing.reviews import record_decision
from authoring.store.reviewing.roundtable import NewItem, open_items
from authoring.store.runs import index_attempts
from authoring.store.statuses import Origin
from authoring.store.workspace import Workspace
from authoring.ui.advice import in_app
from evaluator.errors import ContentError
from tests.release.conftest import AddSet

WAIVER = "waivers:\n  low-information: {by: Ada, reason: a matter of yes or no}\n"


def test_accepted_sets_with_evidence_are_ready_and_others_are_left_out(
    ws: Workspace, add_set: AddSet, tmp_path: Path
) -> None:
    add_set("trips")
    add_set("waiting", accepted=False)
    assert [(row.evidence.name, row.standing, len(row.findings)) for row in release_gate(ws)] == [
        ("trips", GateStanding.READY, 0),
        ("waiting", GateStanding.LEFT_OUT, 1),
    ]
    create_release(ws, "city", "1.0", out=tmp_path / "out")
    assert preview_card(ws, "city", "1.0").encode() == (tmp_path / "out" / "README.md").read_bytes()
    assert "| Licence of queries and code | CC0-1.0 |" in preview_card(ws, "city", "1.0", "CC0-1.0")


def test_what_the_gate_says_blocks_is_what_create_refuses(ws: Workspace, add_set: AddSet, tmp_path: Path) -> None:
    add_set("good")
    add_set("failing", passed=False)
    unseen = problemsets.create(ws, name="unseen", text="# %%\n1\n", author="Ann", origin=Origin.PERSON)
    record_decision(ws, revision_id=unseen.id, decision="accepted", by="Ann")
    rows = release_gate(ws)
    assert [(row.evidence.name, row.standing, row.findings[0].what) for row in rows[:2]] == [
        ("failing", GateStanding.BLOCKS, "problem 1 (p1): the reference does not pass its own validators: CRASH"),
        ("unseen", GateStanding.BLOCKS, "revision 1 has no dry run"),
    ]
    with pytest.raises(ContentError, match="failing@1 fails its newest dry run"):
        create_release(ws, "city", "1.0", out=tmp_path / "out")


def test_an_open_item_and_a_guess_warn_and_a_waiver_answers_for_the_guess(ws: Workspace, add_set: AddSet) -> None:
    revision = add_set("trips")
    signed = add_set("signed", text=revision.text.replace("knowledge_points", f"{WAIVER}knowledge_points"))
    open_items(ws, revision.id, [NewItem("p1", "is it rows or trips?", {})], by="Ann")
    run = runs.insert(ws, release="city 1", agent="cheat:one", out_dir="x", summary={})
    question = "Load `inputs/trips.csv` as `trips`. How many rows are there?\n"
    base = {"index": 1, "verdict": "CORRECT", "question": question}
    index_attempts(ws, run, [{**base, "problemset": name} for name in ("trips", "signed")])
    index_attempts(ws, run, [{**base, "problemset": "trips", "index": 2, "question": "Something else?"}])
    rows = {row.evidence.name: row for row in release_gate(ws)}
    assert {row.standing for row in rows.values()} == {GateStanding.READY}
    assert [finding.check for finding in rows["trips"].findings] == [GateCheck.ROUNDTABLE, GateCheck.GUESS]
    told, way = in_app(rows["trips"].findings[0].fix)
    assert told == "say what was at fault, see the item on the page Roundtable, Settle it"
    assert (way.page if way else "") == "roundtable"
    (guess,) = rows["signed"].findings
    assert (guess.problem, guess.refuses) == ("p1", False)
    (waiver,) = waivers = waivers_of(signed.text, "signed")
    assert (waiver.problem, waiver.by, waiver.reason) == ("p1", "Ada", "a matter of yes or no")
    assert unanswered(rows["signed"], waivers) == ()
    assert len(unanswered(rows["trips"], waivers_of(revision.text, "trips"))) == 2


def test_a_dry_run_goes_stale_with_the_validators_that_it_used(ws: Workspace, add_set: AddSet) -> None:
    revision = add_set("trips")
    row = DryRunProblem(1, "p1", 0.01, "CORRECT", "WRONG_OUTPUT")
    used: dict[str, Any] = {"environment": "e", "sandbox": "s", "summary": {"validators": "digest"}}
    dry_runs.save(ws, revision_id=revision.id, problems=[row], **used)
    (found,) = release_gate(ws)
    assert (found.standing, found.findings[0].what.partition(":")[0]) == (GateStanding.BLOCKS, "stale")


def test_data_about_persons_is_warned_of_until_somebody_confirms_it(
    ws: Workspace, add_set: AddSet, tmp_path: Path
) -> None:
    add_set("trips")
    forms = [{"form": "email", "rows": 3, "looked_at": 3, "shape": "a**@***.**"}]
    column = {"name": "mail", "dtype": "str", "role": "text", "missing": 0, "distinct": 3, "personal": forms}
    table = {"file": "trips.csv", "reader": "read_csv", "rows": 3, "columns": [column]}
    seed = find_seed(ws, "trips-seed")
    save_profile(ws, seed.id, {"tables": [table], "version": 4})
    (row,) = release_gate(ws)
    (found,) = row.findings
    assert (row.standing, found.check, found.refuses) == (GateStanding.READY, GateCheck.PERSONAL_DATA, False)
    assert found.what == "seed trips-seed: column 'mail' of trips.csv seems to hold e-mail addresses (3 rows)"
    assert found.fix.endswith("benchwright seed personal trips-seed")
    made = create_release(ws, "city", "1.0", out=tmp_path / "out")
    assert made.personal == (f"{found.what}; {found.fix}",)
    confirm_column(ws, seed.id, "trips.csv", "mail", said=Said.PUBLIC, created_by="Ada")
    assert [row.findings for row in release_gate(ws)] == [()]


def test_data_that_may_not_be_passed_on_are_warned_of(ws: Workspace, add_set: AddSet) -> None:
    add_set("open")
    add_set("trips", licence="may not be redistributed")
    rows = {row.evidence.name: row for row in release_gate(ws)}
    assert rows["open"].findings == ()
    (found,) = rows["trips"].findings
    assert (rows["trips"].standing, found.check) == (GateStanding.READY, GateCheck.LICENCE)
    assert found.what == "seed trips-seed: the licence forbids passing the data on, and a release would publish them"
    assert in_app(found.fix)[0] == "ask the owner, and state what they allow: the page Seeds & ideas"


def test_the_card_tells_what_synthetic_data_were_drawn_from(ws: Workspace, add_set: AddSet) -> None:
    add_set("trips")
    assert "Synthetic" not in preview_card(ws, "city", "1.0")
    field = {"name": "km", "kind": "number", "distribution": {"name": "normal", "mean": 20, "sd": 2}}
    data = MadeData.model_validate({"title": "t", "tables": [{"file": "trips.csv", "rows": 40, "fields": [field]}]})
    with ws.write() as db:
        db.execute("UPDATE seed SET synthetic = 1, statement = ?", [write_statement(data)])
    card = preview_card(ws, "city", "1.0")
    assert "## Synthetic data" in card
    assert "- trips.csv, km: number, normal (mean 20, sd 2)" in card
    with ws.write() as db:
        db.execute("UPDATE seed SET statement = ''")
    assert "- The distributions are not stated." in preview_card(ws, "city", "1.0")
