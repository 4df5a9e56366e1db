"""A benchmark of the shape of published ones, and recorded submissions to it: 400 small ones over 250 problemsets."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

SETUP = """import numpy as np
import pandas as pd

sales = pd.DataFrame({{
    "shop": [f"s{{i % {shops}}}" for i in range(200)],
    "day": pd.date_range("2024-01-01", periods=200),
    "amount": np.arange(200) * {factor} % 97,
}})
"""
QUESTIONS = (
    ('sales.groupby("shop")["amount"].sum()', 'sales.groupby("shop")["amount"].sum()', ""),
    (
        'sales["double"] = sales["amount"] * 2',
        'sales["double"] = sales["amount"].apply(lambda x: 2 * x)',
        "validator:\n  namespace_check:\n    sales:\n",
    ),
    ('sales["amount"].mean()', 'print(sales["amount"].mean())', ""),
    ('sales.sort_values(["amount", "day"]).head(10)', 'sales.sort_values("amout").head(10)', ""),
    ('sales.loc[sales["amount"] > 50, "shop"].value_counts()', 'sales.loc[sales["amount"] > 40, "shop"]', ""),
)
FUNCTION = """def best_{n}(table: pd.DataFrame, least: int) -> pd.DataFrame:
    found = table[table["amount"] >= least]
    return found.groupby("shop", as_index=False)["amount"].max()
"""
UNIT_TESTS = """validator:
  table_test:
    function_name: best_{n}
    test_cases:
      - - '`pd.DataFrame({{"shop": ["a", "b", "a"], "amount": [1, 2, 3]}})`'
        - 1
      - - '`pd.DataFrame({{"shop": ["a", "b"] * 20, "amount": np.random.randint(0, 9, 40)}})`'
        - 4
      - //
      - - '`pd.DataFrame({{"shop": ["a"], "amount": [5]}})`'
        - 2
    output_checker:
      ignore_order: true
"""


@dataclass(frozen=True)
class Asked:
    """One problem of the workload and the code recorded for it."""

    problemset: str
    index: int  # counts from 1
    setup: str
    reference: str
    submission: str
    settings: str  # YAML below the query
    function: str = ""  # under test, if any


def workload() -> Iterator[Asked]:
    """Yield 400 problems: 200 sets of one (40 of them unit tests), 50 sets of four."""
    for number in range(250):
        name = f"set_{number:03d}"
        setup = SETUP.format(shops=3 + number % 5, factor=1 + number % 7)
        if number < 40:
            code = FUNCTION.format(n=number)
            wrong = code.replace(">=", ">") if number % 4 == 0 else code
            yield Asked(name, 1, setup, code, wrong, UNIT_TESTS.format(n=number), f"best_{number}")
            continue
        for index in range(1, 2 if number < 200 else 5):
            reference, other, settings = QUESTIONS[(number + index) % len(QUESTIONS)]
            submission = other if number % 2 else reference
            yield Asked(name, index, setup, reference, submission, settings)


def write_workload(folder: Path) -> tuple[Path, Path]:
    """Write the benchmark and the records; return their paths."""
    bench, records = folder / "bench", folder / "records.jsonl"
    bench.mkdir()
    (bench / "_manifest.yaml").write_text('name: speed\nversion: "1"\nlanguage_version: 1\n')
    texts: dict[str, str] = {}
    lines = []
    for asked in workload():
        question = f"Question {asked.index} of {asked.problemset}."
        texts.setdefault(asked.problemset, f"# %%\n{asked.setup}")
        texts[asked.problemset] += f'\n# %%\n"""\nquestion: {question}\n{asked.settings}"""\n{asked.reference}\n'
        fields = {"benchmark": "speed", "version": "1", "problemset": asked.problemset, "index": asked.index}
        judged = {"attempt": 1, "verdict": "CORRECT", "subverdict": "UNCATEGORIZED", "extended_verdict": ""}
        lines.append(json.dumps({**fields, **judged, "question": question, "code": asked.submission}))
    for name, text in texts.items():
        (bench / f"{name}.py").write_text(text)
    records.write_text("\n".join(lines) + "\n")
    return bench, records
