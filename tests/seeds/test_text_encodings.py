"""Text in another encoding than UTF-8 is read in the one that its owner names, and stored as UTF-8."""

import codecs
import os
from pathlib import Path

import pytest

from authoring.seeds.text_encodings import possible_encodings, write_as_utf8
from evaluator.errors import ContentError

TEXT = "Kunde;Preis €\nMüller;3,50\n"


def write(folder: Path, content: bytes, name: str = "orders.csv") -> Path:
    path = folder / name
    path.write_bytes(content)
    return path


def test_the_encodings_in_which_a_text_reads_are_named_the_common_one_first(tmp_path: Path) -> None:
    assert possible_encodings(write(tmp_path, TEXT.encode("cp1252")))[:2] == ("WINDOWS-1252", "WINDOWS-1251")
    assert "SHIFT_JIS" in possible_encodings(write(tmp_path, "名前;値段\n東京;3\n".encode("shift_jis")))
    late = b"a;b\n" * 600_000 + "Müller;1\n".encode("cp1252")
    assert "WINDOWS-1252" in possible_encodings(write(tmp_path, late))


@pytest.mark.parametrize("content", [b"name\nCaf\xe9", b"name\r\n\xc3"])
def test_a_last_character_that_is_not_utf8_counts_though_nothing_stands_behind_it(
    tmp_path: Path, content: bytes
) -> None:
    path = write(tmp_path, content)
    assert "WINDOWS-1252" in possible_encodings(path)
    write_as_utf8(path, "WINDOWS-1252")
    assert path.read_bytes() == content.decode("cp1252").encode()


def test_the_mark_of_utf8_before_other_text_is_no_part_of_it(tmp_path: Path) -> None:
    path = write(tmp_path, codecs.BOM_UTF8 + TEXT.encode("cp1252"))
    write_as_utf8(path, "WINDOWS-1252")
    assert path.read_bytes() == TEXT.encode()


@pytest.mark.parametrize("content", [TEXT.encode(), b"", codecs.BOM_UTF16_LE + TEXT.encode("utf-16-le")])
def test_text_whose_encoding_is_known_stays_as_it_is(tmp_path: Path, content: bytes) -> None:
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
