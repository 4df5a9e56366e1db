"""Prints where the time of a run goes, and draws its flame graph: per problem, by process and phase.

    python tests/speed/where_time_goes.py [BENCHMARK RECORDS] [--workers 1] [--flames flames.svg]

Without a benchmark it replays that of `workload.py`. The processes of the engine measure themselves
(`traced/traced_worker.py`), so it runs without a sandbox, in which they could not leave what they found. A process is
given time to write that down before it is killed: clocks of waiting are therefore a little long, processor time is not.
"""

import argparse
import json
import select
import sys
import tempfile
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from html import escape
from pathlib import Path
from typing import Any, NamedTuple
from unittest.mock import patch

ROOT = Path(__file__).parent.parent.parent
sys.path.insert(0, str(ROOT))

from evaluator.running import RunConfig, run_benchmark  # noqa: E402
from evaluator.session import Engine, SandboxChoice, comparator_pool, session, template  # noqa: E402
from evaluator.session.cell_monitor import CellMonitor  # noqa: E402
from evaluator.session.comparator_pool import _Comparator  # noqa: E402
from evaluator.session.template import receive_within  # noqa: E402
from tests.speed.workload import write_workload  # noqa: E402

TRACED = Path(__file__).parent / "traced"
FLAMES = Path(tempfile.gettempdir()) / "benchwright-flames.svg"
LAST_WORD_S = 0.3
SAMPLE_S = 0.002
WIDTH, ROW = 1600, 17
IDLE = ("wait", "acquire", "poll", "recvmsg", "_sample", "_wait_for_tstate_lock", "receive", "select")


class Host:
    """What this process does: bytes that it moves, whom it waits for, and where it computes."""

    def __init__(self) -> None:
        self.waits: dict[str, float] = defaultdict(float)
        self.moved: Counter[str] = Counter()
        self.samples: Counter[str] = Counter()
        self._lock = threading.Lock()
        self._has_ended = threading.Event()

    def waiting(self, function: Callable[..., Any], pair: str) -> Callable[..., Any]:
        """Return a function whose clock time, less what it computes, counts as waiting of a pair."""

        def timed(*arguments: Any, **named: Any) -> Any:
            clock, computed = time.monotonic(), time.thread_time()
            try:
                return function(*arguments, **named)
            finally:
                waited = time.monotonic() - clock - (time.thread_time() - computed)
                with self._lock:
                    self.waits[pair] += waited

        return timed

    def moving(self, function: Callable[..., Any], pair: str, size: Callable[..., int]) -> Callable[..., Any]:
        """Return a function each of whose calls moves bytes."""

        def counted(*arguments: Any, **named: Any) -> Any:
            with self._lock:
                self.moved[pair] += size(*arguments)
            return function(*arguments, **named)

        return counted

    @contextmanager
    def sampled(self) -> Iterator[None]:
        """Sample what its threads compute."""
        thread = threading.Thread(target=self._sample, daemon=True)
        thread.start()
        try:
            yield
        finally:
            self._has_ended.set()
            thread.join()

    def _sample(self) -> None:
        while not self._has_ended.wait(SAMPLE_S):
            for frame in sys._current_frames().values():
                names = stack_of(frame)
                if names and names[-1].rpartition(".")[2] not in IDLE:
                    self.samples[";".join(["host", *names])] += 1


def stack_of(frame: Any) -> list[str]:
    """Return the functions under way, outermost first."""
    names: list[str] = []
    while frame is not None:
        module = frame.f_code.co_filename.rpartition("/")[2].removesuffix(".py")
        names.append(f"{module}.{getattr(frame.f_code, 'co_qualname', frame.f_code.co_name)}")
        frame = frame.f_back
    return names[::-1]


class Spent(NamedTuple):
    """What one phase took, in all processes of a kind together."""

    calls: float = 0.0
    clock_s: float = 0.0
    user_s: float = 0.0
    system_s: float = 0.0
    faults: float = 0.0  # pages that were copied, made or found

    def plus(self, other: "list[float] | Spent") -> "Spent":
        """Return the sum."""
        return Spent(*(mine + theirs for mine, theirs in zip(self, other, strict=True)))


@contextmanager
def traced_engine(folder: Path, host: Host) -> Iterator[None]:
    """Let engines start templates that measure themselves, and this process measure itself."""
    start, kill = template.__dict__["start_worker"], CellMonitor.kill

    def start_traced(command: Any, environment: dict[str, str], **named: Any) -> Any:
        path = f"{environment.get('PYTHONPATH', '')}:{TRACED}"
        more = {"PYTHONPATH": path, "BENCHWRIGHT_TRACE": str(folder), "BENCHWRIGHT_SAMPLES": "1"}
        return start(command, environment | more, **named)

    def kill_late(monitor: CellMonitor, pidfd: int) -> bool:
        poll = select.poll()
        poll.register(pidfd, select.POLLIN)
        poll.poll(int(LAST_WORD_S * 1000))
        return kill(monitor, pidfd)

    waits = host.waiting
    ask = host.moving(_Comparator.ask, "host -> comparator", lambda _self, body, _limit: len(body))
    read = host.moving(CellMonitor._take, "cell -> host", lambda _self, frame: len(frame.body))
    with (
        patch.object(template, "start_worker", start_traced),
        patch.object(template, "MODULE", "traced_worker"),
        patch.object(template, "receive_within", waits(receive_within, "host for the template")),
        patch.object(session, "receive_within", waits(receive_within, "host for the session")),
        patch.object(comparator_pool, "receive_within", waits(receive_within, "host for a comparator")),
        patch.object(CellMonitor, "wait", waits(CellMonitor.wait, "host for a cell")),
        patch.object(CellMonitor, "kill", kill_late),
        patch.object(CellMonitor, "_take", read),
        patch.object(_Comparator, "ask", ask),
    ):
        yield


def processes_made() -> int:
    """Return how many processes and threads this machine has made so far."""
    lines = Path("/proc/stat").read_text(encoding="ascii").splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("processes"))


def run_traced(bench: Path, records: Path, workers: int, scratch: Path) -> tuple[Host, list[dict[str, Any]]]:
    """Run a benchmark, print what is known of the whole, and return what was measured."""
    host, traces = Host(), scratch / "traces"
    traces.mkdir()
    config = RunConfig(bench, f"replay:{records}", scratch / "out", workers=workers, sandbox=SandboxChoice.NONE)
    made, clock, computed = processes_made(), time.monotonic(), time.process_time()
    none = SandboxChoice.NONE
    with traced_engine(traces, host), Engine(comparators=1, sandbox=none) as engine, host.sampled():
        summary = run_benchmark(config, engine=engine)
    clock, computed = time.monotonic() - clock, time.process_time() - computed
    found = [json.loads(path.read_text(encoding="utf-8")) for path in traces.glob("*.json")]
    problems = summary.total
    assert summary.judged == problems, f"{summary.not_judged} problems are not judged"
    assert len(found) > problems, "fewer processes than problems have told of themselves"
    print(f"{problems} problems, {workers} workers: {clock:.1f} s; {computed / problems * 1e3:.1f} ms of the host each")
    print(f"processes made on this machine meanwhile: {(processes_made() - made) / problems:.2f} a problem")
    for pair, size in host.moved.items():
        print(f"bytes {pair:28} {size / problems:10.0f} a problem")
    for pair, seconds in sorted(host.waits.items(), key=lambda each: -each[1]):
        print(f"waits {pair:28} {seconds / problems * 1e3:10.2f} ms a problem")
    return host, found


def print_phases(found: list[dict[str, Any]], problems: int) -> None:
    """Print what each phase of each kind of process took, per problem."""
    kinds: dict[str, dict[str, Spent]] = defaultdict(lambda: defaultdict(Spent))
    for process in found:
        for phase, row in process["spent"].items():
            kinds[process["kind"]][phase] = kinds[process["kind"]][phase].plus(row)
    for kind, phases in sorted(kinds.items()):
        count = sum(process["kind"] == kind for process in found)
        print(f"\n{kind}: {count} processes{'':18} ms of processor a problem    page faults   ms of clock")
        rows = sorted(phases.items(), key=lambda each: -(each[1].user_s + each[1].system_s))
        total = Spent()
        for phase, spent in rows:
            total = total.plus(spent)
            print_row(phase, spent, problems)
        print_row("all", total, problems)


def print_row(phase: str, spent: Spent, problems: int) -> None:
    """Print one phase, if it can be seen."""
    computed = spent.user_s + spent.system_s
    if computed / problems < 0.00002:
        return
    user, system, clock = (seconds / problems * 1e3 for seconds in (spent.user_s, spent.system_s, spent.clock_s))
    of_processor = f"{user + system:7.2f} = {user:6.2f} + {system:6.2f} kernel"
    print(f"  {phase:34} {of_processor} {spent.faults / problems:9.0f} {clock:12.2f}")


def flame_graph(samples: Counter[str]) -> str:
    """Return stacks as an SVG picture: width is processor time, callees stand above their callers."""
    tree: dict[str, Any] = {}
    for stack, count in samples.items():
        level = tree
        for name in stack.split(";"):
            node = level.setdefault(name, [0, {}])
            node[0] += count
            level = node[1]
    total = sum(samples.values())
    boxes = list(flame_boxes(tree, 0.0, 0, WIDTH / total))
    height = (max(depth for _, depth, _, _ in boxes) + 2) * ROW
    size = f'width="{WIDTH}" height="{height}"'
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" {size} font-family="monospace" font-size="11">']
    for left, depth, width, (name, count) in boxes:
        top = height - (depth + 1) * ROW
        hue = 20 + sum(map(ord, name.partition(".")[0])) % 40
        said = f"{escape(name)}: {count / total:.1%}"
        label = escape(name.rpartition(".")[2][: int(width / 7)]) if width > 20 else ""
        parts.append(
            f'<g><title>{said}</title><rect x="{left:.1f}" y="{top}" width="{width:.1f}" height="{ROW - 1}" '
            f'fill="hsl({hue},80%,65%)"/><text x="{left + 2:.1f}" y="{top + 12}">{label}</text></g>'
        )
    return "\n".join([*parts, "</svg>"])


def flame_boxes(
    level: dict[str, Any], left: float, depth: int, scale: float
) -> Iterator[tuple[float, int, float, tuple[str, int]]]:
    """Yield left edge, depth, width, and name with count of every box that can be seen."""
    for name, (count, below) in sorted(level.items()):
        if count * scale >= 0.5:
            yield left, depth, count * scale, (name, count)
            yield from flame_boxes(below, left, depth + 1, scale)
        left += count * scale


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="Where the time of a run goes.")
    parser.add_argument("benchmark", nargs="?", type=Path)
    parser.add_argument("records", nargs="?", type=Path)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--flames", type=Path, default=FLAMES)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="benchwright-traces-") as folder:
        Path(folder).chmod(0o755)
        bench, records = (asked.benchmark, asked.records) if asked.records else write_workload(Path(folder))
        host, found = run_traced(bench, records, asked.workers, Path(folder))
    problems = len(records.read_text(encoding="utf-8").splitlines()) if asked.records else 400
    print_phases(found, problems)
    samples = host.samples
    for process in found:
        samples.update(process["samples"])
    asked.flames.write_text(flame_graph(samples), encoding="utf-8")
    print(f"\nflame graph of {sum(samples.values())} samples: {asked.flames}")


if __name__ == "__main__":
    main()
