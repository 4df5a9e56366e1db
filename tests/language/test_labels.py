"""Labels that lie in the reach of submissions, as far as the text of a problemset shows it."""

from pathlib import Path

import pytest

from evaluator.diagnostics import Diagnostic
from evaluator.language import LABELS_IN_INPUTS, load_problemset

HEADER = "id,a,b,label\n1,2,3,0\n"
PROBLEM = '''# %%
import pandas as pd
data = pd.read_csv("inputs/visits.csv")

# %%
"""
query: Fit `model`.
{settings}validator:
  or:
    model:
      model_name: model
      inputs_name: X_test
      labels_name: y_test
      metric_type: accuracy
"""
test = data.iloc[8:]
{code}
'''


def found(
    folder: Path, code: str, *, header: str = HEADER, settings: str = "", encoding: str = "utf-8"
) -> list[Diagnostic]:
    (folder / "_inputs").mkdir(exist_ok=True)
    (folder / "_inputs" / "visits.csv").write_text(header, encoding=encoding)
    (folder / "_inputs" / "other.csv").write_text("label,hidden\n")  # which no code names
    path = folder / "visits.py"
    path.write_text(PROBLEM.format(code=code, settings=settings))
    return [each for each in load_problemset(path).diagnostics if each.code == LABELS_IN_INPUTS]


@pytest.mark.parametrize(
    "code",
    [
        'X_test, y_test = test[["a", "b"]], test["label"]',
        "y_test = test.label.to_numpy()",
        'y_test = test[["label"]]',
        'y_test = data.loc[data["a"] > 3, "label"].astype(int).reset_index(drop=True)',
        'y_test = test.pop("label")',
        'import numpy as np\ny_test = np.asarray(test["label"])[:5]',
        'y = data["label"]\nX_train, X_test, y_train, y_test = train_test_split(data[["a", "b"]], y, random_state=1)',
        'held = test\nlabels = held["label"]\ny_test = labels',
    ],
)
def test_a_column_of_an_input_file_as_labels_is_warned_of_at_its_line(tmp_path: Path, code: str) -> None:
    (warning,) = found(tmp_path, code)
    assert (str(warning.severity), warning.line) == ("warning", 13)
    assert "'y_test' are the column 'label' of inputs/visits.csv" in warning.what
    assert "waivers" in warning.fix


@pytest.mark.parametrize(
    "code",
    [
        "y_test = [0, 1, 1]",
        'y_test = (test["a"] > 3).astype(int)',
        'y_test = rule(test["a"])',
        'y_test = test["label_from_elsewhere"]',
        'other = {"hidden": [1]}\ny_test = other["hidden"]',
        "y_test = y_test",  # made from itself
    ],
)
def test_labels_that_are_no_column_of_a_file_that_is_read_are_not_warned_of(tmp_path: Path, code: str) -> None:
    assert found(tmp_path, code) == []


@pytest.mark.parametrize("header", ['\ufeff"id";"label"\n', "id\tlabel\n", "id|'label'|x\n"])
def test_headers_are_read_whatever_parts_them(tmp_path: Path, header: str) -> None:
    assert len(found(tmp_path, 'y_test = test["label"]', header=header)) == 1


def test_a_header_in_utf_16_is_read(tmp_path: Path) -> None:
    assert found(tmp_path, 'y_test = test["label"]', header="id\tlabel\n1\tx\n", encoding="utf-16")


@pytest.mark.parametrize("header", ["", "\x00\xff" * 9, "x" * 100_000])
def test_files_that_are_no_tables_are_passed_over(tmp_path: Path, header: str) -> None:
    assert found(tmp_path, 'y_test = test["label"]', header=header) == []


def test_somebody_can_answer_for_it(tmp_path: Path) -> None:
    settings = "waivers:\n  labels-in-inputs: {by: Ada, reason: the data are public}\n"
    assert found(tmp_path, 'y_test = test["label"]', settings=settings) == []
