"""Sketches, drafts and translations in Chinese: names, values and code stay, and what is not Chinese goes back."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from authoring.cli.main import run_command_line
from authoring.drafting.draft import make_draft
from authoring.drafting.sketching import make_sketch
from authoring.drafting.translating.texts import Text, is_in, wrong_with
from authoring.drafting.translating.translating import translate_set
from authoring.languages import Language
from authoring.prompting.prompts import is_chinese, other_languages
from authoring.seeds.shipped import load_shipped_seeds
from authoring.store import model_calls, problemsets, revisions
from authoring.store.drafting.sketches import SketchItem, find_sketch, insert_sketch
from authoring.store.statuses import Origin
from authoring.store.workspace import Workspace
from authoring.templates import template_draft
from evaluator.errors import ContentError, UsageError
from evaluator.language import read_benchmark, with_language_version, write_yaml
from evaluator.language.document import Document
from tests.drafting.conftest import NOBODY, Serve
from tests.scripted_model import Say
from tests.templates.conftest import Agreeable

KEPT = re.compile(r"`[^`]*`|\"[^\"]*\"|[\w/.-]*(?:_\w|/|\.csv)[\w/.-]*|\d[\d,.]*")
SET = '''# language_version: 3

# %% Tools
import pandas as pd

# %%
"""
query: |
  Read `inputs/trips.csv` as `trips`. How many rows have a `length_km` of at least 1,000?
id: load
tags: [reading]
validator: {namespace_check: {trips: }}
family:
  cibench: {step: 1, thought: I read the file and count the rows.}
"""
trips = pd.read_csv("inputs/trips.csv")
(trips["length_km"] >= 1000).sum()

# %%
"""
query: Return the 3 longest trips whose purpose is "work" as top_trips, the longest first.
id: top
"""
top_trips = trips[trips["purpose"] == "work"].nlargest(3, "length_km")
top_trips
'''


def in_chinese(text: str) -> str:
    """Put one Chinese sign in the place of each English word that may change."""
    parts = re.split(f"({KEPT.pattern})", text)
    return "".join(part if place % 2 else re.sub("[A-Za-z]+", "译", part) for place, part in enumerate(parts))


def texts_in(request: dict[str, Any]) -> dict[int, str]:
    prompt = str(request["messages"][1]["content"]).split("# Texts\n")[1].split("\n\n# Your answer")[0]
    pieces = re.split(r"^## (\d+)$", prompt, flags=re.MULTILINE)[1:]
    return {int(number): text.strip() for number, text in zip(pieces[::2], pieces[1::2], strict=True)}


def said(texts: dict[int, str]) -> Say:
    rows = [{"number": number, "text": text} for number, text in texts.items()]
    return Say(f"```json\n{json.dumps(rows, ensure_ascii=False)}\n```")


def translator(request: dict[str, Any]) -> Say:
    return said({number: in_chinese(text) for number, text in texts_in(request).items()})


def test_queries_and_thoughts_change_and_nothing_else(ws: Workspace, serve: Serve) -> None:
    with serve(translator):
        made = translate_set(ws, Document.parse(SET, name="trips"), Language.CHINESE)
    problems, before = (one.require_valid().problems for one in (made.document, Document.parse(SET, name="trips")))
    assert [problem.code for problem in problems] == [problem.code for problem in before]
    assert [problem.validator for problem in problems] == [problem.validator for problem in before]
    assert all(is_in(problem.query, Language.CHINESE) for problem in problems)
    assert problems[0].query.startswith("译 `inputs/trips.csv` 译 `trips`.")
    assert [problem.metadata["id"] for problem in problems] == ["load", "top"]
    assert [problem.metadata["family"]["pair"] for problem in problems] == ["trips/1", "trips/2"]
    assert problems[0].metadata["family"]["cibench"] == {"step": 1, "thought": "译 译 译 译 译 译 译 译."}
    assert [problem.metadata["tags"] for problem in problems] == [["reading", "zh"], ["zh"]]
    assert made.document.text.startswith("# language_version: 3\n\n# %% Tools\nimport pandas as pd\n")
    assert (made.texts, made.provenance["language"], made.provenance["requests"]) == (3, "zh", 1)
    assert [call.purpose for call in model_calls.select(ws)] == ["translate"]


def test_what_is_wrong_goes_back_and_what_was_right_stays(ws: Workspace, serve: Serve) -> None:
    def forgetful(request: dict[str, Any]) -> Say:
        texts = {number: in_chinese(text) for number, text in texts_in(request).items()}
        if len(request["messages"]) == 2:
            texts[1] = texts[1].replace("1,000", "一千").replace("`length_km`", "`长度`")
            return said(texts)
        return said({1: texts[1], 2: "Not Chinese any more."})

    with serve(forgetful) as model:
        made = translate_set(ws, Document.parse(SET, name="trips"), Language.CHINESE)
    complaint = model.prompts[1]
    assert "text 1: these must stay letter by letter and are not there: `length_km`, the number 1000" in complaint
    assert "the text has no such name: `长度`" in complaint
    assert "text 2" not in complaint
    assert "Not Chinese" not in made.document.text
    assert made.provenance["repairs"] == 1


def test_a_text_that_cannot_be_translated_is_named_and_nothing_comes_of_it(ws: Workspace, serve: Serve) -> None:
    def stubborn(request: dict[str, Any]) -> Say:
        texts = texts_in(request)
        return said({number: in_chinese(text) if number == 1 else text for number, text in texts.items()})

    with serve(stubborn), pytest.raises(ContentError, match=r"thought of problem 1, problem 2: .*it is not in Chinese"):
        translate_set(ws, Document.parse(SET, name="trips"), Language.CHINESE)
    with serve(stubborn), pytest.raises(ContentError, match="'trips' is in English already"):
        translate_set(ws, Document.parse(SET, name="trips"), Language.ENGLISH)


SOURCE = Text(
    1, "problem 1", 'Keep rows of `a` with x_1 over 2.5 as "big", at least 1,200, from inputs/a.csv, in n.', ("n",)
)


def test_names_values_and_numbers_must_stay() -> None:
    for translated, fault in (
        ('从 inputs/a.csv 取 `a` 中 x_1 大于 2.5 且至少 1200 的行，记为 "big"，放入 n。', ""),
        ("从 inputs/a.csv 取 `a` 中 x_1 大于 2.5 且至少 1,200 的行，记为“big”，放入 n。", ""),
        ('从 inputs/a.csv 取 a 中 x_1 大于 2.5 且至少 1200 的行，记为 "big"，放入 n。', "`a`"),
        ('从 inputs/a.csv 取 `a` 中 x_1 大于 2.5 且至少 1200 的行，记为 "大"，放入 n。', '"big"'),
        ('从 inputs/a.csv 取 `a` 中 x_1 大于 2.5 且至少一千二百的行，记为 "big"，放入 n。', "the number 1200"),
        ('从文件取 `a` 中 x_1 大于 2.5 且至少 1200 的行，记为 "big"，放入 n。', "inputs/a.csv"),
        ('从 inputs/a.csv 取 `a` 中 x 大于 2.5 且至少 1200 的行，记为 "big"，放入 n。', "x_1"),
        ('从 inputs/a.csv 取 `a` 中 x_1 大于 2.5 且至少 1200 的行，记为 "big"。', "not there: n"),
        ("", "empty"),
    ):
        found = wrong_with(SOURCE, translated, Language.CHINESE)
        assert fault in found if fault else not found
    assert is_in('`a` / `b` = "x"', Language.CHINESE)  # a text of names alone is in every language
    assert is_in('`长度` "工作"', Language.ENGLISH)
    assert not is_in("返回 `a` 的平均值", Language.ENGLISH)


def test_a_set_becomes_another(ws: Workspace, tmp_path: Path, serve: Serve, capsys: pytest.CaptureFixture[str]) -> None:
    problemsets.create(ws, name="trips", text=SET, author="Ann", origin=Origin.PERSON)
    here = ("--to", "zh", "--workspace", str(ws.root), "--json")
    with serve(translator):
        assert run_command_line(["translate", "trips", "--model", "scripted", "--by", "Ada", *here]) == 0
    made = json.loads(capsys.readouterr().out)
    assert (made["name"], made["texts"], made["provenance"]["translation_of"]) == ("trips-zh", 3, "trips@1")
    assert revisions.find(ws, "trips-zh").author == "Ada"
    assert run_command_line(["translate", "trips-zh", *here]) == 1
    assert "is in Chinese already" in capsys.readouterr().out
    assert run_command_line(["translate", "trips", "--to", "fr", "--workspace", str(ws.root)]) == 2
    capsys.readouterr()
    (tmp_path / "mine.py").write_text(SET, encoding="utf-8")
    assert run_command_line(["translate", str(tmp_path / "mine.py"), *here]) == 2
    assert "--out" in capsys.readouterr().out
    with serve(translator):
        out = tmp_path / "mine_zh.py"
        assert run_command_line(["translate", str(tmp_path / "mine.py"), "--out", str(out), *here]) == 0
    assert "pair: mine/1" in out.read_text(encoding="utf-8")


def test_existing_files_and_taken_names_are_refused_before_asking(
    ws: Workspace, tmp_path: Path, serve: Serve, capsys: pytest.CaptureFixture[str]
) -> None:
    problemsets.create(ws, name="trips", text=SET, author="Ann", origin=Origin.PERSON)
    (tmp_path / "mine.py").write_text(SET, encoding="utf-8")
    here = ("--to", "zh", "--model", "scripted", "--workspace", str(ws.root))
    out = ("--out", str(tmp_path / "mine.py"))
    with serve(translator) as model:
        for words in (("trips", *out), (str(tmp_path / "mine.py"), *out), ("trips", "--name", "Trips")):
            assert run_command_line(["translate", *words, *here]) == 2
            assert re.search("mine.py' exists|already a problemset called 'trips'", capsys.readouterr().err)
    assert model.requests == []
    assert [row.name for row in problemsets.select(ws)] == ["trips"]
    assert (tmp_path / "mine.py").read_text(encoding="utf-8") == SET


def test_benchmarks_get_others(ws: Workspace, tmp_path: Path, serve: Serve, capsys: pytest.CaptureFixture[str]) -> None:
    folder, out = tmp_path / "city", tmp_path / "city-both"
    (folder / "_inputs" / "trips").mkdir(parents=True)
    (folder / "_inputs" / "trips" / "trips.csv").write_text("length_km,purpose\n3,work\n", encoding="utf-8")
    manifest: dict[str, Any] = {"name": "city", "version": "1", "licence": "CC0-1.0", "language_version": 3}
    manifest["sets"] = {"trips": {"module": "pandas", "notebook": "a/trips.ipynb", "position": 4}}
    (folder / "_manifest.yaml").write_text(write_yaml(manifest), encoding="utf-8")
    (folder / "trips.py").write_text(SET, encoding="utf-8")
    (folder / "README.md").write_text("About.\n")
    (folder / "fragen_zh.py").write_text('# %%\n"""\nquery: 返回 1 与 2 之和。\n"""\n1 + 2\n', encoding="utf-8")
    words = ["translate", str(folder), "--to", "zh", "--out", str(out), "--workspace", str(ws.root), "--json"]
    with serve(translator):
        assert run_command_line(words) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["sets"] == [{"original": "trips", "translation": "trips_zh"}]
    assert told["kept"] == ["fragen_zh"]
    made = read_benchmark(out)
    assert [loaded.name for loaded in made.sets] == ["fragen_zh", "trips", "trips_zh"]
    assert not [one for one in made.diagnostics if one.severity == "error"]
    languages = {name: entry["language"] for name, entry in made.manifest.extra["sets"].items()}
    assert languages == {"fragen_zh": "zh", "trips": "en", "trips_zh": "zh"}
    of_it = {"language": "zh", "module": "pandas", "notebook": "a/trips_zh.ipynb"}
    assert made.manifest.extra["sets"]["trips_zh"] == of_it
    assert (out / "_inputs" / "trips_zh" / "trips.csv").is_file()
    assert (out / "trips.py").read_bytes() == (folder / "trips.py").read_bytes()
    assert (out / "README.md").is_file()
    assert run_command_line(words) == 2  # the folder is taken
    capsys.readouterr()
    with serve(translator):
        assert run_command_line([*words[:5], str(tmp_path / "only"), *words[6:], "--only"]) == 0
    assert [loaded.name for loaded in read_benchmark(tmp_path / "only").sets] == ["fragen_zh", "trips_zh"]


# sketches and drafts


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


def test_only_a_chinese_prompt_tells_of_languages_and_other_ideas_go_back(ws: Workspace, serve: Serve) -> None:
    with serve([ENGLISH, ENGLISH, CHINESE]) as model:
        make_sketch(ws, "trips", author="model")
        made = find_sketch(ws, make_sketch(ws, "trips", author="model", language="zh"))
    english, chinese, complaint = model.prompts
    assert "not written in Chinese, as asked for: 1" in complaint
    assert is_chinese(made.items[0].query_idea)
    assert RULE not in english
    before, _, after = chinese.partition(RULE)
    assert english == before + after.partition("which are English.\n\n")[2]
    assert "which are English.\n\nOne JSON object" in chinese
    assert made.provenance["prompts"].keys() >= {"sketch", "system", "queries_zh"}


@pytest.mark.usefixtures("nothing_fails")
def test_queries_in_another_language_go_back_to_the_model(ws: Workspace, serve: Serve) -> None:
    made_of: dict[str, Any] = {"items": [SketchItem(1, "读取数据。")], "provenance": {}, "language": Language.CHINESE}
    sketch = insert_sketch(ws, seed_id=1, author="model", rng_seed=0, **made_of)
    queries = ("Load `inputs/trips.csv`.", "将 `inputs/trips.csv` 读入 `trips`。")
    texts = [DRAFT.replace("QUERY", query) for query in queries]
    with serve([Say(f"```python\n{text}```") for text in texts]) as model:
        made = make_draft(ws, sketch, engine=NOBODY)
    assert RULE in model.prompts[0]
    assert "not written in Chinese, as asked for: 1" in model.prompts[1]
    assert revisions.find(ws, made.revision).text == with_language_version(texts[1])
    assert (made.provenance["language"], made.provenance["left_over"]) == ("zh", "")


def test_a_prompt_of_the_workspace_without_the_place_serves_english_only(ws: Workspace, serve: Serve) -> None:
    path = ws.root / "prompts" / "sketch.md"
    path.parent.mkdir(exist_ok=True)
    path.write_text("${guide} ${profile} ${notebook} ${examples} ${covered} ${mix}", encoding="utf-8")
    with serve([ENGLISH]):
        make_sketch(ws, "trips", author="model")
        with pytest.raises(ContentError, match=r"lacks the places \$\{query_language\}"):
            make_sketch(ws, "trips", author="model", language="zh")
