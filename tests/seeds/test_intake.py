"""What may come in: kinds of file, what keeps an upload from becoming a seed, text in other encodings than UTF-8."""

import codecs
import os
from pathlib import Path

import pandas as pd
import pytest

from authoring.seeds.intake import MAX_FILE_BYTES, MAX_FILES, Upload, file_kind, upload_faults
from authoring.seeds.profile_cell.reading import READERS
from authoring.seeds.text_encodings import possible_encodings, write_as_utf8
from authoring.templates.families.opening import BYTES_PER_SECOND
from authoring.ui.seeds.seed_form import SUFFIXES
from evaluator.errors import ContentError
from evaluator.language.file_kinds import INPUT_FILE_KINDS, KIND_OF_SUFFIX
from evaluator.running.checking.label_check import label_probe


def test_each_declared_kind_is_uploaded_profiled_and_searched_for_labels() -> None:
    assert len(INPUT_FILE_KINDS) >= 7
    assert len(KIND_OF_SUFFIX) == sum(len(kind.suffixes) for kind in INPUT_FILE_KINDS) >= 12
    for kind in INPUT_FILE_KINDS:
        for suffix in kind.suffixes:
            assert file_kind(Path(f"data{suffix.upper()}")) == kind.name
            assert suffix in SUFFIXES
            assert (suffix in READERS) == bool(kind.reader)
            assert (repr(suffix) in label_probe("y", "X")) == bool(kind.reader)
        if kind.reader:
            assert callable(getattr(pd, kind.reader))
            assert kind.reader in BYTES_PER_SECOND, "the time that loading takes is known"
    assert set(READERS) == {suffix for suffix, kind in KIND_OF_SUFFIX.items() if kind.reader}
    assert set(SUFFIXES) == {*KIND_OF_SUFFIX, ".zip"}


def upload(name: str, content: bytes = b"a,b\n1,2\n") -> Upload:
    return Upload(name, len(content), content)


def test_a_file_that_would_be_refused_is_told_with_its_remedy() -> None:
    for file, what, fix in (
        (upload("old.xls"), "no kind of data file", "save it as .xlsx"),
        (upload("sheet.ipynb"), "no kind of data file", "the field Notebook"),
        (upload("empty.csv", b""), "is empty", "with data in it"),
        (upload("blank.csv", codecs.BOM_UTF8 + b" \n\n"), "nothing but blanks", "with data in it"),
        (upload("zeros.csv", b"a,b\n1,\0\n"), "NUL bytes", "save it as UTF-8"),
        (Upload("big.csv", 250 * 2**20, b"a,b\n"), "has 250 MB; at most 200 MB", "rows and columns that matter"),
        (upload("a|b.csv"), "cannot be the name", "rename it"),
    ):
        (fault,) = upload_faults([file])
        assert what in fault.what
        assert fix in fault.fix


def test_files_that_can_be_read_pass() -> None:
    wide = codecs.BOM_UTF16_LE + "a,b".encode("utf-16-le")
    files = [upload("a.csv"), upload("b.JSON", b"{}"), upload("wide.csv", wide), upload("c.parquet", b"PAR1\0")]
    assert upload_faults(files) == []
    assert upload_faults([Upload("largest.csv", MAX_FILE_BYTES, b"a")]) == []
    assert upload_faults([upload("all.zip", b"PK\0")]) == []
    assert upload_faults([Upload("late.csv", 70_000, b" " * 64_000)]) == []


def test_every_file_is_told_and_so_is_what_is_wrong_with_all_of_them() -> None:
    faults = upload_faults([upload("a.csv"), upload("A.csv"), upload("all.zip", b"PK"), upload("x.pdf")])
    said = ["", "is an archive beside other files", "is no kind of data file that can be read"]
    assert [each.what.split("'")[-1].strip() for each in faults] == said
    many = [upload(f"{number}.csv") for number in range(MAX_FILES + 1)]
    assert [each.what for each in upload_faults(many)] == [f"a seed has at most {MAX_FILES} files, not {MAX_FILES + 1}"]


TEXT = "Kunde;Preis €\nMüller;3,50\n"


def write(folder: Path, content: bytes, name: str = "orders.csv") -> Path:
    path = folder / name
    path.write_bytes(content)
    return path


def test_encodings_in_which_a_text_reads_are_named_common_ones_first(tmp_path: Path) -> None:
    assert possible_encodings(write(tmp_path, TEXT.encode("cp1252")))[:2] == ("WINDOWS-1252", "WINDOWS-1251")
    assert "SHIFT_JIS" in possible_encodings(write(tmp_path, "名前;値段\n東京;3\n".encode("shift_jis")))
    late = b"a;b\n" * 600_000 + "Müller;1\n".encode("cp1252")
    assert "WINDOWS-1252" in possible_encodings(write(tmp_path, late))
    for content in (b"name\nCaf\xe9", b"name\r\n\xc3"):
        path = write(tmp_path, content)
        assert "WINDOWS-1252" in possible_encodings(path)
        write_as_utf8(path, "WINDOWS-1252")
        assert path.read_bytes() == content.decode("cp1252").encode()
    path = write(tmp_path, codecs.BOM_UTF8 + TEXT.encode("cp1252"))  # the mark is no part of it
    write_as_utf8(path, "WINDOWS-1252")
    assert path.read_bytes() == TEXT.encode()


def test_text_whose_encoding_is_known_stays_as_it_is(tmp_path: Path) -> None:
    for content in (TEXT.encode(), b"", codecs.BOM_UTF16_LE + TEXT.encode("utf-16-le")):
        path = write(tmp_path, content)
        assert possible_encodings(path) == ()
        write_as_utf8(path, "WINDOWS-1252")
        assert path.read_bytes() == content


def test_a_text_is_written_anew_and_what_it_is_a_link_to_stays(tmp_path: Path) -> None:
    stored = write(tmp_path, TEXT.encode("cp1252"), "stored")
    path = tmp_path / "orders.csv"
    os.link(stored, path)
    write_as_utf8(path, "WINDOWS-1252")
    assert (path.read_bytes(), stored.read_bytes()) == (TEXT.encode(), TEXT.encode("cp1252"))


def test_what_is_not_in_the_named_encoding_is_refused_with_its_line(tmp_path: Path) -> None:
    with pytest.raises(ContentError, match="is no WINDOWS-1252 text: line 2 holds the byte 0x81"):
        write_as_utf8(write(tmp_path, b"a\n\x81\n"), "WINDOWS-1252")
    with pytest.raises(ContentError, match="no encoding is called 'latin'"):
        write_as_utf8(write(tmp_path, b"\xfc\n"), "latin")
