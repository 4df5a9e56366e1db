"""Files that cannot become a seed: each refused in words that name the file and the remedy."""

import io
import os
import zipfile
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest

from authoring.seeds import add_seed, build_profile, open_bundle
from authoring.store.drafting.seeds import list_seeds
from authoring.store.workspace import Workspace
from evaluator.errors import ContentError, ToolkitError, UsageError
from evaluator.session import Engine
from tests.seeds.read_here import HERE, files_read_here

GOOD = "a,b\n1,2\n3,4\n"
PNG = b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01\x00\x00\x00\x01\x08\x00"


def _bytes(name: str, *contents: bytes) -> Callable[[Path], list[Path]]:
    """Write a file, and others beside it for more than one content."""

    def write(folder: Path) -> list[Path]:
        paths = [folder / (f"{number}{name}" if number else name) for number in range(len(contents))]
        for path, content in zip(paths, contents, strict=True):
            path.write_bytes(content)
        return paths

    return write


def _text(name: str, content: str) -> Callable[[Path], list[Path]]:
    return _bytes(name, content.encode())


def _stored(file: str, name: str) -> Callable[[Path], list[Path]]:
    """A file that another program wrote."""
    return _bytes(name, (Path(__file__).parent / "files" / file).read_bytes())


def _zip(part: str) -> Callable[[Path], list[Path]]:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        archive.writestr(part, "a,b\n")
    return _bytes("e.xlsx", stream.getvalue())


def _workbook(columns: str, cut: int = 0) -> Callable[[Path], list[Path]]:
    def write(folder: Path) -> list[Path]:
        pd.DataFrame([[1, 2]] * 50, columns=list(columns)).to_excel(path := folder / "e.xlsx", index=False)
        os.truncate(path, path.stat().st_size - cut)
        return [path]

    return write


def _two_gigabytes(folder: Path) -> list[Path]:
    path = folder / "huge.csv"
    with path.open("wb") as stream:
        stream.truncate(2 * 1024**3)  # sparse: nothing may read it
    return [path]


def _folder(folder: Path) -> list[Path]:
    (folder / "data.csv").mkdir()
    return [folder / "data.csv"]


REFUSALS: list[tuple[str, Callable[[Path], list[Path]], type[ToolkitError], str]] = [
    ("missing", lambda folder: [folder / "nowhere.csv"], UsageError, "there is no file 'nowhere.csv'"),
    ("folder", _folder, UsageError, "'data.csv' is a folder"),
    ("no files", lambda _: [], UsageError, "at least one data file"),
    ("given twice", lambda folder: _text("a.csv", GOOD)(folder) * 2, UsageError, "'a.csv' is given twice"),
    ("same content", _bytes("a.csv", b"a\n1\n", b"a\n1\n"), UsageError, "'1a.csv' and 'a.csv' are the same file"),
    ("2 GB", _two_gigabytes, ContentError, "'huge.csv' has 2,048 MB; at most 200 MB"),
    ("empty file", _text("e.csv", ""), ContentError, "'e.csv' is empty"),
    ("blank lines", _text("e.csv", "\n\n  \n"), ContentError, "'e.csv' holds no table"),
    ("0 rows", _text("e.csv", "a,b\n"), ContentError, "'e.csv' has 0 rows"),
    ("repeated names", _text("e.csv", "a,b,a\n1,2,3\n"), ContentError, "column names more than once: 'a'"),
    ("empty header", _text("e.csv", ",,\n1,2,3\n"), ContentError, "'e.csv' has an empty header line"),
    ("long rows", _text("e.csv", "a,b\n1,2,3\n4,5,6\n"), ContentError, "more fields than its header names"),
    ("ragged rows", _text("e.csv", "a,b\n1,2\n3,4,5\n"), ContentError,
     "'e.csv' has 3 fields on line 3, where its header has 2"),
    ("several ragged rows", _text("e.csv", 'a,b\n1,"2\n"\n3,4,5\n6,7\n8,9,10\n11,12,13\n'), ContentError,
     "'e.csv' has 3 fields on line 4, where its header has 2; 2 others are too long: lines 6, 7"),
    ("open quotation mark", _text("e.csv", 'a,b\n1,"2\n3,4\n'), ContentError, "opens a quotation mark"),
    ("nothing but missing", _text("e.csv", "a,b\n,\n,\n"), ContentError, "'e.csv' holds no value: all of its 2 rows"),
    ("Latin-1", _bytes("e.csv", "a,name\n1,x\n2,M\xfcller\n".encode("latin-1")), ContentError,
     "'e.csv' is not UTF-8 text: line 3 holds 'M\xfcller' (WINDOWS-1252) or "),
    ("Chinese", _bytes("e.csv", "a,城市\n1,北京\n".encode("gb18030")), ContentError, "or '城市' (GB18030)"),
    ("UTF-8 cut short", _bytes("e.csv", "a,b\n1,ü".encode()[:-1]), ContentError, "ends inside a character, on line 2"),
    ("UTF-16 without its mark", _bytes("e.csv", "a,b\n1,2\n".encode("utf-16-le")), ContentError,
     "looks like UTF-16LE text"),
    ("UTF-16 cut short", _bytes("e.csv", "a,b\n1,2\n".encode("utf-16")[:-1]), ContentError, "is no UTF-16 text"),
    ("binary", _bytes("e.csv", b"a,b\n1,2\n\x00\x01,2\n"), ContentError, "holds NUL bytes (first on line 3)"),
    ("a picture as CSV", _bytes("e.csv", PNG), ContentError, "'e.csv' is a PNG picture"),
    ("a PNG as JPEG", _bytes("e.jpg", PNG), ContentError, "'e.jpg' is a PNG picture"),
    ("a broken picture", _bytes("e.png", PNG), ContentError, "'e.png' cannot be read as PNG"),
    ("a web page as CSV", _text("e.csv", "\n<!DOCTYPE html>\n<html><table>"), ContentError, "'e.csv' is a web page"),
    ("old Excel", _stored("old.xls", "e.xls"), ContentError, "no kind of data file"),
    ("old Excel under a new name", _stored("old.xls", "e.xlsx"), ContentError, "format before 2007 (.xls)"),
    ("encrypted Excel", _stored("encrypted.xlsx", "e.xlsx"), ContentError, "'e.xlsx' is encrypted with a password"),
    ("OpenDocument", _stored("sheet.ods", "e.ods"), ContentError, "no kind of data file"),
    ("OpenDocument as Excel", _stored("sheet.ods", "e.xlsx"), ContentError, "an OpenDocument spreadsheet (.ods)"),
    ("binary Excel", _zip("xl/workbook.bin"), ContentError, "a binary Excel workbook (.xlsb)"),
    ("an archive as Excel", _zip("data.csv"), ContentError, "'e.xlsx' is a ZIP archive"),
    ("a web page as Excel", _text("e.xlsx", "<html><table><tr><td>1"), ContentError, "'e.xlsx' is a web page"),
    ("CSV as Excel", _text("e.xlsx", GOOD), ContentError, "'e.xlsx' is plain text"),
    ("Excel cut short", _workbook("ab", 200), ContentError, "'e.xlsx' is a damaged ZIP archive or workbook"),
    ("no Excel at all", _bytes("e.xlsx", b"\x00\x01\x02"), ContentError, "'e.xlsx' is not a readable .xlsx file"),
    ("Excel of 0 bytes", _bytes("e.xlsx", b""), ContentError, "'e.xlsx' is empty"),
    ("CSV as Parquet", _text("e.parquet", GOOD), ContentError, "'e.parquet' is plain text"),
    ("Parquet cut short", _bytes("e.parquet", b"PAR1\x00\xff"), ContentError, "'e.parquet' cannot be read as parquet"),
    ("broken JSON", _text("e.json", '[{"a": 1}, '), ContentError, "'e.json' is not valid JSON"),
    ("JSON without table", _text("e.json", '{"a": 1}'), ContentError, "JSON that is no table"),
    ("unknown kind", _text("e.docx", "x"), ContentError, "no kind of data file"),
    ("odd name", _text("a'b.csv", GOOD), ContentError, "cannot be the name of an input file"),
    ("long column name", _text("e.csv", f"{'x' * 600},b\n1,2\n"), ContentError, "more than 500 characters"),
    ("many columns", _text("e.csv", ",".join(f"c{i}" for i in range(501)) + "\n" + "1," * 500 + "1\n"),
     ContentError, "'e.csv' has 501 columns; at most 500 are read"),
    ("repeated names in Excel", _workbook("aa"), ContentError, "column names more than once: 'a'"),
]  # fmt: skip


REMEDIES = {
    "encrypted Excel": "save it without one",
    "old Excel": "save it as .xlsx or CSV",
    "OpenDocument": "save it as .xlsx or CSV",
    "a picture as CSV": "a name that ends in .png",
    "CSV as Excel": "a name that ends in .csv",
    "Latin-1": "open it as WINDOWS-1252",
    "Chinese": "save it as UTF-8",
    "UTF-16 without its mark": "open it as UTF-16LE",
    "ragged rows": "quotation marks around fields",
}


def test_a_bad_file_is_refused_in_plain_words_and_nothing_is_kept(workspace: Workspace, tmp_path: Path) -> None:
    for number, (name, write, kind, message) in enumerate(REFUSALS):
        (folder := tmp_path / str(number)).mkdir()
        with pytest.raises(kind) as raised:
            add_seed(workspace, write(folder), name="bad", engine=HERE)
        assert type(raised.value) is kind, name
        assert message in raised.value.what, name
        assert "missing package" not in raised.value.what.lower(), name
        assert raised.value.fix, name
        assert REMEDIES.get(name, "") in raised.value.fix, name
    assert list_seeds(workspace) == []


def test_an_unreadable_file_is_named(workspace: Workspace, tmp_path: Path) -> None:
    path = tmp_path / "secret.csv"
    path.write_text(GOOD)
    path.chmod(0)
    was_root = os.geteuid() == 0
    if was_root:  # root reads everything
        os.seteuid(65534)
    try:
        with pytest.raises(UsageError, match=r"'secret\.csv' cannot be read"):
            add_seed(workspace, [path], name="bad", engine=HERE)
    finally:
        if was_root:
            os.seteuid(0)


def test_a_broken_notebook_is_refused(workspace: Workspace, tmp_path: Path) -> None:
    (data := tmp_path / "a.csv").write_text(GOOD)
    for name, content, message in (
        ("n.ipynb", "{broken", "not a readable notebook"),
        ("n.ipynb", "[]", "not a readable notebook"),
        ("n.ipynb", '{"cells": 3}', "not a readable notebook"),
        ("n.ipynb", '{"cells": [{"cell_type": "raw", "source": "x"}]}', "holds no code and no text"),
        ("n.txt", "{}", "no notebook"),
    ):
        (tmp_path / name).write_text(content)
        with pytest.raises(ContentError, match=message):
            add_seed(workspace, [data], notebook=tmp_path / name, name="bad", engine=HERE)


def test_a_taken_or_bad_name_is_refused_before_the_files_are_read(workspace: Workspace, tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text(GOOD)
    add_seed(workspace, [path], name="one", engine=HERE)
    with pytest.raises(UsageError, match="already a seed called 'one'"):
        add_seed(workspace, [path], name="one", engine=HERE)
    with pytest.raises(UsageError, match="digits only"):
        add_seed(workspace, [path], name="12", engine=HERE)


def test_names_that_differ_in_case_only_are_refused(workspace: Workspace, tmp_path: Path) -> None:
    """On some disks one file would overwrite the other."""
    paths = [tmp_path / "one" / "a.csv", tmp_path / "two" / "A.csv"]
    for path in paths:
        path.parent.mkdir()
        path.write_text(GOOD)
    with pytest.raises(UsageError, match="two files are called"):
        add_seed(workspace, paths, name="both", engine=HERE)


def test_a_folder_of_files_that_cannot_be_read_says_what_helps(tmp_path: Path) -> None:
    _stored("old.xls", "e.xls")(tmp_path)
    with pytest.raises(ContentError, match="holds no data file") as raised:
        open_bundle([tmp_path], tmp_path)
    assert "as for 'e.xls': open it in a spreadsheet program" in raised.value.fix


def test_a_column_may_be_called_as_another_kind_of_file_begins(tmp_path: Path) -> None:
    for kind in ("PAR1", "GIF8", "BZh", "Rar!"):
        (path,) = _text("e.csv", f"{kind},b\n1,2\n")(tmp_path)
        assert [column.name for column in build_profile(HERE, [path]).tables[0].columns] == [kind, "b"]


def test_a_session_refuses_a_file_as_this_process_does(workspace: Workspace, engine: Engine, tmp_path: Path) -> None:
    files = _text("e.csv", "a,b\n1,2\n3,4,5\n")(tmp_path)
    with pytest.raises(ContentError, match="has 3 fields on line 3") as sandboxed:
        add_seed(workspace, files, name="bad", engine=engine)
    with files_read_here(), pytest.raises(ContentError) as here:
        add_seed(workspace, files, name="bad", engine=HERE)
    assert str(sandboxed.value) == str(here.value)
