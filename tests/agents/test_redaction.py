"""Values of variables that an agent was given stand in nothing that is kept of its run."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from evaluator.agents.process.redaction import LEAST_CHARS, Redactor, StreamRedactor
from evaluator.records import Record
from evaluator.reporting import read_run
from evaluator.running import HistoryPolicy, Policies, RunConfig, StatePolicy, agent_of_run, run_benchmark
from evaluator.session import Engine
from tests.agents.small_agents import raw

KEY, SHORT = "sk-0123456789abcdef", "4711"


def test_the_name_of_a_variable_takes_the_place_of_its_value() -> None:
    redactor = Redactor({"KEY": KEY, "LONGER": f"{KEY}/v1", "SHORT": SHORT, "JUST": "x" * LEAST_CHARS})
    assert redactor.text(f"{KEY} {KEY}/v1 {SHORT}") == f"[value of KEY] [value of LONGER] {SHORT}"
    told = {"code": f"key = '{KEY}'", "counts": [1, None, f"{KEY}"], KEY: True}
    shown = {"code": "key = '[value of KEY]'", "counts": [1, None, "[value of KEY]"], "[value of KEY]": True}
    assert redactor.json(told) == shown
    assert redactor.content(b"\xff" + KEY.encode()) == b"\xff[value of KEY]"
    assert Redactor({"SHORT": SHORT}).json(told) is told


def test_values_that_arrive_in_parts_are_found_the_longest_first() -> None:
    for size in (1, 2, 3, 5, 13, 14, 18, 19, 20, 1000):
        stream = StreamRedactor(Redactor({"KEY": KEY, "OTHER": "sk-0123-other", "LONG": f"{KEY}/very/secret"}))
        text = f"a {KEY} sk-0123- {KEY}{KEY} sk-0123-other {KEY}/very/secret {KEY}/ver sk-01".encode()
        shown, seen = b"", []
        for at in range(0, len(text), size):
            shown += stream.take(text[at : at + size])
            seen.append((shown + stream.held).replace(b"sk-0123- ", b""))
        told = (shown + stream.rest()).decode()
        key = "[value of KEY]"
        assert told == f"a {key} sk-0123- {key}{key} [value of OTHER] [value of LONG] {key}/ver sk-01", size
        assert not [each for each in seen if b"sk-01" in each or b"KEY]/very" in each], size


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, engine: Engine) -> Callable[..., Sequence[Record]]:
    """Run an agent that does `body` when it is asked, and that was given a key; return the records."""

    def scored(body: str, *problems: str, name: str = "MAKER_KEY", **more: Any) -> Sequence[Record]:
        monkeypatch.setenv(name, KEY)
        (tmp_path / "agent").mkdir(exist_ok=True)
        (tmp_path / "agent" / "agent.py").write_text(raw(body))
        cells = (f'# %%\n"""\nquery: How long is it?\n"""\n{code}\n' for code in problems)
        (tmp_path / "keys.py").write_text("\n".join(cells))
        command = f"cmd:python {tmp_path / 'agent' / 'agent.py'}"
        config = RunConfig(tmp_path / "keys.py", command, tmp_path / "run", agent_variables=("HOME", name), **more)
        run_benchmark(config, agent=agent_of_run(config), engine=engine)
        return read_run(tmp_path / "run").records

    return scored


def replayed(tmp_path: Path, benchmark: str, records: Path, engine: Engine) -> Record:
    config = RunConfig(tmp_path / benchmark, f"replay:{records}", tmp_path / "again")
    run_benchmark(config, agent=agent_of_run(config), engine=engine)
    (record,) = read_run(tmp_path / "again").records
    return record


BODY = """
    key = os.environ["MAKER_KEY"]
    for part in ("key: ", key[:7], key[7:], "\\n"):
        sys.stderr.write(part)
        sys.stderr.flush()
        time.sleep(0.05)
    if call["params"]["index"] == 1:
        told = {"session_id": call["params"]["session_id"], "text": "asking with " + key}
        write({"method": "progress", "params": told})
        trace = [{"role": "assistant", "content": "with " + key}]
        write({"id": call["id"], "result": {"code": f"print('{key}')\\nlen('{key}')", "trace": trace}})
    else:
        sys.stderr.write("last words: " + key)
        sys.stderr.flush()
        os._exit(1)
"""


def test_nothing_that_a_run_keeps_or_logs_holds_the_key(
    run: Callable[..., Sequence[Record]], tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level("INFO"):
        first, second = run(BODY, str(len(KEY)), "1")
    assert (first.verdict, first.code) == ("CORRECT", "print('[value of MAKER_KEY]')\nlen('[value of MAKER_KEY]')")
    assert "last words: [value of MAKER_KEY]" in str(second.agent_exception)
    kept = {path.name: path.read_bytes() for path in (tmp_path / "run").iterdir() if path.is_file()}
    assert [name for name, content in kept.items() if KEY.encode() in content] == []
    assert kept["agent.log"].count(b"key: [value of MAKER_KEY]\n") == 2
    assert kept["details.jsonl"].count(b"[value of MAKER_KEY]") == 2
    (said,) = [each.getMessage() for each in caplog.records if "agent_progress" in each.getMessage()]
    assert (KEY in said, "[value of MAKER_KEY]" in said) == (False, True)


OWN_STATE = """
    key = os.environ["MAKER_KEY"]
    code = f"x = len('{key}')\\nx" if call["params"]["index"] == 1 else "x + 1"
    write({"id": call["id"], "result": {"code": code}})
"""


def test_a_run_on_its_own_state_goes_on_from_what_was_executed(
    run: Callable[..., Sequence[Record]], tmp_path: Path
) -> None:
    """What is kept of the first answer has the name of the variable in it; what was executed had its value."""
    problems, policies = (f"x = {len(KEY)}\nx", "x + 1"), Policies(StatePolicy.OWN, HistoryPolicy.OWN)
    assert [each.verdict for each in run(OWN_STATE, *problems, policies=policies)] == ["CORRECT", "CORRECT"]
    records = tmp_path / "run" / "records.jsonl"
    records.write_text("".join(records.read_text().splitlines(keepends=True)[:1]))  # as if it had been stopped then
    assert [each.verdict for each in run(OWN_STATE, *problems, policies=policies)] == ["CORRECT", "CORRECT"]
    assert KEY not in records.read_text()


def test_code_that_is_kept_without_a_value_is_not_judged_again(
    run: Callable[..., Sequence[Record]], tmp_path: Path, engine: Engine
) -> None:
    length = """
        code = f"len('{os.environ['http_proxy']}')"
        write({"id": call["id"], "result": {"code": code}})
    """
    assert [each.verdict for each in run(length, str(len(KEY)), name="http_proxy")] == ["CORRECT"]
    record = replayed(tmp_path, "keys.py", tmp_path / "run" / "records.jsonl", engine)
    assert record.verdict == "NOT_JUDGED"
    assert "without the value of http_proxy" in record.extended_verdict


def test_code_that_holds_the_words_of_a_mark_is_judged(tmp_path: Path, engine: Engine) -> None:
    (tmp_path / "one.py").write_text('# %%\n"""\nquery: Return the header.\n"""\n"[value of GOODS]"\n')
    (tmp_path / "said.jsonl").write_text('{"problemset": "one", "index": 1, "code": "\'[value of GOODS]\'"}\n')
    assert replayed(tmp_path, "one.py", tmp_path / "said.jsonl", engine).verdict == "CORRECT"
