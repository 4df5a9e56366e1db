"""Prints what pages and commands cost on many attempts: `python tests/speed/attempts_speed.py [RUNS ...]`.

Workspaces of 2 and 10 runs of 10,000 problems; `attempts_speed.py 10 100` fills one of a million attempts, too, which
takes two minutes and 2 GB. The goals of a page, however many runs there are: 12 statements, 200 kB sent, 500 ms of the
processor, and memory that grows by no more than a third from the smaller workspace to the larger.

Each page is opened in a process of its own: once with nothing kept in memory, and once again. Commands read run folders
of 10,000 and of 100,000 records.
"""

import json
import os
import pkgutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))

from authoring.store.workspace import Workspace  # noqa: E402
from evaluator.records import json_line  # noqa: E402
from evaluator.reporting import text_table  # noqa: E402
from evaluator.running import MANIFEST, RECORDS  # noqa: E402
from tests.speed.attempts import PROBLEMS, Filled, fill_attempts, records_of  # noqa: E402

RUNS: Final = (2, 10)
EPOCHS: Final = (1, 10)  # of the run folders that commands read
ENVIRONMENT: Final = {"BENCHWRIGHT_USER": "mei", "BENCHWRIGHT_SANDBOX": "none", "PYTHONPATH": str(ROOT)}
MOST_STATEMENTS, MOST_KB, MOST_MS, MOST_GROWTH = 12, 200, 500, 4 / 3  # goals of a page

CLI: Final = "from authoring.cli.main import main; raise SystemExit(main())"

Costs = dict[str, float]


def pages(filled: Filled) -> Mapping[str, tuple[str, Mapping[str, str | int]]]:
    """Return the pages and the parameters of their addresses; a name after `=` is one of the tab's session."""
    first, second = map(str, filled.runs[:2])
    five = ",".join(map(str, filled.runs[:5]))
    one: dict[str, str | int] = {"run": first}
    several: dict[str, str | int] = {"runs": five} if len(filled.runs) > 4 else {"runs": f"{first},{second}"}
    return {
        "runs": ("runs", {}),
        "runs, jobs": ("runs", {"view": "jobs"}),
        "agents and verdicts": ("runs", {"=tabs:runs:Scored runs": "Agents and verdicts", "r_matrix": "bench 1.0"}),
        "one run": ("runs", one),
        "one run, last page": ("runs", one | {f"=matrix:{first}:None:None:None:None": 200}),
        "one run, a verdict": ("runs", one | {"r_verdict": "CRASH"}),
        "one run, a text": ("runs", one | {"r_text": "fare"}),
        "one run, charts": ("runs", one | {"r_tab": "Charts"}),
        "one run, problemsets": ("runs", one | {"r_tab": "Problemsets"}),
        "board": ("runs", {"run": str(filled.family_run), "r_tab": "Board"}),
        "one attempt": ("runs", one | {"attempt": "5000"}),
        "one attempt, a text": ("runs", one | {"attempt": "5000", "text": "fare"}),
        "two runs": ("runs", {"a": first, "b": second}),
        "five runs": ("runs", several),
        "five runs, all": ("runs", several | {"r_several": "all"}),
        "queue": ("queue", {}),
        "releases": ("releases", {}),
        "experiments": ("experiments", {}),
        "settings": ("settings", {}),
    }


def measure_page(page: str, parameters: Mapping[str, str | int]) -> dict[str, Costs]:
    """Open a page of the workspace in the environment twice, and return what it took; for a process of its own."""
    import authoring.ui
    from tests.speed.page_meter import metered, opened_page, prepared_page

    for module in pkgutil.walk_packages(authoring.ui.__path__, "authoring.ui."):
        if ".pages" not in module.name:
            import_module(module.name)
    found: dict[str, Costs] = {}
    with metered() as meter:
        opened_page("guide")  # what any page loads is loaded
        app, before = prepared_page(page, parameters), forget_peak_mb()
        for name in ("first", "again"):
            meter.start()
            wall, cpu = time.perf_counter(), time.process_time()
            app.run()
            assert not app.exception, app.exception
            assert not app.error, app.error
            found[name] = {"ms": (time.perf_counter() - wall) * 1000, "cpu_ms": (time.process_time() - cpu) * 1000}
            found[name] |= {"statements": len(meter.statements), "steps": meter.steps, "kb": meter.sent_bytes / 1000}
            if os.environ.get("BENCHWRIGHT_SAY"):
                print(name, meter.steps, meter.said(), sep="\n", file=sys.stderr)
        found["first"] |= {"mb": peak_mb(), "mb_more": peak_mb() - before}
    return found


def forget_peak_mb() -> float:
    """Let the most memory be counted from now on; return what is held now."""
    Path("/proc/self/clear_refs").write_text("5")
    return peak_mb()


def peak_mb() -> float:
    """Return the most memory that this process held (MB)."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return int(next(line for line in lines if line.startswith("VmHWM")).split()[1]) / 1000


def measure_pages(ws: Workspace, filled: Filled) -> dict[str, dict[str, Costs]]:
    """Open every page in a process of its own."""
    found = {}
    wanted = os.environ.get("BENCHWRIGHT_ONLY", "")
    for name, (page, parameters) in pages(filled).items():
        if wanted not in name:
            continue
        order = json.dumps([page, parameters])
        environment = {**os.environ, **ENVIRONMENT, "BENCHWRIGHT_WORKSPACE": str(ws.root)}
        command = [sys.executable, __file__, "--page", order]
        done = subprocess.run(command, env=environment, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True)
        found[name] = json.loads(done.stdout.splitlines()[-1])
    return found


def show_pages(found: Sequence[tuple[int, Mapping[str, Mapping[str, Costs]]]]) -> None:
    """Print what each page took: the workspaces beside each other."""
    heads = [f"{what}, {runs} runs" for what in _SHOWN for runs, _ in found]
    rows = []
    for name in found[-1][1]:
        each = [costs[name] for _, costs in found]
        cells = [show(costs) for show in _SHOWN.values() for costs in each]
        rows.append([name, *cells, ", ".join(missed(each))])
    print(text_table(["page", *heads, "goals missed"], rows), end="\n\n", flush=True)


_SHOWN: Final[Mapping[str, Callable[[Mapping[str, Costs]], str]]] = {
    "ms first": lambda each: f"{each['first']['ms']:.0f}",
    "ms again": lambda each: f"{each['again']['ms']:.0f}",
    "CPU": lambda each: f"{each['first']['cpu_ms']:.0f}/{each['again']['cpu_ms']:.0f}",
    "SQL": lambda each: f"{each['first']['statements']:.0f}/{each['again']['statements']:.0f}",
    "M steps": lambda each: f"{each['first']['steps'] / 1e6:.1f}/{each['again']['steps'] / 1e6:.1f}",
    "kB": lambda each: f"{max(each['first']['kb'], each['again']['kb']):.0f}",
    "MB": lambda each: f"{each['first']['mb']:.0f}",
}
"""What a table shows of a page, in the first run and again."""


def missed(each: Sequence[Mapping[str, Costs]]) -> list[str]:
    """Return which goals a page missed on the larger workspace."""
    small, large = each[0], each[-1]
    both = (large["first"], large["again"])
    goals = {
        "statements": large["again"]["statements"] <= MOST_STATEMENTS,
        "bytes": all(costs["kb"] <= MOST_KB for costs in both),
        "time": large["again"]["cpu_ms"] <= MOST_MS,
        "memory": large["first"]["mb"] <= MOST_GROWTH * small["first"]["mb"],
    }
    return [name for name, is_met in goals.items() if not is_met]


def measure_commands(ws: Workspace, folder: Path) -> None:
    """Print what commands take on run folders, one of them with more epochs than the other."""
    found: dict[str, list[str]] = {}
    for epochs in EPOCHS:
        runs = [write_epochs(folder / f"epochs{epochs}_{pattern}", pattern, epochs) for pattern in (0, 1)]
        for name, command in commands(ws, folder, *runs).items():
            seconds, cpu, megabytes = timed([sys.executable, "-c", CLI, *command])
            found.setdefault(name, []).append(f"{seconds:.1f} s, CPU {cpu:.1f} s, {megabytes:.0f} MB")
    heads = ["command", *(f"{epochs * 10_000:,} records" for epochs in EPOCHS)]
    print(text_table(heads, [[name, *cells] for name, cells in found.items()]), flush=True)


def commands(ws: Workspace, folder: Path, one: Path, other: Path) -> Mapping[str, Sequence[str]]:
    """Return commands by their names, without the program's own."""
    out = folder / f"from_{one.name}"
    return {
        "report": ["report", str(one)],
        "report --json": ["report", str(one), "--json"],
        "report --html": ["report", str(one), "--html", str(out.with_suffix(".html"))],
        "compare": ["compare", str(one), str(other)],
        "compare --csv": ["compare", str(one), str(other), "--csv", str(out.with_suffix(".csv"))],
        "import results": ["import", "results", str(one / RECORDS), "--out", str(out)],
        "import results --workspace": [
            *("import", "results", str(one / RECORDS), "--workspace", str(ws.root), "--out", f"{out}_ws"),
        ],
        "job list": ["job", "list", "--workspace", str(ws.root)],
    }


def write_epochs(folder: Path, pattern: int, epochs: int) -> Path:
    """Write the folder of a run of 10,000 problems in so many epochs."""
    folder.mkdir()
    with (folder / RECORDS).open("wb") as file:
        for epoch in range(1, epochs + 1):
            file.writelines(json_line(each | {"epoch": epoch}) for each in records_of(pattern, 10_000 // PROBLEMS))
    manifest = {"benchmark": "bench", "version": "1.0", "agent": f"agent {pattern}", "epochs": epochs}
    (folder / MANIFEST).write_text(json.dumps(manifest))
    return folder


def timed(command: Sequence[str]) -> tuple[float, float, float]:
    """Run a command; return seconds, seconds of the processor, and the most memory that it held (MB)."""
    begin = time.perf_counter()
    started = subprocess.Popen(command, stdout=subprocess.DEVNULL, env={**os.environ, **ENVIRONMENT}, cwd=ROOT)
    _, status, used = os.wait4(started.pid, 0)
    started.returncode = os.waitstatus_to_exitcode(status)
    assert started.returncode == 0, command
    return time.perf_counter() - begin, used.ru_utime + used.ru_stime, used.ru_maxrss / 1000


def main(sizes: Sequence[int]) -> None:
    """Fill a workspace for each number of runs, and print what pages and commands take."""
    with tempfile.TemporaryDirectory() as name:
        found = []
        for runs in sizes:
            begin = time.perf_counter()
            ws = Workspace.open(Path(name) / f"ws{runs}")
            filled = fill_attempts(ws, runs=runs)
            size = ws.database_path.stat().st_size / 1e6
            took = time.perf_counter() - begin
            print(f"{runs} runs, {filled.attempts:,} attempts, {size:,.0f} MB, filled in {took:.0f} s", flush=True)
            found.append((runs, measure_pages(ws, filled)))
        show_pages(found)
        measure_commands(ws, Path(name))  # pyrefly: ignore[unbound-name]


if __name__ == "__main__":
    if sys.argv[1:2] == ["--page"]:
        print(json.dumps(measure_page(*json.loads(sys.argv[2]))))
    else:
        main([int(each) for each in sys.argv[1:]] or RUNS)
