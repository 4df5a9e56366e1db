"""A workspace's own validators on their way into a release, with real sessions."""

from pathlib import Path

import pytest

from authoring.checks.acceptance import accept
from authoring.checks.dry_run.dry_running import dry_run
from authoring.release import create_release, verify_release
from authoring.store import problemsets
from authoring.store.statuses import Origin
from authoring.store.workspace import Workspace
from evaluator.errors import ContentError
from evaluator.language import read_benchmark
from evaluator.running import RunConfig, run_benchmark
from evaluator.session import Engine

pytestmark = pytest.mark.kernel

OWN = """def near(reference, submission, *, by=1):
    return abs(reference.result - submission.result) <= by, "too far"
"""
TEXT = (
    '# %%\n"""\nquery: About how much is half of 11?\nvalidator:\n  template: basic\n  near: {by: 2}\n"""\n\n11 / 2\n'
)


def halves(ws: Workspace, own: str = OWN, text: str = TEXT) -> int:
    """Return the id of a revision of a set in a workspace with validators of its own."""
    (ws.root / "_validators.py").write_text(own, encoding="utf-8")
    return problemsets.create(ws, name="halves", text=text, author="Ann", origin=Origin.PERSON).id


def test_a_release_carries_the_validators_that_it_needs(engine: Engine, ws: Workspace, tmp_path: Path) -> None:
    revision = halves(ws, "")
    with pytest.raises(ContentError, match="no validator is called 'near'"):
        dry_run(ws, revision, engine=engine)
    (ws.root / "_validators.py").write_text(OWN, encoding="utf-8")
    assert dry_run(ws, revision, engine=engine).failures == ()
    accept(ws, revision, by="Bo", engine=engine)
    out = tmp_path / "out"
    create_release(ws, "city", "1.0", out=out)
    assert (out / "_validators.py").read_text(encoding="utf-8") == OWN
    assert read_benchmark(out).diagnostics == ()
    assert verify_release(out) == ()
    replayed = run_benchmark(RunConfig(out, "oracle", tmp_path / "run"), engine=engine)
    assert dict(replayed.counts) == {"CORRECT": 1}
    (out / "_validators.py").write_text(OWN.replace("by=1", "by=9"), encoding="utf-8")
    assert [fault.path for fault in verify_release(out)] == ["_validators.py"]


def test_validators_that_changed_since_the_dry_run_are_tried_again(
    engine: Engine, ws: Workspace, tmp_path: Path
) -> None:
    revision = halves(ws)
    accept(ws, revision, by="Bo", engine=engine)
    (ws.root / "_validators.py").write_text(OWN.replace("<=", "<"), encoding="utf-8")
    with pytest.raises(ContentError, match="is not what it was in the newest dry run"):
        create_release(ws, "city", "1.0", out=tmp_path / "out")
    assert dry_run(ws, revision, engine=engine).failures == ()
    create_release(ws, "city", "1.0", out=tmp_path / "out")


def test_validators_that_fail_on_the_reference_are_not_accepted(engine: Engine, ws: Workspace) -> None:
    revision = halves(ws, OWN.replace("by, ", "bye, "))
    assert "near raised NameError" in str(dry_run(ws, revision, engine=engine).failures[0])
    with pytest.raises(ContentError, match="near raised NameError"):
        accept(ws, revision, by="Bo", engine=engine)


def test_a_release_without_their_use_leaves_validators_out(engine: Engine, ws: Workspace, tmp_path: Path) -> None:
    accept(ws, halves(ws, text=TEXT.replace("  near: {by: 2}\n", "  result:\n")), by="Bo", engine=engine)
    create_release(ws, "city", "1.0", out=tmp_path / "out")
    assert not (tmp_path / "out" / "_validators.py").exists()
