"""Ticks of reviewers: each person's own, bound to the text that they saw."""

from collections.abc import Callable

import pytest

from authoring.store.reviewing.ticks import list_ticks, tick_problem, untick_problem
from authoring.store.revisions import Revision
from authoring.store.workspace import Workspace
from evaluator.errors import UsageError


def test_ticks_are_each_persons_own_and_name_the_text_that_was_read(
    workspace: Workspace, make_set: Callable[..., Revision]
) -> None:
    made = make_set().problemset_id
    tick_problem(workspace, made, "p1", digest="a", person="Ann")
    tick_problem(workspace, made, "p2", digest="b", person="Ann")
    tick_problem(workspace, made, "p1", digest="c", person="Bo")
    tick_problem(workspace, made, "p1", digest="d", person="ann")
    assert list_ticks(workspace, made, "Ann") == {"p1": "d", "p2": "b"}
    untick_problem(workspace, made, "p1", person="Ann")
    untick_problem(workspace, made, "p1", person="Ann")
    assert list_ticks(workspace, made, "Ann") == {"p2": "b"}
    assert list_ticks(workspace, made, "Bo") == {"p1": "c"}


def test_a_tick_needs_a_problemset(workspace: Workspace) -> None:
    with pytest.raises(UsageError):
        tick_problem(workspace, 99, "p1", digest="a", person="Ann")
