"""Whatever reads input files covers every kind that is declared."""

from pathlib import Path

import pandas as pd
import pytest

from authoring.seeds.intake import file_kind
from authoring.seeds.profile_cell.reading import READERS
from authoring.templates.families.opening import BYTES_PER_SECOND
from authoring.ui.seeds.seed_form import SUFFIXES
from evaluator.language.file_kinds import INPUT_FILE_KINDS, KIND_OF_SUFFIX, InputFileKind
from evaluator.running.checking.label_check import label_probe


def test_enough_kinds_are_declared_and_no_suffix_twice() -> None:
    assert len(INPUT_FILE_KINDS) >= 7
    assert len(KIND_OF_SUFFIX) == sum(len(kind.suffixes) for kind in INPUT_FILE_KINDS) >= 12


@pytest.mark.parametrize("kind", INPUT_FILE_KINDS, ids=lambda kind: kind.name)
def test_each_kind_is_taken_uploaded_profiled_and_searched_for_labels(kind: InputFileKind) -> None:
    for suffix in kind.suffixes:
        assert file_kind(Path(f"data{suffix.upper()}")) == kind.name
        assert suffix in SUFFIXES
        assert (suffix in READERS) == bool(kind.reader)
        assert (repr(suffix) in label_probe("y", "X")) == bool(kind.reader)
    if kind.reader:
        assert callable(getattr(pd, kind.reader))
        assert kind.reader in BYTES_PER_SECOND, "the time that loading takes is known"


def test_nothing_else_is_profiled_or_uploaded() -> None:
    assert set(READERS) == {suffix for suffix, kind in KIND_OF_SUFFIX.items() if kind.reader}
    assert set(SUFFIXES) == {*KIND_OF_SUFFIX, ".zip"}
