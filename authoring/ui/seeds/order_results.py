"""What an order came to, beside the form that placed it; and the form that imports a file."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, NamedTuple

import streamlit as st

from authoring.store import jobs
from authoring.store.database.connections import age_s
from authoring.store.drafting.seeds import Seed, list_seeds
from authoring.store.jobs import Job, job_result
from authoring.store.people import Role
from authoring.store.statuses import JobState
from authoring.store.workspace import Workspace
from authoring.ui import state
from authoring.ui.boundary import ANYONE, show_error, writes
from authoring.ui.inputs.kept_files import KeptFile, draw_kept, keep_files, kept_files, release_uploads, store_upload
from authoring.ui.inputs.refusals import draw_refusal, told_at
from authoring.ui.jobs import asks_model, draw_job, draw_log, draw_resume, draw_spending, is_order_of, order
from authoring.ui.seeds.author_options import draw_name, name_of
from authoring.ui.seeds.replaced_view import draw_replaced
from authoring.ui.shell.auth import current_user
from authoring.ui.shell.navigation import page_link
from authoring.ui.wording import label, plural
from authoring.ui.workplace import workspace
from evaluator.errors import ContentError

MAX_FINDINGS: Final = 50
FEW_FINDINGS: Final = 5  # are shown at once, more in a box to open
SHOWN_S: Final = 24 * 3600.0  # afterwards a result is found in its list


class _Place(NamedTuple):
    """Where a kind of job's result is shown."""

    page: str
    parameter: str
    fields: tuple[str, ...]  # of the result; the first that is an id counts
    text: str


_PLACES: Final[Mapping[str, _Place]] = {
    "seed_add": _Place("seeds", "seed", ("id", "seed"), "The seed is added and profiled."),
    "sketch": _Place("seeds", "sketch", ("id", "sketch"), "The sketch is ready: read it, change it, then draft it."),
    "draft": _Place("problemset", "set", ("problemset", "id"), "The draft is in the queue."),
    "topic_draft": _Place("problemset", "set", ("problemset", "id"), "The draft is in the queue."),
    "seed_make": _Place("seeds", "seed", ("id",), "It is marked synthetic wherever it is described."),
    "import": _Place("problemset", "set", ("id",), "It is in the queue: run it there, then look it over."),
    "translate": _Place("problemset", "set", ("id",), "It is in the queue, paired with the original."),
    "instantiate": _Place("problemset", "set", ("id",), "It is in the queue: run it there, then look it over."),
}


_DONE: Final[Mapping[str, str]] = {
    "import": "Imported",
    "translate": "Translated as",
    "instantiate": "Made",
    "seed_make": "Made",
}


def is_placed(kind: str) -> bool:
    """Return whether what a kind of job makes has a page of its own to which `draw_made` leads."""
    return kind in _PLACES


def is_old(job: Job) -> bool:
    """Return whether a job was done so long ago that what it made is no news."""
    return job.state == JobState.DONE and job.finished_at is not None and age_s(job.finished_at) > SHOWN_S


def draw_made_job(ws: Workspace, key: str, *, draw_again: Callable[[Job], None] | None = None) -> None:
    """Draw the newest job under a key: its progress, or a link to what it made, until somebody hides it.

    Args:
        ws: The workspace.
        key: Of the jobs of one form, and of the form.
        draw_again: Draws, below a job that came to nothing, the way to change the order and send it again.
    """
    job = jobs.find_latest(ws, key)
    if state.refusal_of(key) is None or (job is not None and job.live):  # an older order is no answer to the press
        draw_outcome(ws, job, draw_made, draw_again=draw_again)


RESUMES: Final = " Resume repeats it as it was."


def again_button(
    change: Callable[[int], None], draw_remedies: Callable[[Job], bool] = lambda _: False
) -> Callable[[Job], None]:
    """Return what draws, below a job, the button that fills its form with what was sent.

    Args:
        change: Fills it, by the job's id.
        draw_remedies: Draws before it what mends the order at once, and returns whether there is something.
    """

    def draw(job: Job) -> None:
        has_remedy = draw_remedies(job)
        st.button(
            "Change and send again", key=f"again:{job.id}", icon=":material/edit:", on_click=change, args=(job.id,),
            type="primary" if job.state == JobState.FAILED and not has_remedy else "secondary",
            help=f"The form shows what was sent, its files too.{'' if job.fails_again else RESUMES}",
        )  # fmt: skip

    return draw


def _draw_unfinished(job: Job, draw_again: Callable[[Job], None] | None) -> None:
    """Draw a job that is at work or came to nothing; of one that failed the change of its order before all else."""
    changes_first = draw_again is not None and job.state == JobState.FAILED
    draw_job(job, log=not changes_first, can_resume=not changes_first)
    if draw_again is None or job.live:
        return
    with st.container(horizontal=True):
        draw_again(job)
        if changes_first and not job.fails_again:
            draw_resume(job)
    if changes_first:
        draw_log(job)


def draw_outcome(
    ws: Workspace,
    job: Job | None,
    draw_head: Callable[[Job, Mapping[str, Any]], None],
    draw_rest: Callable[[Mapping[str, Any]], None] | None = None,
    *,
    draw_again: Callable[[Job], None] | None = None,
) -> None:
    """Draw a job: its progress, or what it came to, until somebody hides it.

    Args:
        ws: The workspace.
        job: The newest of its form, if there was one.
        draw_head: Says in a line what was made, with the way to it.
        draw_rest: Draws below it what else there is to say, before what the job leaves to a person.
        draw_again: Draws, for a job that came to nothing, the way to change the order and send it again.
    """
    if job is None or job.state == JobState.CANCELLED or job.dismissed_by or state.recall(f"dismissed:{job.id}"):
        return
    if job.state != JobState.DONE:
        with st.container(border=True):
            _draw_unfinished(job, draw_again)
        return
    if is_old(job):
        return
    result = job_result(ws, job.id) or {}
    with st.container(border=True, gap="xsmall"):
        with st.container(horizontal=True, vertical_alignment="center"):
            draw_head(job, result)
            st.button("Hide", key=f"hide:{job.id}", type="tertiary", on_click=hide, args=(job.id,))
        if asks_model(job.kind):
            draw_spending(job)
        if draw_rest is not None:
            draw_rest(result)
        draw_left(job, result)


def draw_done(text: str) -> None:
    """Say, in Markdown, what a job has done."""
    st.markdown(f":green[:material/check_circle:] {text}", width="content")


def draw_made(job: Job, result: Mapping[str, Any]) -> None:
    """Say in a line what a job has made, with a link to it."""
    place = _PLACES.get(job.kind)
    draw_done(f"{_made_words(job, result)}{place.text if place else _in_words(job, result)}")
    found = [result.get(field) for field in place.fields] if place else []
    made = next((value for value in found if isinstance(value, int)), None)
    if place and made is not None:
        page_link(place.page, "Open it", icon=":material/arrow_forward:", parameters={place.parameter: made})


def _made_words(job: Job, result: Mapping[str, Any]) -> str:
    """Return the name and size of what was made out of something else."""
    done = _DONE.get(job.kind)
    if done is None or not result.get("name"):
        return ""
    size = f": {plural(int(result['problems']), 'problem')}" if result.get("problems") else ""
    return f"{done} **{label(str(result['name']))}**{size}. "


def _in_words(job: Job, result: Mapping[str, Any]) -> str:
    topics, left = result.get("topics"), result.get("left_out")
    if job.kind == "topics" and isinstance(topics, list):
        said = f"; {left} left out, which repeat others or need other modules" if left else ""
        return f"{plural(len(topics), 'topic')} added to the list{said}."
    amendments = result.get("amendments")
    if job.kind == "guide" and isinstance(amendments, list):
        return f"{plural(len(amendments), 'amendment')} proposed, from {result.get('comments')} comments: decide each."
    if job.kind == "propose_semantics":
        return (
            f"A model looked at the columns; it would change {plural(int(str(result.get('columns') or 0)), 'column')}."
        )
    if job.kind == "environment":
        return f"The environment {label(str(result.get('name') or ''))} is built."
    return "Done."


def draw_left(job: Job, result: Mapping[str, Any]) -> None:
    """Draw what a job did otherwise than it was asked, and what it leaves to a person."""
    if job.kind in ("draft", "topic_draft"):
        draw_replaced(result.get("provenance"))
    draw_findings(result)


def draw_findings(result: Mapping[str, object]) -> None:
    """Draw what a conversion leaves to a person."""
    listed = result.get("findings")
    findings = [each for each in listed if isinstance(each, Mapping)] if isinstance(listed, list) else []
    if not findings:
        return
    left_out = result.get("more")
    count = len(findings) + (left_out if isinstance(left_out, int) else 0)
    title = f"{plural(count, 'thing')} to look at"
    with st.expander(title, icon=":material/checklist:", expanded=count <= FEW_FINDINGS):
        for each in findings[:MAX_FINDINGS]:
            parts = {name: label(str(each.get(name) or ""), limit=400) for name in ("source", "problem", "what", "fix")}
            about = f" ({parts['problem']})" if parts["problem"] else ""
            st.markdown(f"**{parts['source']}{about}**: {parts['what']}  \nTo fix it: {parts['fix']}")
        if count > MAX_FINDINGS:
            st.caption(f"{count - MAX_FINDINGS} more: the command line lists all of them.")


@writes(ANYONE)
def hide(job_id: int) -> None:
    """Stop showing what a finished job made."""
    state.remember(f"dismissed:{job_id}", True)


KEY: Final = "import"
FILE: Final = f"{KEY}:file"  # where files of an earlier order are kept
SOLUTIONS: Final = f"{KEY}:solutions"
FORMS: Final = {
    "notebook": "a notebook of questions and answers, or one that was exported here (.ipynb)",
    "completions": "records of prompt, solution and test (JSON Lines, or one JSON list)",
    "problemset": "a problemset file (.py)",
}
MAX_IMPORT_MB: Final = 50
ENDINGS: Final = {"notebook": ("ipynb",), "completions": ("jsonl", "json", "ndjson"), "problemset": ("py",)}


def draw_import_file(ws: Workspace, seeds: Sequence[Seed]) -> None:
    """Draw the form, and what the newest conversion leaves to a person."""
    st.caption(
        "Its text and code are read, nothing is executed. What a rule cannot settle is listed for you; the rest "
        "becomes a problemset in the queue."
    )
    round_no = state.recall(f"{KEY}:round", 0)
    form = st.selectbox("What it is", list(FORMS), format_func=FORMS.__getitem__, key=f"{KEY}:form", width=520)
    st.file_uploader(  # of any type: what is said below says more than the browser would
        "File", key=f"{KEY}:file:{round_no}", max_upload_size=MAX_IMPORT_MB,
        help=f"Ends in {' or '.join(f'.{ending}' for ending in ENDINGS[form])}; at most {MAX_IMPORT_MB} MB.",
    )  # fmt: skip
    _draw_other_form(form)
    draw_kept(ws, KEY, {FILE: "", SOLUTIONS: "answers"}, then="unless you choose another")
    if form == "notebook":
        st.file_uploader(
            "Notebook with the answers, if they stand in another one", type="ipynb", key=f"{KEY}:solutions:{round_no}",
            max_upload_size=MAX_IMPORT_MB,
            help="Answers are found by the text of their questions, else by their place.",
        )  # fmt: skip
    with st.container(horizontal=True, vertical_alignment="bottom"):
        draw_name(KEY, "as the file")
        st.selectbox(
            "Seed", [seed.name for seed in seeds], index=None, placeholder="none", key=f"{KEY}:seed", width=240,
            help="The data that it is about: its files become the inputs.", on_change="ignore",
        )  # fmt: skip
        st.button("Import it", key=f"{KEY}:send", type="primary", icon=":material/upload_file:", on_click=import_file)
    draw_refusal(KEY)
    draw_made_job(ws, KEY, draw_again=again_button(change_import))


def _draw_other_form(form: str) -> None:
    """Say that the file is of another form than the chosen one, with the button that chooses the form it has."""
    upload = state.widget_value(f"{KEY}:file:{state.recall(f'{KEY}:round', 0)}")
    if upload is None:
        return
    try:
        _refuse_ending(upload.name, form)
    except ContentError as fault:
        show_error(fault)
        for other in (each for each in FORMS if upload.name.lower().endswith(_endings(each))):
            st.button(
                f"It is {FORMS[other]}", key=f"{KEY}:is:{other}", icon=":material/check:", on_click=choose_form,
                args=(other,),
            )  # fmt: skip


@writes(ANYONE)
def choose_form(form: str) -> None:
    """Choose what the file is."""
    state.put_widget_value(f"{KEY}:form", form)


@writes(Role.MAINTAINER)
def change_import(job_id: int) -> None:
    """Fill the form with what a job was ordered with; its files stay in the store, and go along again."""
    ordered = jobs.find(workspace(), job_id).payload
    if ordered.get("form") in FORMS:
        state.put_widget_value(f"{KEY}:form", ordered["form"])
    state.replace_text(f"{KEY}:name", str(ordered.get("name") or ""))
    known = {seed.name for seed in list_seeds(workspace())}
    state.put_widget_value(f"{KEY}:seed", ordered.get("seed") if ordered.get("seed") in known else None)
    keep_files(FILE, [ordered.get("file")])
    keep_files(SOLUTIONS, [ordered.get("solutions")])


@writes(Role.MAINTAINER)
def import_file() -> None:
    """Store the uploaded bytes and order the job that reads them."""
    with told_at(KEY):
        _order_import()


def _order_import() -> None:
    form = str(state.widget_value(f"{KEY}:form") or next(iter(FORMS)))
    round_no = state.recall(f"{KEY}:round", 0)
    upload, solved = (state.widget_value(f"{KEY}:{field}:{round_no}") for field in ("file", "solutions"))
    if upload is not None:
        _refuse_ending(upload.name, form)  # before it is stored
    files = _chosen(upload, FILE)
    if not files:
        raise ContentError("no file was chosen", where="File", fix="choose one, then press the button again")
    _refuse_ending(files[0].name, form)  # an earlier order's: the form may be another one now
    solutions = _chosen(solved, SOLUTIONS) if form == "notebook" else []
    fields = {
        "form": form,
        "file": files[0].payload(),
        "solutions": solutions[0].payload() if solutions else None,
        "name": name_of(KEY),
        "seed": state.widget_value(f"{KEY}:seed"),
        "created_by": current_user(),
    }
    job = order("import", fields, key=KEY)
    if not is_order_of(job, fields):
        return  # another import is at work, as the message says: the files wait for its end
    release_uploads(each for each in (upload, solved) if each is not None)
    state.remember(f"{KEY}:round", round_no + 1)
    state.replace_text(f"{KEY}:name", "")
    keep_files(FILE, [])
    keep_files(SOLUTIONS, [])


def _chosen(upload: Any, slot: str) -> list[KeptFile]:
    """Store the upload of a field and return it; without one, return the file of an earlier order."""
    return [store_upload(workspace(), upload)] if upload is not None else kept_files(slot)


def _refuse_ending(name: str, form: str) -> None:
    """Refuse a file, sent now or for an earlier order, whose name does not end as the chosen form asks."""
    if not name.lower().endswith(_endings(form)):
        what = f"{name!r} is not what was chosen: {FORMS[form]}"
        raise ContentError(what, where="What it is", fix="choose what it is, or choose another file")


def _endings(form: str) -> tuple[str, ...]:
    return tuple(f".{ending}" for ending in ENDINGS[form])
