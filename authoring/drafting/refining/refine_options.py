"""What a refinement is asked for: open comments, findings of an execution, and a free instruction."""

from collections.abc import Sequence
from typing import Final

from authoring.store import Comment, Revision, Workspace, list_comments

MAX_COMMENT_CHARS: Final = 2_000
MAX_COMMENTS: Final = 60
MAX_INSTRUCTION_CHARS: Final = 8_000
NOTHING_SAID: Final = (
    "Nothing was remarked. Make each of them more exact where two careful people could answer differently, and keep"
    " what is good."
)


def open_comments(ws: Workspace, base: Revision, chosen: Sequence[str]) -> tuple[Comment, ...]:
    """Return the comments on the chosen problems that nobody has resolved, oldest first."""
    every = list_comments(ws, base.problemset_id)
    return tuple(c for c in every if c.resolved_at is None and c.problem in chosen)[:MAX_COMMENTS]


def options_text(comments: Sequence[Comment], findings: Sequence[str], instruction: str) -> str:
    """Return the wishes as the model reads them."""
    parts = []
    if instruction.strip():
        parts.append(f"What is wanted: {instruction.strip()[:MAX_INSTRUCTION_CHARS]}")
    if comments:
        lines = (f"- problem {c.problem} ({c.kind}): {c.text.strip()[:MAX_COMMENT_CHARS]}" for c in comments)
        parts.append("Comments of reviewers:\n" + "\n".join(lines))
    if findings:
        parts.append("What an execution showed:\n" + "\n".join(f"- {finding}" for finding in findings))
    return "\n\n".join(parts) or NOTHING_SAID
