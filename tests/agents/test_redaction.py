"""Values of variables that an agent was given stand in nothing that is kept of its run."""

from pathlib import Path

import pytest

from evaluator.agents.process.redaction import LEAST_CHARS, Redactor, StreamRedactor
from evaluator.reporting import read_run
from evaluator.running import HistoryPolicy, Policies, RunConfig, StatePolicy, agent_of_run, run_benchmark
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


@pytest.mark.parametrize("size", [1, 2, 5, 18, 19, 20, 1000])
def test_a_value_that_arrives_in_parts_is_found(size: int) -> None:
    stream = StreamRedactor(Redactor({"KEY": KEY, "OTHER": "sk-0123-other"}))
    text = f"before {KEY} sk-0123- {KEY}{KEY} sk-0123-other sk-01".encode()
    shown = b"".join(stream.take(text[at : at + size]) for at in range(0, len(text), size))
    assert b"sk-01" not in shown.replace(b"sk-0123- ", b"") + stream.held
    whole = shown + stream.rest()
    assert whole.decode() == "before [value of KEY] sk-0123- [value of KEY][value of KEY] [value of OTHER] sk-01"


@pytest.mark.parametrize("size", [1, 3, 5, 13, 14, 20, 1000])
def test_a_longer_value_is_not_cut_by_a_shorter_one_that_it_begins_with(size: int) -> None:
    stream = StreamRedactor(Redactor({"SHORT": "sk-0123456", "LONG": "sk-0123456/very/secret"}))
    text = b"a sk-0123456/very/secret b sk-0123456/ver c sk-0123456"
    shown, held = b"", []
    for at in range(0, len(text), size):
        shown += stream.take(text[at : at + size])
        held.append(shown + stream.held)
    whole = shown + stream.rest()
    assert whole == b"a [value of LONG] b [value of SHORT]/ver c [value of SHORT]"
    assert not [each for each in held if b"sk-0" in each or b"SHORT]/very" in each]


BODY = """
    key = os.environ["MAKER_KEY"]
    for part in ("key: ", key[:7], key[7:], "\\n"):
        sys.stderr.write(part)
        sys.stderr.flush()
        time.sleep(0.05)
    if call["params"]["index"] == 1:
        trace = [{"role": "assistant", "content": "with " + key}]
        write({"id": call["id"], "result": {"code": f"print('{key}')\\nlen('{key}')", "trace": trace}})
    else:
        sys.stderr.write("last words: " + key)
        sys.stderr.flush()
        os._exit(1)
"""


def test_nothing_that_a_run_keeps_holds_the_key(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MAKER_KEY", KEY)
    (tmp_path / "agent").mkdir()
    (tmp_path / "agent" / "agent.py").write_text(raw(BODY))
    cells = f'# %%\n"""\nquery: How long is it?\n"""\n{len(KEY)}\n\n# %%\n"""\nquery: And now?\n"""\n1\n'
    (tmp_path / "keys.py").write_text(cells)
    command = f"cmd:python {tmp_path / 'agent' / 'agent.py'}"
    config = RunConfig(tmp_path / "keys.py", command, tmp_path / "run", agent_variables=("MAKER_KEY",))
    run_benchmark(config, agent=agent_of_run(config))
    first, second = read_run(tmp_path / "run").records
    assert (first.verdict, first.code) == ("CORRECT", "print('[value of MAKER_KEY]')\nlen('[value of MAKER_KEY]')")
    assert "last words: [value of MAKER_KEY]" in str(second.agent_exception)
    kept = {path.name: path.read_bytes() for path in (tmp_path / "run").iterdir() if path.is_file()}
    assert [name for name, content in kept.items() if KEY.encode() in content] == []
    assert kept["agent.log"].count(b"key: [value of MAKER_KEY]\n") == 2
    assert kept["details.jsonl"].count(b"[value of MAKER_KEY]") == 2


OWN_STATE = """
    key = os.environ["MAKER_KEY"]
    code = f"x = len('{key}')\\nx" if call["params"]["index"] == 1 else "x + 1"
    write({"id": call["id"], "result": {"code": code}})
"""


def test_a_run_on_its_own_state_goes_on_from_what_was_executed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is kept of the first answer has the name of the variable in it; what was executed had its value."""
    monkeypatch.setenv("MAKER_KEY", KEY)
    (tmp_path / "agent").mkdir()
    (tmp_path / "agent" / "agent.py").write_text(raw(OWN_STATE))
    first = f'# %%\n"""\nquery: How long is it?\n"""\nx = {len(KEY)}\nx\n\n'
    (tmp_path / "keys.py").write_text(f'{first}# %%\n"""\nquery: And one more?\n"""\nx + 1\n')
    command = f"cmd:python {tmp_path / 'agent' / 'agent.py'}"
    policies = Policies(StatePolicy.OWN, HistoryPolicy.OWN)
    config = RunConfig(
        tmp_path / "keys.py", command, tmp_path / "run", agent_variables=("MAKER_KEY",), policies=policies
    )
    run_benchmark(config, agent=agent_of_run(config))
    records = tmp_path / "run" / "records.jsonl"
    assert [each.verdict for each in read_run(tmp_path / "run").records] == ["CORRECT", "CORRECT"]
    records.write_text("".join(records.read_text().splitlines(keepends=True)[:1]))  # as if it had been stopped then
    run_benchmark(config, agent=agent_of_run(config))
    assert [each.verdict for each in read_run(tmp_path / "run").records] == ["CORRECT", "CORRECT"]
    assert KEY not in records.read_text()


LENGTH = """
    code = f"len('{os.environ[NAME]}')"
    write({"id": call["id"], "result": {"code": code}})
"""


@pytest.mark.parametrize("name", ["MAKER_KEY", "maker_key", "http_proxy"])
def test_code_that_is_kept_without_a_value_is_not_judged_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setenv(name, KEY)
    (tmp_path / "agent").mkdir()
    (tmp_path / "agent" / "agent.py").write_text(raw(LENGTH.replace("NAME", repr(name))))
    (tmp_path / "keys.py").write_text(f'# %%\n"""\nquery: How long is it?\n"""\n{len(KEY)}\n')
    command = f"cmd:python {tmp_path / 'agent' / 'agent.py'}"
    config = RunConfig(tmp_path / "keys.py", command, tmp_path / "run", agent_variables=("HOME", name))
    run_benchmark(config, agent=agent_of_run(config))
    assert [each.verdict for each in read_run(tmp_path / "run").records] == ["CORRECT"]
    replay = RunConfig(tmp_path / "keys.py", f"replay:{tmp_path / 'run' / 'records.jsonl'}", tmp_path / "again")
    run_benchmark(replay, agent=agent_of_run(replay))
    (record,) = read_run(tmp_path / "again").records
    assert record.verdict == "NOT_JUDGED"
    assert f"without the value of {name}" in record.extended_verdict


def test_code_that_holds_the_words_of_a_mark_is_judged(tmp_path: Path) -> None:
    (tmp_path / "one.py").write_text('# %%\n"""\nquery: Return the header.\n"""\n"[value of GOODS]"\n')
    (tmp_path / "said.jsonl").write_text('{"problemset": "one", "index": 1, "code": "\'[value of GOODS]\'"}\n')
    config = RunConfig(tmp_path / "one.py", f"replay:{tmp_path / 'said.jsonl'}", tmp_path / "run")
    run_benchmark(config, agent=agent_of_run(config))
    assert [each.verdict for each in read_run(tmp_path / "run").records] == ["CORRECT"]


PROGRESS = """
    key = os.environ["MAKER_KEY"]
    told = {"session_id": call["params"]["session_id"], "text": "asking with " + key}
    write({"method": "progress", "params": told})
    write({"id": call["id"], "result": {"code": "1"}})
"""


def test_what_an_agent_is_at_is_logged_without_the_key(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("MAKER_KEY", KEY)
    (tmp_path / "agent").mkdir()
    (tmp_path / "agent" / "agent.py").write_text(raw(PROGRESS))
    (tmp_path / "keys.py").write_text('# %%\n"""\nquery: One?\n"""\n1\n')
    command = f"cmd:python {tmp_path / 'agent' / 'agent.py'}"
    config = RunConfig(tmp_path / "keys.py", command, tmp_path / "run", agent_variables=("MAKER_KEY",))
    with caplog.at_level("INFO"):
        run_benchmark(config, agent=agent_of_run(config))
    (said,) = [each.getMessage() for each in caplog.records if "agent_progress" in each.getMessage()]
    assert (KEY in said, "[value of MAKER_KEY]" in said) == (False, True)
