"""What jobs are ordered with: fields of one type each, checked when a job is ordered and again when it is read."""

import reprlib
import types
from collections.abc import Mapping
from typing import Annotated, Any, Final, Self, Union, get_args, get_origin

from pydantic import BaseModel, ConfigDict, InstanceOf, StringConstraints, ValidationError, model_validator

from authoring.store.workspace import Workspace
from evaluator.errors import UsageError
from evaluator.models import BudgetLimits
from evaluator.registry import nearest_name

Ref = int | Annotated[str, StringConstraints(min_length=1)]  # an id, or a name
Text = InstanceOf[str]  # may hold half characters, which are refused later and by their line
_WHERE: Final = "payload"


class Payload(BaseModel):
    """The fields of one kind of job; null stands for a field that is not given."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    @model_validator(mode="before")
    @classmethod
    def _without_nulls(cls, fields: Any) -> Any:
        return {name: value for name, value in fields.items() if value is not None} if _is_object(fields) else fields

    @property
    def needs_model(self) -> bool:
        """Whether the job cannot be done where no model is configured."""
        return False

    def needs_maintainer(self, ws: Workspace) -> bool:  # noqa: ARG002 - kinds that ask it read the workspace
        """Whether the job runs code, or reads files, that only maintainers may name.

        Raises:
            UsageError: If it is about something that is not there.
        """
        return False

    @classmethod
    def ordered(cls, fields: Mapping[str, Any]) -> Self:
        """Read the fields of an order.

        Raises:
            UsageError: Naming the first field that is missing, unknown or of another type.
        """
        try:
            return cls.model_validate(fields)
        except ValidationError as error:
            raise _refusal(cls, fields, error) from None

    @classmethod
    def stored(cls, fields: Mapping[str, Any]) -> Self:
        """Read the fields of a job that was queued, maybe by an older version: what is unknown is left out.

        Raises:
            UsageError: Naming the first field that is missing or of another type.
        """
        return cls.ordered({name: value for name, value in fields.items() if name in cls.model_fields})


class NoFields(Payload):
    """An order that says everything by its kind."""


class ByPerson(Payload):
    """An order that may name another person than the one who placed it."""

    created_by: str | None = None

    def person(self, orderer: str) -> str:
        """Return whose work it is: who is named, or else who ordered it."""
        return orderer if self.created_by is None else self.created_by


class BudgetFields(Payload):
    """Limits of what a job may ask of a model."""

    tokens: int | float | None = None
    cost: float | None = None
    minutes: float | None = None


class Asking(Payload):
    """An order that may ask a model."""

    budget: BudgetFields | None = None

    def limits(self) -> BudgetLimits | None:
        """Return the budget; None: no limit.

        Raises:
            UsageError: If a number in it is none.
        """
        return BudgetLimits.from_json(None if self.budget is None else self.budget.model_dump())


class ByModel(Asking):
    """An order that only a model can carry out."""

    rng_seed: int = 0
    model: str | None = None

    @property
    def needs_model(self) -> bool:
        """Always."""
        return True


class StoredFile(Payload):
    """A file in the workspace's store."""

    name: str
    digest: str


def _is_object(fields: object) -> bool:
    return isinstance(fields, Mapping)


def _refusal(cls: type[Payload], fields: Mapping[str, Any], error: ValidationError) -> UsageError:
    """Say in one sentence what is wrong with the first field that does not fit."""
    first = error.errors(include_url=False)[0]
    name = str(first["loc"][0]) if first["loc"] else ""
    field = cls.model_fields.get(name)
    if field is None:
        near = nearest_name(name, list(cls.model_fields))
        known = f"use one of {', '.join(cls.model_fields)}" if cls.model_fields else "leave it out"
        return UsageError(f"the job takes no {name!r}", where=_WHERE, fix=f"use {near!r}" if near else known)
    if first["type"] == "enum":
        return UsageError(
            f"there is no {name} {first['input']!r}", where=_WHERE, fix=f"use one of {first['ctx']['expected']}"
        )
    found = f": it is {reprlib.repr(fields[name])}" if fields.get(name) is not None else ""
    wanted = _in_words(field.annotation)
    return UsageError(
        f"the job has no {name!r} of type {wanted}{found}", where=_WHERE, fix=f"order the job again with {name!r}"
    )


def _in_words(annotation: Any) -> str:
    """Return a field's type as an author of JSON knows it."""
    origin, inside = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return _in_words(inside[0])
    if origin in (Union, types.UnionType):
        return " or ".join(_in_words(part) for part in inside if part is not type(None))
    if origin is list:
        return f"list of {_in_words(inside[0])}"
    if isinstance(annotation, type) and issubclass(annotation, Payload):
        return f"{{{', '.join(annotation.model_fields)}}}"
    return str(getattr(origin or annotation, "__name__", annotation))
