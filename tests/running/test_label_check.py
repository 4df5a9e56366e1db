"""Labels in the reach of submissions, found by executing: in tables of any kind, by index, order or common columns."""

import re
from pathlib import Path

import pytest

from evaluator.language import LABELS_IN_INPUTS, load_problemset
from evaluator.running.checking.label_check import labels_in_reach
from evaluator.running.checking.self_check import self_check
from evaluator.session import Engine

pytestmark = pytest.mark.kernel

SET = '''# %%
import numpy as np, pandas as pd
{read}

# %%
"""
query: Fit `model`.
execution: {{max_time: 10}}
validator:
  template: intact
  model:
    model_name: model
    inputs_name: X_test
    labels_name: y_test
    metric_type: accuracy
    tolerance: -0.5
"""
class Rule:
    def predict(self, rows):
        return np.asarray(rows["a"]) % 3
model = Rule()
{code}
'''
FRAME = "pd.DataFrame({'a': np.arange(40) * 7 % 31, 'b': np.arange(40.0), 'kind': (np.arange(40) * 7 % 31) % 3})"


def warnings(folder: Path, read: str, code: str) -> list[str]:
    path = folder / "visits.py"
    path.write_text(SET.format(read=read, code=code))
    loaded = load_problemset(path)
    assert [each for each in loaded.diagnostics if each.code == LABELS_IN_INPUTS] == []  # the text shows nothing
    found = self_check([loaded], cheat=False)
    assert [each for each in found.diagnostics if each.severity == "error"] == []
    assert found.not_judged == ()
    return [f"{each.line} {each.what}" for each in found.diagnostics if each.code == LABELS_IN_INPUTS]


@pytest.fixture
def visits(tmp_path: Path) -> Path:
    rows = "".join(f"{i * 7 % 31},{i}.0,{i * 7 % 31 % 3}\n" for i in range(40))
    (tmp_path / "_inputs").mkdir()
    (tmp_path / "_inputs" / "visits.csv").write_text(f"a,b,kind\n{rows}")
    return tmp_path


READ = "data = pd.concat([pd.read_csv(path) for path in ['inputs/visits.csv']])"


BY_INDEX = "X_test, y_test = data.loc[20:, ['a', 'b']], data.set_axis(list('abz'), axis=1).loc[20:, 'z']"
IN_ORDER = "X_test, y_test = data.loc[20:, ['a']], (data.iloc[20:, 2] + 0).tolist()"
MIXED = "mixed = data.sample(frac=1, random_state=1)\nX_test, y_test = mixed[['a', 'b']], mixed.to_numpy()[:, 2]"


@pytest.mark.parametrize(
    ("code", "how"), [(BY_INDEX, "by their index"), (IN_ORDER, "in their order"), (MIXED, "100 % by 'a', 'b'")]
)
def test_labels_that_stand_in_a_table_are_warned_of(visits: Path, code: str, how: str) -> None:
    (warning,) = warnings(visits, READ, code)
    assert warning.startswith("14 the labels 'y_test' are found in the column 'kind' of inputs/visits.csv")
    assert how in warning


def test_labels_that_only_the_reference_knows_are_not(visits: Path) -> None:
    hidden = "X_test = pd.DataFrame({'a': np.arange(100, 140) * 5})\ny_test = (X_test['a'] // 3) % 3"
    assert warnings(visits, READ, hidden) == []


def test_a_table_of_another_kind_is_looked_into_too(tmp_path: Path) -> None:
    (tmp_path / "_inputs").mkdir()
    records = ",".join(f'{{"a": {i}, "kind": {i % 3}}}' for i in range(40))
    (tmp_path / "_inputs" / "visits.json").write_text(f"[{records}]")
    (tmp_path / "_inputs" / "broken.parquet").write_bytes(b"PAR1 nothing")
    read = "data = pd.read_json('inputs/visits.json')"
    (warning,) = warnings(tmp_path, read, "X_test, y_test = data[['a']], data['kind']")
    assert "inputs/visits.json" in warning


LOOK_UP = """
known = pd.read_csv('inputs/visits.csv').drop_duplicates(['a', 'b'])
class Model:
    def predict(self, rows):
        return rows.merge(known, on=['a', 'b'], how='left')['label'].fillna(1).to_numpy()
model = Model()
"""


def test_the_example_of_the_language_guide_holds_its_labels_back(tmp_path: Path) -> None:
    guide = (Path(__file__).parents[2] / "docs" / "dseal.md").read_text(encoding="utf-8")
    (example,) = re.findall(r"^````python\n(.*?)^````", guide.partition("### Scores of a model")[2], re.M | re.S)[:1]
    (tmp_path / "_inputs").mkdir()
    rows = "".join(f"{i % 40 / 10 + 0.01},{i % 7 / 2},{int(i % 40 / 10 > 1.8)}\n" for i in range(400))
    (tmp_path / "_inputs" / "visits.csv").write_text(f"a,b,label\n{rows}")
    look_up = "".join(f"      {line}\n" for line in LOOK_UP.strip().splitlines())
    rejected = f"examples:\n  reject:\n  - verdict: BAD_MODEL\n    code: |\n{look_up}"
    path = tmp_path / "visits.py"
    path.write_text(example.replace("execution:\n", f"{rejected}execution:\n"))
    loaded = load_problemset(path)
    assert loaded.diagnostics == ()
    found = self_check([loaded], cheat=False)
    assert (found.diagnostics, found.not_judged) == ((), ())


def test_a_look_that_is_cancelled_executes_no_more(visits: Path) -> None:
    path = visits / "visits.py"
    path.write_text(SET.format(read=READ, code=BY_INDEX))
    with Engine() as engine:
        assert len(labels_in_reach(engine, load_problemset(path))) == 1
        answers = iter([False, True])
        assert labels_in_reach(engine, load_problemset(path), cancelled=lambda: next(answers)) == ()
