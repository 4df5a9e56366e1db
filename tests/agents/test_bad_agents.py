"""Every bad agent beside a good one: the run ends, nothing but what is right counts, and the report says why."""

import contextlib
import json
import os
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from evaluator.agents.process import launching
from evaluator.language import Benchmark, read_benchmark
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


@pytest.fixture(scope="module")
def engine() -> Iterator[Engine]:
    with Engine() as made:
        yield made


@pytest.fixture
def bench(tmp_path: Path) -> Path:
    """Write three problems of one set."""
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


@pytest.mark.needs_processes
@pytest.mark.parametrize("bad", BAD_AGENTS, ids=lambda bad: bad.name)
def test_a_bad_agent_harms_nobody_and_is_named(
    bad: BadAgent,
    engine: Engine,
    bench: Path,
    facts: dict[str, object],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    if bad.name in ("exhausts-memory", "hides-memory"):
        monkeypatch.setattr(launching, "most_memory", lambda: 200 * 1024**2)
    good = side(tmp_path, bench, "good", HEAD.replace('== "second"', '== "none"') + " " * 12 + "pass\n" + TAIL, facts)
    runs = [side(tmp_path, bench, "bad", bad.source, facts), good]
    before = {name: text for name, text in files_of(tmp_path).items() if not name.startswith("runs")}
    content: Benchmark = read_benchmark(bench)
    run_side_by_side(runs, content, engine=engine)

    assert is_gone(marker(tmp_path))
    assert is_gone(str(facts["child"]))
    assert {name: text for name, text in files_of(tmp_path).items() if not name.startswith("runs")} == before
    neighbour = read_run(tmp_path / "runs" / "good", benchmark=bench)
    assert [(record.verdict, record.code) for record in neighbour.records] == [("CORRECT", code) for code in RIGHT]
    run = read_run(tmp_path / "runs" / "bad", benchmark=bench)
    verdicts = [record.verdict for record in run.records]
    assert (verdicts[0], verdicts[2]) == ("CORRECT", "CORRECT")
    if bad.verdict == "wrong":
        assert verdicts[1] not in ("CORRECT", "NOT_JUDGED")
    else:
        assert verdicts[1] == bad.verdict
    is_judged = not bad.told and bad.verdict == "wrong"
    if is_judged:
        assert run.records[1].code == "worked = []"
    details = run_details(run.records)
    page, text = html_report(run), run_text(run, details)
    for report in (text, json.dumps(details.to_json(), ensure_ascii=False), page):
        assert bad.told in report or safe_html(bad.told) in report
    assert "<script>alert" not in page


def test_a_good_agent_has_nothing_to_be_told(engine: Engine, bench: Path, tmp_path: Path) -> None:
    source = HEAD.replace('== "second"', '== "none"') + " " * 12 + "pass\n" + TAIL
    run_side_by_side([side(tmp_path, bench, "good", source, {})], read_benchmark(bench), engine=engine)
    details = run_details(read_run(tmp_path / "runs" / "good").records).to_json()
    assert (details["agent_failures"], details["agent_labels"]) == ([], [])


WORK_WITHOUT = {"reads-answers": 8, "opens-sockets": 3, "tampers-with-exchange": 4, "changes-its-script": 5}


@pytest.mark.parametrize("name", WORK_WITHOUT)
def test_what_is_refused_would_work_without_a_sandbox(
    name: str, engine: Engine, bench: Path, facts: dict[str, object], tmp_path: Path
) -> None:
    """Else the agents above would prove nothing."""
    bad = next(each for each in BAD_AGENTS if each.name == name)
    run_side_by_side(
        [side(tmp_path, bench, "bad", bad.source, facts, SandboxChoice.NONE)], read_benchmark(bench), engine=engine
    )
    record = read_run(tmp_path / "runs" / "bad").records[1]
    assert record.code == f"worked = {list(range(WORK_WITHOUT[name]))}", record


def test_the_page_prints_the_table_of_bad_agents() -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert "\n".join(bad.row for bad in BAD_AGENTS) in page
