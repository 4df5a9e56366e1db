"""The form that adds a seed: it says at the field what would be refused, and sends what will be taken."""

from collections.abc import Sequence
from typing import Any, Final

import streamlit as st

from authoring.seeds.adding import free_name, refuse_name
from authoring.seeds.intake import ARCHIVE_SUFFIX, MAX_FILE_BYTES, MAX_FILES, MAX_NOTEBOOK_BYTES, Upload, upload_faults
from authoring.seeds.licences import USUAL, LicenceKind, licence_advice
from authoring.seeds.text_encodings import is_text, possible_encodings
from authoring.store import jobs
from authoring.store.database.names import check_name
from authoring.store.drafting.seeds import list_seeds
from authoring.store.jobs import Job
from authoring.store.people import Role
from authoring.store.workspace import Workspace
from authoring.ui import state
from authoring.ui.boundary import ANYONE, show_error, writes
from authoring.ui.inputs.kept_files import draw_kept, keep_files, kept_files, kept_size, release_uploads, store_upload
from authoring.ui.inputs.refusals import draw_refusal, told_at
from authoring.ui.inputs.typed_text import keep, sent, typed, typed_line
from authoring.ui.jobs import is_order_of, order
from authoring.ui.seeds.order_results import again_button, draw_made, draw_outcome
from authoring.ui.seeds.seed_view import draw_licence_advice
from authoring.ui.shell.auth import current_user
from authoring.ui.wording import label, plural
from authoring.ui.workplace import workspace
from evaluator.errors import ContentError, UsageError
from evaluator.language.file_kinds import KIND_OF_SUFFIX

FORM: Final = "seed_add"  # and the key of its job
FILES: Final = f"{FORM}:files"  # where files of an earlier order are kept
NOTEBOOK: Final = f"{FORM}:notebook"
ENCODING: Final = f"{FORM}:encoding"  # in which files of an earlier order are read
FIELDS: Final = {
    "name": "name",
    "title": "title",
    "licence": "licence",
    "source": "source_url",
    "description": "description",
    "published_on": "published_on",
    "popularity": "popularity",
}
"""The field of the order that each field of the form fills."""
SUFFIXES: Final = (*KIND_OF_SUFFIX, ARCHIVE_SUFFIX)
HEAD_BYTES: Final = 64 * 1024  # looked at while the form is drawn; all bytes are when it is sent
MAX_SHOWN: Final = 5
MAX_ENCODINGS: Final = 3  # offered for a file that is not UTF-8
LIMITS: Final = (
    f"UTF-8; at most {MAX_FILE_BYTES // 2**20} MB per file and {MAX_FILES} files. If a table is larger, keep the rows "
    f"and columns that matter, or save it as Parquet. Kinds: {', '.join(SUFFIXES)}."
)


def draw_add_box(ws: Workspace, taken: Sequence[str]) -> None:
    """Draw the form in a box that is open while there is no seed, and what became of the newest order."""
    state.start_widget_value(f"{FORM}:box", not taken)
    with st.expander("Add a dataset", icon=":material/add:", key=f"{FORM}:box", on_change="rerun"):
        draw_add_form(ws, taken)
    job = jobs.find_latest(ws, FORM)
    if state.refusal_of(FORM) is None or (job is not None and job.live):  # an older order is no answer to the press
        draw_outcome(ws, job, draw_made, draw_again=again_button(change, draw_encodings))


def draw_add_form(ws: Workspace, taken: Sequence[str]) -> None:
    """Draw the fields of a new seed; the files are read by the worker, in the sandbox."""
    round_no = state.recall("seed:round", 0)
    uploads = st.file_uploader(  # of any type: the reasons and remedies below say more than the browser would
        "Data files",
        accept_multiple_files=True,
        key=_files_key(),
        max_upload_size=MAX_FILE_BYTES // 2**20,
        help="CSV, TSV, JSON, JSON Lines, Parquet, Excel or pictures; or one .zip of them, with a notebook and a card "
        f"seed.yaml if you like. This field takes no file above {MAX_FILE_BYTES // 2**20} MB: take it out with × and "
        "add a smaller one. The limit is the program's own; no setting of the server raises it.",
    )
    st.caption(LIMITS)
    draw_kept(ws, FORM, {FILES: "", NOTEBOOK: "notebook"}, then="with what you add")
    files = [*_kept_uploads(ws), *(_looked_at(upload, HEAD_BYTES) for upload in uploads)]
    _draw_faults(files)
    name, licence = st.columns(2)
    with name:
        typed_line("Name", f"{FORM}:name", placeholder="letters, digits, - _ .", help="How commands call it.")
        _draw_name_advice(files, taken)
    with licence:
        typed_line(
            "Licence", f"{FORM}:licence", placeholder="for example CC-BY-4.0",
            help=f"Of the data, by its SPDX identifier: {', '.join(USUAL)}. A release publishes the data under it.",
        )  # fmt: skip
        _draw_licence_advice()
    source, notebook = st.columns(2)
    with source:
        typed_line("Source address", f"{FORM}:source", placeholder="where the data comes from")
    notebook.file_uploader(
        "Notebook (optional)",
        type=["ipynb"],
        max_upload_size=MAX_NOTEBOOK_BYTES // 2**20,
        key=f"{FORM}:notebook:{round_no}",
        help="Its code and text give the author ideas. It is not executed.",
    )
    published, popularity = st.columns(2)
    with published:
        typed_line("Published on", f"{FORM}:published_on", placeholder="for example 2024-05-01")
    with popularity:
        typed_line("Popularity", f"{FORM}:popularity", placeholder="for example 1,200 votes")
    typed_line("Title", f"{FORM}:title", placeholder="one line that names the data")
    typed_line("Description", f"{FORM}:description", placeholder="what one row stands for, units")
    st.toggle(
        "A program made the data", key=f"{FORM}:synthetic", on_change="ignore",
        help="Synthetic data are marked so wherever they are described.",
    )  # fmt: skip
    st.button("Add the seed", key=f"{FORM}:send", type="primary", icon=":material/add:", on_click=add)
    draw_refusal(FORM)


def _draw_faults(files: Sequence[Upload]) -> None:
    faults = upload_faults(files)
    for fault in faults[:MAX_SHOWN]:
        show_error(fault)
    if len(faults) > MAX_SHOWN:
        st.caption(f"{plural(len(faults) - MAX_SHOWN, 'other file')} cannot be sent either.")


def _draw_name_advice(files: Sequence[Upload], taken: Sequence[str]) -> None:
    """Say what the seed will be called, or why it cannot be called what was typed, with a name that is free."""
    name = typed(f"{FORM}:name").strip()
    if not name:
        if files:
            st.caption(f"If you leave it empty: **{label(free_name(files[0].name, taken))}**, after the file.")
        return
    fault = _name_fault(name, taken)
    if fault is None:
        return
    show_error(fault)
    free = free_name(f"{name}.csv", taken)
    st.button(f"Call it {label(free)}", key=f"{FORM}:free", icon=":material/check:", on_click=call_it, args=(free,))


def _draw_licence_advice() -> None:
    """Say what the licence that was typed means for a release; nothing where it is a known one, or none was typed."""
    stated = typed(f"{FORM}:licence").strip()
    advice = licence_advice(stated)
    if not stated or advice.kind is LicenceKind.KNOWN:
        return
    draw_licence_advice(advice)
    if advice.kind is LicenceKind.NEAR:
        st.button(
            f"Write {label(advice.spdx)}", key=f"{FORM}:spdx", icon=":material/check:", on_click=write_licence,
            args=(advice.spdx,),
        )  # fmt: skip


@writes(ANYONE)
def write_licence(spdx: str) -> None:
    """Put an identifier into the field of the licence."""
    _fill("licence", spdx)


def _name_fault(name: str, taken: Sequence[str]) -> UsageError | None:
    try:
        check_name(name, kind="seed")
    except UsageError as fault:
        return fault
    if name.casefold() not in {each.casefold() for each in taken}:
        return None
    return UsageError(f"there is already a seed called {name!r}", fix="choose another name, or the one below")


@writes(ANYONE)
def call_it(name: str) -> None:
    """Put a name into the field."""
    _fill("name", name)


@writes(Role.MAINTAINER)
def change(job_id: int) -> None:
    """Fill the form with what a job was ordered with; its files stay in the store, and go along again."""
    ordered = jobs.find(workspace(), job_id).payload
    for field, name in FIELDS.items():
        _fill(field, str(ordered.get(name) or ""))
    state.put_widget_value(f"{FORM}:synthetic", bool(ordered.get("synthetic")))
    keep_files(FILES, ordered.get("files") or [])
    state.remember(ENCODING, ordered.get("encoding"))
    keep_files(NOTEBOOK, [ordered.get("notebook")])
    state.put_widget_value(f"{FORM}:box", True)


def draw_encodings(job: Job) -> bool:
    """Draw, where a file of a refused order is not UTF-8, a button for each encoding in which it can be read."""
    found = _encodings_of(job) if job.fails_again else ()
    for number, encoding in enumerate(found):
        st.button(
            f"Read it as {encoding}", key=f"read_as:{job.id}:{encoding}", icon=":material/translate:",
            type="secondary" if number else "primary", on_click=read_as, args=(job.id, encoding),
            help="Sends the same again: text files that are not UTF-8 are read so, and the seed stores them as UTF-8.",
        )  # fmt: skip
    return bool(found)


def _encodings_of(job: Job) -> tuple[str, ...]:
    if job.payload.get("encoding"):
        return ()  # it was tried, and the message says why not
    for file in job.payload.get("files") or ():
        memory = f"{FORM}:encodings:{file['digest']}"
        if state.recall(memory) is None:
            path = workspace().blob_path(file["digest"])
            state.remember(memory, possible_encodings(path) if is_text(file["name"]) and path.is_file() else ())
        found: tuple[str, ...] = state.recall(memory)
        if found:
            return found[:MAX_ENCODINGS]
    return ()


@writes(Role.MAINTAINER)
def read_as(job_id: int, encoding: str) -> None:
    """Order a seed again whose files are in another encoding than UTF-8."""
    ordered = jobs.find(workspace(), job_id).payload
    refuse_name(workspace(), str(ordered.get("name") or ""))
    order("seed_add", {**ordered, "encoding": encoding, "created_by": current_user()}, key=FORM)


@writes(Role.MAINTAINER)
def add() -> None:
    """Order the seed of the form; what is refused stays in it, and the reason is told at its button."""
    with told_at(FORM, so="nothing was added"):
        _order_seed()


def _order_seed() -> None:
    """Store the uploaded bytes and order the job that reads and profiles them."""
    ws, round_no = workspace(), state.recall("seed:round", 0)
    uploads = state.widget_value(_files_key()) or []
    looked_at = [*_kept_uploads(ws), *(_looked_at(upload) for upload in uploads)]
    if not looked_at:
        raise ContentError("no data file was chosen", where="Add a dataset", fix="choose at least one file")
    faults = upload_faults(looked_at)
    if faults:
        raise faults[0]
    name = typed(f"{FORM}:name").strip() or free_name(looked_at[0].name, _names(ws))
    refuse_name(ws, name)
    notebook = state.widget_value(f"{FORM}:notebook:{round_no}")
    notebooks = [store_upload(ws, notebook)] if notebook else kept_files(NOTEBOOK)
    fields = {
        **{field: typed(f"{FORM}:{key}") for key, field in FIELDS.items()},
        "name": name,
        "files": [file.payload() for file in [*kept_files(FILES), *(store_upload(ws, each) for each in uploads)]],
        "notebook": notebooks[0].payload() if notebooks else None,
        "synthetic": bool(state.widget_value(f"{FORM}:synthetic")),
        "created_by": current_user(),
    }
    if kept_files(FILES) and (encoding := state.recall(ENCODING)):
        fields["encoding"] = encoding
    job = order("seed_add", fields, key=FORM)
    if not is_order_of(job, fields):
        return  # another seed is at work, as the message says: the files and texts wait for its end
    release_uploads([*uploads, *([notebook] if notebook else [])])
    state.remember("seed:round", round_no + 1)
    keep_files(FILES, [])
    keep_files(NOTEBOOK, [])
    state.put_widget_value(f"{FORM}:box", False)
    sent(*(f"{FORM}:{field}" for field in FIELDS))


def _names(ws: Workspace) -> list[str]:
    return [seed.name for seed in list_seeds(ws)]


def _files_key() -> str:
    return f"{FORM}:files:{state.recall('seed:round', 0)}"


def _fill(field: str, text: str) -> None:
    state.replace_text(f"{FORM}:{field}", text)
    keep(f"{FORM}:{field}", text or None)


def _kept_uploads(ws: Workspace) -> list[Upload]:
    """Return the kept files as they are checked: name, size, first bytes."""
    found = []
    for file in kept_files(FILES):
        path = ws.blob_path(file.digest)
        head = b""
        if path.is_file():
            with path.open("rb") as stream:
                head = stream.read(HEAD_BYTES)
        found.append(Upload(file.name, kept_size(ws, file), head))
    return found


def _looked_at(upload: Any, limit: int | None = None) -> Upload:  # Streamlit's own class, as a test may stand in
    """Return an uploaded file as it is checked: its first `limit` bytes, or all."""
    return Upload(upload.name, upload.size, bytes(upload.getbuffer()[:limit]) if limit else upload.getvalue())
