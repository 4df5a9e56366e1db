"""The error of two people, or two tabs, who changed the same thing."""

from evaluator.errors import ContentError


class ConflictError(ContentError):
    """What is to be saved rests on something that somebody has replaced since; nothing was written."""

    def __init__(self, what: str, *, where: str = "", fix: str = "", head: object = None) -> None:
        super().__init__(what, where=where, fix=fix)
        self.head = head  # what stands there now: a `Revision`, an `Autosave`; None when it has no such form
