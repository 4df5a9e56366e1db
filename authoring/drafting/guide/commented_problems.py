"""What comments are about: each problem as it was when somebody remarked on it, and what people made of it since."""

from collections.abc import Sequence
from typing import Final

from authoring.drafting.problem_history import ProblemText, SetHistory, difference, human_edits
from authoring.prompting.blocks import Block, Unit, block, cut_to_tokens
from authoring.store.drafting.guide import GuideComment
from authoring.store.drafting.sketches import find_sketch, list_sketch_comments, list_sketch_revisions
from authoring.store.reviewing.reviews import find_comment
from authoring.store.workspace import Workspace

MAX_PROBLEM_TOKENS: Final = 500
TITLE: Final = "# What they are about (newest first), and what people made of it"


def evidence_block(ws: Workspace, comments: Sequence[GuideComment]) -> Block:
    """Return the part of a prompt that shows what comments are about, newest first; those on one text together."""
    histories: dict[int, SetHistory] = {}
    about: dict[str, list[str]] = {}
    for comment in reversed(comments):
        text = _of_sketch(ws, comment) if comment.ref.startswith("s") else _of_problem(ws, comment, histories)
        if text:
            about.setdefault(text, []).append(comment.ref)
    return block("edits", "\n\n".join(f"{', '.join(refs)}: {text}" for text, refs in about.items()), title=TITLE)


def _of_problem(ws: Workspace, comment: GuideComment, histories: dict[int, SetHistory]) -> str:
    found = find_comment(ws, int(comment.ref[1:]))
    if found.problem is None:
        return ""
    if found.problemset_id not in histories:
        histories[found.problemset_id] = SetHistory.of(ws, found.problemset_id)
    texts = histories[found.problemset_id].texts(found.problem, found.revision_id)
    since = [text for text in texts if text.revision.id >= found.revision_id]
    return f"problem {found.problem} of {comment.subject}\n{_before_and_after(since)}" if since else ""


def _before_and_after(texts: Sequence[ProblemText]) -> str:
    was = f"```python\n{cut_to_tokens(texts[0].cell, MAX_PROBLEM_TOKENS, Unit.LINES)}\n```"
    edits = human_edits(texts)
    if not edits:
        return f"{was}\nNobody changed it since."
    return f"{was}\n{edits[-1].after.revision.author} made of it:\n{difference(texts[0].cell, edits[-1].after.cell)}"


def _of_sketch(ws: Workspace, comment: GuideComment) -> str:
    sketch = find_sketch(ws, comment.subject)
    found = next((c for c in list_sketch_comments(ws, sketch.id) if f"s{c.id}" == comment.ref), None)
    if found is None or found.item is None:
        return ""
    versions = {version.number: version for version in list_sketch_revisions(ws, sketch.id)}
    seen = versions.get(found.number)
    was = next((item.query_idea for item in seen.items if item.number == found.item), "") if seen else ""
    now = next((item.query_idea for item in sketch.items if item.number == found.item), "")
    became = f"\nIt reads now: {now}" if now and now != was else ""
    return f"item {found.item} of sketch {comment.subject}: {was}{became}" if was else ""
