"""Files that cannot become a seed: each refused in words that name the file and the remedy."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from authoring.seeds import add_seed
from authoring.store.drafting.seeds import list_seeds
from authoring.store.workspace import Workspace
from evaluator.errors import ContentError, ToolkitError, UsageError
from evaluator.session import Engine

GOOD = "a,b\n1,2\n3,4\n"


def _text(name: str, content: str) -> Callable[[Path], list[Path]]:
    return _bytes(name, content.encode())


def _bytes(name: str, content: bytes) -> Callable[[Path], list[Path]]:
    def write(folder: Path) -> list[Path]:
        (folder / name).write_bytes(content)
        return [folder / name]

    return write


def _missing(folder: Path) -> list[Path]:
    return [folder / "nowhere.csv"]


def _folder(folder: Path) -> list[Path]:
    (folder / "data.csv").mkdir()
    return [folder / "data.csv"]


def _two_gigabytes(folder: Path) -> list[Path]:
    path = folder / "huge.csv"
    with path.open("wb") as stream:
        stream.truncate(2 * 1024**3)  # sparse: nothing may read it
    return [path]


def _same_path_twice(folder: Path) -> list[Path]:
    (folder / "a.csv").write_text(GOOD)
    return [folder / "a.csv", folder / "a.csv"]


def _same_content_twice(folder: Path) -> list[Path]:
    (folder / "a.csv").write_text(GOOD)
    (folder / "b.csv").write_text(GOOD)
    return [folder / "a.csv", folder / "b.csv"]


def _none(folder: Path) -> list[Path]:
    return []


REFUSALS: list[tuple[str, Callable[[Path], list[Path]], type[ToolkitError], str]] = [
    ("missing", _missing, UsageError, "there is no file 'nowhere.csv'"),
    ("folder", _folder, UsageError, "'data.csv' is a folder"),
    ("no files", _none, UsageError, "at least one data file"),
    ("given twice", _same_path_twice, UsageError, "'a.csv' is given twice"),
    ("same content", _same_content_twice, UsageError, "'b.csv' and 'a.csv' are the same file"),
    ("2 GB", _two_gigabytes, ContentError, "'huge.csv' has 2,147 MB; at most 210 MB"),
    ("empty file", _text("e.csv", ""), ContentError, "'e.csv' is empty"),
    ("blank lines", _text("e.csv", "\n\n  \n"), ContentError, "'e.csv' holds no table"),
    ("0 rows", _text("e.csv", "a,b\n"), ContentError, "'e.csv' has 0 rows"),
    ("repeated names", _text("e.csv", "a,b,a\n1,2,3\n"), ContentError, "column names more than once: 'a'"),
    ("empty header", _text("e.csv", ",,\n1,2,3\n"), ContentError, "'e.csv' has an empty header line"),
    ("long rows", _text("e.csv", "a,b\n1,2,3\n4,5,6\n"), ContentError, "more fields than its header names"),
    ("ragged rows", _text("e.csv", "a,b\n1,2\n3,4,5\n"), ContentError, "cannot be read as csv"),
    ("Latin-1", _bytes("e.csv", "name\nM\xfcller\n".encode("latin-1")), ContentError, "'e.csv' is not UTF-8"),
    ("UTF-16", _bytes("e.csv", "a,b\n1,2\n".encode("utf-16")), ContentError, "'e.csv' is not UTF-8"),
    ("binary", _bytes("e.csv", b"a,b\n\x00\x01,2\n"), ContentError, "NUL bytes"),
    ("old Excel", _bytes("e.xls", b"\xd0\xcf\x11\xe0"), ContentError, "no kind of data file"),
    ("not Excel", _bytes("e.xlsx", b"PK nothing"), ContentError, "'e.xlsx' cannot be read as xlsx"),
    ("not Parquet", _bytes("e.parquet", b"PAR1 nothing"), ContentError, "'e.parquet' cannot be read as parquet"),
    ("broken JSON", _text("e.json", '[{"a": 1}, '), ContentError, "'e.json' is not valid JSON"),
    ("JSON without table", _text("e.json", '{"a": 1}'), ContentError, "JSON that is no table"),
    ("unknown kind", _text("e.docx", "x"), ContentError, "no kind of data file"),
    ("odd name", _text("a'b.csv", GOOD), ContentError, "cannot be the name of an input file"),
    ("long column name", _text("e.csv", f"{'x' * 600},b\n1,2\n"), ContentError, "more than 500 characters"),
    ("too many columns", _text("e.csv", ",".join(f"c{i}" for i in range(600)) + "\n" + "1," * 599 + "1\n"),
     ContentError, "600 columns"),
]  # fmt: skip


@pytest.mark.parametrize(("write", "kind", "message"), [one[1:] for one in REFUSALS], ids=[one[0] for one in REFUSALS])
def test_a_bad_file_is_refused_in_plain_words_and_nothing_is_kept(
    workspace: Workspace,
    engine: Engine,
    tmp_path: Path,
    write: Callable[[Path], list[Path]],
    kind: type[ToolkitError],
    message: str,
) -> None:
    files = write(tmp_path)
    with pytest.raises(kind, match=r".+") as raised:
        add_seed(workspace, files, name="bad", engine=engine)
    assert type(raised.value) is kind
    assert message in raised.value.what
    assert raised.value.fix
    assert list_seeds(workspace) == []


def test_an_unreadable_file_is_named(workspace: Workspace, engine: Engine, tmp_path: Path) -> None:
    path = tmp_path / "secret.csv"
    path.write_text(GOOD)
    path.chmod(0)
    was_root = os.geteuid() == 0
    if was_root:  # root reads everything
        os.seteuid(65534)
    try:
        with pytest.raises(UsageError, match=r"'secret\.csv' cannot be read"):
            add_seed(workspace, [path], name="bad", engine=engine)
    finally:
        if was_root:
            os.seteuid(0)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("n.ipynb", "{broken", "not a readable notebook"),
        ("n.ipynb", "[]", "not a readable notebook"),
        ("n.ipynb", '{"cells": 3}', "not a readable notebook"),
        ("n.ipynb", '{"cells": [{"cell_type": "raw", "source": "x"}]}', "holds no code and no text"),
        ("n.txt", "{}", "no notebook"),
    ],
)
def test_a_broken_notebook_is_refused(
    workspace: Workspace, engine: Engine, tmp_path: Path, name: str, content: str, message: str
) -> None:
    data, book = tmp_path / "a.csv", tmp_path / name
    data.write_text(GOOD)
    book.write_text(content)
    with pytest.raises(ContentError, match=message):
        add_seed(workspace, [data], notebook=book, name="bad", engine=engine)


def test_a_taken_or_bad_name_is_refused_before_the_files_are_read(
    workspace: Workspace, engine: Engine, tmp_path: Path
) -> None:
    path = tmp_path / "a.csv"
    path.write_text(GOOD)
    add_seed(workspace, [path], name="one", engine=engine)
    with pytest.raises(UsageError, match="already a seed called 'one'"):
        add_seed(workspace, [path], name="one", engine=engine)
    with pytest.raises(UsageError, match="digits only"):
        add_seed(workspace, [path], name="12", engine=engine)
