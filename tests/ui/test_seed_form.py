"""The form of a new seed says at the field what is wrong, loses nothing, and is filled again after a failure."""

from streamlit.testing.v1 import AppTest

from authoring.store import jobs
from authoring.store.workspace import Workspace
from tests.ui.acts import Open, errors, fail, keys, payloads, press, said

FILES = "seed_add:files:0"
CSV = b"shop,units\na,1\n"


def names_of(app: AppTest, key: str = FILES) -> list[str]:
    return [each.name for each in app.file_uploader(key=key).value]


def type_into(app: AppTest, field: str, text: str) -> AppTest:
    return app.text_input(key=f"seed_add:{field}").set_value(text).run()


def send(app: AppTest) -> AppTest:
    return press(app, "seed_add:send")


def test_a_name_that_is_taken_is_told_with_a_free_one(open_page: Open, ws: Workspace, seed: int) -> None:
    app = open_page("seeds")
    assert "no data file was chosen" in errors(send(app))
    app.file_uploader(key=FILES).upload("Sales.csv", CSV).run()
    assert "**Sales-2**, after the file" in said(app)
    assert "already a seed called 'SALES'" in errors(type_into(app, "name", "SALES"))
    assert "the name holds ' ', '!'" in errors(type_into(app, "name", "my sales!"))
    send(app)
    assert jobs.select(ws) == []
    assert names_of(app) == ["Sales.csv"]
    press(app, "seed_add:free")
    assert app.text_input(key="seed_add:name").value == "my-sales"
    assert not app.error
    send(app)
    (order,) = payloads(ws, "seed_add")
    assert (order["name"], order["files"][0]["name"]) == ("my-sales", "Sales.csv")
    assert ws.blob_path(order["files"][0]["digest"]).read_bytes() == CSV


def test_a_refused_press_is_answered_at_the_button(open_page: Open, ws: Workspace, seed: int) -> None:
    jobs.enqueue(ws, kind="seed_add", payload={"name": "old"}, key="seed_add", created_by="mei")
    fail(ws, "seed_add", "the old one broke")
    app = open_page("seeds")
    assert "the old one broke" in said(app)
    app.file_uploader(key=FILES).upload("new.csv", CSV).run()
    send(type_into(app, "name", "sales"))
    assert "nothing was added: there is already a seed called 'sales'" in errors(app)
    assert "the old one broke" not in said(app)
    assert "nothing was added" in said(app.run())
    app.file_uploader(key="seed_add:notebook:0").upload("idea.ipynb", b"{}", "application/json")
    assert "nothing was added" not in said(app.run())
    send(type_into(app, "name", "newer"))
    assert payloads(ws, "seed_add")[0]["name"] == "newer"


def test_files_that_cannot_be_read_are_told_before_they_are_sent(open_page: Open, ws: Workspace) -> None:
    app = open_page("seeds")
    assert "at most 200 MB per file" in said(app)
    wrong = {"old.xls": (b"x", "no kind of data file"), "empty.csv": (b"", "is empty"), "zeros.csv": (b"\0", "NUL")}
    for name, (content, what) in wrong.items():
        app.file_uploader(key=FILES).set_value((name, content, "text/csv")).run()
        assert what in app.error[0].value
    app.file_uploader(key=FILES).set_value(("late.csv", b"a\n" * 40_000 + b"\0", "text/csv")).run()
    assert not app.error, "zeros far down are looked for when it is sent"
    assert "NUL bytes" in send(app).error[0].value
    assert names_of(app) == ["late.csv"]
    assert jobs.select(ws) == []


def test_what_failed_is_put_into_the_form_again_and_sent_changed(open_page: Open, ws: Workspace) -> None:
    app = open_page("seeds")
    app.file_uploader(key=FILES).set_value([("a.csv", CSV, "text/csv"), ("b.csv", CSV + b"b,2\n", "text/csv")])
    send(type_into(app, "licence", "CC0-1.0"))
    failed = fail(ws, "seed_add")
    app = open_page("seeds")  # another tab, another day
    buttons = [str(each.key) for each in app.main.button]
    assert buttons.index(f"again:{failed.id}") < buttons.index(f"job:{failed.id}:resume")
    press(app, f"again:{failed.id}")
    assert [app.text_input(key=f"seed_add:{name}").value for name in ("name", "licence")] == ["a", "CC0-1.0"]
    assert "a.csv" in said(app)
    press(app, "seed_add:drop:1")
    send(type_into(app, "name", "better"))
    again = jobs.select(ws)[0]
    assert again.id != failed.id
    assert again.payload == {**failed.payload, "name": "better", "files": failed.payload["files"][:1]}
    fail(ws, "seed_add")
    assert "Sent before" not in said(app.run()), "what was sent is not sent a second time"


def test_a_licence_is_told_by_its_identifier(open_page: Open, ws: Workspace) -> None:
    app = open_page("seeds")
    app.file_uploader(key=FILES).upload("sales.csv", CSV)
    assert "forbids passing the data on" in type_into(app, "licence", "All rights reserved").warning[0].value
    press(type_into(app, "licence", "cc by 4.0"), "seed_add:spdx")
    assert app.text_input(key="seed_add:licence").value == "CC-BY-4.0"
    assert "SPDX" not in said(app)
    send(app)
    assert payloads(ws, "seed_add")[0]["licence"] == "CC-BY-4.0"


def test_a_file_is_read_in_the_encoding_that_a_button_names(open_page: Open, ws: Workspace) -> None:
    app = open_page("seeds")
    app.file_uploader(key=FILES).upload("orders.csv", "Kunde;Preis €\nMüller;3\n".encode("cp1252"))
    send(type_into(app, "title", "Orders"))
    refused = fail(ws, "seed_add", by_input="yes")
    app = open_page("seeds")
    assert f"read_as:{refused.id}:WINDOWS-1251" in keys(app)
    press(app, f"read_as:{refused.id}:WINDOWS-1252")
    failed = fail(ws, "seed_add", by_input="yes")
    assert failed.payload == {**refused.payload, "encoding": "WINDOWS-1252"}
    app = open_page("seeds")
    assert not [key for key in keys(app) if key.startswith("read_as:")]
    press(app, f"again:{failed.id}")
    send(type_into(app, "name", "better"))
    assert payloads(ws, "seed_add")[0]["encoding"] == "WINDOWS-1252"
