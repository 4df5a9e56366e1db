import json
from pathlib import Path
from typing import Any

from evaluator.running import Record

QUERY = "What is one and one?"
SET = f'# %%\n"""\nquery: {QUERY}\n"""\n1 + 1\n\n# %%\n"""\nquery: And two and two?\n"""\n2 + 2\n'


def record(index: int = 1, verdict: str = "CORRECT", **fields: Any) -> Record:
    given: dict[str, Any] = {
        **{"benchmark": "small", "version": "1", "problemset": "sums", "question": QUERY, "attempt": 1},
        **{"subverdict": "UNCATEGORIZED", "extended_verdict": "", **fields},
    }
    return Record(index=index, verdict=verdict, **given)


def write_run(folder: Path, *records: Record, **manifest: Any) -> Path:
    bench, run = folder / "bench", folder / "run"
    bench.mkdir()
    run.mkdir()
    (bench / "_manifest.yaml").write_text('name: small\nversion: "1"\n')
    (bench / "sums.py").write_text(SET)
    (run / "records.jsonl").write_bytes(b"".join(each.to_line() for each in records))
    facts = {"format": 1, "benchmark": "small", "version": "1", "agent": "replay", "source": str(bench), **manifest}
    (run / "manifest.json").write_text(json.dumps(facts))
    return run
