"""What the template author is told of a sketch and its seed: enough to write the draft on any machine."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from authoring.languages import Language
from authoring.progress import OnEvent, PipelineEvent
from authoring.seeds.profile import Profile
from authoring.seeds.semantics import Semantics
from authoring.store.drafting.sketches import SketchItem
from authoring.templates import DraftedSet
from evaluator.session import Engine

if TYPE_CHECKING:
    from pydantic import TypeAdapter


@dataclass(frozen=True)
class TemplateOrder:
    """A draft that the template author shall write; the same order gives the same text."""

    name: str  # of the problemset
    items: tuple[SketchItem, ...]
    profile: Profile
    semantics: Semantics
    rng_seed: int
    avoid: tuple[str, ...]  # identities of problems that must not stand in for one of the sketch, sorted
    language: Language
    inputs: Mapping[str, str]  # the seed's files: name -> sha256

    def write(self, engine: Engine, inputs: Path, on_event: OnEvent) -> DraftedSet:
        """Write the draft.

        Args:
            engine: Executes and judges.
            inputs: The folder with the seed's files.
            on_event: Told of each problem.

        Raises:
            ContentError: If no draft can be made of it.
            ToolkitError: If the engine fails.
        """
        from authoring.templates import draft_from_sketch

        return draft_from_sketch(
            engine,
            inputs,
            self.profile,
            self.items,
            rng_seed=self.rng_seed,
            name=self.name,
            semantics=self.semantics,
            avoid=frozenset(self.avoid),
            language=self.language,
            on_event=lambda done, total, text: on_event(PipelineEvent(done, total, text)),
        )

    def to_json(self) -> dict[str, Any]:
        """Return plain JSON values."""
        content: dict[str, Any] = _adapter().dump_python(self, mode="json")
        return content

    @classmethod
    def from_json(cls, content: object) -> "TemplateOrder":
        """Read what `to_json` wrote.

        Raises:
            ValueError: If it is something else.
        """
        return _adapter().validate_python(content)


WriteTemplate = Callable[[TemplateOrder, OnEvent], DraftedSet]
"""Writes a draft, wherever that is done."""


@cache
def _adapter() -> "TypeAdapter[TemplateOrder]":
    from pydantic import TypeAdapter  # late: it takes long to import

    return TypeAdapter(TemplateOrder)
