"""Every bad agent beside a good one: the run ends, nothing but what is right counts, and the report says why."""

import contextlib
import json
import os
import socket
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from evaluator.agents.process import launching
from evaluator.language import read_benchmark
from evaluator.reporting import read_run, run_details, run_text
from evaluator.reporting.html_report import html_report, safe_html
from evaluator.running import RunConfig, agent_of_run
from evaluator.running.side_by_side import SideRun, run_side_by_side
from evaluator.session import Engine, SandboxChoice
from tests.agents.bad_agents import BAD_AGENTS, HEAD, MARKER, TAIL, TIMEOUT_S, BadAgent
from tests.agents.small_agents import is_gone

PAGE = Path(__file__).parents[2] / "docs" / "agents.md"
WORDS = ("first", "second", "third")
RIGHT = ["x + 1", "x + 2", "x + 3"]
GOOD = HEAD.replace('== "second"', '== "none"') + " " * 12 + "pass\n" + TAIL


@pytest.fixture
def bench(tmp_path: Path) -> Path:
    folder = tmp_path / "bench"
    folder.mkdir()
    (folder / "_manifest.yaml").write_text("name: bench\nversion: '1'\n")
    problems = "".join(
        f'# %%\n"""\nquery: The {word} number after x?\n"""\nx + {number}\n\n' for number, word in enumerate(WORDS, 1)
    )
    (folder / "numbers.py").write_text(f"# %%\nx = 1\n\n{problems}")
    return folder


@pytest.fixture
def facts(tmp_path: Path, bench: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, object]]:
    """What a bad agent knows of this machine, so as not to guess: places, a variable, servers that listen."""
    monkeypatch.setenv(MARKER, "secret")
    (tmp_path / "secret.txt").write_text("secret")
    abstract, neighbour = f"bad-agents-{os.getpid()}-{tmp_path.name}", f"3600.{os.getpid()}"
    with (
        contextlib.ExitStack() as stack,
        tempfile.TemporaryDirectory() as short,  # the address of a socket has at most 108 bytes
        socket.create_server(("127.0.0.1", 0)) as server,
        socket.socket(socket.AF_UNIX) as hidden,
        socket.socket(socket.AF_UNIX) as named,
    ):
        hidden.bind(f"\0{abstract}")
        place = Path(short) / "door.sock"
        named.bind(str(place))
        hidden.listen()
        named.listen()
        paths = [
            bench,
            bench / "numbers.py",
            tmp_path / "runs",
            tmp_path / "secret.txt",
            PAGE.parents[1] / "problemsets",
        ]
        process = stack.enter_context(subprocess.Popen(["sleep", neighbour]))
        stack.callback(process.kill)
        yield {
            "neighbour": neighbour,
            "child": f"3601.{abs(hash(str(tmp_path)))}",
            "paths": [str(path) for path in paths],
            "variable": MARKER,
            "port": server.getsockname()[1],
            "abstract": abstract,
            "socket": str(place),
        }


def side(
    tmp_path: Path, bench: Path, name: str, source: str, facts: object, sandbox: SandboxChoice = SandboxChoice.AUTO
) -> SideRun:
    folder = tmp_path / "agents" / name
    folder.mkdir(parents=True)
    (folder / "agent.py").write_text(source)
    (folder / "facts.json").write_text(json.dumps(facts))
    command = f"cmd:python {folder / 'agent.py'} {marker(tmp_path)}"
    config = RunConfig(
        bench,
        command,
        tmp_path / "runs" / name,
        sandbox=sandbox,
        agent_timeout_s=TIMEOUT_S if sandbox is SandboxChoice.AUTO else 60.0,
    )
    return SideRun(config, agent_of_run(config))


def marker(tmp_path: Path) -> str:
    return f"bad-agents-{abs(hash(str(tmp_path)))}"


def files_of(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def judged(bads: Sequence[BadAgent], engine: Engine, bench: Path, facts: dict[str, object], tmp_path: Path) -> None:
    """Run bad agents beside a good one, and look at what came of all."""
    good = side(tmp_path, bench, "good", GOOD, facts)
    runs = [*(side(tmp_path, bench, bad.name, bad.source, facts) for bad in bads), good]
    before = {name: text for name, text in files_of(tmp_path).items() if not name.startswith("runs")}
    run_side_by_side(runs, read_benchmark(bench), engine=engine)
    assert is_gone(marker(tmp_path))
    assert is_gone(str(facts["child"]))
    assert {name: text for name, text in files_of(tmp_path).items() if not name.startswith("runs")} == before
    neighbour = read_run(tmp_path / "runs" / "good", benchmark=bench)
    assert [(record.verdict, record.code) for record in neighbour.records] == [("CORRECT", code) for code in RIGHT]
    details = run_details(neighbour.records).to_json()
    assert (details["agent_failures"], details["agent_labels"]) == ([], [])
    for bad in bads:
        look_at(bad, tmp_path / "runs" / bad.name, bench)


def look_at(bad: BadAgent, folder: Path, bench: Path) -> None:
    run = read_run(folder, benchmark=bench)
    first, second, third = (record.verdict for record in run.records)
    assert (first, third) == ("CORRECT", "CORRECT"), bad
    assert second not in ("CORRECT", "NOT_JUDGED") if bad.verdict == "wrong" else second == bad.verdict, bad
    if not bad.told and bad.verdict == "wrong":
        assert run.records[1].code == "worked = []", bad
    details = run_details(run.records)
    page = html_report(run)
    for report in (run_text(run, details), json.dumps(details.to_json(), ensure_ascii=False), page):
        assert bad.told in report or safe_html(bad.told) in report, bad
    assert "<script>alert" not in page


def test_bad_agents_harm_nobody_and_are_named(
    engine: Engine, bench: Path, facts: dict[str, object], tmp_path: Path
) -> None:
    """One of each kind: it dies, floods, is hostile in words, claims, looks around, meddles, leaves children."""
    names = {"dies", "floods-stdout", "hostile-words", "lies-of-usage", "reads-answers", "opens-sockets",
             "tampers-with-exchange", "changes-its-script", "leaves-children", "out-of-turn"}  # fmt: skip
    bads = [bad for bad in BAD_AGENTS if bad.name in names]
    assert len(bads) == len(names)
    judged(bads, engine, bench, facts, tmp_path)


@pytest.mark.deep
@pytest.mark.needs_processes
@pytest.mark.parametrize("bad", BAD_AGENTS, ids=lambda bad: bad.name)
def test_a_bad_agent_alone_harms_nobody_and_is_named(
    bad: BadAgent,
    engine: Engine,
    bench: Path,
    facts: dict[str, object],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    if bad.name in ("exhausts-memory", "hides-memory"):
        monkeypatch.setattr(launching, "most_memory", lambda: 200 * 1024**2)
    judged([bad], engine, bench, facts, tmp_path)


def test_the_page_prints_the_table_of_bad_agents() -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert "\n".join(bad.row for bad in BAD_AGENTS) in page
