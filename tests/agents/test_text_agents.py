"""Agents that answer in prose, and agents that ask for no files."""

from pathlib import Path

import pytest

from evaluator.agents import SessionInfo, Submits
from evaluator.agents.conformance import check_agent
from evaluator.agents.process.wire import read_card, read_submission
from evaluator.agents.sdk import benchwright_agent
from evaluator.reporting import read_run
from evaluator.reporting.html_report import html_report
from evaluator.running import RunConfig, agent_of_run, run_benchmark
from tests.agents.small_agents import Make

SETS = '''# %%
x = 20

# %%
"""
query: How much is x and one?
validator:
  template: basic
  final_answer:
"""
x + 1

# %%
"""
query: Store x and two as y.
validator:
  namespace_check:
    y:
"""
y = x + 2
'''
AGENT = """
from benchwright_agent import serve

ANSWERS = {{"How": {how}, "Store": {store}}}
serve(lambda request: ANSWERS[request["query"].split()[0]], name="prose", submits={submits!r})
"""
STORE = {"text": "It is stored.", "code": "y = x + 2"}


def ran(
    tmp_path: Path, how: object, *, submits: str = "text", store: object = STORE
) -> list[tuple[str, str, str | None]]:
    """Return verdict, code and answer of the two problems."""
    folder = tmp_path / "agent"
    folder.mkdir()
    (folder / "benchwright_agent.py").write_bytes(Path(benchwright_agent.__file__).read_bytes())
    (folder / "agent.py").write_text(AGENT.format(how=repr(how), store=repr(store), submits=submits))
    (tmp_path / "sums.py").write_text(SETS)
    config = RunConfig(tmp_path / "sums.py", f"cmd:python {folder / 'agent.py'}", tmp_path / "run")
    run_benchmark(config, agent=agent_of_run(config))
    return [(each.verdict, each.code or "", each.answer) for each in read_run(tmp_path / "run").records]


def test_a_text_is_judged_by_final_answer_and_a_cell_by_the_others(tmp_path: Path) -> None:
    told = "The answer is <b>21</b>."
    assert ran(tmp_path, told) == [("CORRECT", "", told), ("CORRECT", "y = x + 2", "It is stored.")]
    assert "&lt;b&gt;21&lt;/b&gt;" in html_report(read_run(tmp_path / "run"))
    config = RunConfig(tmp_path / "sums.py", f"replay:{tmp_path / 'run' / 'records.jsonl'}", tmp_path / "again")
    summary = run_benchmark(config, agent=agent_of_run(config))
    assert summary.pass_rate == 1.0


@pytest.mark.parametrize(
    ("how", "store"),
    [
        ("The answer is 22.", "It is stored."),
        ({"code": "x + 1"}, {"text": "22"}),  # what its cell shows does not stand for a text
        ({"text": "22", "code": "x + 1"}, {"text": "y = x + 2"}),
        ({"text": "21", "status": "error"}, {"text": "stored", "code": "y = 1"}),
        ("21 or 22", ""),
    ],
)
def test_what_is_no_right_text_is_wrong(tmp_path: Path, how: object, store: object) -> None:
    verdicts = [verdict for verdict, _, _ in ran(tmp_path, how, store=store)]
    assert len(verdicts) == 2
    assert not {"CORRECT", "NOT_JUDGED"} & set(verdicts)


def test_a_replay_of_an_agent_that_said_nothing_is_judged_as_the_agent_was(tmp_path: Path) -> None:
    """What its cell shows stands for no text of one that submits text, in a replay neither."""
    first = [verdict for verdict, _, _ in ran(tmp_path, {"code": "x + 1"})]
    assert first[0] != "CORRECT"
    config = RunConfig(tmp_path / "sums.py", f"replay:{tmp_path / 'run' / 'records.jsonl'}", tmp_path / "again")
    run_benchmark(config, agent=agent_of_run(config))
    assert [record.verdict for record in read_run(tmp_path / "again").records] == first


def test_an_agent_that_submits_code_is_read_by_its_cell_where_it_says_nothing(tmp_path: Path) -> None:
    assert [each[0] for each in ran(tmp_path, "x + 1", submits="code")] == ["CORRECT", "CORRECT"]


def test_what_a_submission_of_text_holds() -> None:
    assert read_submission({"text": "42"}, submits=Submits.TEXT).answer == "42"
    assert read_submission({"code": "42"}, submits=Submits.TEXT).answer == ""
    assert read_submission({"code": "42"}).answer is None


@pytest.mark.parametrize(("files", "sent"), [("", False), (', "files": True', True), (', "files": "yes"', False)])
def test_files_are_sent_to_those_who_ask(files: str, sent: bool, tmp_path: Path) -> None:
    card = read_card({"protocol": 1, "agent": eval(f'{{"name": "x"{files}}}')})
    assert card.files is sent
    from evaluator.language import read_benchmark
    from evaluator.running.execution.reference_history import ReferenceHistory

    (tmp_path / "inputs").mkdir()
    (tmp_path / "inputs" / "trips.csv").write_text("1")
    (tmp_path / "sums.py").write_text(SETS)
    (loaded,) = read_benchmark(tmp_path / "sums.py").sets
    assert loaded.problemset is not None
    history = ReferenceHistory(loaded.problemset, tmp_path / "inputs")
    request = history.request(1, loaded.problemset.problems[0], card)
    assert (request.files, dict(request.sizes)) == ((("trips.csv",), {"trips.csv": 1}) if sent else ((), {}))


@pytest.mark.parametrize(("submits", "is_passed"), [("text", True), ("code", False)])
def test_conformance_knows_agents_that_submit_text(make: Make, submits: str, is_passed: bool) -> None:
    """The second says that it submits text, and returns code alone."""
    key = "text" if submits == "text" else "code"
    source = f"""
        from benchwright_agent import serve

        def solve(request):
            assert request["files"] == []
            return {{"{key}": "3"}}

        serve(solve, submits="text", files=False)
    """
    report = check_agent(lambda: make(source), timeout_s=20.0)
    failed = [each.detail for each in report.results if not each.is_passed]
    if is_passed:
        assert failed == []
    else:
        assert set(failed) == {"its card says that it submits text, and its answer holds no `text`"}
    agent = make(source)
    assert agent.describe().submits is Submits.TEXT
    agent.start(SessionInfo("s", "set"))
