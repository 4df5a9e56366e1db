"""The agent of a run as fields and as text: each follows the other, and what is wrong stands beside them."""

from collections.abc import Callable
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
from evaluator.agents.choice import MODEL_AGENT_NAMES
from evaluator.agents.process.package_command import AGENT_PACKAGES
from evaluator.errors import UsageError
from evaluator.records import Record

Open = Callable[..., AppTest]
TEXT = "run:agent_text"


@pytest.fixture
def form(open_page: Open, workspace: Workspace, draft: Revision) -> AppTest:
    """The page Runs of a workspace with a release, without a model."""
    items = [(draft.id, "sums")]
    releases.insert(workspace, name="small", version="1", digest="d", path="/x", items=items)
    return open_page("runs")


def ordered(ws: Workspace) -> list[dict[str, object]]:
    return [job.payload for job in jobs.select(ws, kinds=("run",))]


@pytest.mark.parametrize("kind", [*MODEL_AGENT_NAMES, *AGENT_PACKAGES])
def test_every_option_of_every_agent_is_a_field_with_its_limits_and_a_line_of_help(kind: str) -> None:
    fields = option_fields(kind)
    assert fields
    for field in fields:
        assert 10 < len(field.about) < 120, field.name
        if not field.words and field.least is not None and field.most is not None:
            for number, fits in ((field.least, True), (field.most, True), (field.most + 1, False)):
                written = (
                    f"{kind}:m?{field.name}={number:g}"
                    if not field.is_whole
                    else f"{kind}:m?{field.name}={int(number)}"
                )
                if fits:
                    assert read_agent(written).rest == "m"
                else:
                    with pytest.raises(UsageError, match=field.name):
                        read_agent(written)


@given(st.sampled_from([*MODEL_AGENT_NAMES, *AGENT_PACKAGES]), st.data())
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


def test_fields_make_the_text_and_the_order(form: AppTest, workspace: Workspace) -> None:
    form.selectbox(key="run:agent").select("chat").run()
    form.text_input(key="run:model").set_value("m").run()
    form.selectbox(key="run:option:0:chat:encoding").select("lida").run()
    form.number_input(key="run:option:0:chat:shots_count").set_value(3).run()
    form.number_input(key="run:option:0:chat:temperature").set_value(0.5).run()
    assert form.text_input(key=TEXT).value == "chat:m?encoding=lida&shots_count=3&temperature=0.5"
    form.selectbox(key="run:option:0:chat:encoding").select("coml")
    form.button(key="run:start").click().run()  # together, as a browser may send them
    assert ordered(workspace)[0]["agent"] == "chat:m?shots_count=3&temperature=0.5"


def test_what_is_written_by_hand_fills_the_fields(form: AppTest, workspace: Workspace) -> None:
    form.text_input(key=TEXT).set_value("plan:m?react=on&max_replans=0").run()
    assert form.selectbox(key="run:agent").value == "plan"
    assert form.text_input(key="run:model").value == "m"
    assert form.selectbox(key="run:option:1:plan:react").value == "on"
    assert form.number_input(key="run:option:1:plan:max_replans").value == 0
    form.button(key="run:start").click().run()
    assert ordered(workspace)[0]["agent"] == "plan:m?react=on&max_replans=0"
    form.text_input(key=TEXT).set_value("cheat:zero")
    form.button(key="run:start").click().run()
    assert ordered(workspace)[0]["agent"] == "cheat:zero"


@pytest.mark.parametrize(
    ("text", "what", "fix"),
    [
        ("chat:m?shot_count=3", "no option 'shot_count'", "use 'shots_count'"),
        ("chat:m?thinking=chian", "option 'thinking' is 'chian'", "use 'chain'"),
        ("tools:m?max_calls=1000", "not a whole number from 1 to 100", "write a whole number"),
        ("chatt:m", "no agent is called 'chatt'", "write 'chat'"),
        ("chat?encoding=lida", "no agent is called 'chat'", "a colon before its model"),
        ("chat:m?shots=mine.yaml", "there is no file 'mine.yaml'", "the path of a YAML file"),
        ("chat:recorded:kept", "there is no folder 'kept'", "that --record wrote"),
        ("cmd:python gone.py", "there is no file 'gone.py'", "check the path"),
        ("cmd:python 'gone.py", "the agent's command cannot be read", "close the quotes"),
        ("gone.py:solve", "there is no file 'gone.py'", "as FILE.py:NAME"),
        (f"{'x' * 300}.py:solve", "there is no file 'xxx", "as FILE.py:NAME"),
        (f"chat:recorded:{'x' * 300}", "there is no folder 'xxx", "that --record wrote"),
        ("replay:gone.jsonl", "there is no file 'gone.jsonl'", "name the file of its records"),
        ("", "no agent is named", "choose an agent"),
    ],
)
def test_what_is_wrong_is_told_beside_the_field_and_nothing_starts(
    form: AppTest, workspace: Workspace, text: str, what: str, fix: str
) -> None:
    form.text_input(key=TEXT).set_value(text).run()
    (error,) = form.main.error
    assert what in error.value.replace("\\", "")
    assert fix in error.value.replace("\\", "")
    form.button(key="run:start").click().run()
    assert ordered(workspace) == []
    assert len(form.main.error) == 1  # once, at the field
    assert form.text_input(key=TEXT).value == text  # stays to be corrected
    assert not form.exception


def test_an_agent_that_is_wrong_is_told_by_the_name_of_its_field(form: AppTest, workspace: Workspace) -> None:
    form.text_input(key=TEXT).set_value("gpt-9000:nope").run()
    form.button(key="run:start").click().run()
    assert form.text_input(key=TEXT).label == "Agent, written out"
    (error,) = form.main.error
    assert "Where: Agent, written out" in error.value
    form.text_input(key=TEXT).set_value("empty").run()
    further = form.multiselect(key="run:further")
    assert "chat: a language model, asked once (needs a key)" in further.options
    further.set_value(["gpt-9000:nope"]).run()
    form.button(key="run:start").click().run()
    (error,) = form.main.error
    assert "Where: Also run, each as a run of its own" in error.value
    assert ordered(workspace) == []


@pytest.mark.parametrize(("kind", "field"), [("function", "Function"), ("cmd", "Command"), ("cli", "Command")])
def test_a_field_that_is_empty_is_named(form: AppTest, workspace: Workspace, kind: str, field: str) -> None:
    form.selectbox(key="run:agent").select(kind).run()
    assert not form.main.error  # nothing is written yet
    form.button(key="run:start").click().run()
    (error,) = form.main.error
    assert f"the field {field} is empty" in error.value
    assert ordered(workspace) == []


def test_a_program_of_ones_own_is_run_with_what_it_may_do(form: AppTest, workspace: Workspace) -> None:
    (workspace.root / "agents").mkdir()
    (workspace.root / "agents" / "mine.py").write_text("")
    form.selectbox(key="run:agent").select("cmd").run()
    assert not form.main.error  # nothing is written yet
    form.text_input(key="run:own:cmd").set_value("python agents/mine.py").run()
    form.selectbox(key="run:agent_network").select("model").run()
    form.text_input(key="run:agent_model").set_value("m-2")
    form.number_input(key="run:agent_calls").set_value(9)
    form.number_input(key="run:agent_timeout_s").set_value(30.0)
    form.number_input(key="run:executions").set_value(4)
    form.text_input(key="run:agent_variables").set_value("MY_KEY, OTHER")
    form.button(key="run:start").click().run()
    (order,) = ordered(workspace)
    told = {name: value for name, value in order.items() if name.startswith("agent") or name == "executions"}
    assert {name: value for name, value in told.items() if value is not None} == {
        **{"agent": "cmd:python agents/mine.py", "agent_timeout_s": 30.0, "executions": 4},
        **{"agent_network": "model", "agent_model": "m-2", "agent_calls": 9},
        **{"agent_variables": ["MY_KEY", "OTHER"]},
    }


@pytest.mark.parametrize("text", ["cmd:python a.py", "a.py:solve", "replay:a.py", "chat:m?shots=a.py"])
def test_code_and_files_of_the_machine_are_for_maintainers_where_people_sign_in(
    sign_in: Open,
    form: AppTest,
    workspace: Workspace,
    said: Callable[[AppTest], str],
    text: str,
) -> None:
    (workspace.root / "a.py").write_text("")
    give_roles(workspace, "boss@example.org", [Role.MAINTAINER])
    give_roles(workspace, "eva@example.org", [Role.EVALUATOR])
    app = sign_in("eva@example.org", "runs")
    app.text_input(key=TEXT).set_value(text).run()
    app.button(key="run:start").click().run()
    assert "this needs the role maintainer" in said(app)
    assert ordered(workspace) == []
    app.text_input(key=TEXT).set_value("oracle").run()
    app.button(key="run:start").click().run()
    assert [order["agent"] for order in ordered(workspace)] == ["oracle"]


def not_judged_run(ws: Workspace, **asked: object) -> int:
    """Enter a run with one problem that is not judged, and return its id."""
    record = Record("small", "1", "sums", 1, 1, "NOT_JUDGED", "", "", "How many?")
    made = runs.insert(ws, release="small 1", agent="own", out_dir="/x", summary={"asked": {"release": 1, **asked}})
    runs.index_attempts(ws, made, [record.to_json()])
    return made


def test_a_program_is_started_again_by_maintainers_alone(
    sign_in: Open, form: AppTest, workspace: Workspace, said: Callable[[AppTest], str]
) -> None:
    give_roles(workspace, "boss@example.org", [Role.MAINTAINER])
    give_roles(workspace, "eva@example.org", [Role.EVALUATOR])
    run = not_judged_run(workspace, agent="cmd:python a.py")
    app = sign_in("eva@example.org", "runs", run=run)
    app.button(key=f"run:{run}:again").click().run()
    assert ordered(workspace) == []
    assert "this needs the role maintainer" in said(app)


def test_a_program_is_resumed_by_maintainers_alone_and_cancelled_by_every_evaluator(
    sign_in: Open, form: AppTest, workspace: Workspace, said: Callable[[AppTest], str]
) -> None:
    give_roles(workspace, "boss@example.org", [Role.MAINTAINER])
    give_roles(workspace, "eva@example.org", [Role.EVALUATOR])
    order = {"agent": "cmd:python a.py", "release": 1}
    job = jobs.enqueue(workspace, kind="run", payload=order, created_by="boss@example.org")
    app = sign_in("eva@example.org", "runs", job=job.id)
    app.button(key=f"job:{job.id}:cancel").click().run()
    assert jobs.find(workspace, job.id).state == "cancelled"
    app.button(key=f"job:{job.id}:resume").click().run()
    assert jobs.find(workspace, job.id).state == "cancelled"
    assert "this needs the role maintainer" in said(app)


@pytest.mark.parametrize(
    "asked", [{"agent": "chat:m"}, {"agent": "coml:m"}, {"agent": "cmd:python a.py", "agent_network": "model"}]
)
def test_a_run_that_asks_a_model_again_is_offered_a_budget(
    open_page: Open, form: AppTest, workspace: Workspace, asked: dict[str, object]
) -> None:
    run = not_judged_run(workspace, budget={"tokens": 5000}, **asked)
    page = open_page("runs", run=run)
    assert [each.key for each in page.number_input if f"again:{run}" in str(each.key)]


def test_what_is_asked_again_keeps_its_budget_unless_another_one_is_typed(
    open_page: Open, form: AppTest, workspace: Workspace
) -> None:
    budget = {"tokens": 5000, "cost": 1, "minutes": None}
    run = not_judged_run(workspace, agent="coml:m", budget=budget)
    page = open_page("runs", run=run)
    page.button(key=f"run:{run}:again").click().run()
    (job,) = jobs.select(workspace, kinds=("run",))
    assert job.payload == {"again": run, "budget": budget}
    jobs.cancel(workspace, job.id)
    page.number_input(key=f"again:{run}:budget:tokens").set_value(9000).run()
    page.number_input(key=f"again:{run}:budget:cost").set_value(None).run()
    page.button(key=f"run:{run}:again").click().run()
    assert jobs.select(workspace, kinds=("run",))[0].payload["budget"] == {**budget, "tokens": 9000, "cost": None}
    assert not page.exception


def test_a_run_that_asks_no_model_is_judged_again_without_a_budget(
    open_page: Open, form: AppTest, workspace: Workspace
) -> None:
    run = not_judged_run(workspace, agent="cmd:python a.py")
    page = open_page("runs", run=run)
    assert page.button(key=f"run:{run}:again").label == "Judge what is not judged"
    assert not [each.key for each in page.number_input if f"again:{run}" in str(each.key)]


def test_an_agent_that_is_a_package_says_how_to_install_it_and_runs_in_its_environment(
    form: AppTest, workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    form.text_input(key=TEXT).set_value("smolagents:m?max_steps=3").run()
    (error,) = form.main.error
    assert "build it: Environments under Settings" in error.value.replace("\\", "")
    form.button(key="run:start").click().run()
    assert ordered(workspace) == []
    form.text_input(key=TEXT).set_value("oracle").run()
    form.multiselect(key="run:further").set_value(["smolagents:m"]).run()
    (error,) = form.main.error
    assert "build it: Environments under Settings" in error.value.replace("\\", "")
    assert "Also run" in error.value
    assert "terminal" not in error.value
    form.multiselect(key="run:further").set_value([]).run()
    form.text_input(key=TEXT).set_value("smolagents:m?max_steps=3").run()
    monkeypatch.setattr(agent_form, "list_environments", lambda: [SimpleNamespace(name="smolagents")])
    form.run()
    assert not form.main.error
    form.number_input(key="run:agent_calls").set_value(9)
    form.button(key="run:start").click().run()
    (order,) = ordered(workspace)
    assert (order["agent"], order["agent_calls"]) == ("smolagents:m?max_steps=3", 9)


def test_paths_count_from_the_folder_that_is_told(tmp_path: Path) -> None:
    (tmp_path / "shots.yaml").write_text("[]")
    assert check_agent("chat:m?shots=shots.yaml", tmp_path).options == {"shots": "shots.yaml"}
    with pytest.raises(UsageError, match=str(tmp_path / "other")):
        check_agent("chat:m?shots=shots.yaml", tmp_path / "other")


def test_options_stand_in_the_order_of_their_table_also_in_one_column(form: AppTest) -> None:
    form.text_input(key=TEXT).set_value("chat:m").run()
    drawn = [each for each in form.main if str(getattr(each, "key", None)).startswith("run:option:")]
    assert [str(each.key).rpartition(":")[2] for each in drawn] == [field.name for field in option_fields("chat")]


def test_several_agents_are_started_at_once_each_as_a_run_of_its_own(form: AppTest, workspace: Workspace) -> None:
    further = form.multiselect(key="run:further")
    further.set_value(["empty", "chat"]).run()
    assert [each.value for each in form.main.warning if "no model is named" in each.value]
    assert form.button(key="run:start").label == "Start 3 runs"
    form.button(key="run:start").click().run()
    (refusal,) = form.main.error
    words = refusal.value.replace("\\", "")
    assert "chat: no model is named and none is configured" in words
    assert "write it with its model, as chat:MODEL" in words
    assert ordered(workspace) == []  # none of them, where one cannot be
    form.button(key="run:leave_out:chat").click().run()
    assert (form.multiselect(key="run:further").value, list(form.main.error)) == (["empty"], [])
    form.multiselect(key="run:further").set_value(["empty", "oracle", "oracle:varied"]).run()
    assert form.button(key="run:start").label == "Start 3 runs"  # the oracle is the one above
    form.number_input(key="run:epochs").set_value(2)
    form.button(key="run:start").click().run()
    form.button(key="run:start").click().run()  # the same again is the same three jobs
    assert [(each["agent"], each["epochs"]) for each in reversed(ordered(workspace))] == [
        ("oracle", 2),
        ("empty", 2),
        ("oracle:varied", 2),
    ]
    told = [each.value.replace("\\", "") for each in form.main.success]
    assert "**3 runs are ordered, one for each agent: oracle, empty, oracle:varied**" in told


@pytest.mark.parametrize(
    ("agent", "variable", "what"),
    [
        ("chat:m-1", "OPENAI_API_KEY", "there is no key to ask m-1 at api.openai.com"),
        ("tools:anthropic:m", "ANTHROPIC_API_KEY", "there is no key to ask anthropic:m"),
        ("cmd:no-such-program-here --fast", "", "there is no program 'no-such-program-here' on this machine"),
        ("cmd:python --version", "", ""),
        ("empty", "", ""),
    ],
)
def test_what_an_agent_lacks_is_told_in_the_form(
    form: AppTest, monkeypatch: pytest.MonkeyPatch, agent: str, variable: str, what: str
) -> None:
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    form.text_input(key=TEXT).set_value(agent).run()
    told = [each.value.replace("\\", "") for each in form.main.warning if "To fix it" in each.value]
    assert [what in each for each in told] == ([True] if what else [])
    if variable:
        monkeypatch.setenv(variable, "hush")
        form.run()
        assert not [each for each in form.main.warning if "To fix it" in each.value]


def test_an_agent_without_a_model_is_told_the_same_before_and_after_the_press(
    form: AppTest, workspace: Workspace
) -> None:
    titles = form.selectbox(key="run:agent").options
    assert {title.partition(":")[0] for title in titles if "needs a key" in title} >= {"chat", "tools"}
    assert not any("needs a key" in title for title in titles if title.startswith(("oracle", "empty", "cmd")))
    form.selectbox(key="run:agent").select("chat").run()
    (before,) = [each.value for each in form.main.warning if "no model is named" in each.value]
    form.button(key="run:start").click().run()
    after = form.main.error[0].value
    assert after.rpartition("To fix it: ")[2] == before.rpartition("To fix it: ")[2]
    assert "in the field Model" in after
    assert ordered(workspace) == []


def test_the_form_keeps_agent_and_attempts_while_another_page_is_open(form: AppTest, workspace: Workspace) -> None:
    form.selectbox(key="run:agent").select("chat").run()
    form.text_input(key="run:model").set_value("m").run()
    form.number_input(key="run:max_attempts").set_value(3).run()
    form.switch_page("authoring/ui/pages/guide.py").run()
    form.switch_page("authoring/ui/pages/runs.py").run()
    assert form.text_input(key=TEXT).value == "chat:m"
    form.button(key="run:start").click().run()
    (wanted,) = ordered(workspace)
    assert (wanted["agent"], wanted["max_attempts"]) == ("chat:m", 3)


def finished_run(ws: Workspace, agent: str) -> Path:
    """Enter a run whose records are there, and return their file."""
    records = ws.root / agent / "records.jsonl"
    records.parent.mkdir()
    records.write_text("", encoding="utf-8")
    runs.insert(ws, release="small 1", agent=agent, out_dir=str(records.parent), summary={})
    return records


def come_back(form: AppTest) -> None:
    form.switch_page("authoring/ui/pages/guide.py").run()
    form.switch_page("authoring/ui/pages/runs.py").run()


def test_a_run_that_is_replayed_stays_the_chosen_one_while_another_page_is_open(
    form: AppTest, workspace: Workspace
) -> None:
    first, _ = finished_run(workspace, "alpha"), finished_run(workspace, "beta")
    form.selectbox(key="run:agent").select("replay").run()
    form.selectbox(key="run:replay").select(1).run()
    come_back(form)
    assert form.selectbox(key="run:replay").value == 1
    assert form.text_input(key=TEXT).value == f"replay:{first}"
    form.button(key="run:start").click().run()
    assert ordered(workspace)[0]["agent"] == f"replay:{first}"


def test_where_a_replayed_run_is_offered_no_more_the_text_names_the_one_that_is_shown(
    form: AppTest, workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    finished_run(workspace, "alpha")
    form.selectbox(key="run:agent").select("replay").run()
    second = finished_run(workspace, "beta")
    monkeypatch.setattr(agent_form, "MAX_REPLAYS", 1)
    form.run()
    assert form.selectbox(key="run:replay").value == 2
    assert form.text_input(key=TEXT).value == f"replay:{second}"


def test_records_that_no_run_left_are_replayed_as_they_are_written(form: AppTest, workspace: Workspace) -> None:
    finished_run(workspace, "alpha")
    (workspace.root / "other.jsonl").write_text("", encoding="utf-8")
    form.text_input(key=TEXT).set_value("replay:other.jsonl").run()
    assert form.text_input(key=TEXT).value == "replay:other.jsonl"
    form.button(key="run:start").click().run()
    assert ordered(workspace)[0]["agent"] == "replay:other.jsonl"


def test_the_form_keeps_its_limits_and_choices_while_another_page_is_open(
    form: AppTest, workspace: Workspace, draft: Revision
) -> None:
    releases.insert(workspace, name="large", version="1", digest="e", path="/y", items=[(draft.id, "sums")])
    form.selectbox(key="run:release").select(1)
    form.selectbox(key="run:agent").select("cmd").run()
    form.text_input(key="run:own:cmd").set_value("true").run()
    form.selectbox(key="run:agent_network").select("model").run()
    for key, text in {"run:agent_model": "m", "run:agent_variables": "KEY", "run:judge": "eye"}.items():
        form.text_input(key=key).set_value(text)
    numbers = {"agent_calls": 9, "agent_tokens": 5000, "agent_timeout_s": 30.0, "executions": 4, "rng_seed": 7}
    for name, number in {**numbers, "budget:tokens": 9000, "budget:cost": 2.5}.items():
        form.number_input(key=f"run:{name}").set_value(number)
    form.multiselect(key="run:sets:release:1").set_value(["sums"])
    form.checkbox(key="run:allow_mismatch").check().run()
    come_back(form)
    form.button(key="run:start").click().run()
    (order,) = ordered(workspace)
    assert {name: order[name] for name in numbers} == numbers
    assert order["budget"] == {"tokens": 9000, "cost": 2.5, "minutes": None}
    kept = ("release", "sets", "judge", "allow_mismatch", "agent_network", "agent_model", "agent_variables")
    assert [order[name] for name in kept] == [1, ["sums"], "eye", True, "model", "m", ["KEY"]]


def test_a_link_to_a_run_on_a_release_chooses_it_each_time_that_it_is_followed(
    open_page: Open, form: AppTest, workspace: Workspace, draft: Revision
) -> None:
    releases.insert(workspace, name="large", version="1", digest="e", path="/y", items=[(draft.id, "sums")])
    page = open_page("runs", on="release:1")
    assert page.selectbox(key="run:release").value == 1
    page.selectbox(key="run:release").select(2).run()
    assert page.selectbox(key="run:release").value == 2
    page.switch_page("authoring/ui/pages/guide.py").run()
    page.query_params["on"] = "release:1"
    page.switch_page("authoring/ui/pages/runs.py").run()
    assert page.selectbox(key="run:release").value == 1
