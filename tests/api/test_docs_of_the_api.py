import re
from pathlib import Path
from typing import Any

import pytest

import evaluator

PAGE = (Path(__file__).parents[2] / "docs" / "api.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```python\n(.*?)^```$", PAGE, flags=re.MULTILINE | re.DOTALL)
TRIPS = '''# %%
trips = [3, 4, 5]

# %%
"""
query: How many trips are there?
"""
len(trips)

# %%
"""
query: How long are they together?
"""
sum(trips)
'''


def test_every_example_of_the_page_works(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "trips.py").write_text(TRIPS, encoding="utf-8")
    names: dict[str, Any] = {}
    assert len(BLOCKS) >= 6
    for block in BLOCKS:
        exec(compile(block, "docs/api.md", "exec"), names)
    shown = capsys.readouterr().out
    assert "'judged': 2" in shown
    assert "WRONG_OUTPUT expected 3, got 4" in shown
    assert "both=" in shown


def test_the_page_names_what_is_public() -> None:
    assert len(evaluator.__all__) >= 11
    assert [name for name in evaluator.__all__ if name not in PAGE] == []
    assert all(getattr(evaluator, name) for name in evaluator.__all__)
