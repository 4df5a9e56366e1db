"""Problemsets in one workspace a module."""

import shutil
from itertools import count
from pathlib import Path

import pytest

from authoring.store import problemsets, revisions
from authoring.store.revisions import Revision
from authoring.store.statuses import Origin
from authoring.store.workspace import Workspace
from tests.drafting.conftest import no_model_of_the_machine, no_trials

__all__ = ["no_model_of_the_machine", "no_trials"]

numbers = count(1)


def problem(name: str, query: str, code: str, more: str = "") -> str:
    return f'# %%\n"""\nquery: {query}\nid: {name}\n{more}"""\n\n{code}\n\n'


@pytest.fixture(scope="module")
def ws(empty_workspace: Path, tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    return Workspace.open(shutil.copytree(empty_workspace, tmp_path_factory.mktemp("revising") / "ws"))


@pytest.fixture(autouse=True)
def judged_alone(no_trials: None) -> None:
    """No doubt about a problem is looked at here."""


def add_set(ws: Workspace, text: str) -> Revision:
    return problemsets.create(ws, name=f"set-{next(numbers)}", text=text, author="Ann", origin=Origin.PERSON)


def save(ws: Workspace, base: Revision, text: str) -> Revision:
    return revisions.save(ws, base.problemset_id, text, base_revision_id=base.id, author="Ann")
