"""axe-core on pages in both themes: no violation of WCAG 2 A and AA; and what comes up under the pointer."""

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any, Final, NamedTuple

import pytest
from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import Locator, Page, expect

from authoring.rounds.rounds import RoundsOrder, plan_rounds
from authoring.store import experiments, jobs, problemsets, releases, revisions, runs
from authoring.store.drafting.seeds import list_seeds
from authoring.store.drafting.sketches import SketchItem, insert_sketch
from authoring.store.dry_runs import DryRunProblem
from authoring.store.reviewing.reviews import add_comment, record_decision
from authoring.store.reviewing.roundtable import NewItem, open_items
from authoring.store.statuses import Origin
from authoring.store.workspace import Workspace
from evaluator.scoring import MEANINGS
from tests.browser.conftest import OpenTab, Served, judge, serve, settle, visit
from tests.ui.conftest import TEXT

pytestmark = pytest.mark.browser

THEMES: Final = ("light", "dark")
RULES: Final = {"type": "tag", "values": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]}
COLOURS: Final = {"type": "rule", "values": ["color-contrast"]}  # all that another theme can change


class Screen(NamedTuple):
    """What a person sees at an address, after opening some of its parts."""

    name: str
    address: str
    opened: tuple[str, ...] = ()  # names of tabs, or texts of boxes, in this order


SCREENS: Final = (
    Screen("queue", "/"),
    Screen("problemset", "/problemset?set=1"),
    Screen("checks", "/problemset?set=1", ("Checks",)),
    Screen("editor with an error", "/editor?set=1&pid=p2"),
    Screen("editor with outputs", "/editor?set=1&pid=p1"),
    Screen("verdicts", "/editor?set=1&pid=p2", ("Verdicts",)),
    Screen("compare", "/compare?set=1"),
    Screen("roundtable", "/roundtable", ("Open an item",)),
    Screen("runs", "/runs", ("More options",)),
    Screen("verdicts of agents", "/runs", ("Agents and verdicts",)),
    Screen("jobs", "/runs?view=jobs"),
    Screen("run", "/runs?run=1"),
    Screen("attempt", "/runs?run=1&attempt=2", ("Everything recorded",)),
    Screen("two runs", "/runs?a=1&b=2"),
    Screen("several runs", "/runs?runs=1,2"),
    Screen("experiments", "/experiments", ("New experiment",)),
    Screen("experiment", "/experiments?experiment=two"),
    Screen("seeds", "/seeds"),
    Screen("seed", "/seeds?seed=1", ("Meaning",)),
    Screen("sketch", "/seeds?sketch=1"),
    Screen("guide", "/guide"),
    Screen("rounds", "/bootstrap", ("A release in one step",)),
    Screen("plan", "/bootstrap?plan=1"),
    Screen("releases", "/releases"),
    Screen("release", "/releases?release=1"),
    Screen("settings", "/settings"),
    Screen("help", "/help?doc=glossary"),
    Screen("unknown id", "/editor?set=999"),
)
FEW: Final = ("problemset", "editor with an error", "runs")
# Returns [violated rules with their places, number of rules that something on the screen passed].
RUN_AXE: Final = """async (rules) => {
  const more = {'heading-order': {enabled: rules.type === 'tag'}}
  const found = await axe.run(document, {runOnly: rules, rules: more, resultTypes: ['violations']})
  const places = found.violations.flatMap(rule => rule.nodes.map(node => ({
    rule: rule.id,
    place: node.target.flat(Infinity).join(' >> '),
    html: node.html.slice(0, 200),
    why: (node.failureSummary || '').split('\\n').slice(1).join(' ').trim().slice(0, 240),
  })))
  return [places, found.passes.length]
}"""
COLOURS_STAND: Final = """isDark => {
  const colours = [...document.querySelectorAll('.stApp, .stApp *')].map(element => {
    const style = getComputedStyle(element)
    return style.color + style.backgroundColor
  })
  const drawn = colours.join()
  window.same = drawn === window.drawn ? (window.same || 0) + 1 : 0
  window.drawn = drawn
  const isOfTheme = (parseInt(getComputedStyle(document.querySelector('.stApp')).backgroundColor.slice(4)) < 128)
  return window.same >= 2 && isOfTheme === isDark
}"""
PICTURE: Final = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
OUTPUTS: Final[list[dict[str, Any]]] = [
    {"output_type": "stream", "name": "stdout", "text": "shop totals\n"},
    {"output_type": "stream", "name": "stderr", "text": "\x1b[31mWarning\x1b[0m: two shops\n"},
    {"output_type": "display_data", "data": {"image/png": PICTURE, "text/plain": "<Figure>"}},
    {"output_type": "display_data", "data": {"text/html": "<table><tr><th>a</th></tr><tr><td>1</td></tr></table>"}},
    {"output_type": "execute_result", "data": {"text/html": "<table><tr><th>b</th></tr><tr><td>2</td></tr></table>"}},
]
ERROR: Final = {"name": "KeyError", "message": "'units'", "traceback": "\x1b[31mKeyError\x1b[0m: 'units'"}
EXPERIMENT: Final = "agents: [oracle, empty]\nbenchmarks: [benchmarks/shop.py]\n"


def furnish(ws: Workspace) -> None:
    """Put something on every page: a problemset of two revisions, two runs, a sketch, a plan, a release, a job."""
    first = problemsets.create(ws, name="shop-sales", text=TEXT, author="Ada", origin=Origin.PERSON)
    head = revisions.save(
        ws, first.problemset_id, TEXT.replace("sold most", "sold most units"), base_revision_id=first.id,
        author="Ada", origin=Origin.PERSON, message="units are named",
    )  # fmt: skip
    rows = [
        DryRunProblem(1, "p1", 0.01, "CORRECT", "WRONG_OUTPUT", outputs=OUTPUTS),
        DryRunProblem(
            2, "p2", 0.01, "CRASH", "NOT_JUDGED", outputs=OUTPUTS, error=ERROR, reasons={"reference": "KeyError"}
        ),
    ]
    judge(ws, head.id, rows)
    add_comment(ws, revision_id=head.id, author="Ada", text="Which `units`?", problem="p2")
    open_items(ws, head.id, [NewItem("p2", "the reference fails itself", {"why": "KeyError"})], by="Ada")
    other = problemsets.create(ws, name="accepted-sales", text=TEXT, author="Ada", origin=Origin.PERSON)
    record_decision(ws, revision_id=other.id, decision="accepted", by="Bo", reason="it holds")
    releases.insert(ws, name="shop", version="1.0", digest="d", path=str(ws.root), items=[(other.id, "accepted-sales")])
    for agent in ("alpha", "beta"):
        run = runs.insert(ws, release="shop 1.0", agent=agent, out_dir="/x", summary={"pass_rate": 0.5, "judged": 2})
        base = {"problemset": "accepted-sales", "attempt": 1, "question": "Which `shop`?", "code": "1 + 1"}
        verdicts = (("CORRECT", ""), ("CRASH", "KEY_ERROR"), ("NOT_JUDGED", ""))
        runs.index_attempts(
            ws, run, [{**base, "index": n, "verdict": v, "subverdict": c} for n, (v, c) in enumerate(verdicts, 1)]
        )
    items = [SketchItem(1, "idea 1", ("sum",), ()), SketchItem(2, "idea 2", ("mean",), (1,))]
    seed = list_seeds(ws)[0].id
    insert_sketch(ws, seed_id=seed, author="template", rng_seed=0, items=items, provenance={})
    plan_rounds(ws, RoundsOrder(name="trio", rounds=2, by="Ada"))
    (ws.root / "benchmarks").mkdir()
    (ws.root / "benchmarks" / "shop.py").write_text(TEXT)
    experiments.save(ws, "two", EXPERIMENT, base=None)
    jobs.enqueue(ws, kind="dry_run", payload={"revision_id": head.id}, key="dry", created_by="Ada")
    job = jobs.claim(ws, owner="test", kinds=["dry_run"])
    assert job is not None
    jobs.fail(ws, job.id, "test", error={"what": "it broke", "where": "shop-sales", "fix": "repair it"})


def show(page: Page, screen: Screen) -> None:
    page.goto(screen.address)
    settle(page)
    for name in screen.opened:
        part = page.get_by_role("tab", name=name).or_(page.get_by_role("button", name=name))
        part.or_(page.locator("summary", has_text=name)).first.click()
        settle(page)


def turn_to(page: Page, theme: str) -> None:
    """Change what the system asks for, and wait until the app has followed and its colours change no more."""
    page.emulate_media(color_scheme="dark" if theme == "dark" else "light", reduced_motion="reduce")
    page.wait_for_function(COLOURS_STAND, arg=theme == "dark", polling=100)


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """An app without a worker, with something on every page, which no test changes."""
    with serve(tmp_path_factory.mktemp("furnished"), "--no-worker") as found:
        furnish(found.workspace)
        yield found


@pytest.fixture
def page(open_tab: OpenTab) -> Page:
    return open_tab(1440, 1000)


def check(page: Page, screens: Sequence[Screen], themes: int) -> None:
    found: dict[tuple[str, str], tuple[str, list[str]]] = {}
    for number, screen in enumerate(screens):
        show(page, screen)
        page.evaluate(AXE_SCRIPT)
        order = THEMES if number % 2 == 0 else THEMES[::-1]  # each begins in the theme of the one before
        for theme, rules in list(zip(order, (RULES, COLOURS), strict=True))[:themes]:
            turn_to(page, theme)
            places, passed = page.evaluate(RUN_AXE, rules)
            assert passed >= (10 if rules is RULES else 1), f"axe saw nothing of {screen.name}: {page.url}"
            for place in places:
                about = json.dumps([place["html"], place["why"]])
                found.setdefault((place["rule"], place["place"]), (about, []))[1].append(f"{screen.name}, {theme}")
    told = [f"{rule} at {place}: {about} ({'; '.join(where)})" for (rule, place), (about, where) in found.items()]
    assert not found, "\n".join([f"{len(told)} violations:", *told])


def test_three_screens_violate_no_rule_of_wcag_2_aa_in_one_theme_each(page: Page) -> None:
    screens = [screen for screen in SCREENS if screen.name in FEW]
    assert len(screens) == len(FEW)
    check(page, screens, themes=1)


@pytest.mark.deep
def test_no_screen_violates_wcag_2_aa_in_either_theme(page: Page) -> None:
    assert len(SCREENS) >= 28
    check(page, SCREENS, themes=2)


def hint(place: Locator) -> str:
    place.hover()
    return place.get_attribute("title") or ""


@pytest.mark.deep
def test_a_verdict_in_text_a_table_and_a_link_says_once_what_it_means(page: Page) -> None:
    visit(page, "/runs?a=1&b=2&r_pairs=all")
    titles = page.locator("summary .stMarkdownBadge")
    assert hint(titles.filter(has_text="CRASH").first) == MEANINGS["CRASH"]
    visit(page, "/compare?set=1&view=verdicts")
    badges = page.get_by_test_id("stTable").locator(".stMarkdownBadge")
    assert hint(badges.filter(has_text="CORRECT").first) == MEANINGS["CORRECT"]
    assert hint(badges.filter(has_text="fails").first) == "a submission without code fails, as it must"
    visit(page, "/runs?run=2&r_tab=Charts")
    assert hint(page.get_by_test_id("stTable").get_by_role("cell", name="KEY_ERROR")) == MEANINGS["KEY_ERROR"]
    visit(page, "/runs?runs=1,2&r_several=all")
    row = page.get_by_role("table", name="Verdicts by problem").get_by_role("row").filter(has_text="CRASH")
    assert hint(row.get_by_text("KEY_ERROR").first) == MEANINGS["KEY_ERROR"]
    visit(page, "/runs?run=1&attempt=2")
    badge = page.get_by_test_id("stPageLink-NavLink").locator(".stMarkdownBadge").filter(has_text="CRASH").first
    assert hint(badge) == ""  # the link says it as a whole
    expect(page.get_by_role("tooltip").filter(has_text=MEANINGS["CRASH"])).to_be_visible()


@pytest.mark.deep
def test_the_exact_time_comes_up_where_how_long_ago_is_said(page: Page) -> None:
    visit(page, "/runs")
    line = page.get_by_test_id("stCaptionContainer").locator("p").filter(has_text=re.compile("ago|just now")).first
    assert re.match(r"^20\d\d-\d\d-\d\d \d\d:\d\d:\d\d \S+$", hint(line))
    assert re.fullmatch(r"just now|\d+ \w+ ago", line.inner_text())
    visit(page, "/")
    caption = page.locator("table.bw-rows .bw-caption").filter(has_text=re.compile("ago|just now")).first
    assert re.match(r"20\d\d-\d\d-\d\d \d\d:\d\d", caption.get_attribute("title") or "")
