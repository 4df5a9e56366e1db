"""A kind of job, declared once beside the function that does it; screens, permissions and workers read this."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import ModuleType
from typing import Any, Final, Generic, Literal, TypeVar

from authoring.jobs.context import JobContext
from authoring.jobs.payloads import Payload
from authoring.store.jobs import Job, enqueue
from authoring.store.people import Role, refuse_other_than_maintainers
from authoring.store.workspace import Workspace

LaneName = Literal["interactive", "batch"]
LANES: Final[tuple[LaneName, ...]] = ("interactive", "batch")  # two processes: Run never waits behind a long job
SET_WORKERS: Final = (Role.ANNOTATOR, Role.REVIEWER)  # who works on problemsets

P = TypeVar("P", bound=Payload)
Handler = Callable[[JobContext, P], dict[str, Any]]


@dataclass(frozen=True, kw_only=True)
class JobKind(Generic[P]):
    """One kind of job; `@job` declares it."""

    name: str  # in stored jobs too, which keep it
    title: str  # on screens
    lane: LaneName
    payload: type[P]
    handler: Handler[P]  # returns plain JSON
    roles: tuple[Role, ...] = ()  # who may order it beside maintainers
    asks_model: bool = False  # it may: what it spent is shown

    def order(self, ws: Workspace, fields: Mapping[str, Any], *, key: str | None, created_by: str) -> Job:
        """Queue a job, or return the queued or running one with the same `key`; it is stored as it was ordered.

        Raises:
            UsageError: If a field is missing, unknown or of another type.
        """
        self.payload.ordered(fields)
        return enqueue(ws, kind=self.name, payload=fields, key=key, created_by=created_by)

    def run(self, context: JobContext, fields: Mapping[str, Any]) -> dict[str, Any]:
        """Do a stored job and return its result, plain JSON.

        Raises:
            UsageError: If a field is missing or of another type, or who ordered it may not.
        """
        payload = self.payload.stored(fields)
        if payload.needs_maintainer(context.workspace):
            refuse_other_than_maintainers(context.workspace, context.job.created_by)
        return self.handler(context, payload)


def job(
    name: str,
    *,
    title: str,
    lane: LaneName,
    payload: type[P],
    roles: tuple[Role, ...] = (),
    asks_model: bool = False,
) -> Callable[[Handler[P]], JobKind[P]]:
    """Make a kind of job of the function that does it.

    Args:
        name: In orders and in stored jobs, which keep it.
        title: What screens call it.
        lane: `interactive` where somebody waits for it, else `batch`.
        payload: The model of its fields.
        roles: Who may order it beside maintainers.
        asks_model: Whether it may ask a model.
    """

    def declare(handler: Handler[P]) -> JobKind[P]:
        return JobKind(
            name=name, title=title, lane=lane, payload=payload, handler=handler, roles=roles, asks_model=asks_model
        )

    return declare


def kinds_in(*modules: ModuleType) -> Mapping[str, JobKind[Any]]:
    """Return the kinds that modules declare, under their names.

    Raises:
        ValueError: If a name is declared twice.
    """
    found: dict[str, JobKind[Any]] = {}
    for kind in (one for module in modules for one in vars(module).values() if isinstance(one, JobKind)):
        if kind.name in found:
            raise ValueError(f"job {kind.name!r} is registered twice")
        found[kind.name] = kind
    return found
