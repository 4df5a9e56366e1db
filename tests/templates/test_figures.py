"""Figures that the template author asks for: other honest ways to draw them are right, and mistakes are not."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any, Final

import numpy as np
import pandas as pd
import pytest

from authoring.seeds import build_profile
from authoring.seeds.meanings import infer_semantics
from authoring.templates import FAMILIES, sketch_from_profile
from authoring.templates.board import Board
from authoring.templates.families.drawing.spreads import Bins
from authoring.templates.planning import FIGURES, TaskCandidate
from authoring.templates.sketched_thread import MOST_FIGURES
from authoring.templates.template_draft import problem_of
from evaluator.language import Problem, resolve_validators, wants_figures
from evaluator.scoring import Verdict, judge_submission
from evaluator.session import CaptureSpec, CellLimits, Engine, Session
from tests.templates.rich_tables import RICH
from tests.templates.test_identities import SEEDS, shipped_profile

LIMITS: Final = CellLimits(wall_s=60)
TABLES: Final = """import numpy as np
import pandas as pd

visits = pd.read_csv("inputs/visits.csv")
by_town = (
    visits.groupby("town", as_index=False).agg(n=("cost", "count"), mean=("cost", "mean"), median=("cost", "median"))
    .sort_values("mean", ascending=False, ignore_index=True)
)
spread = visits.groupby("town")["cost"].quantile([0.25, 0.5, 0.75]).unstack().reset_index()
spread.columns = ["town", "q1", "median", "q3"]
spread["iqr"] = spread["q3"] - spread["q1"]
monthly = visits.groupby("month")["cost"].mean().rename("mean_cost").reset_index()
yearly = visits.groupby("year")["cost"].quantile([0.25, 0.75]).unstack().reset_index()
yearly.columns = ["year", "q1", "q3"]
yearly["iqr"] = yearly["q3"] - yearly["q1"]
links = visits[["height_cm", "nights"]].corrwith(visits["weight_kg"]).rename_axis("column").reset_index(name="r")
"""


def visits(folder: Path) -> None:
    """Write a table of visits to four towns over four years."""
    rng = np.random.default_rng(11)
    size = 360
    town = rng.choice(["Alba", "Brook", "Cove", "Dale"], size, p=[0.2, 0.4, 0.1, 0.3])
    months = pd.period_range("2020-01", "2023-12", freq="M").astype(str)
    month = rng.choice(months, size)
    height = rng.normal(170, 9, size).round(1)
    table = pd.DataFrame({"month": month, "year": [int(one[:4]) for one in month], "town": town})
    shift = pd.Series(town).map({"Alba": 20.0, "Brook": 0.0, "Cove": 35.0, "Dale": 9.0})
    table["cost"] = (rng.gamma(9, 9, size) + shift + 5).round(1)
    table["height_cm"], table["weight_kg"] = height, (0.9 * height - 85 + rng.normal(0, 6, size)).round(1)
    table["nights"] = rng.integers(1, 30, size)
    table.loc[[5, 50], "cost"] = [400.5, 380.5]
    table.loc[7::40, "weight_kg"] = np.nan
    table.to_csv(folder / "visits.csv", index=False)


@dataclass(frozen=True)
class Drawn:
    """A family's figure with answers to it."""

    family: str
    slots: Mapping[str, Any]
    right: tuple[str, ...]
    wrong: tuple[str, ...]


PLT: Final = "import matplotlib.pyplot as plt\n"
NAMED: Final = "\nplt.xlabel('town')\nplt.ylabel('mean cost')"
ORDERED: Final = "t = by_town.sort_values('mean', ascending=False)\n"
LINE: Final = "\nplt.xlabel('month')\nplt.ylabel('mean_cost')"
TWO: Final = "\nplt.xlabel('year')\nplt.ylabel('cost')"
PAIR: Final = (
    f"{PLT}plt.plot(yearly['year'], yearly['q1'], label='q1')\nplt.plot(yearly['year'], yearly['q3'], label='q3')\n"
)
EDGES: Final = "np.arange(140, 206, 5)"
COUNTED: Final = "\nplt.xlabel('height_cm')\nplt.ylabel('count')"
BOXED: Final = "\nplt.xlabel('town')\nplt.ylabel('cost')"
ORDER: Final = "order = spread.sort_values('median', ascending=False)['town'].tolist()\n"
PARTS: Final = f"{ORDER}parts = [visits[visits['town'] == one]['cost'] for one in order]\n"
DOTS: Final = "\nplt.xlabel('height_cm')\nplt.ylabel('weight_kg')"
BY_TOWN: Final = (
    "for name, part in visits.groupby('town'):\n    plt.scatter(part['height_cm'], part['weight_kg'], label=name)"
)

FIGURES_DRAWN: Final = (
    Drawn(
        "bar_chart",
        {"table": "by_town"},
        right=(
            f"{PLT}{ORDERED}plt.bar(t['town'], t['mean'], color='tab:red', width=0.5){NAMED}\nplt.tight_layout()",
            f"{ORDERED}t.plot(kind='bar', x='town', y='mean', xlabel='town', ylabel='mean cost', figsize=(12, 3))",
            f"{PLT}m = visits.groupby('town')['cost'].mean().sort_values()[::-1]\nm.plot.bar(rot=0){NAMED}",
            f"{PLT}plt.style.use('dark_background')\nfig, ax = plt.subplots()\n"
            "bars = ax.bar(by_town.town, by_town['mean'])\n"
            "ax.bar_label(bars)\nax.set(xlabel='Town', ylabel='Mean cost', title='Cost by town')",
            # what seaborn draws: bars in one group, and an invisible line for the error of each single value
            f"{PLT}{ORDERED}plt.bar(range(4), t['mean'], width=0.8)\nplt.xticks(range(4), t['town']){NAMED}\n"
            "for place in range(4):\n    plt.plot([place, place], [np.nan, np.nan], color='0.2')",
            f"{PLT}{ORDERED}for place, row in enumerate(t.itertuples()):\n"
            f"    plt.bar(row.town, row.mean){NAMED}".replace("row.mean", "row[3]"),
        ),
        wrong=(
            f"{PLT}t = by_town.sort_values('town')\nplt.bar(t['town'], t['mean']){NAMED}",
            f"{PLT}{ORDERED}plt.bar(t['town'], t['median']){NAMED}",
            f"{PLT}{ORDERED}plt.bar(t['town'], t['mean'])",
            f"{PLT}{ORDERED}plt.barh(t['town'], t['mean'])\nplt.ylabel('town')\nplt.xlabel('mean cost')",
            f"{PLT}t = by_town.sort_values('mean')\nplt.bar(t['town'], t['mean']){NAMED}",
            f"{PLT}m = visits.groupby('town')['cost'].sum().sort_values()[::-1]\nm.plot.bar(){NAMED}",
            f"{PLT}{ORDERED}plt.bar(range(4), t['mean']){NAMED}",
            f"{PLT}{ORDERED}plt.pie(t['mean'], labels=t['town'])",
        ),
    ),
    Drawn(
        "line_chart",
        {"table": "monthly"},
        right=(
            f"{PLT}plt.plot(monthly['month'], monthly['mean_cost'], marker='o', color='k'){LINE}\n"
            "plt.xticks(rotation=90)",
            f"{PLT}monthly.set_index('month')['mean_cost'].plot(figsize=(14, 3), grid=True){LINE}",
            f"{PLT}fig, ax = plt.subplots()\nax.plot(np.arange(len(monthly)), monthly['mean_cost'])\n"
            "ax.set_xticks(range(0, 48, 12), monthly['month'][::12])\nax.set(xlabel='month', ylabel='mean_cost')",
            f"{PLT}visits.groupby('month')['cost'].mean().plot(title='Cost'){LINE}",
            f"{PLT}monthly.plot(x='month', y='mean_cost', style='--', ylabel='mean_cost')\n"
            "plt.axhline(90, color='grey')",
        ),
        wrong=(
            f"{PLT}monthly.set_index('month')['mean_cost'].plot.bar(){LINE}",
            f"{PLT}visits.groupby('month')['cost'].sum().plot(){LINE}",
            f"{PLT}t = monthly.sort_values('mean_cost')\nplt.plot(t['month'], t['mean_cost']){LINE}",
            f"{PLT}plt.plot(monthly['month'], monthly['mean_cost'])",
            f"{PLT}plt.scatter(monthly['month'], monthly['mean_cost']){LINE}",
            f"{PLT}plt.plot(monthly['month'], monthly['mean_cost']){LINE}\nplt.yscale('log')",
        ),
    ),
    Drawn(
        "spread_lines",
        {"table": "yearly"},
        right=(
            f"{PAIR}plt.legend(){TWO}",
            f"{PLT}yearly.plot(x='year', y=['q1', 'q3'], color=['b', 'r']){TWO}",
            f"{PLT}yearly.set_index('year')[['q3', 'q1']].plot(figsize=(9, 2)){TWO}",
            f"{PLT}q = visits.groupby('year')['cost'].quantile([0.25, 0.75]).unstack()\n"
            "plt.plot(q.index, q[0.75], 'r--')\n"
            f"plt.plot(q.index, q[0.25], 'b-')\nplt.legend(['q3', 'q1'], title='quartile'){TWO}",
            f"{PAIR}plt.fill_between(yearly['year'], yearly['q1'], yearly['q3'], alpha=0.2)\n"
            f"plt.legend(loc='best'){TWO}",
        ),
        wrong=(
            f"{PAIR}{TWO}",
            f"{PAIR.replace('q3', 'iqr')}plt.legend(['q1', 'q3']){TWO}",
            f"{PAIR}plt.legend()",
            f"{PLT}yearly.plot(x='year', y='q1'){TWO}",
            f"{PLT}yearly.rename(columns={{'q1': 'q3', 'q3': 'q1'}}).plot(x='year', y=['q1', 'q3']){TWO}",
        ),
    ),
    Drawn(
        "histogram",
        {"frame": "visits", "number": "height_cm", "low": 140, "step": 5, "bins": 13},
        right=(
            f"{PLT}plt.hist(visits['height_cm'], bins={EDGES}, edgecolor='w', color='g'){COUNTED}",
            f"{PLT}visits['height_cm'].plot.hist(bins=13, range=(140, 205)){COUNTED}",
            f"{PLT}visits['height_cm'].hist(bins=range(140, 206, 5), grid=False){COUNTED}",
            f"{PLT}n, e = np.histogram(visits['height_cm'], {EDGES})\n"
            f"plt.bar((e[:-1] + e[1:]) / 2, n, width=5){COUNTED}",
            f"{PLT}c = pd.cut(visits['height_cm'], {EDGES}, right=False).value_counts(sort=False)\n"
            f"plt.bar([one.left for one in c.index], c, width=5, align='edge', alpha=0.5){COUNTED}\nplt.grid()",
            f"{PLT}fig, ax = plt.subplots(figsize=(3, 3))\n"
            "ax.hist(visits.height_cm, bins=np.linspace(140, 205, 14), rwidth=0.8)\n"
            "ax.set(xlabel='height_cm', ylabel='count', title='Heights')",
        ),
        wrong=(
            f"{PLT}plt.hist(visits['height_cm']){COUNTED}",
            f"{PLT}plt.hist(visits['height_cm'], bins={EDGES}, density=True){COUNTED}",
            f"{PLT}plt.hist(visits['weight_kg'], bins=13){COUNTED}",
            f"{PLT}plt.hist(visits['height_cm'], bins={EDGES})",
            f"{PLT}plt.hist(visits['height_cm'], bins=np.arange(140, 206, 10)){COUNTED}",
            f"{PLT}c = pd.cut(visits['height_cm'], {EDGES}).value_counts()\nc.plot.bar(){COUNTED}",
        ),
    ),
    Drawn(
        "box_plot",
        {"table": "spread"},
        right=(
            f"{PLT}{PARTS}plt.boxplot(parts, tick_labels=order, widths=0.3, patch_artist=True){BOXED}",
            f"{PLT}{ORDER}visits.pivot(columns='town', values='cost')[order].plot.box(color='r'){BOXED}",
            f"{PLT}{ORDER}v = visits.assign(town=pd.Categorical(visits['town'], order))\n"
            f"v.boxplot(column='cost', by='town'){BOXED}",
            f"{PLT}{PARTS}fig, ax = plt.subplots()\nax.boxplot(parts, positions=range(4), widths=0.8, showmeans=True)\n"
            "ax.set_xticklabels(order)\nax.set(xlabel='town', ylabel='cost')",
            f"{PLT}{PARTS}plt.boxplot(parts, tick_labels=order, notch=True, sym='r+')\nplt.grid(){BOXED}",
        ),
        wrong=(
            f"{PLT}visits.boxplot(column='cost', by='town'){BOXED}",
            f"{PLT}{PARTS}plt.boxplot(parts, tick_labels=order, whis=(0, 100)){BOXED}",
            f"{PLT}{PARTS}plt.boxplot(parts, tick_labels=order, showfliers=False){BOXED}",
            f"{PLT}{PARTS.replace('cost', 'height_cm')}plt.boxplot(parts, tick_labels=order){BOXED}",
            f"{PLT}{PARTS}plt.boxplot(parts, tick_labels=order)",
            f"{PLT}{PARTS}plt.boxplot(parts, tick_labels=order, orientation='horizontal'){BOXED}",
            f"{PLT}{PARTS}plt.violinplot(parts)\nplt.xticks(range(1, 5), order){BOXED}",
        ),
    ),
    Drawn(
        "scatter_plot",
        {"frame": "visits", "x": "height_cm", "y": "weight_kg", "group": "town"},
        right=(
            f"{PLT}{BY_TOWN}\nplt.legend(title='town'){DOTS}",
            f"{PLT}fig, ax = plt.subplots()\nfor name in sorted(set(visits.town))[::-1]:\n"
            "    visits[visits.town == name]"
            f".plot.scatter('height_cm', 'weight_kg', ax=ax, label=name, s=4, color=np.random.rand(3))",
            f"{PLT}known = visits.dropna(subset=['weight_kg'])\nfor name, part in known.groupby('town'):\n"
            f"    plt.plot(part['height_cm'], part['weight_kg'], '.', label=name)\nplt.legend(){DOTS}",
            # what seaborn draws: all dots in one collection, and a legend made by hand
            f"{PLT}codes, names = pd.factorize(visits['town'])\n"
            "dots = plt.scatter(visits.height_cm, visits.weight_kg, c=codes)\n"
            f"plt.legend(dots.legend_elements()[0], names){DOTS}",
            f"{PLT}plt.figure(figsize=(4, 9))\n{BY_TOWN.replace('label=', 'alpha=0.4, marker=chr(94), label=')}\n"
            f"plt.legend(){DOTS}",
        ),
        wrong=(
            f"{PLT}plt.scatter(visits['height_cm'], visits['weight_kg']){DOTS}",
            f"{PLT}{BY_TOWN}\nplt.legend()",
            f"{PLT}{BY_TOWN.replace('weight_kg', 'nights')}\nplt.legend(){DOTS}",
            f"{PLT}{BY_TOWN}\nplt.legend(['Brook', 'Alba', 'Dale', 'Cove']){DOTS.replace('height_cm', 'height')}",
            f"{PLT}names = dict(zip(['Alba', 'Brook', 'Cove', 'Dale'], ['Brook', 'Cove', 'Dale', 'Alba']))\n"
            f"{BY_TOWN.replace('label=name', 'label=names[name]')}\nplt.legend(){DOTS}",
            f"{PLT}{BY_TOWN.replace('part[', 'part.head(20)[')}\nplt.legend(){DOTS}",
        ),
    ),
    Drawn(
        "strongest_scatter",
        {"table": "links"},
        right=(
            f"{PLT}plt.scatter(visits['height_cm'], visits['weight_kg'], s=3){DOTS}",
            "visits.plot.scatter('height_cm', 'weight_kg', c='red')",
            f"{PLT}visits.plot(x='height_cm', y='weight_kg', style='x', legend=False){DOTS}",
            f"{PLT}plt.scatter(*visits[[links['column'][0], 'weight_kg']].dropna().T.to_numpy()){DOTS}\n"
            "plt.title('Links')",
            f"{PLT}fig, ax = plt.subplots()\nax.plot(visits.height_cm, visits.weight_kg, 'o')\n"
            "ax.set(xlabel='height_cm',"
            " ylabel='weight_kg')",
        ),
        wrong=(
            "visits.plot.scatter('nights', 'weight_kg')",
            "visits.plot.scatter('weight_kg', 'height_cm')",
            f"{PLT}plt.scatter(visits['height_cm'], visits['weight_kg'])",
            "visits.dropna().head(100).plot.scatter('height_cm', 'weight_kg')",
            f"{PLT}plt.plot(visits['height_cm'], visits['weight_kg']){DOTS}",
        ),
    ),
)


@dataclass(frozen=True)
class Bound:
    """A session that holds the tables, and what is known of it."""

    engine: Engine
    session: Session
    board: Board

    def problem(self, drawn: Drawn) -> Problem:
        family = FAMILIES[drawn.family]
        return problem_of(TaskCandidate(family, drawn.slots, family.build(self.board, drawn.slots)), (), self.board)


@pytest.fixture(scope="module")
def bound(engine: Engine, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bound]:
    folder = tmp_path_factory.mktemp("visits")
    visits(folder)
    profile = build_profile(engine, sorted(folder.iterdir()))
    start, load = Board(profile, infer_semantics(profile)), FAMILIES["load_tables"]
    board = load.build(start, next(iter(load.propose(start, Random(0))))).board.after()
    of_cost: dict[str, Any] = {"frame": "visits", "group": "town", "number": "cost", "typical": 90.0}
    board = board.with_result("by_town", "group table", **of_cost, lead="mean", is_whole=True, groups=4)
    board = board.with_result("spread", "quartiles", **of_cost)
    months: dict[str, Any] = {"column": "month", "value": "mean_cost", "period": "month", "dated": True}
    board = board.with_result("monthly", "period table", **of_cost, **months, count=48, low=5.0)
    board = board.with_result("yearly", "spread over time", time="year", entity="town", number="cost", typical=90.0)
    board = board.with_result("links", "links", frame="visits", measure="weight_kg", others=("height_cm", "nights"))
    with engine.open(key="figures", inputs=folder) as session:
        assert session.execute(TABLES, limits=LIMITS).ending == "ok"
        yield Bound(engine, session, board)


@pytest.mark.parametrize("drawn", FIGURES_DRAWN, ids=lambda drawn: drawn.family)
def test_honest_figures_are_right_and_others_are_wrong(bound: Bound, drawn: Drawn) -> None:
    """Other libraries' ways, colours and sizes pass; other data, orders, kinds and missing names do not."""
    assert len(drawn.right) >= 5
    assert len(drawn.wrong) >= 5
    problem = bound.problem(drawn)
    capture = CaptureSpec(infer=True, figures=wants_figures(resolve_validators(problem)))
    reference = bound.session.attempt(problem.code, capture=capture, limits=LIMITS)
    told = problem.metadata["examples"]
    answers = [(code, True) for code in (problem.code, *drawn.right, *told["accept"])]
    answers += [(code, False) for code in (*drawn.wrong, "", "pass", *(one["code"] for one in told["reject"]))]
    found = []
    for code, is_right in answers:
        outcome = bound.session.attempt(code, capture=capture, limits=LIMITS)
        judged = judge_submission(bound.engine, reference, outcome, problem)
        if (judged.verdict is Verdict.CORRECT) is not is_right or judged.verdict in (Verdict.CRASH, Verdict.NOT_JUDGED):
            found.append((code, judged.verdict, judged.reason))
    assert found == []


def test_every_family_that_draws_is_tried() -> None:
    assert {one.family for one in FIGURES_DRAWN} == {name for name, one in FAMILIES.items() if one.theme == FIGURES}


@pytest.mark.parametrize("name", SEEDS)
def test_a_sketch_has_a_figure_or_two_beside_what_they_draw(name: str) -> None:
    """All other problems are those of a thread without figures."""
    profile, semantics = shipped_profile(name)
    items = sketch_from_profile(profile, rng_seed=1, semantics=semantics)
    drawn = [item for item in items if FAMILIES[item.family].theme == FIGURES]
    assert len(drawn) <= MOST_FIGURES
    assert len({item.family for item in drawn}) == len(drawn)
    for item in drawn:
        assert items[item.number - 2].family != "load_tables"
        assert item.depends_on
    hard = sketch_from_profile(profile, rng_seed=1, semantics=semantics, difficulty="hard")
    assert not [item for item in hard if FAMILIES[item.family].theme == FIGURES and item.difficulty == "easy"]


def test_most_shipped_seeds_and_rich_tables_have_a_figure(engine: Engine, tmp_path: Path) -> None:
    profiles = [shipped_profile(name) for name in SEEDS]
    for name, write in RICH.items():
        folder = tmp_path / name
        folder.mkdir()
        write(folder)
        profile = build_profile(engine, sorted(folder.iterdir()))
        profiles.append((profile, infer_semantics(profile)))
    kinds: list[set[str]] = []
    for profile, semantics in profiles:
        items = sketch_from_profile(profile, rng_seed=4, semantics=semantics)
        kinds.append({item.family for item in items if FAMILIES[item.family].theme == FIGURES})
    assert sum(map(bool, kinds)) >= 0.8 * len(kinds)
    assert len(set.union(*kinds)) >= 4


def test_bins_hold_every_value_under_one_end() -> None:
    bins = Bins(140.0, 5.0, 13)
    assert (bins.high, bins.code()) == (205.0, "range(140, 206, 5)")
    assert Bins(0.5, 0.25, 8).code() == "np.linspace(0.5, 2.5, 9)"
