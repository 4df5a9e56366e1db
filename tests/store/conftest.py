"""A fresh workspace, and a problemset in it, for the tests of the store."""

from collections.abc import Callable

import pytest

from authoring.store import problemsets
from authoring.store.revisions import Revision
from authoring.store.statuses import Origin
from authoring.store.workspace import Workspace

DRAFT = '''# %%
import pandas as pd

# %%
"""
query: What is the mean fare of all trips?
validator:
  result:
"""
fare = 3.5
fare

# %%
"""
query: Which borough has the most pickups?
validator:
  result:
"""
borough = "Queens"
borough
'''


@pytest.fixture
def make_set(workspace: Workspace) -> Callable[..., Revision]:
    def make(name: str = "trips-1", text: str = DRAFT) -> Revision:
        return problemsets.create(workspace, name=name, text=text, author="template", origin=Origin.TEMPLATE)

    return make
