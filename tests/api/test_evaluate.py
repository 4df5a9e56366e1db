import subprocess
import sys
import threading
from dataclasses import replace
from math import inf
from pathlib import Path
from typing import Any

import pytest

from evaluator import Benchmark, Problemset, SolveRequest, Submission, compare, evaluate, judge
from evaluator.errors import ContentError, UsageError
from tests.api.conftest import TEXT
from tests.cli.conftest import Command
from tests.scripted_model import KEY, Say, scripted_model

RIGHT = ["len(trips)", "sum(trips)", "max(trips)"]
RATES = ["judged", "not_judged", "pass_rate", "without_intact", "without_presentation", "without_both"]


def right(request: SolveRequest) -> str:
    return RIGHT[request.index - 1]


def test_the_ten_lines(problemset: Problemset, set_file: Path, benchwright: Command) -> None:
    def solve(request: SolveRequest) -> str:
        return "3" if request.query.startswith("How many") else "None"

    result = evaluate(set_file, solve, workers=2)
    assert list(result.rates) == RATES
    assert (result.rates["judged"], result.rates["pass_rate"]) == (3, pytest.approx(1 / 3))
    frame = result.to_dataframe()
    assert (len(frame), next(iter(frame["verdict"]))) == (3, "CORRECT")
    assert set(frame["agent_isolation"]) == {"in-process"}
    failure = result.failures()[0]
    assert (failure.verdict, failure.index, failure.query, failure.code) == (
        *("WRONG_OUTPUT", 2, "How long are they together?", "None"),
    )
    assert [each.index for each in result.failures()] == [2, 3]
    assert evaluate(problemset, right).rates["pass_rate"] == 1.0
    assert evaluate(Benchmark.load(set_file), right).rates["pass_rate"] == 1.0
    total = benchwright("report", result.out, "--json").json["total"]
    assert {name: total[name] for name in RATES} == dict(result.rates)


def test_a_request_tells_what_there_is(problemset: Problemset) -> None:
    seen: list[SolveRequest] = []

    def solve(request: SolveRequest) -> str:
        seen.append(request)
        return "None" if request.attempt == 1 else right(request)

    result = evaluate(problemset, solve, max_attempts=2, feedback=["error", "output", "hint"])
    assert result.rates["pass_rate"] == 1.0
    assert len(result.records) == 6
    third = seen[4]
    assert [cell.source.strip() for cell in third.history][-2:] == ["len(trips)", "sum(trips)"]
    assert "trips" in {variable.name for variable in third.variables}
    assert seen[1].feedback is not None
    assert seen[1].feedback.code == "None"


def test_an_object_has_its_methods_called_async_or_not(problemset: Problemset) -> None:
    calls: list[str] = []

    class Agent:
        version = "7"

        async def start(self, session: Any) -> None:
            calls.append(f"start {session.problemset}")

        async def solve(self, request: SolveRequest) -> Submission:
            assert request.attempt == 1
            calls.append(threading.current_thread().name)
            return Submission("None")

        def retry(self, request: SolveRequest) -> str:
            calls.append("retry")
            return right(request)

        async def end(self, session_id: str) -> None:
            calls.append("end" if session_id else "")

    result = evaluate(problemset, Agent(), max_attempts=2)
    assert result.rates["pass_rate"] == 1.0
    assert calls == ["start trips", *["agent-loop", "retry"] * 3, "end"]
    assert result.summary.agent == "Agent"


def test_an_answer_that_is_none_is_the_agents_failure(problemset: Problemset) -> None:
    told: list[list[tuple[Any, str | None]]] = [
        [("raise", "ValueError: no idea"), (None, "the agent returned None, not code"), ("max(trips)", None)],
        [
            (7, "the agent returned int, not code as text"),
            (b"sum(trips)", "the agent returned bytes, not code as text"),
            (Submission(code=7), "the agent returned int, not code as text"),  # pyrefly: ignore[bad-argument-type]
        ],
        [("exit", "RuntimeError: SystemExit: 3")],
    ]

    def solve(request: SolveRequest) -> Any:
        answer = answers[request.index - 1][0]
        if answer == "raise":
            raise ValueError("no idea")
        return sys.exit(3) if answer == "exit" else answer

    for answers in told:
        result = evaluate(problemset, solve, limit=len(answers))
        assert [record.agent_exception for record in result.records] == [said for _, said in answers]
        assert [record.verdict == "CORRECT" for record in result.records] == [said is None for _, said in answers]
        assert result.rates["judged"] == len(answers)


def test_a_call_over_its_time_ends_the_set_for_the_agent(problemset: Problemset) -> None:
    never = threading.Event()

    def solve(request: SolveRequest) -> str:
        if request.index == 2:
            never.wait()
        return right(request)

    result = evaluate(problemset, solve, agent_timeout_s=0.5)
    said = [record.agent_exception for record in result.records]
    never.set()
    assert said[0] is None
    late = "the agent did not return within 0.5 s; it is not asked again in this problemset"
    assert said[1:] == [late, late]
    assert result.rates["pass_rate"] == pytest.approx(1 / 3)


def test_the_same_folder_resumes_and_another_agent_is_refused(problemset: Problemset, tmp_path: Path) -> None:
    asked: list[int] = []

    def solve(request: SolveRequest) -> str:
        asked.append(request.index)
        return right(request)

    assert evaluate(problemset, solve, out=tmp_path / "out").summary.resumed == 0
    again = evaluate(problemset, solve, out=tmp_path / "out")
    assert (again.summary.resumed, again.rates["pass_rate"], asked) == (3, 1.0, [1, 2, 3])
    with pytest.raises(ContentError, match="agent"):
        evaluate(problemset, "empty", out=tmp_path / "out")


def test_a_temporary_folder_lives_as_long_as_its_result_shown_escaped(problemset: Problemset) -> None:
    result = evaluate(problemset, lambda _request: "'<script>alert(1)</script>'")
    shown = result._repr_html_() + "".join(each._repr_html_() for each in result.failures())
    assert "&lt;script&gt;" in shown
    assert "<script" not in shown
    assert "pass_rate" in shown
    out = result.out
    assert (out / "records.jsonl").is_file()
    del result
    assert not out.exists()


def test_one_answer_is_judged_on_the_state_before_its_problem(problemset: Problemset, set_file: Path) -> None:
    assert judge(problemset.problems[1], "sum(trips)").verdict == "CORRECT"
    wrong = judge(problemset.problems[1], "'<b>'")
    assert (wrong.verdict, wrong.index, wrong.problemset) == ("WRONG_OUTPUT", 2, "trips")
    assert "&lt;b&gt;" in wrong._repr_html_()
    assert judge(Benchmark.load(set_file).problems[2], "max(trips)").verdict == "CORRECT"
    crash = judge(problemset.problems[0], "len(nothing)")
    assert (crash.verdict, crash.subverdict) == ("CRASH", "NAME_ERROR")
    changed = replace(problemset.problems[1], code="sum(trips) * 2")
    assert judge(changed, "24").verdict == "CORRECT"
    assert judge(problemset.problems[1], "24").verdict == "WRONG_OUTPUT"


def test_progress_is_drawn_in_a_notebook_and_ends_whole(
    problemset: Problemset, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Display:
        def __init__(self) -> None:
            self.shown: list[str] = []

        def update(self, data: dict[str, str], **_how: object) -> "Display":
            self.shown.append(data["text/plain"])
            return self

    display = Display()
    monkeypatch.setattr("evaluator.reporting.progress_bar._notebook_display", lambda: display.update)
    evaluate(problemset, right)
    assert display.shown[-1].startswith("█" * 30 + " 3/3")
    before = len(display.shown)
    evaluate(problemset, right, progress=False)
    assert len(display.shown) == before


NOTEBOOK = """
import warnings
from evaluator import Problemset, evaluate
result = evaluate(Problemset.parse({text!r}, name="trips"), lambda request: "3")
result
"""


@pytest.mark.deep
@pytest.mark.kernel
def test_a_notebook_shows_progress_and_the_result(tmp_path: Path) -> None:
    import nbformat
    from jupyter_client.manager import start_new_kernel

    manager, client = start_new_kernel(cwd=str(tmp_path))
    try:
        shown: list[dict[str, Any]] = []
        code = NOTEBOOK.format(text=TEXT)
        reply = client.execute_interactive(code, timeout=120, output_hook=lambda message: shown.append(message))
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)
    assert reply["content"]["status"] == "ok", shown
    drawn = [m["content"]["data"]["text/plain"] for m in shown if m["msg_type"] == "update_display_data"]
    assert drawn[-1].startswith("█" * 30 + " 3/3")
    results = [m["content"]["data"] for m in shown if m["msg_type"] == "execute_result"]
    assert "pass_rate" in results[0]["text/html"]
    assert nbformat.v4.new_output("execute_result", data=results[0])


def test_a_problem_without_a_set_and_a_broken_set_are_refused(problemset: Problemset) -> None:
    with pytest.raises(UsageError, match="does not know the problemset") as caught:
        judge(replace(problemset.problems[0], problemset=None), "1")
    assert "`problems`" in caught.value.fix
    broken = Problemset.parse('# %%\n1 / 0\n\n# %%\n"""\nquery: Add.\n"""\n1 + 1\n', name="broken")
    with pytest.raises(ContentError, match="ZeroDivisionError") as refused:
        judge(broken.problems[0], "2")
    assert refused.value.where == "broken.py:1"


def test_two_runs_are_compared(problemset: Problemset, tmp_path: Path) -> None:
    first = evaluate(problemset, "oracle", out=tmp_path / "a")
    second = evaluate(problemset, lambda request: "3" if request.index == 1 else "None")
    counts = compare(first, second).total.counts
    assert (counts.both, counts.only_first, counts.only_second) == (1, 2, 0)
    assert compare(tmp_path / "a", str(second.out)).total.counts == counts


def test_text_is_parsed_and_rendered(problemset: Problemset) -> None:
    assert Problemset.parse(problemset.render(), name="trips") == problemset
    assert [each.index for each in problemset.problems] == [1, 2, 3]
    assert all(each.problemset is problemset for each in problemset.problems)
    with pytest.raises(ContentError) as caught:
        Problemset.parse('# %%\n"""\nqery: Add.\n"""\n1 +\n', name="mine")
    assert caught.value.where.startswith("mine, line ")
    assert caught.value.what.startswith("'mine' cannot be read: line ")
    assert caught.value.what.count("line ") == 2, "both errors are named"


def test_choices_that_do_not_exist_are_refused(problemset: Problemset) -> None:
    seconds = "but must be more than 0 and at most 1,000,000 seconds"
    options: list[tuple[dict[str, Any], str]] = [
        ({"sandbox": "bubblewrap"}, "sandbox is 'bubblewrap', which is no choice"),
        ({"rules": "strict"}, "rules is 'strict', which is no choice"),
        ({"workers": 0}, "workers is 0, but must be at least 1"),
        ({"agent_timeout_s": 0}, f"agent-timeout is 0, {seconds}"),
        ({"agent_timeout_s": inf}, f"agent-timeout is inf, {seconds}"),
    ]
    for given, said in options:
        with pytest.raises(UsageError) as caught:
            evaluate(problemset, right, **given)
        assert caught.value.what == said
        assert caught.value.fix


def test_importing_the_package_imports_no_layer() -> None:
    code = "import sys, evaluator; print([m for m in sys.modules if m.startswith('evaluator.')])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_engines_are_chosen_by_name(problemset: Problemset) -> None:
    result = evaluate(problemset, right, engine="replay", limit=1)
    assert [record.engine for record in result.records] == ["replay"]
    with pytest.raises(UsageError, match="engine is 'relay', which is no choice"):
        judge(problemset.problems[0], "3", engine="relay")


DRAWN = '''# %%
"""
query: Draw a rising line.
validator: {template: basic, judge: {scale: right_wrong, counts: true}}
"""
import matplotlib.pyplot as plt
plt.plot([1, 2])
plt.show()
'''


def test_a_model_with_eyes_judges_figures(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    drawn = Problemset.parse(DRAWN, name="drawn")
    code = "import matplotlib.pyplot as plt\nplt.plot([3, 4])\nplt.show()"
    assert evaluate(drawn, lambda _: code, out=tmp_path / "blind").rates["not_judged"] == 1
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with scripted_model([Say("wrong")]) as model:
        monkeypatch.setenv("OPENAI_BASE_URL", model.url)
        result = evaluate(drawn, lambda _: code, out=tmp_path / "seen", judge_model="eye")
    assert [record.verdict for record in result.records] == ["WRONG_OUTPUT"]
    assert len(model.requests) == 1
    assert (tmp_path / "seen" / "judgements.jsonl").exists()
