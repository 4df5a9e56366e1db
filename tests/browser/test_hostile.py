"""Nothing that a problem, an agent or a file wrote runs in the page, defaces it, or makes it ask another host."""

import json
from dataclasses import replace
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from authoring.drafting.guide.guide_effects import shown_guide
from authoring.store import autosaves, dry_runs, jobs, problemsets, releases, revisions, runs
from authoring.store.drafting.bootstrap import PlannedItem, insert_bootstrap, list_bootstrap_items, save_bootstrap_item
from authoring.store.drafting.examples import mark_example
from authoring.store.drafting.guide import NewAmendment, insert_amendments, save_guide
from authoring.store.drafting.seeds import SeedFacts, SeedFile, insert_seed
from authoring.store.drafting.sketches import SketchItem, add_sketch_comment, insert_sketch
from authoring.store.dry_runs import DryRunProblem, DryRunSample
from authoring.store.effort import record_baseline, record_effort, save_person
from authoring.store.jobs import enqueue, heartbeat
from authoring.store.reviewing.leases import assign_problemset
from authoring.store.reviewing.reviews import add_comment, record_decision
from authoring.store.reviewing.roundtable import RESOLUTIONS, NewItem, open_items, resolve_item
from authoring.store.reviewing.suggestions import NewSuggestion, insert_suggestions
from authoring.store.runs import index_attempts
from authoring.store.settings import set_setting
from authoring.store.statuses import BootstrapState, Origin
from tests.browser.conftest import OpenTab, RunningApp, settle, visit

pytestmark = pytest.mark.browser

PAYLOAD = (
    "<script>window.__hit=1</script><img src=x onerror='window.__hit=1'><style>*{display:none!important}</style>"
    "<iframe srcdoc=\"<script>parent.__hit=1</script>\"></iframe><svg onload='window.__hit=1'></svg>"
    "![x](http://evil.example/x.png) [y](javascript:window.__hit=1) :red[z] $\\alpha$ `c` **b**"
    "<link rel=stylesheet href=http://evil.example/a.css><base href=http://evil.example/>"
    "<form action=http://evil.example><input autofocus onfocus='window.__hit=1'></form> \u202edesrever\u200b"
)
HIDDEN = ("\u202e", "\u200b")  # what turns the text around, and what nobody sees
SVG = "<svg xmlns='http://www.w3.org/2000/svg' width='9' height='9'><script>parent.__hit=1</script></svg>"


def display(**data: Any) -> dict[str, Any]:
    return {"output_type": "display_data", "data": {key.replace("_", "/", 1): value for key, value in data.items()}}


OUTPUTS: list[dict[str, Any]] = [
    {"output_type": "stream", "name": "stdout", "text": PAYLOAD + "\x1b[31m" + PAYLOAD},
    {"output_type": "error", "ename": PAYLOAD, "evalue": PAYLOAD, "traceback": [PAYLOAD]},
    display(text_html=PAYLOAD + "<table class=dataframe><tr><td>kept</td></tr></table>"),
    display(text_markdown=PAYLOAD),
    display(text_plain=PAYLOAD),
    display(**{"image_svg+xml": SVG}),
    display(**{"application_vnd.vegalite.v5+json": {"data": {"url": "http://evil.example/d.json"}, "mark": "bar"}}),
    display(**{"application_javascript": "window.__hit=1"}),
]


@pytest.fixture(scope="module")
def pages(shared_app: RunningApp) -> list[str]:
    """Put the payload wherever foreign text can be stored; return the pages that show it."""
    ws = shared_app.workspace
    set_setting(ws, "annotator_names", ["mei", "lee", PAYLOAD[:60]])
    indented = PAYLOAD.replace("\n", " ")
    text = f'# %% {PAYLOAD}\nx = 1\n# %% {PAYLOAD}\n"""\nquery: |\n  {indented}\n"""\n1\n'
    revision = problemsets.create(ws, name="hostile", text=text, author=PAYLOAD, origin=Origin.PERSON, message=PAYLOAD)
    second = revisions.save(
        ws, revision.problemset_id, text + PAYLOAD, base_revision_id=revision.id, author=PAYLOAD, message=PAYLOAD
    )
    add_comment(ws, revision_id=second.id, author=PAYLOAD, text=PAYLOAD, problem="p1", line=3, blocking=True)
    add_comment(ws, revision_id=second.id, author=PAYLOAD, text=PAYLOAD)
    assign_problemset(ws, revision.problemset_id, holder=PAYLOAD)
    for field in ("query", "code", "settings"):
        autosaves.save(
            ws, person="mei", problemset_id=revision.problemset_id, problem="p1", field=field, text=PAYLOAD,
            base_revision_id=revision.id, writer=PAYLOAD, expected_saved_no=None,
        )  # fmt: skip
    record_effort(ws, "review", subject=PAYLOAD, person=PAYLOAD, minutes=1.0)
    record_baseline(ws, PAYLOAD, person=PAYLOAD, minutes=1.0, problems=1)
    save_person(ws, PAYLOAD, experience=PAYLOAD)
    record_decision(ws, revision_id=second.id, decision="sent_back", by=PAYLOAD, reason=PAYLOAD)
    variable = {"name": PAYLOAD, "type": PAYLOAD, "text": PAYLOAD, "change": PAYLOAD}
    error = {"name": PAYLOAD, "message": PAYLOAD, "traceback": PAYLOAD}
    problem = DryRunProblem(
        *(1, "p1", 0.1, PAYLOAD, PAYLOAD, PAYLOAD), outputs=OUTPUTS, variables=[variable], error=error,
        reasons=dict.fromkeys(("reference", "empty", "agent"), PAYLOAD), agent_code=PAYLOAD,
    )  # fmt: skip
    sample = DryRunSample(1, 1, PAYLOAD, "CRASH", PAYLOAD, PAYLOAD, PAYLOAD, 1, OUTPUTS, error)
    dry_runs.save(
        ws, revision_id=second.id, environment=PAYLOAD, sandbox=PAYLOAD, problems=[problem], summary={"x": PAYLOAD},
        samples=[sample, replace(sample, sample=2, cluster=2)],
    )  # fmt: skip
    column = {"name": PAYLOAD, "dtype": PAYLOAD, "role": PAYLOAD, "missing": 1, "distinct": 1, "samples": [PAYLOAD]}
    profile = {
        "tables": [{"file": PAYLOAD, "rows": 1, "columns": [column]}],
        "traps": [{"file": PAYLOAD, "column": PAYLOAD, "text": PAYLOAD}],
    }
    file = SeedFile(PAYLOAD, ws.put_bytes(b"a\n1\n"), 4, "csv")
    seed = insert_seed(
        ws,
        name="evil",
        files=[file],
        facts=SeedFacts(title=PAYLOAD, description=PAYLOAD, licence=PAYLOAD, source_url="javascript:window.__hit=1"),
        profile=profile,
    )
    items = [SketchItem(1, PAYLOAD, (PAYLOAD,))]
    sketch = insert_sketch(ws, seed_id=seed, author="template", rng_seed=0, items=items, provenance={}, name="evil-1")
    job = enqueue(ws, kind="no-worker-does-this", payload={"x": PAYLOAD}, created_by=PAYLOAD)
    assert jobs.claim(ws, owner="w", kinds=("no-worker-does-this",)) is not None
    heartbeat(ws, job.id, "w", done=1, total=2, log_tail=f"{PAYLOAD}\n\x1b[31m{PAYLOAD}\x1b]8;;http://evil.example\x07")
    jobs.fail(ws, job.id, "w", error={"what": PAYLOAD, "where": PAYLOAD, "fix": PAYLOAD})
    out = ws.root / "runs" / "hostile"
    out.mkdir(parents=True)
    asked = {"agent": PAYLOAD, "release": PAYLOAD, "sets": [PAYLOAD], "state": PAYLOAD}
    summary = {"refused": [PAYLOAD], "asked": asked, "started_by": PAYLOAD}
    run = runs.insert(ws, release=PAYLOAD, agent=PAYLOAD, out_dir=str(out), summary=summary)
    kept = {
        "key": [PAYLOAD, 1, 1, 1],
        "outputs": [
            {"output_type": "stream", "name": "stdout", "text": PAYLOAD},
            {"output_type": "display_data", "data": {"text/html": PAYLOAD}, "metadata": {}},
        ],
        "error": {"name": PAYLOAD, "message": PAYLOAD, "traceback": PAYLOAD},
        "transcript": [{"role": PAYLOAD, "content": PAYLOAD, "tokens": PAYLOAD}],
    }
    (out / "details.jsonl").write_text(json.dumps(kept) + "\n")
    words = ("problemset", "subverdict", "question", "code", "extended_verdict", "agent_exception", "ending")
    record = {
        **{**dict.fromkeys(words, PAYLOAD), "index": 1, "attempt": 1, "marks": [PAYLOAD]},
        "validation": dict.fromkeys(("category", "correct", "reason"), PAYLOAD),
        "agent_stats": {PAYLOAD: PAYLOAD},
    }
    other = runs.insert(ws, release=PAYLOAD, agent=f"other {PAYLOAD}", out_dir=PAYLOAD, summary={})
    for each, verdict in ((run, "CRASH"), (other, PAYLOAD)):
        index_attempts(ws, each, [record | {"verdict": verdict}])
    (attempt,) = runs.list_attempts(ws, run)
    folder = ws.root / "releases" / "r-1"
    folder.mkdir(parents=True)
    (folder / "README.md").write_text(PAYLOAD)
    (folder / "hostile.py").write_text(text)
    (folder / "_manifest.yaml").write_text(json.dumps({"name": PAYLOAD, "version": PAYLOAD}))
    held = [(second.id, PAYLOAD)]
    release = releases.insert(ws, name="r", version="1", digest=PAYLOAD, path=str(folder), items=held)
    releases.insert(ws, name="r", version="2", digest=PAYLOAD, path=PAYLOAD, items=held)
    plan = add_to_the_loops(ws, revision.problemset_id, second.id, seed, sketch)
    where = f"set={revision.problemset_id}"
    return f"""
        / /problemset?{where} /editor?{where}&pid=p1 /compare?{where}&a={revision.id}&b={second.id}
        /seeds /seeds?seed={seed} /seeds?sketch={sketch} /guide /guide?v=1 /bootstrap /bootstrap?plan={plan} /roundtable
        /runs /runs?run={run} /runs?run={run}&attempt={attempt.id} /runs?a={run}&b={other} /runs?job={job.id}
        /releases /releases?release={release} /settings
    """.split()


def add_to_the_loops(ws: Any, problemset: int, revision: int, seed: int, sketch: int) -> int:
    """Put the payload into guide, amendments, suggestions, the roundtable, comments on sketches and a plan."""
    shown_guide(ws)
    guide = save_guide(ws, f"{PAYLOAD}:\n- {PAYLOAD}", base_number=1, author=PAYLOAD, message=PAYLOAD)
    ref = f"c{add_comment(ws, revision_id=revision, author=PAYLOAD, text=PAYLOAD, kind='ambiguous')}"
    change = NewAmendment("", PAYLOAD, "", PAYLOAD, (ref,))
    insert_amendments(ws, [change], base_number=guide.number, proposed_by=PAYLOAD)
    insert_suggestions(
        ws, revision, [NewSuggestion("p1", PAYLOAD, f"{PAYLOAD}!", PAYLOAD)], author=PAYLOAD, provenance={}
    )
    open_items(ws, revision, [NewItem("p1", PAYLOAD, {"why": PAYLOAD, "code": PAYLOAD})], by=PAYLOAD)
    (settled,) = open_items(ws, revision, [NewItem("p1", f"settled {PAYLOAD}", {"why": PAYLOAD})], by=PAYLOAD)
    resolve_item(ws, settled, resolution=RESOLUTIONS[0], by=PAYLOAD, note=PAYLOAD)
    mark_example(ws, problemset, excluded=False, by=PAYLOAD)
    add_sketch_comment(ws, sketch, author=PAYLOAD, text=PAYLOAD, item=1)
    items = [PlannedItem(1, seed, 0)]
    plan = insert_bootstrap(ws, name="evil", plan={"kind": PAYLOAD, "author": PAYLOAD}, items=items, created_by=PAYLOAD)
    (item,) = list_bootstrap_items(ws, plan.id)
    save_bootstrap_item(ws, replace(item, state=BootstrapState.DROPPED, reason=PAYLOAD, problemset_id=problemset))
    return plan.id


SHOWN = ("editor", "seeds?seed", "runs?job", "attempt")  # between them each kind of text that is foreign


@pytest.mark.parametrize("shown", [SHOWN, pytest.param(("/",), marks=pytest.mark.deep)], ids=["some", "all"])
def test_a_payload_neither_runs_nor_defaces_the_app(
    shown: tuple[str, ...], pages: list[str], open_tab: OpenTab
) -> None:
    page = open_tab()
    chosen = [address for address in pages if any(part in address for part in shown)]
    assert len(chosen) in (len(SHOWN), len(pages))
    for address in chosen:
        visit(page, address)
        inspect(page, address)
        if "editor" in address:
            expect(page.get_by_role("cell", name="kept")).to_be_visible()  # tables survive the cleaning
            for tab in page.get_by_role("tab").all():
                tab.click()
                settle(page)
                inspect(page, f"{address}, {tab.inner_text()}")
        if shown is not SHOWN:
            open_all(page, address)


def open_all(page: Page, address: str) -> None:
    """Look into boxes and dialogs of a page."""
    for box in page.locator("[data-testid=stExpander] summary").all()[:3]:
        box.click()
        settle(page)
        inspect(page, address)
    for button in page.locator("[data-testid=stPopoverButton]:enabled").all()[:3]:
        button.click()
        settle(page)
        inspect(page, f"{address}, a popover")
        page.keyboard.press("Escape")


# How many of each thing that no page may hold.
FOREIGN = """() => ({
  scripts: window.__hit ? 1 : 0,
  frames: document.querySelectorAll('iframe').length,
  pictures: document.querySelectorAll("img[src^='http']:not([src*='127.0.0.1'])").length,
  elements: document.querySelectorAll("a[href^='javascript'], base, form[action], link[href*='evil']").length,
})"""


def inspect(page: Page, where: str) -> None:
    expect(page.locator(".stApp")).to_be_visible()
    assert set(page.evaluate(FOREIGN).values()) == {0}, (where, page.evaluate(FOREIGN))
    text = page.locator("body").inner_text()
    assert not any(sign in text for sign in HIDDEN), where
    assert "the fault is ours" not in text, where
