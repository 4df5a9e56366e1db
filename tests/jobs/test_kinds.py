"""Every kind of job is declared once: workers, screens, permissions and the command line read the declarations."""

import json
import os
import typing
from typing import Any

import pytest

from authoring.jobs import JOB_KINDS, LANES, JobContext, WarmEngine, kinds_in, load_kinds
from authoring.jobs.handlers import draft_jobs as drafting_jobs
from authoring.jobs.kinds import order_job
from authoring.jobs.lane import Lane
from authoring.jobs.payloads import NoFields
from authoring.store import jobs
from authoring.store.jobs import enqueue
from authoring.store.people import Role
from authoring.store.workspace import Workspace
from authoring.ui import jobs as screen
from authoring.ui.jobs import job_title
from authoring.worker import OUR_KINDS
from evaluator.errors import ContentError, UsageError

BUDGET = {"tokens": 900, "cost": 1.5, "minutes": None}
FILE = {"name": "trips.csv", "digest": "d" * 64}
WISHES = {"examples": "all", "budget": BUDGET, "model": "some-model"}
ASKED = {"rng_seed": 1, "budget": BUDGET, "model": "some-model"}
TEXT = {"problemset_id": 1, "text": "# %%\n1\n"}
AUTHORED = {"author": "model", "rng_seed": 0, "name": None, "created_by": "Ann", **WISHES}
ORDERS: dict[str, list[dict[str, Any]]] = {  # as screens, the command line and other jobs write them
    "execute": [{"upto": None, **TEXT, "digests": {"p1": "a"}}, {"upto": 2, "first": 1, **TEXT, "digests": {}}],
    "check": [TEXT, {"problemset_id": 1, "revision_id": 3}],
    "try": [{**TEXT, "problem": 1, "code": "1", "digest": "a"}, {**TEXT, "problem": "p1", "code": "\ud800"}],
    "validators": [{**TEXT, "problem": 1, "digest": "a"}],
    "seed_add": [
        {"name": "trips", "files": [FILE], "notebook": None},
        {"name": "trips", "files": [FILE], "notebook": FILE, "title": "", "synthetic": False, "created_by": "Ann"},
    ],
    "seed_make": [
        {"name": "shop", "statement": "title: t\n", "rng_seed": 0, "created_by": "Ann"},
        {"name": "shop", "topic": "orders", "created_by": "Ann", **ASKED},
    ],
    "sketch": [
        {"seed": "penguins"},
        {"seed": 1, **AUTHORED, "difficulty": "mix", "language": "en", "mix": "easy=3,hard=4"},
    ],
    "draft": [{"sketch": "penguins-1"}, {"sketch": 1, **AUTHORED}, {"sketch": 1, "rng_seed": None}],
    "dry_run": [{"revision_id": 3}],
    "dry_run_agent": [{"revision_id": 3}, {"revision_id": 3, "samples": 2}],
    "refine": [
        {
            **{"problemset": 1, "problems": ["p1"], "instruction": "", "comments": True, "findings": True},
            **{"suggest": False, "base_revision_id": 3, "created_by": "Ann", "budget": BUDGET, "model": "some-model"},
        }
    ],
    "translate": [
        {"problemset": 3, "language": "zh", "name": None, "created_by": "Ann", "budget": BUDGET, "model": "some-model"}
    ],
    "generalise": [{"problemset": 3}, {"problemset": "trips@2", "about": "trips"}],
    "instantiate": [
        {"seed": "penguins", "problemset": 3, "about": "trips", "columns": {}, "name": None, "created_by": "Ann"},
        {"seed": "penguins", "template": FILE, "columns": {"region": "island"}, "name": "other", "created_by": "Ann"},
    ],
    "guide": [{"author": "model", "created_by": "Ann", "all_times": True, **ASKED}],
    "propose_semantics": [{"seed": 1, "created_by": "Ann", **ASKED}, {"seed": "penguins"}],
    "seed_rows": [
        {"seed": 1, "table": 0, "condition": "all rows", "offset": 50, "count": 50},
        {"seed": 1, "condition": "from … to", "column": "fare", "text": "", "low": "1", "high": "", "offset": 0},
    ],
    "variable_rows": [
        {"problemset_id": 3, "text": "x", "position": 2, "name": "df", "offset": 50, "digest": "d"},
        {"problemset_id": 3, "position": 1, "name": "df", "columns_from": 30, "changed_only": True},
    ],
    "topics": [{"modules": ["pandas"], "count": 20, **ASKED}],
    "topic_draft": [
        {"title": "Sums", "modules": ["pandas"], "description": "", "seed": None, "name": None, **ASKED},
        {"title": "Sums", "modules": [], "seed": "penguins", "created_by": "Ann"},
    ],
    "run": [
        {"again": 1, "budget": None},
        {"rescore": 1, "release": 2},
        {
            **{"release": 1, "agent": "replay:a", "called": "run 1", "sets": ["a"], "limit": None, "feedback": []},
            **{"allow_mismatch": False, "environment": None, "rules": None, "state": "own", "history": "reference"},
            **{"between_attempts": "reset", "engine": "auto", "outputs": "shown", "rng_seed": 0, "epochs": 1},
            **{"max_attempts": 1, "workers": 1, "budget": BUDGET},
        },
    ],
    "experiment_check": [{"name": "shots", "digest": "d" * 64}],
    "experiment": [{"name": "shots", "digest": "d" * 64, "replies": "keep"}],
    "release": [{"name": "bench", "version": "1.0", "out": "a/b", "created_by": "Ann"}],
    "demo": [{}],
    "bootstrap_auto": [
        {
            **AUTHORED,
            **{"name": "b", "version": "1", "seeds": [], "sketches": 2, "least": 5, "licence": "", "language": "en"},
        }
    ],
    "bootstrap_step": [{"name": "plan", "workers": 1, "budget": BUDGET}],
    "import": [{"form": "notebook", "file": FILE, "name": None, "seed": None, "created_by": "Ann"}],
    "import_benchmark": [{"file": FILE, "created_by": "Ann"}],
    "import_family": [
        {"family": "qwen", "file": FILE},
        {"family": "cibench", "file": FILE, "name": "mini", "queue": True, "created_by": "Ann"},
    ],
    "import_results": [
        {"file": FILE, "release": None, "agent": "", "created_by": "Ann"},
        {"file": FILE, "beside": [FILE], "release": None, "agent": "", "created_by": "Ann"},
        {"file": FILE, "benchmark": "mini", "mode": "oracle", "rules": "sound", "agent": "", "created_by": "Ann"},
    ],
    "environment": [{"name": "old", "requirements": "pandas<2\n", "python": None}],
    "model_check": [{}],
}
WITHOUT_FIELDS = {name for name, kind in JOB_KINDS.items() if kind.payload is NoFields}
NEED_A_MODEL = {
    *("propose_semantics", "sketch", "draft", "refine", "guide", "topics", "topic_draft", "bootstrap_auto"),
    *("seed_make", "translate"),
}


def test_all_kinds_are_looked_at() -> None:
    assert len(JOB_KINDS) >= 23
    assert JOB_KINDS.keys() == ORDERS.keys()
    assert load_kinds(OUR_KINDS) is JOB_KINDS
    assert len(WITHOUT_FIELDS) == 2


def test_a_declaration_is_complete_and_its_handler_takes_its_payload() -> None:
    assert len({kind.title for kind in JOB_KINDS.values()}) == len(JOB_KINDS)
    for name, kind in JOB_KINDS.items():
        assert (kind.name, kind.lane in LANES) == (name, True)
        assert all(isinstance(role, Role) for role in kind.roles)
        handler: Any = kind.handler
        taken = {"context": JobContext, "payload": kind.payload, "return": dict[str, Any]}
        assert typing.get_type_hints(handler) == taken, name


def test_orders_as_they_are_written_today_are_queued_unchanged_and_read(workspace: Workspace) -> None:
    for name, kind in JOB_KINDS.items():
        assert ORDERS[name]
        for fields in ORDERS[name]:
            queued = kind.order(workspace, fields, key=None, created_by="Ann")
            assert (queued.kind, queued.payload) == (name, fields)
            read = kind.payload.stored({**queued.payload, "of_an_older_version": 1})
            assert read == kind.payload.ordered(fields)
            assert read.model_fields_set == {field for field, value in fields.items() if value is not None}


def test_a_field_that_no_handler_reads_is_refused_when_the_job_is_ordered(workspace: Workspace) -> None:
    for name, orders in ORDERS.items():
        with pytest.raises(UsageError, match="the job takes no 'colour'") as refused:
            order_job(workspace, name, json.dumps({**orders[0], "colour": "red"}))
        assert refused.value.fix
    assert jobs.select(workspace, 10) == []


def test_a_worker_fails_a_stored_job_whose_field_is_of_another_type(workspace: Workspace) -> None:
    for name in JOB_KINDS.keys() - WITHOUT_FIELDS:
        field = next(iter(JOB_KINDS[name].payload.model_fields))
        enqueue(workspace, kind=name, payload={**ORDERS[name][0], field: [[]]})
        lane = [each for each, kind in JOB_KINDS.items() if kind.lane == JOB_KINDS[name].lane]
        claimed = jobs.claim(workspace, owner="test", kinds=lane)
        assert claimed is not None
        Lane(workspace, JOB_KINDS, WarmEngine(), os.getppid()).run_job(claimed)
        failed = jobs.find(workspace, claimed.id)
        assert failed.error is not None
        assert (failed.kind, failed.state, failed.error["where"]) == (name, "failed", "payload")
        assert failed.error["fix"]
        assert f"the job has no {field!r} of type" in failed.error["what"]


def test_screens_know_title_roles_and_model_of_the_kind(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[Role, ...]] = []
    monkeypatch.setattr(screen, "workspace", lambda: workspace)
    monkeypatch.setattr(screen, "current_user", lambda: "mei")
    monkeypatch.setattr(screen, "require", lambda *roles: asked.append(roles))
    for name, kind in JOB_KINDS.items():
        asked.clear()
        for variable in ("BENCHWRIGHT_MODEL", "OPENAI_API_KEY"):
            monkeypatch.delenv(variable, raising=False)
        fields = ORDERS[name][-1]
        needs_model = kind.payload.ordered(fields).needs_model
        if needs_model:
            with pytest.raises(ContentError, match="no model is configured"):
                screen.order(name, fields, key=None)
            monkeypatch.setenv("BENCHWRIGHT_MODEL", "some-model")
            monkeypatch.setenv("OPENAI_API_KEY", "a-key")
        queued = screen.order(name, fields, key=None)
        for_maintainers = {(Role.MAINTAINER,)} if name == "run" else set()  # its agent is a file of the machine
        assert (queued.created_by, set(asked)) == ("mei", {kind.roles} | for_maintainers)
        shown = (job_title(name), screen.ordered_by(name), screen.asks_model(name))
        assert shown == (kind.title, kind.roles, kind.asks_model)
        assert kind.asks_model or not needs_model


def test_what_needs_a_model_depends_on_the_author() -> None:
    needy = {
        name for name, kind in JOB_KINDS.items() for fields in ORDERS[name] if kind.payload.ordered(fields).needs_model
    }
    assert needy == NEED_A_MODEL
    for name in ("sketch", "draft", "guide", "bootstrap_auto"):
        fields = {**ORDERS[name][0], "author": "template"}
        assert not JOB_KINDS[name].payload.ordered(fields).needs_model


def test_a_job_of_a_kind_that_is_gone_is_shown_by_its_name() -> None:
    shown = (job_title("old_kind"), screen.ordered_by("old_kind"), screen.asks_model("old_kind"))
    assert shown == ("old kind", (), False)


def test_a_kind_that_is_declared_twice_is_refused() -> None:
    with pytest.raises(ValueError, match="'seed_add' is registered twice"):
        kinds_in(drafting_jobs, drafting_jobs)
