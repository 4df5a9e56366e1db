"""Sketches and drafts in Chinese, by the template author and by a model that may not keep to it."""

import json

import pytest

from authoring.drafting.draft import make_draft
from authoring.drafting.sketching import make_sketch
from authoring.languages import Language
from authoring.prompting.prompts import is_chinese, other_languages
from authoring.seeds.shipped import load_shipped_seeds
from authoring.store import revisions
from authoring.store.drafting.sketches import SketchItem, find_sketch, insert_sketch
from authoring.store.workspace import Workspace
from authoring.templates import template_draft
from evaluator.errors import ContentError, UsageError
from evaluator.language import with_language_version
from tests.drafting.conftest import NOBODY, Serve
from tests.scripted_model import Say
from tests.templates.conftest import Agreeable

RULE = "Users ask in Chinese."
ENGLISH = Say(json.dumps([{"query_idea": "Load `inputs/trips.csv`."}]))
CHINESE = Say(json.dumps([{"query_idea": "将 `inputs/trips.csv` 读入 `trips`。"}]))
DRAFT = '''# %%
import pandas as pd

# %%
"""
query: |
  QUERY
validator:
  namespace_check:
    trips:
"""

trips = pd.read_csv("inputs/trips.csv")
len(trips)
'''


def test_a_query_is_chinese_by_its_words_not_by_its_names() -> None:
    assert is_chinese("返回 `number_of_trips_by_purpose` 的平均值。")
    assert is_chinese('用 pandas 将 DataFrame 中为 "to be or not to be" 的行保存为新的 DataFrame。')
    assert not is_chinese("Return the mean of `距离` for each `目的`.")
    assert not is_chinese("")
    assert other_languages(["Load it."], Language.ENGLISH) == ""
    assert other_languages(["读取数据。", "Load it."], Language.CHINESE).endswith("as asked for: 2")


def test_a_sketch_by_templates_keeps_its_language(ws: Workspace) -> None:
    chinese, english = (find_sketch(ws, make_sketch(ws, "trips", language=code)) for code in ("zh", "en"))
    assert (chinese.language, english.language) == (Language.CHINESE, Language.ENGLISH)
    assert (chinese.provenance["language"], english.provenance["language"]) == ("zh", "en")
    assert all(is_chinese(item.query_idea) for item in chinese.items)
    assert [item.slots for item in chinese.items] == [item.slots for item in english.items]
    with pytest.raises(UsageError, match="cannot be written in 'fr'"):
        make_sketch(ws, "trips", language="fr")


def test_a_draft_by_templates_follows_its_sketch(ws: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    load_shipped_seeds(ws, only=["penguins"])
    monkeypatch.setattr(template_draft, "Bench", Agreeable)
    made = make_draft(ws, make_sketch(ws, "penguins", language="zh"), engine=NOBODY)
    assert made.provenance["language"] == "zh"
    problems = revisions.find(ws, made.revision).document().require_valid().problems
    assert all(is_chinese(problem.query) for problem in problems)
    assert {problem.time_limit_s for problem in problems} >= {5.0}


def test_only_a_chinese_prompt_says_something_of_languages(ws: Workspace, serve: Serve) -> None:
    with serve([ENGLISH, CHINESE]) as model:
        make_sketch(ws, "trips", author="model")
        made = find_sketch(ws, make_sketch(ws, "trips", author="model", language="zh"))
    english, chinese = model.prompts
    assert RULE not in english
    before, _, after = chinese.partition(RULE)
    assert english == before + after.partition("which are English.\n\n")[2]
    assert "which are English.\n\nOne JSON object" in chinese
    assert made.provenance["prompts"].keys() == {"sketch", "system", "queries_zh"}


def test_ideas_in_another_language_go_back_to_the_model(ws: Workspace, serve: Serve) -> None:
    with serve([ENGLISH, CHINESE]) as model:
        made = find_sketch(ws, make_sketch(ws, "trips", author="model", language="zh"))
    assert "not written in Chinese, as asked for: 1" in model.prompts[1]
    assert is_chinese(made.items[0].query_idea)


@pytest.mark.usefixtures("nothing_fails")
def test_queries_in_another_language_go_back_to_the_model(ws: Workspace, serve: Serve) -> None:
    items = [SketchItem(1, "读取数据。")]
    sketch = insert_sketch(
        ws, seed_id=1, author="model", rng_seed=0, items=items, provenance={}, language=Language.CHINESE
    )
    texts = [
        DRAFT.replace("QUERY", query) for query in ("Load `inputs/trips.csv`.", "将 `inputs/trips.csv` 读入 `trips`。")
    ]
    with serve([Say(f"```python\n{text}```") for text in texts]) as model:
        made = make_draft(ws, sketch, engine=NOBODY)
    assert RULE in model.prompts[0]
    assert "not written in Chinese, as asked for: 1" in model.prompts[1]
    assert revisions.find(ws, made.revision).text == with_language_version(texts[1])
    assert made.provenance["language"] == "zh"
    assert made.provenance["left_over"] == ""


def test_a_prompt_of_the_workspace_without_the_place_serves_english_only(ws: Workspace, serve: Serve) -> None:
    path = ws.root / "prompts" / "sketch.md"
    path.parent.mkdir(exist_ok=True)
    path.write_text("${guide} ${profile} ${notebook} ${examples} ${covered} ${mix}", encoding="utf-8")
    with serve([ENGLISH]):
        make_sketch(ws, "trips", author="model")
        with pytest.raises(ContentError, match=r"lacks the places \$\{query_language\}"):
            make_sketch(ws, "trips", author="model", language="zh")
