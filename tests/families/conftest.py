from collections.abc import Iterator
from contextlib import nullcontext

import pytest

from evaluator.session.grader_pool import GraderPool


@pytest.fixture(scope="session")
def graders() -> Iterator[GraderPool]:
    """What compares texts and pictures, started once for all files of results: that takes seconds."""
    with GraderPool(trusted=True) as made:
        yield made


@pytest.fixture(scope="module", autouse=True)
def shared_graders(graders: GraderPool) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("evaluator.families.predicted_run.GraderPool", lambda **_options: nullcontext(graders))
        yield
