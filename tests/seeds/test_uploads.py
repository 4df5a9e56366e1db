"""What keeps an upload from becoming a seed is told before it is sent, all of it, with the remedy."""

import codecs

import pytest

from authoring.seeds.intake import MAX_FILE_BYTES, MAX_FILES, Upload, upload_faults


def upload(name: str, content: bytes = b"a,b\n1,2\n") -> Upload:
    return Upload(name, len(content), content)


@pytest.mark.parametrize(
    ("file", "what", "fix"),
    [
        (upload("old.xls"), "no kind of data file", "save it as .xlsx"),
        (upload("sheet.ipynb"), "no kind of data file", "the field Notebook"),
        (upload("empty.csv", b""), "is empty", "with data in it"),
        (upload("blank.csv", codecs.BOM_UTF8 + b" \n\n"), "nothing but blanks", "with data in it"),
        (upload("zeros.csv", b"a,b\n1,\0\n"), "NUL bytes", "save it as UTF-8"),
        (Upload("big.csv", 250 * 2**20, b"a,b\n"), "has 250 MB; at most 200 MB", "rows and columns that matter"),
        (upload("a|b.csv"), "cannot be the name", "rename it"),
    ],
)
def test_a_file_that_would_be_refused_is_told_with_its_remedy(file: Upload, what: str, fix: str) -> None:
    (fault,) = upload_faults([file])
    assert what in fault.what
    assert fix in fault.fix


def test_files_that_can_be_read_pass() -> None:
    wide = codecs.BOM_UTF16_LE + "a,b".encode("utf-16-le")
    files = [upload("a.csv"), upload("b.JSON", b"{}"), upload("wide.csv", wide), upload("c.parquet", b"PAR1\0")]
    assert upload_faults(files) == []
    assert upload_faults([Upload("largest.csv", MAX_FILE_BYTES, b"a")]) == []
    assert upload_faults([upload("all.zip", b"PK\0")]) == []


def test_blanks_at_the_start_of_a_larger_file_are_no_fault() -> None:
    assert upload_faults([Upload("late.csv", 70_000, b" " * 64_000)]) == []


def test_every_file_is_told_and_so_is_what_is_wrong_with_all_of_them() -> None:
    faults = upload_faults([upload("a.csv"), upload("A.csv"), upload("all.zip", b"PK"), upload("x.pdf")])
    assert [each.what.split("'")[-1].strip() for each in faults] == [
        "",
        "is an archive beside other files",
        "is no kind of data file that can be read",
    ]
    many = [upload(f"{number}.csv") for number in range(MAX_FILES + 1)]
    assert [each.what for each in upload_faults(many)] == [f"a seed has at most {MAX_FILES} files, not {MAX_FILES + 1}"]
