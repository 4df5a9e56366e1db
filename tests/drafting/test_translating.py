"""Queries are translated by a model; names, values and numbers stay, and so does all code."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from authoring.cli.main import run_command_line
from authoring.drafting.translating.texts import Text, is_in, wrong_with
from authoring.drafting.translating.translating import translate_set
from authoring.languages import Language
from authoring.store import model_calls, problemsets, revisions
from authoring.store.statuses import Origin
from authoring.store.workspace import Workspace
from evaluator.errors import ContentError
from evaluator.language import read_benchmark, write_yaml
from evaluator.language.document import Document
from tests.drafting.conftest import Serve
from tests.scripted_model import Say

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


def test_queries_and_thoughts_change_and_nothing_else(tmp_path: Path, serve: Serve) -> None:
    ws = Workspace.open(tmp_path / "w")
    with serve(translator):
        made = translate_set(ws, Document.parse(SET, name="trips"), Language.CHINESE)
    problems, before = (
        made.document.require_valid().problems,
        Document.parse(SET, name="trips").require_valid().problems,
    )
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


def test_what_is_wrong_goes_back_and_what_was_right_stays(tmp_path: Path, serve: Serve) -> None:
    def forgetful(request: dict[str, Any]) -> Say:
        texts = {number: in_chinese(text) for number, text in texts_in(request).items()}
        if len(request["messages"]) == 2:
            texts[1] = texts[1].replace("1,000", "一千").replace("`length_km`", "`长度`")
            return said(texts)
        return said({1: texts[1], 2: "Not Chinese any more."})

    with serve(forgetful) as model:
        made = translate_set(Workspace.open(tmp_path / "w"), Document.parse(SET, name="trips"), Language.CHINESE)
    complaint = model.prompts[1]
    assert "text 1: these must stay letter by letter and are not there: `length_km`, the number 1000" in complaint
    assert "the text has no such name: `长度`" in complaint
    assert "text 2" not in complaint
    assert "Not Chinese" not in made.document.text
    assert made.provenance["repairs"] == 1


def test_a_text_that_cannot_be_translated_is_named_and_nothing_comes_of_it(tmp_path: Path, serve: Serve) -> None:
    def stubborn(request: dict[str, Any]) -> Say:
        texts = texts_in(request)
        return said({number: in_chinese(text) if number == 1 else text for number, text in texts.items()})

    ws = Workspace.open(tmp_path / "w")
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


def test_a_text_of_names_alone_is_in_every_language() -> None:
    assert is_in('`a` / `b` = "x"', Language.CHINESE)
    assert is_in('`长度` "工作"', Language.ENGLISH)
    assert not is_in("返回 `a` 的平均值", Language.ENGLISH)


def test_a_set_of_the_workspace_becomes_a_new_one(
    tmp_path: Path, serve: Serve, capsys: pytest.CaptureFixture[str]
) -> None:
    ws = Workspace.open(tmp_path / "w")
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
    tmp_path: Path, serve: Serve, capsys: pytest.CaptureFixture[str]
) -> None:
    ws = Workspace.open(tmp_path / "w")
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


def test_a_benchmark_gets_its_translation_beside_it(
    tmp_path: Path, serve: Serve, capsys: pytest.CaptureFixture[str]
) -> None:
    folder, out = tmp_path / "city", tmp_path / "city-both"
    (folder / "_inputs" / "trips").mkdir(parents=True)
    (folder / "_inputs" / "trips" / "trips.csv").write_text("length_km,purpose\n3,work\n", encoding="utf-8")
    manifest: dict[str, Any] = {"name": "city", "version": "1", "licence": "CC0-1.0", "language_version": 3}
    manifest["sets"] = {"trips": {"module": "pandas", "notebook": "a/trips.ipynb", "position": 4}}
    (folder / "_manifest.yaml").write_text(write_yaml(manifest), encoding="utf-8")
    (folder / "trips.py").write_text(SET, encoding="utf-8")
    (folder / "README.md").write_text("About.\n")
    (folder / "fragen_zh.py").write_text('# %%\n"""\nquery: 返回 1 与 2 之和。\n"""\n1 + 2\n', encoding="utf-8")
    words = ["translate", str(folder), "--to", "zh", "--out", str(out), "--workspace", str(tmp_path / "w"), "--json"]
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
    assert made.manifest.extra["sets"]["trips_zh"] == {
        "language": "zh",
        "module": "pandas",
        "notebook": "a/trips_zh.ipynb",
    }
    assert (out / "_inputs" / "trips_zh" / "trips.csv").is_file()
    assert (out / "trips.py").read_bytes() == (folder / "trips.py").read_bytes()
    assert (out / "README.md").is_file()
    assert run_command_line(words) == 2  # the folder is taken
    capsys.readouterr()
    with serve(translator):
        assert run_command_line([*words[:5], str(tmp_path / "only"), *words[6:], "--only"]) == 0
    assert [loaded.name for loaded in read_benchmark(tmp_path / "only").sets] == ["fragen_zh", "trips_zh"]
