"""Problemsets in one workspace a module."""

import shutil
from collections.abc import Callable
from itertools import count
from pathlib import Path

import pytest

from authoring.store import problemsets, revisions
from authoring.store.revisions import Revision
from authoring.store.statuses import Origin
from authoring.store.workspace import Workspace
from tests.drafting.conftest import no_model_of_the_machine

__all__ = ["no_model_of_the_machine"]

AddSet = Callable[..., Revision]
Save = Callable[..., Revision]
numbers = count(1)


def problem(name: str, query: str, code: str, more: str = "") -> str:
    return f'# %%\n"""\nquery: {query}\nid: {name}\n{more}"""\n\n{code}\n\n'


@pytest.fixture(scope="module")
def ws(empty_workspace: Path, tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    return Workspace.open(shutil.copytree(empty_workspace, tmp_path_factory.mktemp("revising") / "ws"))


@pytest.fixture
def add_set(ws: Workspace) -> AddSet:
    """Return a factory of problemsets."""

    def add(text: str) -> Revision:
        name = f"set-{next(numbers)}"
        return problemsets.create(ws, name=name, text=text, author="Ann", origin=Origin.PERSON)

    return add


@pytest.fixture
def save(ws: Workspace) -> Save:
    """Return what saves a new text on a revision."""

    def save(base: Revision, text: str) -> Revision:
        return revisions.save(ws, base.problemset_id, text, base_revision_id=base.id, author="Ann")

    return save
