"""Validators are proposed from what the reference leaves behind, and show what they let through."""

import pytest

from authoring.revising.validators.validator_proposals import apply_proposal, propose_validators
from authoring.store.workspace import Workspace
from evaluator.errors import UsageError
from evaluator.session import Engine
from tests.revising.conftest import AddSet, problem

pytestmark = pytest.mark.kernel

TEXT = "# %%\nimport pandas as pd\nfares = pd.Series([1.5, 2.5], index=['a', 'b'])\n\n"
TEXT += problem("twice", "Double `fares`.", "fares * 2")
TEXT += problem("double", "Write `double` and call it on 4.", "def double(x):\n    return 2 * x\nkept = double(4)")


def test_options_show_what_they_accept_and_one_is_applied(ws: Workspace, add_set: AddSet, engine: Engine) -> None:
    revision = add_set(TEXT)
    found = propose_validators(ws, revision.id, "twice", engine=engine)
    accepted = {each.title: each.accepted() for each in found.proposals}
    assert all(each.reference_passes for each in found.proposals)
    assert "order reversed" not in accepted["the result"]
    assert "order reversed" in accepted["the result in any order"]
    assert "under another name" in accepted["the result"]
    assert "under another name" not in accepted["the result with all its names"]
    assert "index reset" in accepted["the result with any index"]
    assert "as list" in accepted["the values of the result in any container"]
    assert not [title for title, names in accepted.items() if "printed, not returned" in names]
    chosen = next(each for each in found.proposals if each.title == "the result in any order")
    saved = apply_proposal(ws, found, chosen.number, by="Ann")
    before, after = (each.document().cells for each in (revision, saved))
    assert [old.raw == new.raw for old, new in zip(before, after, strict=True)] == [True, False, True]
    assert "validator:\n  result:\n    ignore_order: true\n" in after[1].raw
    with pytest.raises(UsageError, match="no proposal 99"):
        apply_proposal(ws, found, 99, by="Ann")
    made = propose_validators(ws, saved.id, "double", engine=engine)
    titles = [each.title for each in made.proposals if each.reference_passes]
    assert "unit tests of `double` with the calls in the code" in titles
    variables = next(each for each in made.proposals if each.title == "the variables that it makes")
    assert "kept: in a list" not in variables.accepted()
    assert variables.validator == {"namespace_check": {"kept": None}}
