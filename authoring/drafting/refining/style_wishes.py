"""What a refinement of a set on a topic is told: the style's rules that chosen problems break, and mended steps."""

from collections.abc import Sequence
from pathlib import Path
from typing import Final, NamedTuple

from authoring.checks import style_diagnostics
from authoring.prompting.blocks import Block, block
from authoring.prompting.style_examples import mending_text
from authoring.store import revisions
from authoring.store.revisions import Revision
from authoring.store.workspace import Workspace
from evaluator.language import OwnValidators, problem_id

TOPIC: Final = "topic"  # the key of a provenance that says that a set was drafted on a topic


class StyleWishes(NamedTuple):
    """What is told."""

    findings: tuple[str, ...] = ()
    examples: tuple[Block, ...] = ()


def style_wishes(
    ws: Workspace, base: Revision, chosen: Sequence[str], own_validators: OwnValidators | None
) -> StyleWishes:
    """Return the rules of notebook style that chosen problems break; nothing for sets that are on no topic."""
    first = revisions.select(ws, base.problemset_id)[0]
    problemset = base.document(own_validators).problemset
    if not first.provenance.get(TOPIC) or problemset is None:
        return StyleWishes()
    lines = {
        problem.line: label
        for number, problem in enumerate(problemset.problems, 1)
        if (label := problem_id(problemset, number)) in chosen
    }
    told = style_diagnostics(problemset, Path(f"{base.problemset_name}.py"))
    faults = [fault for fault in told if fault.line in lines and fault.code not in ("style-steps", "style-large-data")]
    if not faults:
        return StyleWishes()
    mended = block("mended steps", mending_text(fault.code for fault in faults), title="## Bad steps of that kind")
    return StyleWishes(tuple(f"{fault.what}; fix: {fault.fix}" for fault in faults), (mended,))
