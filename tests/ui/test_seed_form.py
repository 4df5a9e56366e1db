"""The form of a new seed says at the field what is wrong, loses nothing, and is filled again after a failure."""

from collections.abc import Callable
from typing import Any

import pytest
import streamlit as st
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.testing.v1 import AppTest

from authoring.store import jobs
from authoring.store.jobs import Job
from authoring.store.workspace import Workspace

Open = Callable[..., AppTest]
Said = Callable[[AppTest], str]
FILES = "seed_add:files:0"
MIX = "easy=1,medium=0,hard=2"
CSV = b"shop,units\na,1\n"


def fail(ws: Workspace, what: str = "it broke", *, kind: str = "seed_add", by_input: bool = False) -> Job:
    claimed = jobs.claim(ws, owner="w", kinds=(kind,))
    assert claimed is not None
    error = {"what": what, "where": "", "fix": "mend it"} | ({"by_input": "yes"} if by_input else {})
    jobs.fail(ws, claimed.id, "w", error=error)
    return claimed


def names_of(app: AppTest, key: str) -> list[str]:
    return [each.name for each in app.file_uploader(key=key).value]


def test_a_name_that_is_taken_or_cannot_be_one_is_told_at_the_field_with_a_free_one(
    open_page: Open, workspace: Workspace, seed: int, said: Said
) -> None:
    app = open_page("seeds")
    app.file_uploader(key=FILES).upload("Sales.csv", CSV).run()
    assert r"**Sales\-2**, after the file" in said(app)
    app.text_input(key="seed_add:name").set_value("SALES").run()
    assert "already a seed called 'SALES'" in app.error[0].value
    app.text_input(key="seed_add:name").set_value("my sales!").run()
    assert "the name holds ' ', '!'" in app.error[0].value.replace("\\", "")
    app.button(key="seed_add:send").click().run()
    assert jobs.select(workspace) == []
    assert names_of(app, FILES) == ["Sales.csv"]
    app.button(key="seed_add:free").click().run()
    assert app.text_input(key="seed_add:name").value == "my-sales"
    assert not app.error
    app.button(key="seed_add:send").click().run()
    assert [job.payload["name"] for job in jobs.select(workspace)] == ["my-sales"]


def test_a_refused_press_is_answered_at_the_button_and_not_by_an_older_failure(
    open_page: Open, workspace: Workspace, seed: int, said: Said
) -> None:
    jobs.enqueue(workspace, kind="seed_add", payload={"name": "old"}, key="seed_add", created_by="mei")
    failed = fail(workspace, "the old one broke")
    app = open_page("seeds")
    assert "the old one broke" in said(app)
    app.file_uploader(key=FILES).upload("new.csv", CSV).run()
    app.text_input(key="seed_add:name").set_value("sales").run()
    app.button(key="seed_add:send").click().run()
    assert "nothing was added: there is already a seed called 'sales'" in app.error[-1].value.replace("\\", "")
    assert "the old one broke" not in said(app)
    app.run()
    assert "nothing was added" in said(app), "as long as nothing is changed"
    app.text_input(key="seed_add:name").set_value("newer").run()
    assert "nothing was added" not in said(app)
    app.button(key="seed_add:send").click().run()
    (made, _) = jobs.select(workspace)
    assert (made.payload["name"], made.live, made.id != failed.id) == ("newer", True, True)


def test_a_refusal_goes_when_only_the_notebook_or_the_toggle_changes(
    open_page: Open, workspace: Workspace, seed: int, said: Said
) -> None:
    app = open_page("seeds")
    app.session_state["seed_add:box"] = True
    app.run()
    for change in (
        lambda: app.file_uploader(key="seed_add:notebook:0").upload("idea.ipynb", b"{}", "application/json"),
        lambda: app.toggle(key="seed_add:synthetic").set_value(True),
    ):
        app.button(key="seed_add:send").click().run()
        assert "no data file was chosen" in said(app)
        change()
        app.run()
        assert "nothing was added" not in said(app)
    assert app.file_uploader(key="seed_add:notebook:0").value.name == "idea.ipynb"


def test_files_that_cannot_be_read_are_told_before_anything_is_sent_and_stay(
    open_page: Open, workspace: Workspace, said: Said
) -> None:
    app = open_page("seeds")
    assert "at most 200 MB per file" in said(app)
    for name, content, what in (
        ("old.xls", b"x", "no kind of data file"),
        ("empty.csv", b"", "is empty"),
        ("zeros.csv", b"a\n\0\n", "NUL bytes"),
    ):
        app.file_uploader(key=FILES).set_value((name, content, "text/csv")).run()
        assert what in app.error[0].value
        app.button(key="seed_add:send").click().run()
        assert jobs.select(workspace) == []
        assert names_of(app, FILES) == [name]
    app.file_uploader(key=FILES).set_value(("late.csv", b"a\n" * 40_000 + b"\0", "text/csv")).run()
    assert not app.error, "zeros far down are looked for when it is sent"
    app.button(key="seed_add:send").click().run()
    assert "NUL bytes" in app.error[0].value
    assert jobs.select(workspace) == []


def test_of_two_tabs_that_send_one_name_the_later_keeps_its_files_and_texts(
    open_page: Open, workspace: Workspace, said: Said
) -> None:
    first, second = open_page("seeds"), open_page("seeds")
    for app, content in ((first, CSV), (second, CSV + b"b,2\n")):
        app.file_uploader(key=FILES).upload("sales.csv", content).run()
        app.text_input(key="seed_add:title").set_value("Sales").run()
    first.button(key="seed_add:send").click().run()
    second.button(key="seed_add:send").click().run()
    assert len(jobs.select(workspace)) == 1
    assert "at work, on what was ordered before" in said(second)
    assert names_of(second, FILES) == ["sales.csv"]
    assert second.text_input(key="seed_add:title").value == "Sales"
    assert first.text_input(key="seed_add:title").value == ""


def test_a_failed_order_is_changed_and_sent_again_with_its_files(
    open_page: Open, workspace: Workspace, said: Said
) -> None:
    app = open_page("seeds")
    app.file_uploader(key=FILES).set_value([("a.csv", CSV, "text/csv"), ("b.csv", CSV + b"b,2\n", "text/csv")])
    app.text_input(key="seed_add:licence").set_value("CC0-1.0").run()
    app.button(key="seed_add:send").click().run()
    failed = fail(workspace)
    app = open_page("seeds")  # another tab, another day
    buttons = [each.key for each in app.main.button if str(failed.id) in str(each.key).split(":")]
    assert buttons.index(f"again:{failed.id}") < buttons.index(f"job:{failed.id}:resume")
    app.button(key=f"again:{failed.id}").click().run()
    assert app.text_input(key="seed_add:name").value == "a"
    assert app.text_input(key="seed_add:licence").value == "CC0-1.0"
    assert "a\\.csv" in said(app)
    app.button(key="seed_add:drop:1").click().run()
    app.text_input(key="seed_add:name").set_value("better").run()
    app.button(key="seed_add:send").click().run()
    again = jobs.select(workspace)[0]
    assert again.id != failed.id
    assert again.payload == {**failed.payload, "name": "better", "files": failed.payload["files"][:1]}
    fail(workspace)
    app.run()
    assert "Sent before" not in said(app), "what was sent is not sent a second time"


def test_a_licence_is_told_by_its_identifier_or_what_is_doubtful_about_it(
    open_page: Open, workspace: Workspace, said: Said, monkeypatch: pytest.MonkeyPatch
) -> None:
    gone: list[str] = []

    def remove(_manager: MemoryUploadedFileManager, *, session_id: str, file_id: str) -> None:
        assert session_id
        gone.append(file_id)

    monkeypatch.setattr(MemoryUploadedFileManager, "remove_file", remove)
    app = open_page("seeds")
    app.file_uploader(key=FILES).upload("sales.csv", CSV)
    app.text_input(key="seed_add:licence").set_value("All rights reserved").run()
    assert "forbids passing the data on" in app.warning[0].value
    app.text_input(key="seed_add:licence").set_value("cc by 4.0").run()
    app.button(key="seed_add:spdx").click().run()
    assert app.text_input(key="seed_add:licence").value == "CC-BY-4.0"
    assert "SPDX" not in said(app)
    held = [each.file_id for each in app.file_uploader(key=FILES).value]
    app.button(key="seed_add:send").click().run()
    assert jobs.select(workspace)[0].payload["licence"] == "CC-BY-4.0"
    assert gone == held, "the server forgets the bytes once they are stored"


def test_a_file_in_another_encoding_is_read_in_the_one_that_a_button_names(
    open_page: Open, workspace: Workspace
) -> None:
    app = open_page("seeds")
    app.file_uploader(key=FILES).upload("orders.csv", "Kunde;Preis €\nMüller;3\n".encode("cp1252")).run()
    app.text_input(key="seed_add:title").set_value("Orders").run()
    app.button(key="seed_add:send").click().run()
    refused = fail(workspace, by_input=True)
    app = open_page("seeds")
    assert f"read_as:{refused.id}:WINDOWS-1251" in [each.key for each in app.main.button]
    app.button(key=f"read_as:{refused.id}:WINDOWS-1252").click().run()
    again = jobs.select(workspace)[0]
    assert again.payload == {**refused.payload, "encoding": "WINDOWS-1252"}
    failed = fail(workspace, by_input=True)
    app = open_page("seeds")
    assert not [each for each in app.main.button if str(each.key).startswith("read_as:")]
    app.button(key=f"again:{failed.id}").click().run()
    app.text_input(key="seed_add:name").set_value("better").run()
    app.button(key="seed_add:send").click().run()
    assert jobs.select(workspace)[0].payload["encoding"] == "WINDOWS-1252"


def test_failed_sketches_drafts_and_imports_are_changed_and_sent_again(
    open_page: Open, workspace: Workspace, seed: int, said: Said, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in (("BENCHWRIGHT_MODEL", "m"), ("OPENAI_API_KEY", "k"), ("OPENAI_BASE_URL", "http://127.0.0.1:9")):
        monkeypatch.setenv(name, value)
    wishes = {"examples": "none", "model": "other", "budget": {"tokens": 900, "cost": None, "minutes": 2.5}}
    asked = {"author": "model", "rng_seed": 7, "name": "mine", "created_by": "mei", **wishes}
    file = {"name": "book.jsonl", "digest": workspace.put_bytes(b"{}")}
    orders: dict[str, tuple[str, dict[str, Any]]] = {
        "sketch": (f"sketch:{seed}", {"seed": seed, "difficulty": "hard", "language": "zh", "mix": MIX, **asked}),
        "draft": ("draft:1", {"sketch": 1, **asked}),
        "import": (
            "import",
            {"form": "completions", "file": file, "solutions": None, "name": "a", "seed": "sales", "created_by": "mei"},
        ),
    }
    for (kind, (key, payload)), place in zip(orders.items(), ({"seed": seed}, {"sketch": 1}, {}), strict=True):
        failed = jobs.enqueue(workspace, kind=kind, payload=payload, key=key, created_by="mei")
        fail(workspace, kind=kind)
        app = open_tab(open_page, monkeypatch, place) if kind == "import" else open_page("seeds", **place)
        app.button(key=f"again:{failed.id}").click().run()
        app.text_input(key=f"{key}:name").set_value("better").run()
        assert ("book\\.jsonl" in said(app)) == (kind == "import")
        app.button(key=f"{key}:send").click().run()
        again = jobs.select(workspace)[0]
        assert again.id != failed.id
        assert again.payload == {**payload, "name": "better"}


def open_tab(open_page: Open, monkeypatch: pytest.MonkeyPatch, place: dict[str, int]) -> AppTest:
    real = st.tabs
    monkeypatch.setattr(st, "tabs", lambda names, **more: real(names, **{**more, "default": "Import a file"}))
    return open_page("seeds", **place)
