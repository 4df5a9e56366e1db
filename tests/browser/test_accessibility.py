"""axe-core on pages in both themes: no violation of WCAG 2 A and AA."""

import json
from collections.abc import Sequence
from typing import Any, Final, NamedTuple

import pytest
from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import Page

from authoring.rounds.rounds import RoundsOrder, plan_rounds
from authoring.store import experiments, jobs, problemsets, releases, revisions, runs
from authoring.store.drafting.seeds import list_seeds
from authoring.store.drafting.sketches import SketchItem, insert_sketch
from authoring.store.dry_runs import DryRunProblem
from authoring.store.reviewing.reviews import add_comment
from authoring.store.reviewing.roundtable import NewItem, open_items
from authoring.store.statuses import Origin
from tests.browser.conftest import OpenTab, RunningApp, judge, settle
from tests.ui.conftest import TEXT

pytestmark = pytest.mark.browser

THEMES: Final = ("light", "dark")
RULES: Final = {"type": "tag", "values": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]}
COLOURS: Final = {"type": "rule", "values": ["color-contrast"]}  # all that another theme can change


class Screen(NamedTuple):
    """What a person sees at an address, after opening some of its parts."""

    name: str
    address: str  # with the names of what `furnish` stores
    opened: tuple[str, ...] = ()  # names of tabs, or texts of boxes, in this order


SCREENS: Final = (
    Screen("queue", "/"),
    Screen("problemset", "/problemset?set={set}"),
    Screen("checks", "/problemset?set={set}", ("Checks",)),
    Screen("editor with an error", "/editor?set={set}&pid=p2"),
    Screen("editor with outputs", "/editor?set={set}&pid=p1"),
    Screen("verdicts", "/editor?set={set}&pid=p2", ("Verdicts",)),
    Screen("compare", "/compare?set={set}"),
    Screen("roundtable", "/roundtable", ("Open an item",)),
    Screen("runs", "/runs", ("More options",)),
    Screen("verdicts of agents", "/runs", ("Agents and verdicts",)),
    Screen("jobs", "/runs?view=jobs"),
    Screen("run", "/runs?run={run}"),
    Screen("attempt", "/runs?run={run}&attempt={attempt}", ("Everything recorded",)),
    Screen("two runs", "/runs?a={run}&b={other}"),
    Screen("several runs", "/runs?runs={run},{other}"),
    Screen("experiments", "/experiments", ("New experiment",)),
    Screen("experiment", "/experiments?experiment=two"),
    Screen("seeds", "/seeds"),
    Screen("seed", "/seeds?seed={seed}", ("Meaning",)),
    Screen("sketch", "/seeds?sketch={sketch}"),
    Screen("guide", "/guide"),
    Screen("rounds", "/bootstrap", ("A release in one step",)),
    Screen("plan", "/bootstrap?plan={plan}"),
    Screen("releases", "/releases"),
    Screen("release", "/releases?release={release}"),
    Screen("settings", "/settings"),
    Screen("help", "/help?doc=glossary"),
    Screen("unknown id", "/editor?set=999"),
)
FEW: Final = ("queue", "problemset", "editor with an error", "compare", "run", "seed", "experiments", "settings")
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


@pytest.fixture(scope="module")
def furnished(shared_app: RunningApp) -> dict[str, int]:
    """Put something on every page; return the numbers that stand in addresses."""
    ws = shared_app.workspace
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
    items_held = [(other.id, "accepted-sales")]
    frozen = releases.insert(ws, name="sales", version="1.0", digest="d", path=str(ws.root), items=items_held)
    made = []
    for agent in ("alpha", "beta"):
        run = runs.insert(ws, release="sales 1.0", agent=agent, out_dir="/x", summary={"pass_rate": 0.5, "judged": 2})
        made.append(run)
        base = {"problemset": "accepted-sales", "attempt": 1, "question": "Which `shop`?", "code": "1 + 1"}
        verdicts = (("CORRECT", ""), ("CRASH", "KEY_ERROR"), ("NOT_JUDGED", ""))
        runs.index_attempts(
            ws, run, [{**base, "index": n, "verdict": v, "subverdict": c} for n, (v, c) in enumerate(verdicts, 1)]
        )
    items = [SketchItem(1, "idea 1", ("sum",), ()), SketchItem(2, "idea 2", ("mean",), (1,))]
    seed = list_seeds(ws)[0].id
    sketch = insert_sketch(ws, seed_id=seed, author="template", rng_seed=0, items=items, provenance={})
    plan = plan_rounds(ws, RoundsOrder(name="trio", rounds=2, by="Ada"))
    (ws.root / "benchmarks").mkdir(exist_ok=True)
    (ws.root / "benchmarks" / "shop.py").write_text(TEXT)
    experiments.save(ws, "two", EXPERIMENT, base=None)
    jobs.enqueue(ws, kind="dry_run", payload={"revision_id": head.id}, key="dry", created_by="Ada")
    job = jobs.claim(ws, owner="test", kinds=["dry_run"])
    assert job is not None
    jobs.fail(ws, job.id, "test", error={"what": "it broke", "where": "shop-sales", "fix": "repair it"})
    (crash,) = [attempt.id for attempt in runs.list_attempts(ws, made[0]) if attempt.verdict == "CRASH"]
    known = {"set": first.problemset_id, "run": made[0], "other": made[1], "attempt": crash}
    return {**known, "seed": seed, "sketch": sketch, "plan": plan.id, "release": frozen}


def show(page: Page, screen: Screen, furnished: dict[str, int]) -> None:
    page.goto(screen.address.format(**furnished))  # loaded anew: what the screen before has opened would cover this one
    settle(page)
    for name in screen.opened:
        part = page.get_by_role("tab", name=name).or_(page.get_by_role("button", name=name))
        part.or_(page.locator("summary", has_text=name)).first.click()
        settle(page)


def turn_to(page: Page, theme: str) -> None:
    """Change what the system asks for, and wait until the app has followed and its colours change no more."""
    page.emulate_media(color_scheme="dark" if theme == "dark" else "light", reduced_motion="reduce")
    page.wait_for_function(COLOURS_STAND, arg=theme == "dark", polling=100)


@pytest.fixture
def page(open_tab: OpenTab) -> Page:
    return open_tab(1440, 1000)


def check(page: Page, looks: Sequence[tuple[Screen, str, object]], furnished: dict[str, int]) -> None:
    """Show screens, each in a theme and tried by some rules."""
    found: dict[tuple[str, str], tuple[str, list[str]]] = {}
    before: tuple[Screen | None, str] = (None, "light")
    for screen, theme, rules in looks:
        if screen is not before[0]:
            show(page, screen, furnished)
        if not page.evaluate("!!window.axe"):
            page.evaluate(AXE_SCRIPT)
        if theme != before[1]:
            turn_to(page, theme)
        before = (screen, theme)
        places, passed = page.evaluate(RUN_AXE, rules)
        assert passed >= (10 if rules is RULES else 1), f"axe saw nothing of {screen.name}: {page.url}"
        for place in places:
            about = json.dumps([place["html"], place["why"]])
            found.setdefault((place["rule"], place["place"]), (about, []))[1].append(f"{screen.name}, {theme}")
    told = [f"{rule} at {place}: {about} ({'; '.join(where)})" for (rule, place), (about, where) in found.items()]
    assert not found, "\n".join([f"{len(told)} violations:", *told])


def test_eight_screens_violate_no_rule_of_wcag_2_aa(page: Page, furnished: dict[str, int]) -> None:
    screens = [screen for screen in SCREENS if screen.name in FEW]
    assert len(screens) == len(FEW) == 8
    check(page, [(screen, THEMES[number // 4], RULES) for number, screen in enumerate(screens)], furnished)


@pytest.mark.deep
def test_no_screen_violates_wcag_2_aa_in_either_theme(page: Page, furnished: dict[str, int]) -> None:
    assert len(SCREENS) >= 28
    orders = [THEMES if number % 2 == 0 else THEMES[::-1] for number in range(len(SCREENS))]  # each as the one before
    looks = [
        (screen, theme, rules)
        for screen, order in zip(SCREENS, orders, strict=True)
        for theme, rules in zip(order, (RULES, COLOURS), strict=True)
    ]
    check(page, looks, furnished)
