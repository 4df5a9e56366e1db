"""Topics are proposed, kept in a file that people edit, and drafted in a style; meanings of columns are proposed."""

import json
from pathlib import Path
from typing import Any

import pytest

from authoring.checks import style_diagnostics
from authoring.cli.main import run_command_line
from authoring.drafting.proposing import assess_semantics
from authoring.drafting.refining.refining import RefineOptions, refine_preview
from authoring.drafting.topics.topic import Topic, add_topics, find_topic, read_topics
from authoring.drafting.topics.topic_draft import propose_topics
from authoring.seeds.meanings import infer_semantics
from authoring.seeds.profile import ColumnProfile, ColumnRole, Profile, TableProfile
from authoring.seeds.semantics import Meaning
from authoring.seeds.semantics import Origin as MeaningOrigin
from authoring.store import model_calls, problemsets, revisions
from authoring.store.statuses import Origin
from authoring.store.workspace import Workspace
from evaluator.errors import ContentError, UsageError
from evaluator.language import Problemset
from evaluator.models import Completion
from tests.drafting.conftest import NOBODY
from tests.scripted_model import Say, ScriptedModel


def listed(*titles: str, modules: list[str] | None = None) -> Say:
    rows = [{"title": title, "modules": modules or ["numpy"], "description": "d"} for title in titles]
    return Say(f"```json\n{json.dumps(rows)}\n```")


def test_topics_are_proposed_once_each_and_only_for_the_modules(ws: Workspace, model: ScriptedModel) -> None:
    titles = ("Broadcasting", "broadcasting!", "Linear algebra", "Linear Algebra", "Random numbers")
    model.script = [listed("Plots", modules=["plotly"]), Say("no list"), listed(*titles)]
    found = propose_topics(ws, ["numpy"], taken=[Topic("Random numbers", ("numpy",))])
    assert [topic.title for topic in found.topics] == ["Broadcasting", "Linear algebra"]
    assert found.left_out == 3
    said = ("Random numbers", "uses one of numpy", "no JSON list")
    assert [part in prompt for part, prompt in zip(said, model.prompts, strict=True)] == [True] * 3
    assert {call.purpose for call in model_calls.select(ws)} == {"topics"}
    for modules in ([], ["numpy; import os"], ["../x"]):
        with pytest.raises(UsageError):
            propose_topics(ws, modules)
    assert len(model.requests) == 3, "what is no module is refused before a model is asked"


def test_a_file_of_topics_grows_and_keeps_what_people_wrote(tmp_path: Path) -> None:
    path = tmp_path / "topics.yaml"
    add_topics(path, [Topic("Sorting", ("numpy",), "with: colon", ("sort",))])
    path.write_text(path.read_text().replace("Sorting", "Sorting arrays  # by hand"))
    add_topics(path, [Topic("Masks", ("numpy", "pandas"))])
    assert "# by hand" in path.read_text()
    topics = read_topics(path)
    assert [topic.title for topic in topics] == ["Sorting arrays", "Masks"]
    assert topics[0].description == "with: colon"
    assert find_topic(topics, "2") == find_topic(topics, "masks") == topics[1]
    with pytest.raises(UsageError, match="no topic '3'"):
        find_topic(topics, "3")


def test_a_broken_file_of_topics_is_told(tmp_path: Path) -> None:
    broken = ("", "topics: []", "topics: 3", "- a", "topics: [{title: a}]", "topics: [{title: a, modules: ['x y']}]")
    for text in (*broken, "a: ["):
        path = tmp_path / "topics.yaml"
        path.write_text(text)
        with pytest.raises((ContentError, UsageError)) as raised:
            read_topics(path)
        assert raised.value.fix


def steps(*pairs: tuple[str, str]) -> str:
    return "\n".join(f'# %%\n"""\nquery: |\n  {query}\n"""\n\n{code}\n' for query, code in pairs)


GOOD = [(f"Return the sum of {n} and {n + 7} as an integer.", f"{n} + {n + 7}") for n in range(2, 12)]


def codes_of(text: str, inputs: Path | None = None) -> list[str]:
    problemset = Problemset.parse(text, name="set")
    found = style_diagnostics(problemset, Path("set.py"), inputs)
    lines = {one.line for one in found if one.code not in ("style-steps", "style-large-data")}
    assert lines <= {problemset.problems[-1].line}
    return sorted(one.code for one in found)


def test_each_rule_of_the_style_finds_its_fault() -> None:
    for query, code, fault in (
        ("In this step we will sum it up: 1 and 2.", "1 + 2", "style-view"),
        ("Explore the numbers 1 and 2.", "1 + 2", "style-open"),
        ("Read the file.", 'open("inputs/a.csv").read()', "style-path"),
        ("Save 1 as a table in `x`.", 'x.to_csv("x")', "style-writes"),
        ("Prepare.", "pass", "style-output"),
        ("Draw three of the numbers 1 to 9.", "np.random.choice(range(1, 10), 3)", "style-random"),
        ("Draw a row of `x`.", "x.sample(1)", "style-random"),
        ("Draw a number of 0 to 1.", "random.random()", "style-random"),
        ("Draw one of 1 and 2.", "from random import choice as pick\n\npick([1, 2])", "style-random"),
        ("Draw one of 1 and 2.", "import random as chance\n\nchance.choice([1, 2])", "style-random"),
        ("Draw one of 1 and 2.", "np.random.seed(3)\nrandom.choice([1, 2])", "style-random"),
        ("Draw one of 1 and 2.", "random.Random().choice([1, 2])", "style-random"),
        ("Give the year.", "datetime.datetime.now().year", "style-random"),
    ):
        assert codes_of(steps(*GOOD, (query, code))) == [fault]


def test_a_draw_with_a_fixed_state_is_fine() -> None:
    draws = (
        "x.sample(1, random_state=3)",
        "np.random.default_rng(3).normal()",
        "np.random.seed(3)\nnp.random.rand()",
        "random.seed(3)\nrandom.random()",
        "random.Random(3).choice([1, 2])",
        "from random import seed, choice\nseed(3)\nchoice([1, 2])",
    )
    for code in draws:
        assert codes_of(steps(*GOOD, ("Draw once with the state 3.", code))) == []
    of_setup = "# %%\nimport random as chance\n\nchance.seed(3)\n\n"
    assert codes_of(f"{of_setup}{steps(*GOOD, ('Draw once.', 'chance.random()'))}") == []


def test_compared_names_and_slow_steps_and_the_size_of_a_set_are_looked_at(tmp_path: Path) -> None:
    text = (
        '# %%\n"""\nquery: Count.\nvalidator: {namespace_check: {total: }}\nexecution: {max_time: 90}\n"""\ntotal = 1\n'
    )
    assert codes_of(text) == ["style-name", "style-slow", "style-steps"]
    with (tmp_path / "big.csv").open("wb") as stream:
        stream.truncate(60_000_000)
    assert "style-large-data" in codes_of(text, tmp_path)


OPEN = ("Explore the sum of 3 and 4.", "3 + 4")


@pytest.mark.usefixtures("nothing_fails", "lent_engines")
def test_a_topic_becomes_a_draft_that_was_held_to_the_style(
    ws: Workspace, tmp_path: Path, model: ScriptedModel, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "topics.yaml"
    add_topics(file, [Topic("Adding up", ("numpy",), "Sums.")])
    model.script = [Say(f"```python\n{steps(*GOOD[:-1], OPEN)}```"), Say(f"```python\n{steps(*GOOD)}```")]
    words = ["topics", "draft", "1", "--file", str(file), "--workspace", str(ws.root), "--json"]
    assert run_command_line(words) == 0
    made = json.loads(capsys.readouterr().out)
    assert (made["problems"], made["name"], made["provenance"]["topic"]) == (10, "adding-up", "Adding up")
    assert "'Explore' leaves open" in model.prompts[1]
    assert "Name the statistic, the columns and the form of the result. (`style-open`)" in model.prompts[1]
    revision = revisions.find(ws, made["revision"])
    assert (revision.origin, revision.guide_number) == ("model", 1)
    assert revision.document().require_valid().problems[0].time_limit_s == 5.0


def test_a_set_is_checked_for_its_style_on_demand(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "set.py").write_text(steps(*GOOD[:-1], OPEN))
    assert run_command_line(["check", str(tmp_path / "set.py"), "--style", "notebook", "--json"]) == 0
    assert [one["code"] for one in json.loads(capsys.readouterr().out)["diagnostics"]] == ["style-open"]


@pytest.mark.usefixtures("nothing_fails")
def test_a_refinement_of_a_set_on_a_topic_is_told_of_the_style(ws: Workspace) -> None:
    made: dict[str, Any] = {"author": "m", "origin": Origin.MODEL, "text": steps(*GOOD[:-1], OPEN)}
    problemsets.create(ws, name="on-a-topic", provenance={"topic": "Sums"}, **made)
    problemsets.create(ws, name="other", **made)
    for name, problem, expected in (("on-a-topic", "10", 1), ("on-a-topic", "9", 0), ("other", "10", 0)):
        shown = refine_preview(ws, name, [problem], engine=NOBODY, options=RefineOptions()).text
        assert shown.count("'Explore' leaves open what the answer is; fix:") == expected
        assert shown.count("Bad: Explore the revenue of the regions.") == expected


# what of a model's answer about columns can be used


_CITY: dict[str, Any] = {"dtype": "str", "role": ColumnRole.TEXT, "missing": 0, "distinct": 90}
_KM: dict[str, Any] = {"dtype": "int64", "role": ColumnRole.NUMBER, "missing": 0, "distinct": 60, "min": 1, "max": 99}
_COLUMNS = (ColumnProfile(name="city", **_CITY), ColumnProfile(name="km", integer=True, **_KM))
PROFILE = Profile(tables=(TableProfile(file="trips.csv", reader="read_csv", rows=100, columns=_COLUMNS),))
HEAD = "tables:\n- file: trips.csv\n  columns:\n"


def _assess(answer: str, *, finish_reason: str = "stop") -> Any:
    completion = Completion(answer, finish_reason=finish_reason)
    return assess_semantics(completion, known=infer_semantics(PROFILE), profile=PROFILE)


def test_a_proposal_is_found_in_and_out_of_fences() -> None:
    for frame in ("{}", "```yaml\n{}```", "Here you are:\n```\n{}```\nGood luck!", "<think>hm</think>\n{}"):
        found = _assess(frame.format(f"{HEAD}    km: {{meaning: measure, unit: km, origin: person}}\n"))
        (column,) = found.value.tables[0].columns
        assert (column.meaning, column.unit, column.origin) == (Meaning.MEASURE, "km", MeaningOrigin.MODEL)
        assert found.complaint == ""


def test_what_cannot_be_is_left_out_and_sent_back() -> None:
    lines = "    city: {meaning: measure}\n    km: {meaning: measure}\n    kilometres: {meaning: count}\n"
    found = _assess(HEAD + lines)
    assert [column.name for column in found.value.tables[0].columns] == ["km"]
    assert "no column is called 'kilometres'" in found.complaint
    assert "'city' holds texts, so it cannot be a measure" in found.complaint
    assert found.faults == 2


def test_answers_without_a_usable_proposal_are_sent_back() -> None:
    odd = ("```yaml\ntables: 3\n```", "```yaml\ntables:\n- file: a.csv\n```", "tables:\n\t- x", "```\ntables: [")
    for answer in ("", "I cannot.", *odd):
        found = _assess(answer)
        assert (found.value, bool(found.complaint)) == (None, True)
    found = _assess("```yaml\ntables:\n- file: trips.csv\n  colu", finish_reason="length")
    assert (found.value, "cut off" in found.complaint) == (None, True)
