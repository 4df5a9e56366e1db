"""Refine chosen problems by a model: asked with comments and findings, executed before a person sees them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, Final

from authoring.drafting.model_draft import Assessor, language_block
from authoring.drafting.problem_history import ProblemText, SetHistory, human_edits
from authoring.drafting.refining.refined_sets import Changed, Refinement
from authoring.drafting.refining.shown_cells import cells_around
from authoring.drafting.refining.style_wishes import StyleWishes, style_wishes
from authoring.drafting.seed_knowledge import column_names, data_blocks
from authoring.progress import OnEvent, no_progress
from authoring.prompting.blocks import BLOCKS, Block, block
from authoring.prompting.prompts import PromptBook, PromptRequest, guide_revision
from authoring.prompting.repair_loop import RepairLoop, left_over_findings, open_client
from authoring.seeds import materialise_inputs
from authoring.seeds.meanings.stored import seed_semantics
from authoring.store import problemsets, revisions
from authoring.store.database.connections import ConflictError
from authoring.store.drafting.seeds import Seed, find_seed
from authoring.store.problemsets import problemset_inputs
from authoring.store.reviewing.reviews import Comment, list_comments
from authoring.store.reviewing.suggestions import NewSuggestion, insert_suggestions
from authoring.store.revisions import Revision
from authoring.store.settings import workspace_validators
from authoring.store.statuses import Origin
from authoring.store.workspace import Workspace
from evaluator.diagnostics import Diagnostic
from evaluator.errors import UsageError
from evaluator.language import OwnValidators, Problemset, problem_id
from evaluator.language.document import Document
from evaluator.models import Budget, BudgetLimits, ModelSettings
from evaluator.session import Engine, scratch_folder

MAX_COMMENT_CHARS: Final = 2_000
MAX_COMMENTS: Final = 60
MAX_INSTRUCTION_CHARS: Final = 8_000
ABOVE_EDITS: Final = "What people changed they want to keep: do not take it back, and do likewise where it fits."
NOTHING_SAID: Final = (
    "Nothing was remarked. Make each of them more exact where two careful people could answer differently, and keep"
    " what is good."
)


def open_comments(ws: Workspace, base: Revision, chosen: Sequence[str]) -> tuple[Comment, ...]:
    """Return the comments on the chosen problems that nobody has resolved, oldest first."""
    every = list_comments(ws, base.problemset_id)
    return tuple(c for c in every if c.resolved_at is None and c.problem in chosen)[:MAX_COMMENTS]


def options_text(comments: Sequence[Comment], findings: Sequence[str], instruction: str, history: SetHistory) -> str:
    """Return the wishes as the model reads them; comments on older versions name theirs."""
    parts = []
    if instruction.strip():
        parts.append(f"What is wanted: {instruction.strip()[:MAX_INSTRUCTION_CHARS]}")
    if comments:
        parts.append("Comments of reviewers:\n" + "\n".join(_comment_line(comment, history) for comment in comments))
    if findings:
        parts.append("What an execution showed:\n" + "\n".join(f"- {finding}" for finding in findings))
    return "\n\n".join(parts) or NOTHING_SAID


def _comment_line(comment: Comment, history: SetHistory) -> str:
    seen = next((revision for revision in history.revisions if revision.id == comment.revision_id), None)
    is_older = seen is not None and seen != history.revisions[-1]
    where = f", on version {seen.number}" if seen is not None and is_older else ""
    where += f", line {comment.line}" if comment.line else ""
    return f"- problem {comment.problem} ({comment.kind}{where}): {comment.text.strip()[:MAX_COMMENT_CHARS]}"


def edits_block(history: SetHistory, chosen: Sequence[str], comments: Sequence[Comment]) -> Block:
    """Return the part of a prompt that shows how people changed the chosen problems, and what comments were made on."""
    parts = []
    for problem in chosen:
        texts = history.texts(problem)
        edits = human_edits(texts)
        told = {texts[-1].cell if texts else "", *(edit.before.cell for edit in edits)}
        seen = {comment.revision_id for comment in comments if comment.problem == problem}
        older = [text for text in texts if text.revision.id in seen and text.cell not in told]
        if edits or older:
            shown = [*map(_older_text, older), *(edit.text() for edit in edits)]
            parts.append("\n\n".join((f"Problem {problem}.", *shown)))
    return block(
        "edits", "\n\n".join(parts), title="## How they were before, and what people changed", above=ABOVE_EDITS
    )


def _older_text(text: ProblemText) -> str:
    return f"Version {text.revision.number}, which a comment is about:\n```python\n{text.cell}\n```"


REFINE_TOKENS: Final = 8_000
REFINE_TEMPERATURE: Final = 0.2


@dataclass(frozen=True)
class RefineOptions:
    """What the model is told and what becomes of its answer."""

    instruction: str = ""  # a free wish
    comments: bool = True  # show the open comments on the chosen problems
    findings: bool = True  # show what an execution says against them
    suggest: bool = False  # keep the new cells as suggestions instead of a revision
    rng_seed: int = 0
    model: str | None = None  # None: the one that the environment names


@dataclass(frozen=True)
class RefineResult:
    """What a refinement made."""

    problemset: int
    name: str
    base: int  # the revision that the model saw
    problems: tuple[str, ...]  # ids of the chosen problems
    comments: tuple[int, ...]  # ids of the comments that the model was shown
    revision: int | None  # id of the new revision; None: suggestions were made
    suggestions: tuple[int, ...]
    provenance: dict[str, Any]
    number: int | None = None  # of the new revision, within the problemset

    @property
    def left_over(self) -> tuple[Diagnostic, ...]:
        """What is still wrong, and the model could not repair."""
        return left_over_findings(self.provenance)

    def to_json(self) -> dict[str, Any]:
        """Return plain JSON values; `id` is the revision's, where one was made."""
        return {
            "id": self.revision,
            "problemset": self.problemset,
            "name": self.name,
            "base": self.base,
            "problems": list(self.problems),
            "comments": list(self.comments),
            "revision": self.revision,
            "number": self.number,
            "suggestions": list(self.suggestions),
            "provenance": self.provenance,
        }


def refine(
    ws: Workspace,
    problemset_ref: str | int,
    problems: Sequence[str],
    *,
    engine: Engine,
    options: RefineOptions | None = None,
    base_revision_id: int | None = None,
    created_by: str = "",
    on_event: OnEvent = no_progress,
    budget: BudgetLimits | Budget | None = None,
    job_id: int | None = None,
) -> RefineResult:
    """Let a model change the chosen problems of a problemset's head; every other cell keeps its bytes.

    Args:
        ws: The workspace.
        problemset_ref: Name or id of the problemset.
        problems: Ids of the chosen problems; a number that is no id stands for the problem at that place.
        engine: Where the changed set is executed.
        options: What the model is told; None: the comments and the findings.
        base_revision_id: The head that the caller saw; None: whatever is the head now.
        created_by: Who asked for it.
        on_event: Told of each step.
        budget: What the model may cost.
        job_id: The job that this is done for.

    Raises:
        BudgetSpentError: If the budget ends before there is an answer that can be used.
        UsageError: If there is no such problemset or problem.
        ConflictError: If the head is or becomes another one; the changed cells are then kept as suggestions.
        ContentError: If the head cannot be read, or no answer could be used.
        ToolkitError: If the model cannot be asked or the engine cannot start.
    """
    options = options or RefineOptions()
    base = _base(ws, problemset_ref, base_revision_id)
    own = workspace_validators(ws)
    chosen = chosen_ids(base.document(own).require_readable(), problems)
    comments = open_comments(ws, base, chosen) if options.comments else ()
    settings, subject = ModelSettings.from_env(options.model), f"revision {base.id}"
    with (
        scratch_folder() as folder,
        open_client(ws, settings, purpose="refine", subject=subject, budget=budget, job_id=job_id) as client,
    ):
        refinement = _begin(ws, base, chosen, engine, folder, on_event)
        book, guide = PromptBook(ws.root), guide_revision(ws)
        dialogue = RepairLoop(
            client,
            "refinement",
            options.rng_seed,
            REFINE_TOKENS,
            REFINE_TEMPERATURE,
            on_event=on_event,
            book=book,
            guide_number=guide.number,
        )
        changed = dialogue.ask(refine_request(ws, base, refinement, options, book), refinement.assess)
    seen = tuple(comment.id for comment in comments)
    shown = {"refined": list(chosen), "comments": list(seen), "base_revision": base.id}
    provenance = {**dialogue.provenance(), **shown}
    keep = partial(_keep, ws, base, changed, comments, provenance, created_by or settings.model, own)
    result = RefineResult(base.problemset_id, base.problemset_name, base.id, chosen, seen, None, (), provenance)
    if options.suggest:
        return replace(result, suggestions=keep())
    saved = _save(ws, base, changed, comments, provenance, created_by, keep)
    return replace(result, revision=saved.id, number=saved.number)


def chosen_ids(problemset: Problemset, wanted: Sequence[str]) -> tuple[str, ...]:
    """Return the ids of the wanted problems, in the order of the file, each once.

    Raises:
        UsageError: If none is named, or there is no such problem.
    """
    ids = [problem_id(problemset, number) for number in range(1, len(problemset.problems) + 1)]
    places = {str(number): label for number, label in enumerate(ids, 1)}
    names = [name.strip() for name in wanted if name.strip()]
    found = {name if name in ids else places.get(name, "") for name in names}
    if not names or "" in found:
        odd = next((name for name in names if name not in ids and name not in places), "")
        what = f"problemset {problemset.name!r} has no problem {odd!r}" if names else "no problem is named"
        raise UsageError(what, where=problemset.name, fix=f"name some of {', '.join(ids)}")
    return tuple(label for label in ids if label in found)


def _base(ws: Workspace, ref: str | int, base_revision_id: int | None) -> Revision:
    row = problemsets.find(ws, ref)
    head = revisions.find(ws, row.head_revision_id)
    if base_revision_id is not None and base_revision_id != head.id:
        raise ConflictError(
            f"problemset {head.problemset_name!r} was changed by {head.author!r} meanwhile: its head is revision"
            f" {head.number}",
            where=f"problemset {head.problemset_name!r}",
            fix="look at the newest revision, then refine that",
            head=head,
        )
    return head


def _seed(ws: Workspace, base: Revision) -> Seed | None:
    seed_id = problemsets.find(ws, base.problemset_id).seed_id
    return None if seed_id is None else find_seed(ws, seed_id)


def refine_request(
    ws: Workspace, base: Revision, refinement: Refinement, options: RefineOptions, book: PromptBook
) -> PromptRequest:
    """Return what a model is asked: the set, the chosen problems, what speaks against them, and how they were changed.

    Raises:
        ContentError: If a prompt of the workspace's own cannot be used.
    """
    seed, own, chosen = _seed(ws, base), workspace_validators(ws), refinement.chosen
    comments = open_comments(ws, base, chosen) if options.comments else ()
    style = style_wishes(ws, base, chosen, own) if options.findings else StyleWishes()
    findings = (*refinement.findings(ws, base), *style.findings) if options.findings else ()
    shown = cells_around(base.document(own), chosen, BLOCKS["problemset"].tokens)
    history = SetHistory.of(ws, base.problemset_id, own)
    wishes = block("wishes", options_text(comments, findings, options.instruction, history))
    return book.request(
        "refine",
        {
            "language": [language_block(book)],
            "guide": [block("guide", guide_revision(ws).text)],
            "profile": () if seed is None or seed.profile is None else _data(ws, seed),
            "problemset": [Block("problemset", shown.text, shown.left_out > 0)],
            "wishes": [wishes, *style.examples, edits_block(history, chosen, comments)],
        },
        chosen=", ".join(chosen),
        first=chosen[0],
    )


def _data(ws: Workspace, seed: Seed) -> Sequence[Block]:
    return data_blocks(seed, seed_semantics(ws, seed), title="# The data")


def refine_preview(
    ws: Workspace, problemset_ref: str | int, problems: Sequence[str], *, engine: Engine, options: RefineOptions
) -> PromptRequest:
    """Return what a model would be asked to refine problems of a problemset's head, without asking it.

    Raises:
        UsageError: If there is no such problemset or problem.
        ContentError: If the head cannot be read, or a prompt of the workspace's own cannot be used.
        ToolkitError: If the engine cannot start.
    """
    base, own = _base(ws, problemset_ref, None), workspace_validators(ws)
    chosen = chosen_ids(base.document(own).require_readable(), problems)
    with scratch_folder() as folder:
        refinement = _begin(ws, base, chosen, engine, folder, no_progress)
        return refine_request(ws, base, refinement, options, PromptBook(ws.root))


def _begin(
    ws: Workspace, base: Revision, chosen: tuple[str, ...], engine: Engine, folder: Path, on_event: OnEvent
) -> Refinement:
    inputs = materialise_inputs(ws, problemset_inputs(ws, base.problemset_id), folder / "inputs")
    columns, own = column_names(_seed(ws, base)), workspace_validators(ws)
    return Refinement.begin(Assessor(base.problemset_name, inputs, engine, columns, own, on_event), base.text, chosen)


def _save(
    ws: Workspace,
    base: Revision,
    changed: Changed,
    comments: Sequence[Comment],
    provenance: Mapping[str, Any],
    created_by: str,
    keep: "partial[tuple[int, ...]]",
) -> Revision:
    """Save the new revision; where somebody was faster, the work is kept as suggestions."""
    addressed = f"; addresses comment {', '.join(str(c.id) for c in comments)}" if comments else ""
    try:
        return revisions.save(
            ws,
            base.problemset_id,
            changed.text,
            base_revision_id=base.id,
            author=created_by or "model",
            origin=Origin.MODEL,
            message=f"refined {', '.join(changed.cells)} by {provenance['model']}{addressed}",
            provenance=provenance,
            guide_number=provenance["guide_revision"],
        )
    except ConflictError as conflict:
        kept = ", ".join(map(str, keep()))
        fix = f"the refined problems are kept as suggestions {kept}: see 'benchwright suggestion list'"
        raise ConflictError(conflict.what, where=conflict.where, fix=fix, head=conflict.head) from conflict


def _keep(
    ws: Workspace,
    base: Revision,
    changed: Changed,
    comments: Sequence[Comment],
    provenance: Mapping[str, Any],
    author: str,
    own: OwnValidators | None,
) -> tuple[int, ...]:
    now = base.document(own).problem_texts()
    new = Document.parse(changed.text, name=base.problemset_name, own_validators=own).problem_texts()
    reasons = {label: "; ".join(c.text for c in comments if c.problem == label) for label in changed.cells}
    changes = [NewSuggestion(label, now[label], new[label], reasons[label]) for label in changed.cells]
    made = [change for change in changes if change.old_text != change.new_text]
    return tuple(insert_suggestions(ws, base.id, made, author=author, provenance=provenance))
