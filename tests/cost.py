"""The processor seconds of each test, with all processes below it: by folder, and of the slowest ten.

`tests/budget.toml` holds what each folder may weigh: lines, which `tests/test_budget.py` holds it to, and processor
seconds, which depend on the machine and are therefore printed beside what was measured, never asserted.
"""

import os
import tomllib
from collections import defaultdict
from collections.abc import Generator, Mapping
from pathlib import Path
from typing import Final

import pytest

TESTS: Final = Path(__file__).parent
TOP: Final = "top"
"""What the files directly below `tests/` are counted under."""


def budget() -> Mapping[str, Mapping[str, int]]:
    """Return lines and processor seconds by folder."""
    return tomllib.loads((TESTS / "budget.toml").read_text(encoding="utf-8"))


def folder_of(nodeid: str) -> str:
    """Return the folder below `tests/` that a test, named from the root of the project, belongs to."""
    parts = nodeid.partition("::")[0].split("/")
    return parts[1] if len(parts) > 2 else TOP


def tree_seconds(root: int, others: set[str]) -> float:
    """Return the processor seconds of a process, of those below it, and of their children that have ended.

    Args:
        root: Its number.
        others: Numbers of processes that are not below it, which are not looked at; more are added.
    """
    children: dict[str, list[str]] = defaultdict(list)
    ticks: dict[str, int] = {}
    for pid in set(os.listdir("/proc")) - others:
        try:
            fields = Path("/proc", pid, "stat").read_text().rpartition(")")[2].split()
        except OSError:  # it ended meanwhile, or is no process
            others.add(pid)
            continue
        children[fields[1]].append(pid)
        ticks[pid] = sum(map(int, fields[11:15]))
    total, todo = 0, [str(root)]
    others.update(ticks)
    while todo:
        pid = todo.pop()
        others.discard(pid)
        total += ticks.get(pid, 0)
        todo += children[pid]
    return total / os.sysconf("SC_CLK_TCK")


class Cost:
    """A plugin that measures in each test process, and adds up in the one that reports."""

    def __init__(self) -> None:
        self._last_s = 0.0
        self._others: set[str] = set()
        self._seconds: dict[str, float] = defaultdict(float)
        self._tests: dict[str, int] = defaultdict(int)
        self._slowest: dict[str, float] = {}

    def _since_last(self) -> float:
        now_s = tree_seconds(os.getpid(), self._others)
        if now_s < self._last_s:  # a process that ended while others were read is counted with its parent by now
            now_s = max(now_s, tree_seconds(os.getpid(), self._others))
        spent_s, self._last_s = max(0.0, now_s - self._last_s), now_s
        return spent_s

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Put what was spent since the test before into the last report of a test."""
        report = yield
        if call.when == "teardown":
            report.user_properties.append(("processor_s", round(self._since_last(), 2)))
        return report

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Add up."""
        spent_s = dict(report.user_properties).get("processor_s")
        if report.when == "teardown" and isinstance(spent_s, float):
            self._slowest[report.nodeid] = spent_s
            self._seconds[folder_of(report.nodeid)] += spent_s
            self._tests[folder_of(report.nodeid)] += 1

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Count what it took to find the tests."""
        self._pass_on(session, "collection")

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Count what it took to end what all tests shared."""
        self._pass_on(session, "end")

    def _pass_on(self, session: pytest.Session, what: str) -> None:
        if hasattr(session.config, "workeroutput"):
            session.config.workeroutput[what] = self._since_last()
        elif not session.config.getoption("numprocesses", None):  # else it is the sum of all test processes
            self._seconds[what] += self._since_last()

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: object) -> None:
        """Add what a test process counted outside of tests."""
        for what in ("collection", "end"):
            self._seconds[what] += getattr(node, "workeroutput", {}).get(what, 0.0)

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Print the seconds beside their budget, and the ten slowest tests."""
        if not self._slowest:
            return
        allowed = {folder: row.get("seconds", 0) for folder, row in budget().items()}
        terminalreporter.section("processor seconds by folder, beside their budget")
        for folder, spent_s in sorted(self._seconds.items()):
            line = f"{folder:16} {self._tests[folder]:6} tests {spent_s:8.1f} s of {allowed.get(folder, '-')}"
            terminalreporter.write_line(line)
        tests, spent_s = sum(self._tests.values()), sum(self._seconds.values())
        terminalreporter.write_line(f"{'together':16} {tests:6} tests {spent_s:8.1f} s of {sum(allowed.values())}")
        for nodeid in sorted(self._slowest, key=self._slowest.__getitem__, reverse=True)[:10]:
            terminalreporter.write_line(f"{self._slowest[nodeid]:8.1f} s   {nodeid}")
