"""Releases: what goes in, the same bytes twice, and what verify sees."""

import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from authoring.conversion import import_benchmark
from authoring.release import DigestDifference, create_release, preview_card, release_digest, verify_release
from authoring.store import releases, revisions
from authoring.store.effort import record_effort
from authoring.store.reviewing.reviews import record_decision
from authoring.store.workspace import Workspace
from evaluator.errors import ContentError, ToolkitError, UsageError
from evaluator.families.cibench.benchmark_folder import described_sets, import_folder
from evaluator.families.live_run import rules_of_run
from evaluator.families.qwen.live import QwenRules
from evaluator.language import read_benchmark
from tests.families.notebooks import answer, ask, book, value, write
from tests.release.conftest import TEXT, AddSet, Release, accept_text


def tree(folder: Path) -> dict[str, bytes]:
    return {p.relative_to(folder).as_posix(): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}


def card_of(folder: Path) -> str:
    return (folder / "README.md").read_text(encoding="utf-8")


def manifest_of(folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load((folder / "_manifest.yaml").read_text(encoding="utf-8"))
    return found


def test_a_release_is_a_runnable_benchmark(ws: Workspace, add_set: AddSet, tmp_path: Path) -> None:
    revision = add_set("trips")
    add_set("more-trips")
    made = create_release(ws, "city", "1.0", out=tmp_path / "out")
    benchmark = read_benchmark(tmp_path / "out")
    assert (benchmark.name, benchmark.version, benchmark.diagnostics) == ("city", "1.0", ())
    assert [loaded.name for loaded in benchmark.sets] == ["more-trips", "trips"]
    assert benchmark.sets[1].text == revision.text
    assert benchmark.sets[1].inputs is not None
    assert (benchmark.sets[1].inputs / "trips.csv").read_bytes() == b"a,b\n1,2\n"
    assert made.problems == 2
    assert releases.find(ws, "city@1.0").digest == made.digest
    again = create_release(ws, "city", "1.0", out=tmp_path / "deep" / "b")
    assert tree(tmp_path / "out") == tree(tmp_path / "deep" / "b")
    assert (made.id, made.digest) == (again.id, again.digest)
    assert len(releases.select(ws)) == 1


def test_the_manifest_says_what_is_released(add_set: AddSet, release: Release) -> None:
    revision = add_set("trips")
    manifest = manifest_of(release(licence="CC-BY-4.0"))
    said = {"version": "1.0", "environment": "env-1", "licence": "CC-BY-4.0", "authors": ["Ann"]}
    assert {key: manifest[key] for key in said} == said
    assert manifest["canary"].startswith("benchwright canary ")
    entry = manifest["sets"]["trips"]
    told = {"digest": revision.digest, "knowledge_points": ["len", "read_csv"], "data_licence": "CC0-1.0"}
    assert {key: entry[key] for key in told} == told
    assert list(entry["inputs"]) == ["trips.csv"]


def of_family(family: str) -> str:
    return TEXT.replace("knowledge_points", f"family:\n  {family}: {{step: 1}}\nknowledge_points")


def test_a_release_of_a_familys_problems_is_a_benchmark_of_that_family(add_set: AddSet, release: Release) -> None:
    add_set("trips", text=of_family("qwen"))
    add_set("added-later", text=TEXT.replace("knowledge_points", "family: {pair: trips-zh/1}\nknowledge_points"))
    benchmark = read_benchmark(release())
    assert benchmark.manifest.extra["family"] == "qwen"
    assert isinstance(rules_of_run(benchmark, mode="", rules=None), QwenRules)
    assert "| Family | qwen |" in card_of(release())
    add_set("steps", text=of_family("cibench"))
    of_two = release("two", "1.1")
    assert "family" not in read_benchmark(of_two).manifest.extra
    assert "of several families (cibench, qwen)" in card_of(of_two)


def test_a_released_set_keeps_its_place_among_imported_notebooks(ws: Workspace, tmp_path: Path) -> None:
    notebooks = tmp_path / "cibench_template_chinese" / "pandas"
    write(notebooks / "1.ipynb", book(ask("Count."), answer("1 + 1", value("2")), modules=["pandas"]))
    import_folder(notebooks.parent, tmp_path / "bench")
    ((name, number),) = import_benchmark(ws, tmp_path / "bench", tmp_path / "scratch").kept
    head = revisions.find(ws, name)
    assert number == head.problemset_id
    accept_text(ws, head, head.text + "\n", "step1")
    create_release(ws, "city", "1.0", out=tmp_path / "out")
    imported, released = read_benchmark(tmp_path / "bench"), read_benchmark(tmp_path / "out")
    assert described_sets(released) == described_sets(imported)
    assert described_sets(released)[name].module == "pandas"
    (asked,) = released.problems
    rules = rules_of_run(released, mode="", rules="published")
    assert rules is not None
    assert rules.wording(name, asked) == "Count.请用 pandas 模块.\n"


def test_the_canary_changes_with_the_content_only(add_set: AddSet, release: Release) -> None:
    add_set("trips")
    first, second = (manifest_of(release(version, version))["canary"] for version in ("1.0", "1.1"))
    add_set("other")
    assert first == second != manifest_of(release("other", "2.0"))["canary"]


def test_the_card_names_counts_sources_and_limits(ws: Workspace, add_set: AddSet) -> None:
    add_set("trips")
    add_set("unclear", licence="")
    add_set("unknown", licence="n/a")
    card = preview_card(ws, "city", "1.0")
    for part in (
        *("3 problemsets with 3 problems", "CC0-1.0", "https://example.org/t", "not stated for: unclear, unknown."),
        *("read_csv (3)", "Of 3 problemsets, people revised 0 before they were accepted"),
        *("benchwright release verify", "benchwright canary", "| fact | value |\n|---|---|\n"),
    ):
        assert part in card
    add_set("walks", licence="mine | yours\n<script>alert(1)</script>")
    card = preview_card(ws, "city", "1.0")
    assert "<script>" not in card
    assert "mine \\| yours" in card


@pytest.mark.parametrize("by", ["demo", "bootstrap"])
def test_the_card_calls_no_person_who_accepted_as_a_program(ws: Workspace, add_set: AddSet, by: str) -> None:
    draft = add_set("trips", accepted=False)
    record_decision(ws, revision_id=draft.id, decision="accepted", by=by)
    card = preview_card(ws, "city", "1.0")
    for part in ("| template | rule |", "| Authors | not named |", "1 problemset no person looked at"):
        assert part in card


def test_the_card_states_the_revision_rate_and_later_minutes_leave_it(
    ws: Workspace, add_set: AddSet, release: Release
) -> None:
    draft = add_set("trips", accepted=False)
    saved = accept_text(ws, draft, draft.text.replace("How many rows", "What number of rows"), "p1")
    add_set("untouched")
    card = card_of(release("one"))
    record_effort(ws, "review", subject="trips", person="Ben", minutes=9, problemset_id=saved.problemset_id)
    assert "people changed or added 1 of 2 problems (50%). 3 minutes were recorded: 3.0 minutes per" in card
    assert card == card_of(release("two"))


def test_only_accepted_revisions_are_released(ws: Workspace, add_set: AddSet, release: Release, tmp_path: Path) -> None:
    add_set("draft", accepted=False)
    with pytest.raises(ContentError, match="no problemset is accepted"):
        release()
    sent_back = add_set("trips")
    record_decision(ws, revision_id=sent_back.id, decision="sent_back", by="Bo", reason="ambiguous")
    for name in ("draft", "trips"):
        with pytest.raises(ContentError, match=f"{name}@1 is not accepted"):
            release(chosen=[name])
    assert not (tmp_path / "out").exists()


def test_after_an_edit_the_accepted_revision_is_there_to_be_chosen(
    ws: Workspace, add_set: AddSet, release: Release
) -> None:
    revision = add_set("trips")
    revisions.save(ws, revision.problemset_id, revision.text + "\n", base_revision_id=revision.id, author="Bo")
    with pytest.raises(ContentError, match="no problemset is accepted"):
        release()
    assert read_benchmark(release(chosen=["trips@1"])).sets[0].text == revision.text
    with pytest.raises(ContentError, match="two revisions"):
        release("more", "1.1", chosen=["trips@1", str(revision.id)])


def test_a_folder_that_holds_something_is_left_alone(add_set: AddSet, release: Release, tmp_path: Path) -> None:
    add_set("trips")
    (tmp_path / "out").mkdir()
    before = tree(release())
    (tmp_path / "file").write_text("mine")
    for taken in ("out", "file"):
        with pytest.raises(UsageError, match="not empty"):
            release(taken, "1.1")
    assert tree(tmp_path / "out") == before
    assert sorted(p.name for p in tmp_path.iterdir()) == ["file", "out", "workspace"]


def test_a_release_written_before_a_kill_is_recorded_the_next_time(
    ws: Workspace, add_set: AddSet, tmp_path: Path
) -> None:
    add_set("trips")
    lost = create_release(ws, "city", "1.0", out=tmp_path / "out")
    with ws.write() as db:
        db.execute("DELETE FROM release_item")
        db.execute("DELETE FROM release")
    again = create_release(ws, "city", "1.0", out=tmp_path / "out")
    assert [(release.id, release.digest) for release in releases.select(ws)] == [(again.id, lost.digest)]
    assert not again.existed
    assert create_release(ws, "city", "1.0", out=tmp_path / "out").existed
    (tmp_path / "out" / "trips.py").write_text("changed")
    with pytest.raises(UsageError, match="not empty"):
        create_release(ws, "city", "1.0", out=tmp_path / "out")


def test_names_that_cannot_be_names_or_stand_for_other_content_are_refused(
    ws: Workspace, add_set: AddSet, release: Release, tmp_path: Path
) -> None:
    add_set("trips")
    for name, version in (("", "1"), ("7", "1"), ("a b", "1"), ("../x", "1"), ("a", ""), ("a", "1/2")):
        with pytest.raises(UsageError):
            create_release(ws, name, version, out=tmp_path / "out")
    release("a")
    add_set("other")
    with pytest.raises(UsageError, match="exists with other content"):
        release()
    assert not (tmp_path / "out").exists()


def test_what_cannot_be_released_is_named_and_leaves_nothing(
    ws: Workspace, add_set: AddSet, release: Release, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    add_set("trips")
    with pytest.raises(ToolkitError, match="cannot be written") as caught:
        create_release(ws, "city", "1.0", out=Path("/proc/nowhere/out"))
    assert caught.value.exit_code == 3
    with monkeypatch.context() as patched:
        patched.setattr("authoring.release.contents.MAX_SET_BYTES", 5)
        with pytest.raises(ContentError, match="MB"):
            release()
    add_set("_hidden", data=b"c\n3\n")
    with pytest.raises(ContentError, match="'_hidden' cannot be released"):
        release()
    blob = ws.blob_path(ws.put_bytes(b"a,b\n1,2\n"))
    blob.chmod(0o644)
    blob.write_bytes(b"rotten")
    with pytest.raises(ContentError, match="is not what it was"):
        release(chosen=["trips@1"])
    assert sorted(p.name for p in tmp_path.iterdir()) == ["workspace"]


@pytest.fixture
def released(add_set: AddSet, release: Release) -> Path:
    add_set("trips")
    return release()


def test_a_release_verifies_and_every_difference_is_listed_at_once(released: Path, tmp_path: Path) -> None:
    assert verify_release(released) == ()
    subprocess.run(["sha256sum", "--check", "--strict", "--quiet", "checksums.txt"], cwd=released, check=True)
    shutil.move(released / "trips.py", tmp_path / "elsewhere.py")
    os.symlink(tmp_path / "elsewhere.py", released / "trips.py")
    assert [(f.path, f.difference) for f in verify_release(released)] == [("trips.py", DigestDifference.CHANGED)]
    (released / "trips.py").unlink()
    (released / "trips.py").write_text("# %%\n")
    (released / "README.md").unlink()
    (released / "_inputs" / "trips" / "more.csv").write_text("a\n")
    os.symlink("/etc/hostname", released / "link")
    assert {(fault.path, fault.difference) for fault in verify_release(released)} == {
        ("trips.py", DigestDifference.CHANGED),
        ("README.md", DigestDifference.MISSING),
        ("_inputs/trips/more.csv", DigestDifference.SURPLUS),
        ("link", DigestDifference.SURPLUS),
    }


def test_a_broken_list_of_digests_is_a_fault(released: Path) -> None:
    for text in ("", "nonsense\n", "0" * 64 + "  ../outside\n", "0" * 64 + "  /etc/passwd\n"):
        (released / "checksums.txt").write_text(text)
        faults = verify_release(released)
        assert ("checksums.txt", DigestDifference.CHANGED) in {(fault.path, fault.difference) for fault in faults}
        assert not any("outside" in fault.path or "passwd" in fault.path for fault in faults)
    (released / "checksums.txt").write_bytes(b"\xff\xfe")
    assert [fault.difference for fault in verify_release(released)] == [DigestDifference.UNREADABLE]
    (released / "checksums.txt").unlink()
    assert [fault.difference for fault in verify_release(released)] == [DigestDifference.MISSING]
    assert release_digest(released) == ""
    with pytest.raises(UsageError, match="no such folder"):
        verify_release(released / "nowhere")
