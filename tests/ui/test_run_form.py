"""The form of a new run: its agent as fields and as text, what it is asked on, and how; what is wrong stands beside."""

from pathlib import Path
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from streamlit.testing.v1 import AppTest

from authoring.store import jobs, releases, runs
from authoring.store.people import Role, give_roles
from authoring.store.revisions import Revision
from authoring.store.workspace import Workspace
from authoring.ui.runs import agent_form
from authoring.ui.runs.agent_text import AgentParts, check_agent, option_fields, read_agent, written_agent
from authoring.ui.runs.run_form import asked_words
from evaluator.agents.choice import MODEL_AGENT_NAMES
from evaluator.agents.process.package_command import AGENT_PACKAGES
from evaluator.errors import UsageError
from evaluator.records import Record
from tests.ui.acts import Open, errors, leave_and_return, payloads, press, said, says

TEXT = "run:agent_text"
KINDS = [*MODEL_AGENT_NAMES, *AGENT_PACKAGES]


@pytest.fixture
def form(open_page: Open, ws: Workspace, draft: Revision) -> AppTest:
    """The page Runs of a workspace with a release, without a model."""
    release(ws, draft)
    return open_page("runs")


def release(ws: Workspace, draft: Revision, name: str = "small", path: str = "/x") -> int:
    items = [(draft.id, "sums")]
    return releases.insert(ws, name=name, version="1", digest=name, path=path, items=items)


def start(app: AppTest) -> AppTest:
    return press(app, "run:start")


def write(app: AppTest, text: str) -> AppTest:
    """Write the agent by hand."""
    app.text_input(key=TEXT).set_value(text).run()
    return app


def ordered(ws: Workspace) -> list[object]:
    """The agents of all orders, the newest first."""
    return [order["agent"] for order in payloads(ws, "run")]


def test_every_option_is_a_field_with_its_limits_and_a_line_of_help() -> None:
    limits = 0
    for kind in KINDS:
        assert option_fields(kind)
        for field in option_fields(kind):
            assert 10 < len(field.about) < 120, field.name
            if not field.words and field.least is not None and field.most is not None:
                limits += 1
                least, most, over = (
                    f"{kind}:m?{field.name}={n:.10g}" for n in (field.least, field.most, field.most + 1)
                )
                assert read_agent(least).rest == read_agent(most).rest == "m"
                with pytest.raises(UsageError, match=field.name):
                    read_agent(over)
    assert limits >= 20


@given(st.sampled_from(KINDS), st.data())
def test_fields_and_text_say_the_same(kind: str, data: st.DataObject) -> None:
    words = {field.name: data.draw(st.sampled_from(field.words)) for field in option_fields(kind) if field.words}
    numbers = {
        field.name: str(data.draw(st.integers(int(field.least or 0), int(field.most or 0))))
        for field in option_fields(kind)
        if field.is_whole
    }
    chosen = {**words, **numbers}
    model = data.draw(st.sampled_from(["", "m", "llama3:8b", "anthropic:name", "a/b"]))
    text = written_agent(AgentParts(kind, model, chosen))
    read = read_agent(text)
    assert (read.kind, read.rest) == (kind, model)
    assert written_agent(read) == text
    usual = {field.name: field.default_words for field in option_fields(kind)}
    assert {**usual, **chosen, **read.options} == {**usual, **chosen}


def test_fields_make_the_text_and_what_is_written_by_hand_fills_the_fields(form: AppTest, ws: Workspace) -> None:
    form.selectbox(key="run:agent").select("chat").run()
    drawn = [str(each.key) for each in form.main if str(getattr(each, "key", None)).startswith("run:option:")]
    names = [key.rpartition(":")[2] for key in drawn]
    assert names == [field.name for field in option_fields("chat")], "in the order of their table, in one column too"
    form.text_input(key="run:model").set_value("m")
    form.selectbox(key="run:option:0:chat:encoding").select("lida")
    form.number_input(key="run:option:0:chat:shots_count").set_value(3)
    form.number_input(key="run:option:0:chat:temperature").set_value(0.5).run()
    assert form.text_input(key=TEXT).value == "chat:m?encoding=lida&shots_count=3&temperature=0.5"
    form.selectbox(key="run:option:0:chat:encoding").select("coml")
    start(form)  # together, as a browser may send them
    assert ordered(ws) == ["chat:m?shots_count=3&temperature=0.5"]
    write(form, "plan:m?react=on&max_replans=0")
    assert (form.selectbox(key="run:agent").value, form.text_input(key="run:model").value) == ("plan", "m")
    assert form.selectbox(key="run:option:1:plan:react").value == "on"
    assert form.number_input(key="run:option:1:plan:max_replans").value == 0
    start(form)
    assert ordered(ws)[0] == "plan:m?react=on&max_replans=0"
    form.text_input(key=TEXT).set_value("cheat:zero")
    start(form)
    assert ordered(ws)[0] == "cheat:zero"


def test_what_is_wrong_with_an_agent_is_told_with_a_way_to_mend_it(tmp_path: Path) -> None:
    wrong = [
        ("chat:m?shot_count=3", "no option 'shot_count'", "use 'shots_count'"),
        ("chat:m?thinking=chian", "option 'thinking' is 'chian'", "use 'chain'"),
        ("tools:m?max_calls=1000", "not a whole number from 1 to 100", "write a whole number"),
        ("chatt:m", "no agent is called 'chatt'", "write 'chat'"),
        ("chat?encoding=lida", "no agent is called 'chat'", "a colon before its model"),
        ("chat:m?shots=mine.yaml", "there is no file 'mine.yaml'", "the path of a YAML file"),
        (f"chat:recorded:{'x' * 300}", "there is no folder 'xxx", "that --record wrote"),
        ("cmd:python gone.py", "there is no file 'gone.py'", "check the path"),
        ("cmd:python 'gone.py", "the agent's command cannot be read", "close the quotes"),
        (f"{'x' * 300}.py:solve", "there is no file 'xxx", "as FILE.py:NAME"),
        ("replay:gone.jsonl", "there is no file 'gone.jsonl'", "name the file of its records"),
        ("", "no agent is named", "choose an agent"),
    ]
    for text, what, fix in wrong:
        with pytest.raises(UsageError) as refused:
            check_agent(text, tmp_path)
        assert (what in refused.value.what, fix in refused.value.fix) == (True, True), text
    (tmp_path / "shots.yaml").write_text("[]")
    assert check_agent("chat:m?shots=shots.yaml", tmp_path).options == {"shots": "shots.yaml"}


def test_an_agent_that_is_wrong_is_told_once_by_the_name_of_its_field(form: AppTest, ws: Workspace) -> None:
    for text, where in (("gone.py:solve", "is no file 'gone.py'"), ("gpt-9000:nope", "Where: Agent, written out")):
        for app in (write(form, text), start(form)):
            (error,) = app.main.error
            assert where in error.value.replace("\\", "")
        assert form.text_input(key=TEXT).value == text  # stays to be corrected
    form.selectbox(key="run:agent").select("cmd").run()
    assert not form.main.error  # nothing is written yet
    assert "the field Command is empty" in errors(start(form))
    write(form, "empty")
    further = form.multiselect(key="run:further")
    assert "chat: a language model, asked once (needs a key)" in further.options
    further.set_value(["gpt-9000:nope"]).run()
    (error,) = start(form).main.error
    assert "Where: Also run, each as a run of its own" in error.value
    assert ordered(ws) == []


def test_an_agent_without_a_model_is_told_before_and_after_the_press(form: AppTest, ws: Workspace) -> None:
    titles = form.selectbox(key="run:agent").options
    assert {title.partition(":")[0] for title in titles if "needs a key" in title} >= {"chat", "tools"}
    assert not any("needs a key" in title for title in titles if title.startswith(("oracle", "empty", "cmd")))
    form.selectbox(key="run:agent").select("chat").run()
    (before,) = [each.value for each in form.main.warning if "no model is named" in each.value]
    after = start(form).main.error[0].value
    assert "no model is named and none is configured" in after
    assert after.rpartition("To fix it: ")[2] == before.rpartition("To fix it: ")[2]
    assert "in the field Model" in after
    assert ordered(ws) == []
    form.text_input(key="run:model").set_value("m-1")
    start(form)
    assert ordered(ws) == ["chat:m-1"]


def test_what_an_agent_lacks_is_told_in_the_form(form: AppTest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)

    def lacks(text: str) -> list[str]:
        return [each.value.replace("\\", "") for each in write(form, text).main.warning if "To fix it" in each.value]

    assert "there is no key to ask m-1 at api.openai.com" in lacks("chat:m-1")[0]
    assert "there is no key to ask anthropic:m" in lacks("tools:anthropic:m")[0]
    assert "there is no program 'no-such-program-here' on this machine" in lacks("cmd:no-such-program-here --fast")[0]
    assert lacks("cmd:python --version") == lacks("empty") == []
    monkeypatch.setenv("ANTHROPIC_API_KEY", "hush")
    assert lacks("tools:anthropic:m") == []


def test_an_agent_package_says_how_to_install_it(form: AppTest, ws: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "build it: Environments under Settings" in errors(write(form, "smolagents:m?max_steps=3"))
    start(form)
    assert ordered(ws) == []
    monkeypatch.setattr(agent_form, "list_environments", lambda: [SimpleNamespace(name="smolagents")])
    assert not write(form, "smolagents:m?max_steps=3").main.error
    form.number_input(key="run:agent_calls").set_value(9)
    start(form)
    (order,) = payloads(ws, "run")
    assert (order["agent"], order["agent_calls"]) == ("smolagents:m?max_steps=3", 9)


def test_several_agents_are_started_at_once_each_as_a_run_of_its_own(form: AppTest, ws: Workspace) -> None:
    form.multiselect(key="run:further").set_value(["empty", "chat"]).run()
    assert [each.value for each in form.main.warning if "no model is named" in each.value]
    assert form.button(key="run:start").label == "Start 3 runs"
    start(form)
    assert "chat: no model is named and none is configured" in errors(form)
    assert "write it with its model, as chat:MODEL" in errors(form)
    assert ordered(ws) == []  # none of them, where one cannot be
    press(form, "run:leave_out:chat")
    assert (form.multiselect(key="run:further").value, list(form.main.error)) == (["empty"], [])
    form.multiselect(key="run:further").set_value(["empty", "oracle", "oracle:varied"]).run()
    assert form.button(key="run:start").label == "Start 3 runs"  # the oracle is the one above
    form.number_input(key="run:epochs").set_value(2)
    start(start(form))  # the same again is the same three jobs
    asked = [(each["agent"], each["epochs"]) for each in reversed(payloads(ws, "run"))]
    assert asked == [("oracle", 2), ("empty", 2), ("oracle:varied", 2)]
    told = [each.value.replace("\\", "") for each in form.main.success]
    assert "**3 runs are ordered, one for each agent: oracle, empty, oracle:varied**" in told


def test_a_program_of_ones_own_is_run_with_what_it_may_do(form: AppTest, ws: Workspace) -> None:
    (ws.root / "mine.py").write_text("")
    form.selectbox(key="run:agent").select("cmd").run()
    form.text_input(key="run:own:cmd").set_value("python mine.py")
    form.selectbox(key="run:agent_network").select("model").run()
    for key, text in {"run:agent_model": "m-2", "run:agent_variables": "KEY, OTHER"}.items():
        form.text_input(key=key).set_value(text)
    numbers = {"agent_calls": 9, "agent_tokens": 5000, "agent_timeout_s": 30.0, "executions": 4}
    for name, number in {**numbers, "budget:tokens": 9000, "budget:cost": 2.5}.items():
        form.number_input(key=f"run:{name}").set_value(number)
    form.checkbox(key="run:allow_mismatch").check().run()
    leave_and_return(form, "runs")
    start(form)
    (order,) = payloads(ws, "run")
    assert {name: order[name] for name in numbers} == numbers
    assert order["budget"] == {"tokens": 9000, "cost": 2.5, "minutes": None}
    kept = ("allow_mismatch", "agent", "agent_network", "agent_model", "agent_variables")
    assert [order[name] for name in kept] == [True, "cmd:python mine.py", "model", "m-2", ["KEY", "OTHER"]]


@pytest.fixture
def evaluator(ws: Workspace) -> str:
    """Somebody who runs agents, and is no maintainer."""
    give_roles(ws, "boss@example.org", [Role.MAINTAINER])
    give_roles(ws, "eva@example.org", [Role.EVALUATOR])
    return "eva@example.org"


def not_judged_run(ws: Workspace, **asked: object) -> int:
    """Enter a run with one problem that is not judged, and return its id."""
    record = Record("small", "1", "sums", 1, 1, "NOT_JUDGED", "", "", "How many?")
    made = runs.insert(ws, release="small 1", agent="own", out_dir="/x", summary={"asked": {"release": 1, **asked}})
    runs.index_attempts(ws, made, [record.to_json()])
    return made


def test_code_of_the_machine_is_for_maintainers(sign_in: Open, draft: Revision, ws: Workspace, evaluator: str) -> None:
    release(ws, draft)
    (ws.root / "a.py").write_text("")
    app = sign_in(evaluator, "runs")
    for text in ("cmd:python a.py", "chat:m?shots=a.py"):
        assert "this needs the role maintainer" in said(start(write(app, text)))
        assert ordered(ws) == []
    start(write(app, "oracle"))
    assert ordered(ws) == ["oracle"]


def test_a_program_is_resumed_by_maintainers_alone(sign_in: Open, ws: Workspace, evaluator: str) -> None:
    run = not_judged_run(ws, agent="cmd:python a.py")
    app = press(sign_in(evaluator, "runs", run=run), f"run:{run}:again")
    assert "this needs the role maintainer" in said(app)
    job = jobs.enqueue(ws, kind="run", payload={"agent": "cmd:python a.py"}, created_by="boss@example.org")
    app = press(sign_in(evaluator, "runs", job=job.id), f"job:{job.id}:cancel")  # which every evaluator may
    press(app, f"job:{job.id}:resume")
    assert "this needs the role maintainer" in said(app)
    assert [each.state for each in jobs.select(ws)] == ["cancelled"]


def test_what_is_asked_again_keeps_its_budget(open_page: Open, draft: Revision, ws: Workspace) -> None:
    release(ws, draft)
    budget = {"tokens": 5000, "cost": 1, "minutes": None}
    run = not_judged_run(ws, agent="coml:m", budget=budget)
    page = press(open_page("runs", run=run), f"run:{run}:again")
    assert payloads(ws, "run") == [{"again": run, "budget": budget}]
    jobs.cancel(ws, jobs.select(ws)[0].id)
    page.number_input(key=f"again:{run}:budget:tokens").set_value(9000)
    page.number_input(key=f"again:{run}:budget:cost").set_value(None).run()
    press(page, f"run:{run}:again")
    assert payloads(ws, "run")[0]["budget"] == {**budget, "tokens": 9000, "cost": None}


def finished_run(ws: Workspace, agent: str) -> Path:
    """Enter a run whose records are there, and return their file."""
    records = ws.root / agent / "records.jsonl"
    records.parent.mkdir()
    records.write_text("", encoding="utf-8")
    runs.insert(ws, release="small 1", agent=agent, out_dir=str(records.parent), summary={})
    return records


def test_a_run_is_ordered_with_every_option_of_the_command_line(form: AppTest, ws: Workspace) -> None:
    records = finished_run(ws, "alpha")
    form.selectbox(key="run:agent").select("replay").run()
    form.selectbox(key="run:replay").select(1)
    form.multiselect(key="run:sets:release:1").set_value(["sums"])
    form.multiselect(key="run:feedback").set_value(["error", "hint"])
    for name, number in (("limit", 3), ("epochs", 2), ("max_attempts", 4), ("workers", 2), ("rng_seed", 7)):
        form.number_input(key=f"run:{name}").set_value(number)
    for name, choice in (("state", "own"), ("history", "own"), ("between_attempts", "kept"), ("engine", "replay")):
        form.selectbox(key=f"run:{name}").select(choice)
    for name, choice in (("rules", "published"), ("environment", "default"), ("stop", "visible")):
        form.selectbox(key=f"run:{name}").select(choice)
    form.text_input(key="run:judge").set_value(" eyes-1 ")
    form.number_input(key="run:budget:minutes").set_value(3.0)
    start(start(form))  # the same again is the same job
    (job,) = jobs.select(ws, kinds=("run",))
    assert (job.created_by, job.payload) == (
        "mei",
        {
            **{"release": 1, "agent": f"replay:{records}", "called": "replay of run 1, alpha"},
            **{"sets": ["sums"], "limit": 3, "epochs": 2, "max_attempts": 4, "workers": 2, "rng_seed": 7},
            **{"state": "own", "history": "own", "between_attempts": "kept", "feedback": ["error", "hint"]},
            **{"engine": "replay", "rules": "published", "environment": "default", "outputs": "shown"},
            **{"stop": "visible", "judge": "eyes-1", "allow_mismatch": False},
            "budget": {"tokens": None, "cost": None, "minutes": 3.0},
        },
    )
    says(form, "max attempts 4", "stop visible · judge eyes-1")


def test_a_mode_takes_the_place_of_policies(form: AppTest, ws: Workspace) -> None:
    form.selectbox(key="run:agent").select("react-cibench").run()
    form.text_input(key="run:model").set_value("some-model")
    form.selectbox(key="run:state").select("own")
    form.selectbox(key="run:mode").select("oracle").run()
    assert [each.key for each in form.selectbox if each.key in ("run:state", "run:stop")] == []
    start(form)
    (order,) = payloads(ws, "run")
    assert order == {
        **{"release": 1, "agent": "react-cibench:some-model", "mode": "oracle", "max_attempts": 3},
        **{"sets": [], "limit": None, "epochs": 1, "workers": 1, "rng_seed": 0, "engine": "auto"},
        **{"rules": None, "environment": None, "outputs": "shown", "allow_mismatch": False},
    }
    assert asked_words(ws, order).endswith("max attempts 3 · mode oracle")


def test_a_family_is_offered_its_modes(open_page: Open, ws: Workspace, draft: Revision, tmp_path: Path) -> None:
    cibench = ["chosen below", "end-to-end", "oracle", "oracle-as-run", "oracle-from-truth"]
    wanted = {"none": [*cibench, "qwen"], "cibench": cibench, "qwen": ["chosen below", "qwen"]}
    made = {family: release(ws, draft, family, str(tmp_path / family)) for family in wanted}
    for family in wanted:
        (tmp_path / family).mkdir()
        line = "" if family == "none" else f"family: {family}\n"
        (tmp_path / family / "_manifest.yaml").write_text(f"name: {family}\nversion: '1'\n{line}")
    app = open_page("runs")
    for family, modes in wanted.items():
        app.selectbox(key="run:release").select(made[family]).run()
        assert [title.partition(":")[0] for title in app.selectbox(key="run:mode").options] == modes
        assert app.selectbox(key="run:mode").value == ""  # what was chosen before is no mode of this one
        if family == "cibench":
            app.selectbox(key="run:mode").select("oracle").run()


def test_an_imported_benchmark_can_be_run_on(open_page: Open, ws: Workspace, draft: Revision) -> None:
    folder = ws.root / "benchmarks" / "1"
    folder.mkdir(parents=True)
    (folder / "_manifest.yaml").write_text("name: 1\n", encoding="utf-8")
    (folder / "q1.py").write_text("", encoding="utf-8")
    app = open_page("runs")
    assert app.selectbox(key="run:release").options == ["1 (imported)"]
    app.multiselect(key="run:sets:benchmark:1").set_value(["q1"])
    start(app)
    (order,) = payloads(ws, "run")
    assert (order["benchmark"], order["sets"], "release" in order) == (str(folder), ["q1"], False)
    assert asked_words(ws, order).startswith("oracle on 1 · sets q1")
    assert release(ws, draft) == 1
    app = open_page("runs", on="benchmark:1")
    assert app.selectbox(key="run:release").value == "1"
    app.selectbox(key="run:release").select(1).run()
    assert app.selectbox(key="run:release").value == 1, "what a link chose is changed"
    assert app.multiselect(key="run:sets:release:1").value == []
    assert open_page("runs", on="release:1").selectbox(key="run:release").value == 1
