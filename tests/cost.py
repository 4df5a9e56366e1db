"""A pytest plugin: the processor seconds of each test, with all processes below it, by folder and for the slowest.

`tests/budget.toml` holds what each folder may weigh: lines, which `tests/test_budget.py` holds it to, and processor
seconds, which depend on the machine and are therefore printed beside what was measured, never asserted.
"""

import os
import tomllib
from collections import Counter, defaultdict
from collections.abc import Generator
from pathlib import Path
from typing import Final

import pytest

TESTS: Final = Path(__file__).parent
BUDGET: Final = TESTS / "budget.toml"
TOP: Final = "top"
"""The folder name under which files directly below `tests/` are counted."""
_TICKS_S: Final = 1 / os.sysconf("SC_CLK_TCK") if hasattr(os, "sysconf") else 0.01


class Budget(dict[str, dict[str, int]]):
    """Lines and processor seconds by folder."""

    @classmethod
    def read(cls) -> "Budget":
        return cls(tomllib.loads(BUDGET.read_text(encoding="utf-8")))


def folder_of(path: str) -> str:
    """Return the folder below `tests/` of a file or test, given from the root of the project."""
    parts = path.partition("::")[0].split("/")
    return parts[1] if len(parts) > 2 else TOP


def tree_seconds(root: int) -> float:
    """Return the processor seconds of a process, of those below it, and of their children that have ended."""
    children: dict[int, list[int]] = defaultdict(list)
    ticks: dict[int, int] = {}
    for entry in os.scandir("/proc"):
        if entry.name.isdigit():
            try:
                fields = Path(entry.path, "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue  # it ended meanwhile
            children[int(fields[1])].append(int(entry.name))
            ticks[int(entry.name)] = sum(map(int, fields[11:15]))
    total, todo = 0, [root]
    while todo:
        pid = todo.pop()
        total += ticks.get(pid, 0)
        todo += children[pid]
    return total * _TICKS_S


class Cost:
    """Measures in each test process, and adds up in the one that reports."""

    def __init__(self) -> None:
        self.last_s = 0.0
        self.seconds: Counter[str] = Counter()
        self.tests: Counter[str] = Counter()
        self.slowest: Counter[str] = Counter()

    def since_last(self) -> float:
        now_s = tree_seconds(os.getpid())
        spent, self.last_s = max(0.0, now_s - self.last_s), now_s
        return spent

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        report = yield
        if call.when == "teardown":
            report.user_properties.append(("processor_s", round(self.since_last(), 2)))
        return report

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        for name, value in report.user_properties:
            if name == "processor_s" and report.when == "teardown":
                self.seconds[folder_of(report.nodeid)] += value  # type: ignore[call-overload]
                self.slowest[report.nodeid] += value  # type: ignore[call-overload]
                self.tests[folder_of(report.nodeid)] += 1

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        output = getattr(session.config, "workeroutput", None)
        if output is not None:
            output["collection_s"] = self.since_last()
        else:
            self.seconds["collection"] += self.since_last()  # type: ignore[call-overload]

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        output = getattr(session.config, "workeroutput", None)
        if output is not None:
            output["end_s"] = self.since_last()

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: object) -> None:
        output = getattr(node, "workeroutput", {})
        self.seconds["collection"] += output.get("collection_s", 0.0)
        self.seconds["end"] += output.get("end_s", 0.0)

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        if not self.slowest:
            return
        budget = Budget.read() if BUDGET.is_file() else Budget()
        terminalreporter.section("processor seconds by folder, beside their budget")
        for folder, spent in sorted(self.seconds.items()):
            allowed = budget.get(folder, {}).get("seconds", "")
            terminalreporter.write_line(f"{folder:16} {self.tests[folder]:6} tests {spent:8.1f} s   {allowed}")
        total = sum(self.seconds.values())
        allowed_s = sum(row.get("seconds", 0) for row in budget.values())
        terminalreporter.write_line(f"{'together':16} {self.tests.total():6} tests {total:8.1f} s   {allowed_s}")
        for nodeid, spent in self.slowest.most_common(10):
            terminalreporter.write_line(f"{spent:8.1f} s   {nodeid}")


def pytest_configure(config: pytest.Config) -> None:
    """Measure, where the system tells of processes."""
    if Path("/proc/self/stat").exists():
        config.pluginmanager.register(Cost(), "benchwright-cost")
