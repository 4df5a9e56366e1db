"""A run of the Qwen benchmark in parts: replies alone, executions without a judge, judgements alone; and by tag."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from evaluator.models.figure_judge import ModelJudge
from tests.cli.conftest import Serve
from tests.scripted_model import KEY, Refuse, Say, ScriptedModel, scripted_model

pytestmark = pytest.mark.kernel
Command = Callable[..., Any]
SAID = "Thought: t\nAction: code_interpreter\nAction Input: ```python\n{}\n```\n"
REPLIES = {
    "2 + 2": SAID.format("print(2 + 2)"),
    "Draw": SAID.format("plt.plot([1, 2])\nplt.show()"),
    "up?": SAID.format("1 / 0"),
}
RECORDS = [
    {"query": "What is 2 + 2?", "tags": "all_ci,math"},
    {"query": "Draw the line.", "tags": "all_ci,visualization"},
    {"query": "Is it up?", "tags": "all_ci,general"},
]
RUN = ("run", "bench", "--agent", "react-qwen:m", "--mode", "qwen", "--out", "run", "--json")


@pytest.fixture
def bench(benchwright: Command, tmp_path: Path) -> Path:
    lines = "".join(f"{json.dumps(each)}\n" for each in RECORDS)
    (tmp_path / "records.jsonl").write_text(lines, encoding="utf-8")
    assert benchwright("import", "qwen", "records.jsonl", "--out", "bench").code == 0
    return tmp_path / "bench"


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> Callable[[], Any]:
    """A model that replies to each query once, then closes; and that takes every figure for right."""
    monkeypatch.setenv("OPENAI_API_KEY", KEY)

    def script(request: dict[str, Any]) -> Say:
        if "messages" in request:
            return Say("right")
        prompt = request["prompt"]
        reply = next(said for query, said in REPLIES.items() if query in prompt)
        return Say(" done\nFinal Answer: there" if "Observation:" in prompt.split("Question:")[-1] else reply)

    @contextmanager
    def serve() -> Iterator[ScriptedModel]:
        with scripted_model(script) as model:
            monkeypatch.setenv("OPENAI_BASE_URL", model.url)
            yield model

    return serve


def tags_of(benchwright: Command) -> dict[str, Any]:
    tags = benchwright("report", "run", "--json").json["family_board"]["tags"]
    assert isinstance(tags, dict)
    return tags


@pytest.mark.usefixtures("bench")
def test_replies_are_got_once_then_executed_then_judged(benchwright: Command, asked: Any) -> None:
    with asked() as model:
        first = benchwright(*RUN, "--phases", "generate", "--limit", "2")
        assert (first.code, first.json["replies"], first.json["resumed"]) == (0, 2, 0)
        more = benchwright(*RUN, "--phases", "generate")
        assert (more.json["replies"], more.json["resumed"], more.json["without_code"]) == (3, 2, 0)
        assert len(model.requests) == 3
        executed = benchwright(*RUN, "--phases", "execute")
        assert (executed.code, executed.json["not_judged"]) == (3, 1)
        assert len(model.requests) == 3
        assert tags_of(benchwright)["math"]["executable"] == {"value": 1.0, "n": 1}
        assert tags_of(benchwright)["visualization-hard"]["accuracy"]["value"] is None
        judged = benchwright(*RUN, "--phases", "score", "--judge", "eye")
        assert (judged.code, judged.json["judged"], judged.json["resumed"]) == (0, 3, 2)
        assert len(model.requests) == 4
        assert "messages" in model.requests[-1]
    assert tags_of(benchwright)["visualization-hard"]["accuracy"] == {"value": 1.0, "n": 1}
    assert tags_of(benchwright)["general"]["failing"] == {"value": 1.0, "n": 1}


@pytest.mark.usefixtures("bench")
def test_judging_that_is_stopped_goes_on_without_asking_again(
    benchwright: Command, asked: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stop(*_: Any) -> None:
        raise KeyboardInterrupt

    with asked() as model:
        assert benchwright(*RUN, "--phases", "generate,execute").code == 3
        before = len(model.requests)
        with monkeypatch.context() as patched:
            patched.setattr(ModelJudge, "opinion", stop)
            assert benchwright(*RUN, "--phases", "score", "--judge", "eye").code == 130
        assert len(Path("run", "records.jsonl").read_bytes().splitlines()) == 2
        assert benchwright(*RUN, "--phases", "score", "--judge", "eye").code == 0
        assert [request for request in model.requests[before:] if "prompt" in request] == []
    assert tags_of(benchwright)["visualization-hard"]["accuracy"] == {"value": 1.0, "n": 1}
    details = Path("run", "details.jsonl").read_text(encoding="utf-8").splitlines()
    assert "Final Answer: there" in details[-1]  # the transcript goes on with the judged attempt


@pytest.mark.usefixtures("bench")
def test_what_the_machine_lost_is_no_answer_to_judge(
    benchwright: Command, asked: Any, monkeypatch: pytest.MonkeyPatch, serve: Serve
) -> None:
    monkeypatch.setenv("OPENAI_MAX_RETRIES", "0")
    serve([Refuse(401)])
    benchwright(*RUN, "--phases", "generate,execute")
    with asked():
        refused = benchwright(*RUN, "--phases", "score", "--judge", "eye")
    assert (refused.code, refused.json["error"]["fix"]) == (2, "run the phases generate,execute first")


@pytest.mark.usefixtures("bench")
def test_what_was_left_is_removed_only_when_asked_for(benchwright: Command, asked: Any) -> None:
    with asked() as model:
        assert benchwright(*RUN, "--phases", "generate").code == 0
        other = [*RUN[:3], "react-qwen:other", *RUN[4:], "--phases", "generate"]
        refused = benchwright(*other)
        assert (refused.code, "--fresh" in refused.json["error"]["fix"]) == (1, True)
        assert benchwright(*other, "--fresh").json["resumed"] == 0
        assert len(model.requests) == 6
    Path("run", "mine.txt").write_text("kept", encoding="utf-8")
    again = benchwright("run", "bench", "--agent", "empty", "--mode", "qwen", "--out", "run", "--fresh", "--json")
    assert again.json["resumed"] == 0
    assert benchwright("run", "bench", "--agent", "oracle", "--mode", "qwen", "--out", "run", "--fresh").code in (0, 3)
    assert Path("run", "mine.txt").read_text(encoding="utf-8") == "kept"
    assert not Path("run", "replies.jsonl").exists()


@pytest.mark.usefixtures("bench")
def test_tags_select_records(benchwright: Command) -> None:
    def total(task: str, *more: str) -> int:
        command = ("run", "bench", "--agent", "empty", "--mode", "qwen", "--task", task)
        done = benchwright(*command, "--out", task.replace(",", ""), "--json", *more)
        assert done.code in (0, 3), done.stderr
        return int(done.json["total"])

    assert [total(task) for task in ("visualization", "math,general")] == [1, 2]


@pytest.mark.usefixtures("bench")
def test_what_does_not_fit_is_refused(benchwright: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    for more, said in (
        (("--phases", "cook"), "use some of generate, execute, score"),
        (("--phases", "generate,score"), "add execute"),
        (("--phases", "generate,", "--judge", "eye"), "add score"),
        (("--phases", "score", "--fresh"), "leave it out"),
        (("--phases", "execute", "--fresh"), "leave it out"),
        (("--phases", "execute"), "run the phase generate first"),
        (("--phases", "score"), "run the phases generate,execute first"),
        (("--task", "maths"), "no task is called 'maths'"),
        (("--task", "gsm8k"), "has no record of gsm8k"),
        (("--task", "math", "--sets", "q1"), "leave out one of the two"),
    ):
        refused = benchwright(*RUN, *more)
        assert refused.code == 2, refused.stderr
        assert said in refused.json["error"]["fix"] + refused.json["error"]["what"]
    core = Path(__file__).parents[2] / "problemsets" / "core"
    refused = benchwright("run", core, "--agent", "empty", "--out", "run", "--phases", "generate")
    assert (refused.code, "of one problem" in refused.stderr) == (2, True)


@pytest.mark.usefixtures("bench")
def test_fresh_removes_nothing_before_the_command_is_known_to_be_right(benchwright: Command) -> None:
    assert benchwright("run", "bench", "--agent", "empty", "--mode", "qwen", "--out", "run").code in (0, 3)
    kept = Path("run", "records.jsonl").read_bytes()
    for wrong in (("--agent", "nosuch"), ("--agent", "replay:run/records.jsonl"), ("--agent", "empty", "--task", "x")):
        assert benchwright("run", "bench", *wrong, "--mode", "qwen", "--out", "run", "--fresh").code == 2
        assert Path("run", "records.jsonl").read_bytes() == kept
    Path("other").mkdir()
    Path("other", "manifest.json").write_text('{"mine": 1}', encoding="utf-8")  # none of ours
    Path("other", "replies.jsonl").write_text("precious", encoding="utf-8")
    refused = benchwright("run", "bench", "--agent", "empty", "--mode", "qwen", "--out", "other", "--fresh")
    assert (refused.code, "manifest.json" in refused.stderr) == (1, True)
    assert Path("other", "replies.jsonl").read_text(encoding="utf-8") == "precious"
    assert Path("other", "manifest.json").exists()


@pytest.mark.usefixtures("bench")
def test_an_agent_that_raises_has_no_code(benchwright: Command, tmp_path: Path) -> None:
    text = "class A:\n    def solve(self, request):\n        if 'up' in request.query:\n"
    text += "            raise ValueError('no idea')\n        return 'print(4)'\n"
    (tmp_path / "a.py").write_text(text, encoding="utf-8")
    own = ("run", "bench", "--agent", "a.py:A", "--mode", "qwen", "--out", "run", "--json")
    done = benchwright(*own, "--phases", "generate")
    assert (done.code, done.json["replies"], done.json["without_code"]) == (0, 3, 1)
    assert benchwright(*own, "--phases", "execute").code in (0, 3)
    records = [json.loads(line) for line in Path("run", "records.jsonl").read_text("utf-8").splitlines()]
    assert [record["agent_exception"] for record in records if record["agent_exception"]] == ["ValueError: no idea"]
