"""axe-core on every page and in both themes: no violation of WCAG 2 A and AA in what the app draws."""

import json
from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple

import pytest
from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import Page

from authoring.rounds.rounds import RoundsOrder, plan_rounds
from authoring.store import dry_runs, experiments, jobs, problemsets, releases, revisions, runs
from authoring.store.drafting.seeds import list_seeds
from authoring.store.drafting.sketches import SketchItem, insert_sketch
from authoring.store.dry_runs import DryRunProblem
from authoring.store.reviewing.reviews import add_comment, record_decision
from authoring.store.reviewing.roundtable import NewItem, open_items
from authoring.store.statuses import Origin
from authoring.store.workspace import Workspace
from evaluator.scoring import SCORING_VERSION
from evaluator.session import environment_id
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
MAIN: Final = ("queue", "problemset", "editor with an error", "compare", "runs", "attempt", "seed", "releases")
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
AT_ONCE: Final = "*, *::before, *::after {transition: none !important; animation: none !important}"
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
    dry_runs.save(
        ws,
        revision_id=head.id,
        environment=environment_id(),
        sandbox="bwrap",
        problems=[
            DryRunProblem(1, "p1", 0.01, "CORRECT", "WRONG_OUTPUT", outputs=OUTPUTS),
            DryRunProblem(
                2, "p2", 0.01, "CRASH", "NOT_JUDGED", outputs=OUTPUTS, error=ERROR, reasons={"reference": "KeyError"}
            ),
        ],
        summary={"scoring_version": SCORING_VERSION},
    )
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


def show(page: Page, screen: Screen, settled: Callable[[Page], None]) -> None:
    page.goto(screen.address)
    settled(page)
    for name in screen.opened:
        part = page.get_by_role("tab", name=name).or_(page.get_by_role("button", name=name))
        part.or_(page.locator("summary", has_text=name)).first.click()
        settled(page)


def turn_to(page: Page, theme: str) -> None:
    """Change what the system asks for, and wait until the app has followed and its colours change no more."""
    page.emulate_media(color_scheme="dark" if theme == "dark" else "light", reduced_motion="reduce")
    page.wait_for_function(COLOURS_STAND, arg=theme == "dark", polling=100)


@pytest.fixture
def furnished(served: Any) -> None:
    furnish(served.workspace)


def check(page: Page, screens: Sequence[Screen], settled: Callable[[Page], None]) -> None:
    found: dict[tuple[str, str], tuple[str, list[str]]] = {}
    for number, screen in enumerate(screens):
        show(page, screen, settled)
        page.add_style_tag(content=AT_ONCE)  # colours of the other theme are there when it is
        page.evaluate(AXE_SCRIPT)
        first, then = THEMES if number % 2 == 0 else THEMES[::-1]  # each begins in the theme of the one before
        for theme, rules in ((first, RULES), (then, COLOURS)):
            turn_to(page, theme)
            places, passed = page.evaluate(RUN_AXE, rules)
            assert passed >= (10 if rules is RULES else 1), f"axe saw nothing of {screen.name}: {page.url}"
            for place in places:
                about = json.dumps([place["html"], place["why"]])
                found.setdefault((place["rule"], place["place"]), (about, []))[1].append(f"{screen.name}, {theme}")
    told = [f"{rule} at {place}: {about} ({'; '.join(where)})" for (rule, place), (about, where) in found.items()]
    assert not found, "\n".join([f"{len(told)} violations:", *told])


@pytest.mark.usefixtures("furnished")
@pytest.mark.parametrize("served", ["--no-worker"], indirect=True)
def test_the_main_screens_violate_no_rule_of_wcag_2_aa_in_either_theme(
    open_tab: Callable[..., Page], settled: Callable[[Page], None]
) -> None:
    screens = [screen for screen in SCREENS if screen.name in MAIN]
    assert len(screens) == len(MAIN) == 8
    check(open_tab(1440, 1000), screens, settled)


@pytest.mark.deep
@pytest.mark.usefixtures("furnished")
@pytest.mark.parametrize("served", ["--no-worker"], indirect=True)
def test_no_screen_violates_wcag_2_aa_in_either_theme(
    open_tab: Callable[..., Page], settled: Callable[[Page], None]
) -> None:
    assert len(SCREENS) >= 28
    check(open_tab(1440, 1000), SCREENS, settled)
