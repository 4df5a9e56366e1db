"""Labels that lie in the reach of submissions, as far as the text of a problemset shows it."""

from pathlib import Path

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


LABELS = (
    *('X_test, y_test = test[["a", "b"]], test["label"]', "y_test = test.label.to_numpy()", 'y_test = test[["label"]]'),
    'y_test = data.loc[data["a"] > 3, "label"].astype(int).reset_index(drop=True)',
    *('y_test = test.pop("label")', 'import numpy as np\ny_test = np.asarray(test["label"])[:5]'),
    'y = data["label"]\nX_train, X_test, y_train, y_test = train_test_split(data[["a", "b"]], y, random_state=1)',
    'held = test\nlabels = held["label"]\ny_test = labels',
)
OTHERS = (
    *("y_test = [0, 1, 1]", 'y_test = (test["a"] > 3).astype(int)', 'y_test = rule(test["a"])'),
    *('y_test = test["label_from_elsewhere"]', 'other = {"hidden": [1]}\ny_test = other["hidden"]'),
    "y_test = y_test",  # made from itself
)


def test_a_column_of_an_input_file_as_labels_is_warned_of_at_its_line(tmp_path: Path) -> None:
    for code in LABELS:
        (warning,) = found(tmp_path, code)
        assert (str(warning.severity), warning.line) == ("warning", 13), code
        assert "'y_test' are the column 'label' of inputs/visits.csv" in warning.what
        assert "waivers" in warning.fix
    assert [code for code in OTHERS if found(tmp_path, code)] == []


def test_headers_are_read_whatever_parts_them(tmp_path: Path) -> None:
    for header in ('\ufeff"id";"label"\n', "id\tlabel\n", "id|'label'|x\n"):
        assert len(found(tmp_path, 'y_test = test["label"]', header=header)) == 1, header
    assert found(tmp_path, 'y_test = test["label"]', header="id\tlabel\n1\tx\n", encoding="utf-16")
    for header in ("", "\x00\xff" * 9, "x" * 100_000):  # no tables
        assert found(tmp_path, 'y_test = test["label"]', header=header) == []


def test_somebody_can_answer_for_it(tmp_path: Path) -> None:
    settings = "waivers:\n  labels-in-inputs: {by: Ada, reason: the data are public}\n"
    assert found(tmp_path, 'y_test = test["label"]', settings=settings) == []
