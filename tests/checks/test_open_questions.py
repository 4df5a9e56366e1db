"""Items of the roundtable: opened by dry runs that ask several times and by agents that agree, closed when repaired."""

from pathlib import Path
from typing import Any

import pytest

from authoring.checks.agreeing_agents import AgentAnswer, most_agreeing_agents, open_suspects
from authoring.checks.dry_run.controversies import close_repaired, open_controversies
from authoring.checks.dry_run.dry_running import dry_run
from authoring.checks.solve_rates import solve_rates, wrong_groups
from authoring.store import dry_runs, problemsets, revisions, runs
from authoring.store.database.schema import VERSION_8
from authoring.store.dry_runs import DryRun, DryRunProblem, DryRunSample, list_dry_run_samples
from authoring.store.reviewing.queue import QueueFilter, list_queue
from authoring.store.reviewing.roundtable import (
    REPAIRED,
    RESOLUTIONS,
    NewItem,
    find_item,
    list_roundtable,
    open_items,
    resolve_item,
)
from authoring.store.revisions import Revision
from authoring.store.statuses import Origin
from authoring.store.workspace import Workspace
from evaluator.errors import UsageError
from evaluator.language import Problemset, parse_problemset
from evaluator.models import configured_model
from evaluator.records import Record
from evaluator.running import DETAILS, RECORDS
from evaluator.running.attempt_details import AttemptDetails, DetailsFile
from evaluator.session import Engine
from tests.drafting.conftest import Serve
from tests.scripted_model import Say

pytestmark = pytest.mark.usefixtures("no_trials")
ONE = '# %%\n"""\nquery: What is one?\nid: p1\n"""\n1\n'
CHANGED = ONE.replace("\n1\n", "\n2 - 1\n")


@pytest.fixture
def first(ws: Workspace) -> Revision:
    return problemsets.create(ws, name="one", text=ONE, author="lee", origin=Origin.PERSON)


def newer(ws: Workspace, base: Revision, text: str = CHANGED) -> Revision:
    return revisions.save(ws, base.problemset_id, text, author="lee", base_revision_id=base.id)


def parsed(revision: Revision) -> Problemset:
    problemset = parse_problemset(revision.text, name="one").problemset
    assert problemset is not None
    return problemset


def judged(
    ws: Workspace,
    revision: Revision,
    reference: str = "CORRECT",
    empty: str = "WRONG_OUTPUT",
    agent: str = "none",
    samples: tuple[DryRunSample, ...] = (),
) -> DryRun:
    """A stored dry run with what its worker does afterwards."""
    row = DryRunProblem(1, "p1", 0.01, reference, empty, agent)
    made = dry_runs.save(
        ws, revision_id=revision.id, environment="e", sandbox="none", problems=[row], summary={}, samples=samples
    )
    found = dry_runs.find(ws, made)
    close_repaired(ws, revision, found)
    open_controversies(ws, parsed(revision), found)
    return found


def standings(ws: Workspace) -> list[tuple[str, str | None]]:
    return [(str(item.evidence.get("kind")), item.resolution) for item in list_roundtable(ws)]


WRONG = tuple(DryRunSample(1, number, "a", "WRONG_OUTPUT", cluster=1) for number in (1, 2))
RIGHT = tuple(DryRunSample(1, number, "a", "CORRECT", cluster=1) for number in (1, 2))


@pytest.mark.parametrize(
    ("kind", "before", "unasked", "well"),
    [
        ("reference_fails", {"reference": "CRASH"}, {"reference": "NOT_JUDGED"}, {}),
        ("empty_passes", {"empty": "CORRECT"}, {"empty": "NOT_JUDGED"}, {}),
        ("agent_wrong", {"agent": "CRASH"}, {}, {"agent": "CORRECT"}),
        ("samples_agree", {"agent": "WRONG_OUTPUT", "samples": WRONG}, {}, {"agent": "CORRECT", "samples": RIGHT}),
    ],
)
def test_a_newer_revision_that_is_asked_and_comes_out_well_repairs(
    ws: Workspace, first: Revision, kind: str, before: dict[str, Any], unasked: dict[str, Any], well: dict[str, Any]
) -> None:
    judged(ws, first, **before)
    (opened,) = list_roundtable(ws)
    assert (opened.evidence["kind"], opened.resolution) == (kind, None)
    second = newer(ws, first)
    judged(ws, second, **unasked)
    assert opened.id in [item.id for item in list_roundtable(ws, only_open=True)]
    run = judged(ws, newer(ws, second, f"{CHANGED}\n"), **well)
    item = find_item(ws, opened.id)
    told = (item.resolution, item.resolved_by, item.note)
    assert told == (REPAIRED, f"dry run {run.id}", "revision 3 shows it no more")


def test_the_same_revision_and_an_older_one_repair_nothing(ws: Workspace, first: Revision) -> None:
    judged(ws, first, "CRASH")
    judged(ws, first)  # executed again, and well: by chance, perhaps
    assert standings(ws) == [("reference_fails", None)]
    second = newer(ws, first)
    judged(ws, second, "CRASH")
    judged(ws, first)  # not the newest any more
    assert standings(ws) == [("reference_fails", None), ("reference_fails", None)]


def test_a_repaired_item_is_opened_anew_when_the_old_text_comes_back(ws: Workspace, first: Revision) -> None:
    judged(ws, first, "CRASH")
    second = newer(ws, first)
    judged(ws, second)
    judged(ws, newer(ws, second, ONE), "CRASH")
    assert standings(ws) == [("reference_fails", REPAIRED), ("reference_fails", None)]


def test_what_people_opened_or_settled_stays_as_they_left_it(ws: Workspace, first: Revision) -> None:
    judged(ws, first, "CRASH")
    resolve_item(ws, list_roundtable(ws)[0].id, resolution="reference_wrong", by="mei")
    open_items(ws, first.id, [NewItem("p1", "is it one?", {})], by="mei")
    judged(ws, newer(ws, first))
    assert [item.resolution for item in list_roundtable(ws)] == ["reference_wrong", None]


def test_the_table_is_rebuilt_with_every_item_and_goes_on_counting(ws: Workspace, first: Revision) -> None:
    ids = open_items(ws, first.id, [NewItem("p1", f"doubt {number}", {}) for number in range(6)], by="mei")
    for item_id, resolution in zip(ids, RESOLUTIONS, strict=False):
        resolve_item(ws, item_id, resolution=resolution, by="mei", note="seen")
    before = list_roundtable(ws)
    with ws.write() as db:
        for statement in VERSION_8:
            db.conn.execute(statement)
    assert (len(before), list_roundtable(ws)) == (6, before)
    assert open_items(ws, first.id, [NewItem("p1", "another", {})], by="mei") == [max(ids) + 1]


# dry runs that ask the reference agent several times


SAMPLED = '''# %%
rows = [3, 1, 2]

# %%
"""
query: How many rows are there?
id: count
"""
len(rows)

# %%
"""
query: Which is the largest?
id: largest
"""
max(rows)
'''
COUNTS = ["len(rows)", "print(len(rows))", "3", "int('x')"]
LARGEST = ["rows[1]", "max(rows)", "min(rows)", "sorted(rows)[0]"]


def test_several_answers_give_a_solve_rate_and_wrong_groups(ws: Workspace, engine: Engine, serve: Serve) -> None:
    revision = problemsets.create(ws, name="sampled", text=SAMPLED, author="Ann", origin=Origin.PERSON)
    with pytest.raises(UsageError, match="no model to ask"):
        dry_run(ws, revision.id, engine=engine, samples=2)
    with serve([Say(f"```python\n{code}\n```") for code in COUNTS + LARGEST]) as model:
        found = dry_run(ws, revision.id, engine=engine, model=configured_model(), samples=4)
    assert len({str(request["messages"]) for request in model.requests}) == 2, "samples ask the same"
    samples = list_dry_run_samples(ws, found.id)
    assert [sample.verdict for sample in samples[:4]] == ["CORRECT", "PRESENTATION_ERROR", "CORRECT", "CRASH"]
    assert [sample.sample for sample in samples[4:]] == [1, 2, 3, 4]
    count, largest = solve_rates(ws, revision, found.id)
    assert (count.correct, count.judged, count.rate, largest.rate) == (2, 4, 0.5, 0.25)
    assert [(group.count, group.verdict) for group in largest.wrong] == [(3, "WRONG_OUTPUT")]
    assert [group.count for group in count.wrong] == [1, 1]
    assert count.difficulty > 0
    assert (count.level, largest.level) == ("easy", "medium")  # seldom solved: harder than it looks
    items = list_roundtable(ws, revision.problemset_id)
    assert [(item.problem, item.evidence["kind"], item.evidence["agree"]) for item in items] == [
        ("largest", "samples_agree", 3)
    ]
    assert items[0].evidence["code"] == "rows[1]"


def test_wrong_answers_that_nothing_compared_are_equal_where_their_code_is() -> None:
    codes = ("1", "1", "2", "1")
    samples = [DryRunSample(1, n, "m", "WRONG_VARIABLES", code=code) for n, code in enumerate(codes, 1)]
    assert [group.count for group in wrong_groups(samples)] == [3, 1]


# agents of several runs that agree with each other and not with the reference


QUERY = "How many units were sold?"
SHOP = f'# %%\n"""\nquery: {QUERY}\nid: total\n"""\n12\n'


def add_run(ws: Workspace, folder: Path, agent: str, verdict: str, shown: str) -> None:
    folder.mkdir()
    record = Record("b", "1.0", "shop", 1, 1, verdict, "", "", QUERY, code=f"print({shown})")
    (folder / RECORDS).write_bytes(record.to_line())
    outputs = ({"output_type": "stream", "name": "stdout", "text": f"{shown}\n"},)
    file = DetailsFile.open(folder / DETAILS)
    file.append([(record.key, AttemptDetails(outputs=outputs))])
    file.close()
    runs.insert(ws, release="core 1.0", agent=agent, out_dir=str(folder), summary={})


def test_agents_that_agree_against_the_reference_open_an_item_once(workspace: Workspace, tmp_path: Path) -> None:
    ws = workspace
    problemsets.create(ws, name="shop", text=SHOP, author="Ann", origin=Origin.PERSON)
    add_run(ws, tmp_path / "one", "one", "WRONG_OUTPUT", "7")
    assert open_suspects(ws, "core 1.0") == []
    add_run(ws, tmp_path / "two", "two", "WRONG_OUTPUT", "7")
    add_run(ws, tmp_path / "three", "three", "CORRECT", "12")
    (opened,) = open_suspects(ws, "core 1.0")
    item = find_item(ws, opened)
    assert item.reason == "2 of 3 agents on core 1.0 agree with each other and not with the reference"
    assert (item.problem, item.evidence["agents"], item.evidence["code"]) == ("total", ["one", "two"], "print(7)")
    assert [row.name for row in list_queue(ws, QueueFilter(only_suspect=True))] == ["shop"]
    resolve_item(ws, opened, resolution="agent_wrong", by="Ann")
    assert open_suspects(ws, "core 1.0") == []


def test_agreement_counts_when_it_outweighs_what_is_correct() -> None:
    for given, agreeing in (
        ([("a", "WRONG_OUTPUT", "7"), ("b", "WRONG_OUTPUT", "7 ")], ["a", "b"]),
        ([("a", "WRONG_OUTPUT", "7"), ("b", "WRONG_OUTPUT", "8")], []),
        ([("a", "WRONG_OUTPUT", ""), ("b", "WRONG_OUTPUT", "")], []),  # nothing was kept
        ([("a", "CRASH", "7"), ("b", "CRASH", "7")], []),
        ([("a", "WRONG_OUTPUT", "7"), ("a", "WRONG_OUTPUT", "7")], []),  # one agent does not agree with itself
        ([("a", "WRONG_OUTPUT", "7"), ("b", "WRONG_OUTPUT", "7"), ("c", "CORRECT", "1"), ("d", "CORRECT", "1")], []),
    ):
        answers = [AgentAnswer(agent, verdict, shown, "") for agent, verdict, shown in given]
        assert [answer.agent for answer in most_agreeing_agents(answers)] == agreeing
