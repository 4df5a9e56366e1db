"""Agents that answer in prose, and agents that ask for no files."""

from pathlib import Path
from typing import Any

from evaluator.agents import Submits
from evaluator.agents.conformance import check_agent
from evaluator.agents.process.wire import read_card, read_submission
from evaluator.agents.sdk import benchwright_agent
from evaluator.language import read_benchmark
from evaluator.reporting import read_run
from evaluator.reporting.html_report import html_report
from evaluator.running import RunConfig, agent_of_run, run_benchmark
from evaluator.running.execution.reference_history import ReferenceHistory
from evaluator.session import Engine
from tests.agents.small_agents import Make

HOW = '# %%\n"""\nquery: How much is x and one?\nvalidator:\n  template: basic\n  final_answer:\n"""\nx + 1\n\n'


def store(name: str) -> str:
    """A problem that asks for a variable which no other one makes."""
    settings = f"validator:\n  namespace_check:\n    {name}:\n"
    return f'# %%\n"""\nquery: Store x and two as {name}.\n{settings}"""\n{name} = x + 2\n\n'


TOLD = "The answer is <b>21</b>."
ANSWERS: list[tuple[str, object, bool]] = [  # a problem, what the agent answers, whether that is right
    (HOW, TOLD, True),
    (HOW, "The answer is 22.", False),
    (HOW, "21 or 22", False),
    (HOW, {"code": "x + 1"}, False),  # what its cell shows does not stand for a text
    (HOW, {"text": "22", "code": "x + 1"}, False),
    (HOW, {"text": "21", "status": "error"}, False),
    (store("y"), {"text": "It is stored.", "code": "y = x + 2"}, True),
    (store("z"), {"text": "z = x + 2"}, False),
    (store("v"), {"text": "stored", "code": "v = 1"}, False),
    (store("w"), "", False),
]
AGENT = """
from benchwright_agent import serve

ANSWERS = {answers!r}
serve(lambda request: ANSWERS[request["index"] - 1], name="prose", submits={submits!r})
"""


def ran(folder: Path, engine: Engine, answers: list[tuple[str, object, bool]], submits: str) -> Any:
    (folder / "agent").mkdir()
    (folder / "agent" / "benchwright_agent.py").write_bytes(Path(benchwright_agent.__file__).read_bytes())
    text = AGENT.format(answers=[answer for _, answer, _ in answers], submits=submits)
    (folder / "agent" / "agent.py").write_text(text)
    (folder / "sums.py").write_text("# %%\nx = 20\n\n" + "".join(problem for problem, _, _ in answers))
    config = RunConfig(folder / "sums.py", f"cmd:python {folder / 'agent' / 'agent.py'}", folder / "run")
    run_benchmark(config, agent=agent_of_run(config), engine=engine)
    return read_run(folder / "run")


def test_a_text_is_judged_by_final_answer_and_a_cell_by_the_others(tmp_path: Path, engine: Engine) -> None:
    run = ran(tmp_path, engine, ANSWERS, "text")
    verdicts = [each.verdict for each in run.records]
    assert [verdict == "CORRECT" for verdict in verdicts] == [is_right for _, _, is_right in ANSWERS]
    assert "NOT_JUDGED" not in verdicts
    assert [(run.records[at].code, run.records[at].answer) for at in (0, 6)] == [
        ("", TOLD),
        ("y = x + 2", "It is stored."),
    ]
    assert "&lt;b&gt;21&lt;/b&gt;" in html_report(run)
    config = RunConfig(tmp_path / "sums.py", f"replay:{tmp_path / 'run' / 'records.jsonl'}", tmp_path / "again")
    run_benchmark(config, agent=agent_of_run(config), engine=engine)
    assert [record.verdict for record in read_run(tmp_path / "again").records] == verdicts


def test_what_a_submission_of_text_holds() -> None:
    assert read_submission({"text": "42"}, submits=Submits.TEXT).answer == "42"
    assert read_submission({"code": "42"}, submits=Submits.TEXT).answer == ""
    assert read_submission({"code": "42"}).answer is None


def test_files_are_sent_to_those_who_ask(tmp_path: Path) -> None:
    (tmp_path / "inputs").mkdir()
    (tmp_path / "inputs" / "trips.csv").write_text("1")
    (tmp_path / "sums.py").write_text(f"# %%\nx = 20\n\n{HOW}")
    (loaded,) = read_benchmark(tmp_path / "sums.py").sets
    assert loaded.problemset is not None
    history = ReferenceHistory(loaded.problemset, tmp_path / "inputs")
    for card, sent in (({}, {}), ({"files": True}, {"trips.csv": 1}), ({"files": "yes"}, {})):
        read = read_card({"protocol": 1, "agent": {"name": "x", **card}})
        request = history.request(1, loaded.problemset.problems[0], read)
        assert (request.files, dict(request.sizes)) == (tuple(sent), sent)


def test_conformance_knows_agents_that_say_text_and_submit_code(make: Make) -> None:
    source = """
        from benchwright_agent import serve

        def solve(request):
            assert request["files"] == []
            return {"code": "3"}

        serve(solve, submits="text", files=False)
    """
    report = check_agent(lambda: make(source, backend="none"), timeout_s=20.0)
    failed = {each.detail for each in report.results if not each.is_passed}
    assert failed == {"its card says that it submits text, and its answer holds no `text`"}
    agent = make(source)
    assert agent.describe().submits is Submits.TEXT
