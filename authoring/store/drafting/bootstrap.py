"""Plans of the outer loop: which seeds are drafted in which round, and how far each of them is."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from authoring.store.database.connections import timestamp
from authoring.store.database.names import check_name, find_row
from authoring.store.statuses import BootstrapState
from authoring.store.workspace import Workspace
from evaluator.errors import UsageError

if TYPE_CHECKING:
    from sqlite_utils import Database

_INSERT: Final = (
    "INSERT OR IGNORE INTO bootstrap_item (bootstrap_id, round, position, seed_id, rng_seed, state, updated_at)"
    " VALUES (?, ?, ?, ?, ?, 'planned', ?)"
)


@dataclass(frozen=True)
class Bootstrap:
    """A plan: its settings never change once it is stored."""

    id: int
    name: str
    plan: dict[str, Any]
    created_by: str
    created_at: str


class PlannedItem(NamedTuple):
    """One draft that a round shall have."""

    position: int  # within the round, from 1
    seed_id: int
    rng_seed: int


@dataclass(frozen=True)
class BootstrapItem:
    """One draft of a round and how far it is."""

    bootstrap_id: int
    round: int  # from 1
    position: int
    seed_id: int
    rng_seed: int
    state: BootstrapState
    sketch_id: int | None = None
    problemset_id: int | None = None
    reason: str = ""  # why it was dropped or what it waits for
    report: dict[str, Any] = field(default_factory=dict)  # what the checks found, plain JSON
    updated_at: str = ""

    @property
    def is_open(self) -> bool:
        """Whether something can be done for it without a person: it is not drafted yet, or its draft is not checked."""
        if self.state == BootstrapState.DRAFTED:
            return not self.report
        return self.state in (BootstrapState.PLANNED, BootstrapState.SKETCHED)


def insert_bootstrap(
    ws: Workspace, *, name: str, plan: Mapping[str, Any], items: Sequence[PlannedItem], created_by: str = ""
) -> Bootstrap:
    """Store a plan with the drafts of its first round; the same plan under the same name is stored once.

    Raises:
        UsageError: If the name cannot be one, or another plan has it.
    """
    check_name(name, kind="plan")
    body, now = json.dumps(dict(plan), sort_keys=True), timestamp()
    with ws.write() as db:
        known = db.execute("SELECT id, plan FROM bootstrap WHERE name = ?", [name]).fetchone()
        if known is None:
            row = {"name": name, "plan": body, "created_by": created_by, "created_at": now}
            bootstrap_id = int(db.table("bootstrap").insert(row).last_pk)
            _insert_items(db, bootstrap_id, 1, items)
        elif json.loads(known[1]) != json.loads(body):
            raise _other_plan(name, json.loads(known[1]), json.loads(body))
    return find_bootstrap(ws, name)


def find_bootstrap(ws: Workspace, ref: str | int) -> Bootstrap:
    """Return the plan with that id or name.

    Raises:
        UsageError: If there is none.
    """
    with ws.read() as db:
        row = find_row(db, "bootstrap", ref, kind="plan")
    return Bootstrap(**{**row, "plan": json.loads(row["plan"])})


def list_bootstraps(ws: Workspace) -> list[Bootstrap]:
    """Return all plans, oldest first."""
    with ws.read() as db:
        rows = list(db.query("SELECT * FROM bootstrap ORDER BY id"))
    return [Bootstrap(**{**row, "plan": json.loads(row["plan"])}) for row in rows]


def add_bootstrap_round(ws: Workspace, bootstrap_id: int, number: int, items: Sequence[PlannedItem]) -> None:
    """Add the drafts of a further round; those that are there already stay as they are."""
    with ws.write() as db:
        _insert_items(db, bootstrap_id, number, items)


def list_bootstrap_items(ws: Workspace, bootstrap_id: int) -> list[BootstrapItem]:
    """Return the drafts of a plan by round and position."""
    sql = "SELECT * FROM bootstrap_item WHERE bootstrap_id = ? ORDER BY round, position"
    with ws.read() as db:
        return [
            BootstrapItem(**(row | {"state": BootstrapState(row["state"]), "report": json.loads(row["report"])}))
            for row in db.query(sql, [bootstrap_id])
        ]


def save_bootstrap_item(ws: Workspace, item: BootstrapItem) -> BootstrapItem:
    """Store how far a draft is.

    Raises:
        UsageError: If the plan has no such draft.
    """
    sql = (
        "UPDATE bootstrap_item SET state = ?, sketch_id = ?, problemset_id = ?, reason = ?, report = ?, updated_at = ?"
        " WHERE bootstrap_id = ? AND round = ? AND position = ?"
    )
    changed = [item.state, item.sketch_id, item.problemset_id, item.reason, json.dumps(item.report), timestamp()]
    with ws.write() as db:
        if not db.execute(sql, [*changed, item.bootstrap_id, item.round, item.position]).rowcount:
            what = f"plan {item.bootstrap_id} has no draft {item.position} in round {item.round}"
            raise UsageError(what, fix="see 'benchwright bootstrap status'")
    return item


def _insert_items(db: "Database", bootstrap_id: int, number: int, items: Sequence[PlannedItem]) -> None:
    now = timestamp()
    for item in items:
        db.execute(_INSERT, [bootstrap_id, number, item.position, item.seed_id, item.rng_seed, now])


def _option(key: str) -> str:
    """Return the option of the command that sets a plan's setting."""
    return "--min-problems" if key == "least" else f"--{key.replace('_', '-')}"


def _other_plan(name: str, known: Mapping[str, Any], wanted: Mapping[str, Any]) -> UsageError:
    changed = sorted(key for key in {*known, *wanted} if known.get(key) != wanted.get(key))
    listed = "; ".join(f"{_option(key)} was {known.get(key)!r}, now {wanted.get(key)!r}" for key in changed)
    return UsageError(
        f"the plan {name!r} exists with other settings: {listed}",
        where=f"bootstrap plan {name!r}",
        fix="repeat it with its own settings, or choose another --name",
    )
