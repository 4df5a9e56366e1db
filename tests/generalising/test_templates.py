"""A problemset becomes a template and is put on other data: queries and code, columns and values."""

import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from authoring.cli.main import run_command_line
from authoring.generalising.instantiating import facts_of, instantiate, template_of
from authoring.generalising.matching import MAX_TABLES, Match, match_seed
from authoring.generalising.template import SetTemplate, parse_template, write_template
from authoring.seeds import add_seed
from authoring.store import problemsets, revisions
from authoring.store.drafting.seeds import find_seed
from authoring.store.settings import set_setting
from authoring.store.statuses import Origin
from authoring.store.workspace import Workspace
from evaluator.errors import ContentError, UsageError
from evaluator.session import Engine
from tests.seeds.read_here import HERE, files_read_here

SET = '''# %%
import pandas as pd

# %%
"""
query: |
  Read `inputs/orders.csv` into a DataFrame `orders`. How many orders are there?
id: load
validator: {namespace_check: {orders: }}
"""
orders = pd.read_csv("inputs/orders.csv")
len(orders)

# %%
"""
query: |
  Keep the orders of the region "north" with a `net_revenue` of at least 1,000 as `large_orders`, with their row labels.
id: large
validator: {template: intact, namespace_check: {large_orders: }}
"""
large_orders = orders[(orders["region"] == "north") & (orders["net_revenue"] >= 1000)]

# %%
"""
query: |
  Return the mean net revenue of `orders` by `region` as a Series `net_revenue_by_region`, the highest mean first.
id: means
examples:
  accept: ['orders.pivot_table(index="region", values="net_revenue")["net_revenue"].sort_values(ascending=False)']
  reject:
  - code: orders.groupby("region")["net_revenue"].median().sort_values(ascending=False)
    why: medians
validator: {result: {atol: 0.5}}
execution: {max_time: 20, forbid_names: [eval]}
"""
net_revenue_by_region = orders.groupby("region")["net_revenue"].mean().sort_values(ascending=False)
net_revenue_by_region

# %%
"""
query: How many orders came after 2024-01-31, by `channel`? Return a Series in alphabetical order.
id: late
"""
orders.loc[pd.to_datetime(orders["ordered_on"]) > "2024-01-31", "channel"].value_counts().sort_index()

# %%
"""
query: How many regions does `net_revenue_by_region` hold? Return the difference to the number of channels.
id: constant
"""
len(net_revenue_by_region) - orders["channel"].nunique()
'''

SMALL = "\n# %%\n".join(
    [
        *SET.split("\n# %%\n")[:3],
        '"""\nquery: How many regions are there? Return the difference to the number of channels.\nid: constant\n"""\n'
        'orders["region"].nunique() - orders["channel"].nunique()\n',
    ]
)


def table(header: str, groups: tuple[str, ...], kinds: tuple[str, ...], scale: float) -> str:
    days = [f"2024-0{1 + number // 20}-{1 + number % 20:02d}" for number in range(60)]
    rows = [
        f"{100 + number},{groups[(number * number) % 7 % len(groups)]},{kinds[number % len(kinds)]},{day},"
        f"{scale * (11 + (number * 37) % 89 + (number % 7) / 4):.2f}"
        for number, day in enumerate(days)
    ]
    return "\n".join([header, *rows]) + "\n"


@pytest.fixture(scope="module")
def prepared(empty_workspace: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace with two seeds of like form, one of another form, and a problemset on the first."""
    folder = tmp_path_factory.mktemp("prepared")
    ws = Workspace.open(shutil.copytree(empty_workspace, folder / "ws"))
    set_setting(ws, "shipped_seeds", "loaded")  # for commands: the other seeds are of no use here
    orders, visits = "order_no,region,channel,ordered_on,net_revenue", "visit_id,ward,insurance,visited_on,cost_usd"
    files = {
        "orders": table(orders, ("north", "south", "west"), ("web", "shop"), 31.0),
        "visits": table(visits, ("A1", "B2", "C3"), ("public", "own", "none"), 0.02),
        "words": "word,letters\n" + "".join(f"word{number},{5 + number % 3}\n" for number in range(40)),
    }
    with files_read_here():
        for name, text in files.items():
            (folder / f"{name}.csv").write_text(text, encoding="utf-8")
            add_seed(ws, [folder / f"{name}.csv"], name=name, engine=HERE)
    seed = find_seed(ws, "orders")
    inputs = {file.name: file.digest for file in seed.files}
    facts: dict[str, Any] = {"author": "Ann", "origin": Origin.PERSON, "seed_id": seed.id, "inputs": inputs}
    problemsets.create(ws, name="sales", text=SET, **facts)
    problemsets.create(ws, name="few", text=SMALL, **facts)
    return ws.root


@pytest.fixture
def ws(prepared: Path, tmp_path: Path) -> Workspace:
    return Workspace.open(shutil.copytree(prepared, tmp_path / "ws"))


def cell(template: SetTemplate, problem: str) -> tuple[str, str]:
    found = next(one for one in template.cells if one.settings.get("id") == problem)
    return found.query.strip(), found.code.strip()


def test_files_columns_values_and_names_made_of_them_become_placeholders(ws: Workspace, tmp_path: Path) -> None:
    template = template_of(ws, "sales")
    assert cell(template, "load") == (
        "Read `inputs/<<table1.file>>` into a DataFrame `<<table1.id>>`. How many <<table1.rows>> are there?",
        '<<table1.id>> = pd.read_csv("inputs/<<table1.file>>")\nlen(<<table1.id>>)',
    )
    query, code = cell(template, "large")
    assert code == (
        "large_<<table1.id>> = <<table1.id>>[(<<table1.id>>[<<region>>] == <<value1>>)"
        " & (<<table1.id>>[<<net_revenue>>] >= <<value2>>)]"
    )
    assert query.startswith(
        'Keep the <<table1.rows>> of the <<region.words>> "<<value1>>" with a `<<net_revenue>>` of at'
    )
    assert "at least <<value2>> as `large_<<table1.id>>`" in query
    query, code = cell(template, "means")
    assert code.splitlines()[1] == "<<net_revenue.id>>_by_<<region.id>>"
    assert "the mean <<net_revenue.words>> of `<<table1.id>>` by `<<region>>`" in query
    rules = {key: (value.column, value.rule, value.was) for key, value in template.values.items()}
    assert rules["value1"] == ("region", "frequent", "north")
    assert rules["value2"] == ("net_revenue", "quantile", 1000)
    assert rules["value3"] == ("ordered_on", "moment", "2024-01-31")
    assert "order_no" not in template.columns
    assert parse_template(write_template(template), where="t.yaml") == template
    path = tmp_path / "mine.py"
    path.write_text(SET, encoding="utf-8")
    assert template_of(ws, str(path), seed_ref="orders").values == template.values


def test_zero_stays_and_years_and_levels_keep_their_place(ws: Workspace, tmp_path: Path) -> None:
    rows = "\n".join(f"{2000 + number % 11},{(number * 37) % 50 - 10}" for number in range(120))
    (tmp_path / "steps.csv").write_text(f"year,change_usd\n{rows}\n", encoding="utf-8")
    with files_read_here():
        add_seed(ws, [tmp_path / "steps.csv"], name="steps", engine=HERE)
    text = """# %%
import pandas as pd
t = pd.read_csv("inputs/steps.csv")

# %%
\"\"\"
query: How many rows of `t` rise after 2005?
\"\"\"
len(t[(t["change_usd"] > 0) & (t["year"] > 2005)])
"""
    problemsets.create(ws, name="set", text=text, author="Ann", origin=Origin.PERSON)
    template = template_of(ws, "set", seed_ref="steps")
    assert [(value.rule, value.at, value.was) for value in template.values.values()] == [("level", 0.5, 2005)]
    assert template.cells[1].code.strip() == ("len(t[(t[<<change_usd>>] > 0) & (t[<<year>>] > <<value1>>)])")
    assert template.cells[1].query.strip() == "How many rows of `t` rise after <<value1>>?"


def test_a_template_on_its_own_seed_is_the_set_again(ws: Workspace, engine: Engine) -> None:
    made = instantiate(ws, template_of(ws, "few"), "orders", engine=engine)
    assert made.values["value1"] == "north"
    assert [found.profile.name for found in made.match.columns.values()] == list(made.match.columns)
    assert 'orders[(orders["region"] == "north") & (orders["net_revenue"] >= 1000)]' in made.text


def test_on_other_data_columns_values_and_words_are_theirs(ws: Workspace, engine: Engine) -> None:
    made = instantiate(ws, template_of(ws, "sales"), "visits", engine=engine, created_by="Ada")
    columns = {"region": "ward", "channel": "insurance", "ordered_on": "visited_on", "net_revenue": "cost_usd"}
    assert made.match.to_json() == columns
    assert made.revision is not None
    text = revisions.find(ws, made.revision.id).text
    assert 'visits = pd.read_csv("inputs/visits.csv")' in text
    assert 'visits[visits["ward"] == "' in text.replace("((", "(").replace("[(", "[")
    assert "cost_usd_by_ward = visits.groupby(" in text
    assert not [word for word in ("orders", "region", "north", "revenue") if word in text]
    for kept in ("rtol: 0.001", "max_time: 20", "forbid_names:", "reject:"):  # answers still get their verdicts
        assert kept in text
    assert dict(made.left_out).keys() == {"constant"}
    assert "says hardly anything" in dict(made.left_out)["constant"]
    assert (made.revision.origin, made.revision.author) == ("template", "Ada")
    assert made.revision.provenance["columns"]["region"] == "ward"


def test_problems_that_lack_columns_or_variables_are_left_out_and_say_why(ws: Workspace, engine: Engine) -> None:
    query = "How many regions does `net_revenue_by_region` hold? Return the difference to the number of channels."
    text = SET.replace(query, "Return three times the number of rows of `large_orders`.").replace(
        'len(net_revenue_by_region) - orders["channel"].nunique()',
        "large_orders = large_orders.copy()\nlarge_orders.shape[0] * 3",
    )
    text += '\n# %%\n"""\nquery: Say it again.\nid: again\n"""\nlarge_orders.shape[0] * 4\n'
    problemsets.create(ws, name="chain", text=text, author="Ann", origin=Origin.PERSON)
    made = instantiate(ws, template_of(ws, "chain", seed_ref="orders"), "words", engine=engine)
    assert made.problems == 1
    left = dict(made.left_out)
    assert set(left) == {"large", "means", "late", "constant", "again"}
    assert left["large"] == "no column of the data stands for 'region' (category)"
    assert left["constant"] == "it needs 'large_words' of large, which is left out"
    assert left["again"] == "it needs 'large_words' of constant, which is left out"


def test_what_the_code_reads_beside_the_seed_is_named(
    ws: Workspace, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = SET.replace(
        'len(net_revenue_by_region) - orders["channel"].nunique()',
        'extra = pd.read_csv("inputs/extra.csv")\nopen("notes.txt", "w").close()\n'
        'lines = open("inputs/orders.csv").read()\npd.read_json("https://example.org/a.json")',
    )
    text = text.replace(
        "import pandas as pd", 'import pandas as pd\nwith open("/data/names.txt") as f: names = f.read()'
    )
    problemsets.create(ws, name="wide", text=text, author="Ann", origin=Origin.PERSON)
    words = ["generalise", "wide", "--seed", "orders", "--out", str(tmp_path / "t.yaml"), "--workspace", str(ws.root)]
    assert run_command_line([*words, "--json"]) == 0
    done = capsys.readouterr()
    named = {"a preparing cell": ["/data/names.txt"], "constant": ["inputs/extra.csv", "https://example.org/a.json"]}
    said = [
        f"{cell}: its code reads {file!r}, which is no table of the seed 'orders' and stays as it is on other data"
        for cell, files in named.items()
        for file in files
    ]
    assert sorted(json.loads(done.out)["notes"]) == sorted(said)
    assert all(f"look at {line}\n" in done.err for line in said)


def test_a_template_of_which_nothing_fits_is_refused_with_the_reasons(ws: Workspace, engine: Engine) -> None:
    head, code = '# %%\n"""\nquery: Sum up.\nid: only\n"""\n', 'pd.read_csv("inputs/orders.csv")["channel"].sum()\n'
    text = f"{head}import pandas as pd\n{code}"
    problemsets.create(ws, name="one", text=text, author="Ann", origin=Origin.PERSON)
    template = template_of(ws, "one", seed_ref="orders")
    with pytest.raises(ContentError, match="only: no column of the data stands for 'channel'") as raised:
        instantiate(ws, template, "words", engine=engine)
    assert "--column OLD=NEW" in raised.value.fix
    assert {row.name for row in problemsets.select(ws)} == {"few", "one", "sales"}


def test_a_person_chooses_columns(ws: Workspace) -> None:
    template, facts = template_of(ws, "sales"), facts_of(ws, find_seed(ws, "visits"))

    def matched(chosen: dict[str, str]) -> Match:
        return match_seed(template, facts.profile, facts.semantics, chosen, where="visits")

    found = matched({"region": "insurance", "channel": "ward"}).to_json()
    assert (found["region"], found["channel"], found["net_revenue"]) == ("insurance", "ward", "cost_usd")
    with pytest.raises(UsageError, match="no column 'wards'") as raised:
        matched({"region": "wards"})
    assert raised.value.fix == "use ward"
    with pytest.raises(UsageError, match="the template has no column 'regio'"):
        matched({"regio": "ward"})


def test_a_broken_template_is_refused_with_its_place(ws: Workspace) -> None:
    text = write_template(template_of(ws, "sales"))
    limits = ("bogus: 1", "max_time_s: soon", "max_time_s: -1", "forbid_names: eval")
    for old, new, what in (
        ("template: 1", "template: 7", "form 7"),
        ("<<region>>", "<<reggion>>", "<<reggion>>, which is not listed"),
        ("<<region.words>>", "<<region.wrds>>", "spellings are"),
        ("rule: frequent", "rule: often", "values.value1.rule"),
        ("table: table1", "table: table9", "which is not listed"),
        ("cells:", "cels:", "cells"),
        *(("  code:", f"  limits: {{{each}}}\n  code:", f"limits.{each.partition(':')[0]}") for each in limits),
    ):
        assert old in text
        with pytest.raises(ContentError) as raised:
            parse_template(text.replace(old, new, 1 if "limits" in what else -1), where="t.yaml")
        assert what in str(raised.value)
        assert raised.value.fix


def test_a_template_of_too_many_tables_is_refused(ws: Workspace) -> None:
    template, seed = template_of(ws, "sales"), find_seed(ws, "orders")
    (place,) = template.tables.values()
    many = replace(template, tables={f"table{number}": place for number in range(1, MAX_TABLES + 2)})
    facts = facts_of(ws, seed)
    wide = replace(facts.profile, tables=facts.profile.tables * (MAX_TABLES + 1))
    with pytest.raises(UsageError, match="the template has 7 tables; at most 6") as raised:
        match_seed(many, wide, facts.semantics, {}, where="orders")
    assert (raised.value.where, bool(raised.value.fix)) == ("sales", True)


def test_sets_without_a_seed_or_that_use_none_of_it_are_refused(ws: Workspace) -> None:
    problemsets.create(ws, name="bare", text='# %%\n"""\nquery: Add.\n"""\n1 + 1\n', author="A", origin=Origin.PERSON)
    with pytest.raises(UsageError, match="not known which data"):
        template_of(ws, "bare")
    with pytest.raises(ContentError, match="nothing in 'bare' comes from the seed 'words'"):
        template_of(ws, "bare", seed_ref="words")


@pytest.mark.usefixtures("lent_engines")
def test_the_commands_write_a_template_and_make_a_draft_of_it(
    ws: Workspace, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out, here = tmp_path / "t.yaml", ("--workspace", str(ws.root))
    assert run_command_line(["generalise", "few", "--out", str(out), *here, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["problems"], told["values"]["value1"]["was"]) == (3, "north")
    assert run_command_line(["generalise", "few", "--out", str(out), *here]) == 2
    assert "exists" in capsys.readouterr().err
    words = ["instantiate", str(out), "--seed", "visits", "--column", "region=ward", "--out", str(tmp_path / "new.py")]
    assert run_command_line([*words, *here, "--json"]) == 0
    done = capsys.readouterr()
    made = json.loads(done.out)
    assert (made["name"], made["problems"], made["columns"]["region"]) == ("few-visits", 2, "ward")
    assert "left out constant: " in done.err
    assert (tmp_path / "new.py").read_text(encoding="utf-8") == revisions.find(ws, made["revision"]).text
    assert run_command_line(["instantiate", str(out), "--seed", "visits", "--column", "region", *here]) == 2
    assert "write --column OLD=NEW" in capsys.readouterr().err
