"""A workspace's own validators: `_validators.py` beside its database; a release that uses one of them carries it."""

from authoring.store.workspace import Workspace
from evaluator.language import OwnValidators, load_own_validators


def workspace_validators(ws: Workspace) -> OwnValidators | None:
    """Read the file, without running it; None if there is none."""
    return load_own_validators(ws.root)
