"""Opening part of the profile cell: tells from the bytes of a file what it is, whatever its name ends in."""

import codecs
import mmap
import re
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

HEAD_BYTES = 4096
WORKBOOK = "an Excel workbook"
BY_SUFFIX = {".xlsx": WORKBOOK, ".parquet": "a Parquet file", ".png": "a PNG picture", ".jpg": "a JPEG picture"}
BY_SUFFIX[".jpeg"] = BY_SUFFIX[".jpg"]
OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"  # the container of encrypted workbooks and of those from before 2007
PDF = b"%PDF-"
UNPACK = "unpack it, and add the data files that are in it"
SAVE_AGAIN = "open it in the program that wrote it and save it once more"
EXPORT = "export its table as CSV, and add that"
SAVE_AS_XLSX = "open it in a spreadsheet program and save it as .xlsx or CSV"
DECRYPT = (
    "open it with its password and save it without one (in Excel: File, Info, Protect Workbook, Encrypt with Password; "
    "empty the field), or save its sheets as CSV"
)


class Form(NamedTuple):
    """What a file is by its bytes, and what its owner can do when its name says otherwise."""

    name: str  # with its article
    fix: str


def renamed(*suffixes: str) -> str:
    """Return the advice to rename a file that can be read as it is."""
    return f"if that is what it should be, give it a name that ends in {' or '.join(suffixes)}"


SIGNATURES = (
    (b"\x89PNG\r\n\x1a\n", Form(BY_SUFFIX[".png"], renamed(".png"))),
    (b"\xff\xd8\xff", Form(BY_SUFFIX[".jpg"], renamed(".jpg"))),
    (b"PAR1", Form(BY_SUFFIX[".parquet"], renamed(".parquet"))),
    (b"GIF8", Form("a GIF picture", "save it as PNG or JPEG")),
    (PDF, Form("a PDF document", EXPORT)),
    (b"\x1f\x8b", Form("a gzip archive", UNPACK)),
    (b"BZh", Form("a bzip2 archive", UNPACK)),
    (b"7z\xbc\xaf\x27\x1c", Form("a 7z archive", UNPACK)),
    (b"Rar!\x1a\x07", Form("a RAR archive", UNPACK)),
    (b"\x28\xb5\x2f\xfd", Form("a zstd archive", UNPACK)),
    (b"SQLite format 3\0", Form("an SQLite database", EXPORT)),
    (b"\x89HDF\r\n\x1a\n", Form("an HDF5 file", EXPORT)),
    (b"ARROW1\0\0", Form("an Arrow file", "save it as Parquet or CSV")),
)
WEB_PAGE = Form("a web page (HTML)", "download the data themselves; of a table on a page, save it as CSV")
PLAIN_TEXT = Form("plain text", renamed(".csv", ".tsv", ".json"))
HTML = re.compile(
    rb"\s*(?:<\?xml[^>]*>\s*)?(?:<!--.*?-->\s*)*<(?:!doctype\s+html|html|head|body|table|meta)\b", re.I | re.S
)


def zip_form(path: Path) -> Form:
    """Return what a ZIP archive is by the names of its parts."""
    try:
        with zipfile.ZipFile(path) as archive:
            names = set(archive.namelist())
            kind = archive.open("mimetype").read(100) if "mimetype" in names else b""
    except Exception:  # noqa: BLE001  whatever the archive's reader raises on a stranger's file
        return Form("a damaged ZIP archive or workbook", "copy it once more, or save it again where it was made")
    if "xl/workbook.xml" in names:
        return Form(WORKBOOK, renamed(".xlsx"))
    if "xl/workbook.bin" in names:
        return Form("a binary Excel workbook (.xlsb)", SAVE_AS_XLSX)
    if kind.startswith(b"application/vnd.oasis.opendocument.spreadsheet"):
        return Form("an OpenDocument spreadsheet (.ods)", SAVE_AS_XLSX)
    if kind or any(name.startswith(("word/", "ppt/")) for name in names):
        return Form("an office document without sheets", EXPORT)
    if "Index/Document.iwa" in names:
        return Form("a Numbers spreadsheet", SAVE_AS_XLSX)
    return Form("a ZIP archive", UNPACK)


def ole_form(path: Path) -> Form:
    """Return what an OLE container is by the names of its streams, which it writes in UTF-16."""
    with path.open("rb") as stream, mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ) as content:
        held = [
            name for name in ("EncryptedPackage", "Workbook", "Book") if content.find(name.encode("utf-16-le")) >= 0
        ]
    if "EncryptedPackage" in held:
        return Form("encrypted with a password", DECRYPT)
    if held:
        return Form("an Excel workbook of the format before 2007 (.xls)", SAVE_AS_XLSX)
    return Form("an office document of the format before 2007", EXPORT)


def form_of(path: Path) -> Form | None:
    """Return what a file is; None: text, or something unknown."""
    with path.open("rb") as stream:
        head = stream.read(HEAD_BYTES)
    if head.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        return zip_form(path)
    if head.startswith(OLE):
        return ole_form(path)
    if HTML.match(head.removeprefix(codecs.BOM_UTF8)):
        return WEB_PAGE
    if head.startswith(PDF) or not begins_as_text(path):  # a column may well be called PAR1
        return next((form for signature, form in SIGNATURES if head.startswith(signature)), None)
    return None


def disguise(path: Path) -> Form | None:
    """Return what a file is when that is not what the end of its name says."""
    form, wanted = form_of(path), BY_SUFFIX.get(path.suffix.lower())
    if wanted is None or form is not None:
        return form if form is not None and form.name != wanted else None
    return PLAIN_TEXT if begins_as_text(path) else Form(f"not a readable {path.suffix.lower()} file", SAVE_AGAIN)


def begins_as_text(path: Path) -> bool:
    """Return whether a file begins with text, in UTF-8 or with the mark of another encoding."""
    with path.open("rb") as stream:
        head = stream.read(HEAD_BYTES)
    try:
        text = codecs.getincrementaldecoder(encoding_of(path) or "utf-8")().decode(head)
    except UnicodeDecodeError:
        return False
    return "\0" not in text


MARKS = (  # the longer ones first: the mark of UTF-32 begins with that of UTF-16
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
CODECS = {"WINDOWS-1252": "cp1252", "WINDOWS-1251": "cp1251", "GB18030": "gb18030", "SHIFT_JIS": "shift_jis"}
WORD = re.compile(rb"[^,;\t|\r\n\"]*")  # what stands between separators, in encodings that hold ASCII
WORD_BYTES = 40


class Unreadable(NamedTuple):
    """Why a file is no text that can be read, and what its owner can do."""

    what: str
    fix: str


def encoding_of(path: Path) -> str:
    """Return the encoding that the mark at a file's start states; empty: there is none, so it must be UTF-8."""
    with path.open("rb") as stream:
        head = stream.read(4)
    return next((name for mark, name in MARKS if head.startswith(mark)), "")


def has_utf8_mark(path: Path) -> bool:
    """Return whether a file starts with the mark that some programs put before UTF-8."""
    with path.open("rb") as stream:
        return stream.read(3) == codecs.BOM_UTF8


def unreadable(path: Path, encoding: str) -> Unreadable | None:
    """Return why a file is no text in the encoding that its mark states (empty: UTF-8), if it is none."""
    decoder = codecs.getincrementaldecoder(encoding or "utf-8")()
    line = 1
    with path.open("rb") as stream:
        while chunk := stream.read(1 << 20):
            if not encoding and b"\0" in chunk:
                return with_nul_bytes(chunk, line)
            try:
                text = decoder.decode(chunk)
            except UnicodeDecodeError as error:
                return other_encoding(error, encoding, line)
            line += text.count("\n")
    try:
        decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        what = f"is no {(encoding or 'utf-8').upper()} text: it ends inside a character, on line {line}"
        return Unreadable(what, "copy it once more, or save it as UTF-8 where it was made")
    return None


def with_nul_bytes(chunk: bytes, line: int) -> Unreadable:
    """Return what a file with NUL bytes can be: UTF-16 without its mark, or no text."""
    head = chunk[:HEAD_BYTES]
    shares = {name: share_of_nul(head[at::2]) for at, name in ((1, "UTF-16LE"), (0, "UTF-16BE"))}
    likely = max(shares, key=shares.__getitem__)
    if shares[likely] > 0.4 and min(shares.values()) < 0.05:
        what = f"looks like {likely} text, but lacks the mark at its start that says so"
        return Unreadable(what, as_utf8(likely))
    line += chunk.count(b"\n", 0, chunk.index(0))
    return Unreadable(f"holds NUL bytes (first on line {line}), so it is no text, or damaged", SAVE_AGAIN)


def as_utf8(encoding: str) -> str:
    """Return how the owner of a text in another encoding makes one of it that can be read."""
    return (
        f"open it as {encoding} in a spreadsheet program or a text editor and save it as UTF-8 "
        "(in Excel: Save As, CSV UTF-8; in LibreOffice: Save As, Edit filter settings, Unicode (UTF-8))"
    )


def share_of_nul(content: bytes) -> float:
    """Return which share of some bytes is NUL."""
    return content.count(0) / max(len(content), 1)


def other_encoding(error: UnicodeDecodeError, encoding: str, line: int) -> Unreadable:
    """Return where text is not in its encoding, and how the word there reads in other encodings that are common."""
    content = bytes(error.object)
    line += content.count(b"\n", 0, error.start)
    if encoding:
        return Unreadable(f"begins as {encoding.upper()} text and is none on line {line}", SAVE_AGAIN)
    readings = dict(readings_of(content, error.start))
    told = " or ".join(f"{word!r} ({name})" for name, word in readings.items())
    what = f"is not UTF-8 text: line {line} holds {told}" if told else f"is not UTF-8 text, from line {line} on"
    first = next(iter(readings), "WINDOWS-1252")
    return Unreadable(what, as_utf8(first))


def readings_of(content: bytes, at: int) -> Iterator[tuple[str, str]]:
    """Yield encodings in which the word around a byte can be read, and how it reads there."""
    before = re.split(rb"[,;\t|\r\n\"]", content[max(at - WORD_BYTES, 0) : at])[-1]
    after = WORD.match(content[at : at + WORD_BYTES])
    word = before + (after[0] if after else b"")
    for name, codec in CODECS.items():
        try:
            text = word.decode(codec).strip()
        except UnicodeDecodeError:
            continue
        if text and text.isprintable():
            yield name, text
