"""The kinds of input file: which suffixes they have and how they are read. Seeds, uploads and checks ask here."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final


@dataclass(frozen=True)
class InputFileKind:
    """One kind of file below `inputs/`."""

    name: str
    suffixes: tuple[str, ...]  # lower case, with the dot
    reader: str = ""  # the function of pandas that reads it as a table; empty: it is no table
    options: Mapping[str, object] = field(default_factory=dict)  # of the reader, when nothing is known of the file
    has_header_line: bool = False  # its first line is text with the names of the columns


INPUT_FILE_KINDS: Final = (
    InputFileKind("csv", (".csv", ".txt"), "read_csv", has_header_line=True),
    InputFileKind("tsv", (".tsv", ".tab"), "read_csv", MappingProxyType({"sep": "\t"}), has_header_line=True),
    InputFileKind("json", (".json",), "read_json"),
    InputFileKind("jsonl", (".jsonl", ".ndjson"), "read_json", MappingProxyType({"lines": True})),
    InputFileKind("excel", (".xlsx",), "read_excel"),
    InputFileKind("parquet", (".parquet",), "read_parquet"),
    InputFileKind("image", (".png", ".jpg", ".jpeg")),
)
KIND_OF_SUFFIX: Final[Mapping[str, InputFileKind]] = MappingProxyType(
    {suffix: kind for kind in INPUT_FILE_KINDS for suffix in kind.suffixes}
)
