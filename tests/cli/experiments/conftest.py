"""Experiments as files, and the model that they ask."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.cli.experiments.small_experiment import TASKS, reply
from tests.scripted_model import KEY, ScriptedModel, scripted_model


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch) -> Iterator[ScriptedModel]:
    with scripted_model(reply) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        monkeypatch.setenv("OPENAI_API_KEY", KEY)
        monkeypatch.setenv("BENCHWRIGHT_MODEL_RETRIES", "0")
        yield server


@pytest.fixture
def write(tmp_path: Path) -> Callable[..., Path]:
    """Return what writes a benchmark of two sets, and an experiment of the given lines."""
    bench = tmp_path / "bench"
    bench.mkdir()
    for name, tasks in (("one", TASKS[:2]), ("two", TASKS[2:])):
        (bench / f"{name}.py").write_text(f"# %%\nx = 1\n\n{''.join(tasks)}")
    (bench / "_manifest.yaml").write_text("name: bench\nversion: '1'\nproblemsets: [one, two]\n")

    def written(*lines: str) -> Path:
        path = tmp_path / "experiment.yaml"
        head = [] if any(line.startswith("benchmarks") for line in lines) else ["benchmarks: [bench]"]
        path.write_text("\n".join(["name: small", "out: out", *head, *lines, ""]))
        return path

    return written


FIGURES = "# %%\nimport matplotlib.pyplot as plt\n\n" + "".join(
    f'''# %%
"""
query: Draw {name}.
validator: {{template: basic, judge: {{scale: right_wrong, counts: true}}}}
"""
plt.{name}([1, 2], [3, 4])

'''
    for name in ("bar", "plot")
)


@pytest.fixture
def drawn(tmp_path: Path) -> Callable[..., Path]:
    """Return what writes an experiment whose figures a judge looks at."""
    (tmp_path / "figures").mkdir()
    (tmp_path / "figures" / "drawn.py").write_text(FIGURES)
    (tmp_path / "figures" / "_manifest.yaml").write_text("name: figures\nversion: '1'\n")

    def written(policy: str, agent: str = "oracle") -> Path:
        file = tmp_path / "drawn.yaml"
        lines = ("name: drawn", "out: out", "benchmarks: [figures]", f"agents: ['{agent}']", f"policies: [{policy}]")
        file.write_text("\n".join([*lines, "judge: eyes", ""]))
        return file

    return written
