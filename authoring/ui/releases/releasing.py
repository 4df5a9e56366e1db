"""Creating releases, downloading them, and importing published benchmarks."""

import io
import re
import zipfile
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import streamlit as st

from authoring.release import VERSION, verify_release
from authoring.store import jobs
from authoring.store.jobs import Job
from authoring.store.people import Role
from authoring.store.releases import Release, SetEvidence, list_released, list_set_evidence
from authoring.store.releases import select as list_releases
from authoring.store.statuses import ProblemsetStatus
from authoring.store.workspace import Workspace
from authoring.ui import state
from authoring.ui.boundary import ANYONE, show_error, show_message, writes
from authoring.ui.drawing.markup import safe_markdown
from authoring.ui.jobs import order
from authoring.ui.releases.release_diff import draw_difference
from authoring.ui.seeds.order_results import draw_done, draw_outcome
from authoring.ui.shell.auth import current_user
from authoring.ui.shell.navigation import page_link
from authoring.ui.widgets import PAGE_SIZE, draw_pager, form_box
from authoring.ui.wording import ago, label, plural
from authoring.ui.workplace import shown_path, workspace
from evaluator.errors import ContentError, ToolkitError

JOB_KEY: Final = "release:app"
CHOSEN_KEY: Final = "release:chosen"
_SAFE = re.compile(r"[A-Za-z0-9_.-]{1,60}")
FIELDS: Final = {
    "name": (_SAFE, "1 to 60 letters, digits, dots, dashes or underscores"),
    "version": (VERSION, "1 to 40 letters, digits, '.', '-', '_' and '+', such as 1.0"),
}
REFUSED: Final = "release:refused"  # why the last press was refused, and what the form held
LEVELS: Final = ("easy", "medium", "hard")  # of difficulty, always named, so that a gap shows
MAX_NAMES: Final = 20
DIGEST_CHARS: Final = 12  # that tell releases apart
MAX_CARD_BYTES: Final = 500_000
_FIXED_TIME: Final = (1980, 1, 1, 0, 0, 0)  # the same release is the same bytes, whenever it is downloaded


def draw_create_form(accepted: Sequence[SetEvidence], made: Sequence[Release]) -> None:
    """Draw the name and version of the next release and what will be in it; `made` are the releases so far."""
    by_name = {f"{each.name}@{each.number}": each for each in accepted}
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.text_input("Name", key="release:name", placeholder="for example my-benchmark", width=260)
        st.text_input("Version", key="release:version", placeholder=f"for example {_next_version(made)}", width=180)
        st.text_input(
            "Licence of queries and code", key="release:licence", placeholder="for example CC-BY-4.0", width=220
        )
        st.button(
            "Create the release", key="release:send", type="primary", icon=":material/inventory_2:", on_click=create
        )
    with st.container():
        _draw_faults()
    picked = st.multiselect(
        "Problemsets",
        list(by_name),
        key=CHOSEN_KEY,
        format_func=lambda ref: by_name[ref].name if ref in by_name else ref,
        placeholder="all that are accepted",
    )
    held = [by_name[ref] for ref in picked] or accepted
    names = ", ".join(f"{label(each.name)} (revision {each.number})" for each in held[:MAX_NAMES])
    more = f" and {len(held) - MAX_NAMES} more" if len(held) > MAX_NAMES else ""
    left = f" {plural(len(accepted) - len(held), 'accepted problemset')} left out." if len(held) < len(accepted) else ""
    st.caption(f"It will hold {plural(len(held), 'problemset')}: {names}{more}.{left}")
    st.caption(f":material/stairs: {level_words(held)}")


def _draw_faults() -> None:
    """Say below the fields what is wrong with what they hold, or why the last press was refused."""
    typed = {field: _typed(field) for field in FIELDS}
    faults = {field: _fault(field, text) for field, text in typed.items() if text}
    for field, fault in faults.items():
        if fault is None:
            continue
        show_error(fault)
        if field == "name" and (near := re.sub(r"[^A-Za-z0-9_.-]+", "-", typed[field]).strip(".-")[:60]):
            st.button(
                f"Call it {label(near)}", key="release:near", icon=":material/check:", on_click=call_it, args=(near,)
            )
    refused, filled_in = state.recall(REFUSED, (None, None))
    if refused is not None and not any(faults.values()) and filled_in == (*typed.values(), *chosen_sets()):
        show_message(refused)


def _typed(field: str) -> str:
    return str(state.widget_value(f"release:{field}") or "").strip()


@writes(ANYONE)
def call_it(name: str) -> None:
    """Put a name into the field."""
    state.put_widget_value("release:name", name)


def level_words(held: Sequence[SetEvidence]) -> str:
    """Return how many problems some sets have, by the difficulty that their dry runs measured."""
    judged = [each.dry_run for each in held if each.dry_run is not None]
    counts = Counter(str(level) for dry_run in judged for level in dry_run.summary.get("levels", {}).values())
    parts = [f"{counts.pop(level, 0):,} {level}" for level in LEVELS]
    parts += [f"{count:,} {label(level)}" for level, count in sorted(counts.items())]
    total = sum(len(dry_run.problems) for dry_run in judged)
    measured = sum(len(dry_run.summary.get("levels", {})) for dry_run in judged)
    if measured < total:
        parts.append(f"{total - measured:,} not measured: run their dry run again")
    return f"{plural(total, 'problem')}: {', '.join(parts)}"


def chosen_sets() -> list[str]:
    """Return what was chosen of the accepted problemsets, as NAME@REVISION; none: all of them."""
    return [str(ref) for ref in state.widget_value(CHOSEN_KEY) or ()]


def _next_version(made: Sequence[Release]) -> str:
    """Return what comes after the version of the newest release: its last number and one."""
    if not made:
        return "1.0"
    found = re.fullmatch(r"(.*?)(\d{1,9})", max(made, key=lambda each: each.id).version)
    return f"{found[1]}{int(found[2]) + 1}" if found else "1.0"


@writes(Role.MAINTAINER)
def create() -> None:
    """Order a release of what was chosen, or of everything that is accepted; a refusal is told below the fields."""
    try:
        _order_release()
    except ToolkitError as error:
        notice = state.Notice("error", error.what, error.where, error.fix)
        state.remember(REFUSED, (notice, (*(_typed(field) for field in FIELDS), *chosen_sets())))


def _order_release() -> None:
    ws, name, version = workspace(), _typed("name"), _typed("version")
    for field in FIELDS:
        if fault := _fault(field, _typed(field)):
            raise fault
    _refuse_version(ws, name, version)
    licence = _typed("licence")
    out = ws.root / "releases" / f"{name}-{version}"
    payload = {"name": name, "version": version, "licence": licence, "out": str(out), "created_by": current_user()}
    order("release", {**payload, "chosen": chosen_sets()}, key=JOB_KEY)


def _fault(field: str, value: str) -> ContentError | None:
    """Return why a release cannot have that name or version."""
    allowed, which = FIELDS[field]
    if allowed.fullmatch(value) and value.strip("."):
        return None
    what = f"the {field} {value!r} is not allowed" if value else f"the release has no {field}"
    return ContentError(what, where=field.capitalize(), fix=f"use {which}")


def _refuse_version(ws: Workspace, name: str, version: str) -> None:
    """Refuse a version that stands for other revisions; with the same ones it may be the same release again."""
    taken = [each for each in list_releases(ws) if (each.name, each.version) == (name, version)]
    if not taken:
        return
    accepted = [each for each in list_set_evidence(ws) if each.status == ProblemsetStatus.ACCEPTED]
    chosen = chosen_sets()
    held = {each.revision_id for each in accepted if not chosen or f"{each.name}@{each.number}" in chosen}
    for release in taken:
        if {revision_id for revision_id, _ in release.items} != held:
            what = f"{name} {version} exists already and holds other revisions"
            raise ContentError(what, where="Version", fix=f"type another version, such as {_next_version(taken)}")


def draw_release_job(ws: Workspace) -> None:
    """Draw the newest release job: its progress, or the way to what it made."""
    draw_outcome(ws, jobs.find_latest(ws, JOB_KEY), draw_made_release, draw_open_questions)


def draw_made_release(_job: Job, made: Mapping[str, Any]) -> None:
    """Say which release a job made, with the ways on from it."""
    name = f"**{label(str(made.get('name')))} {label(str(made.get('version')))}**"
    size = plural(int(made.get("problems") or 0), "problem")
    draw_done(f"{name} exists already: nothing is changed." if made.get("existed") else f"{name} is made: {size}.")
    if isinstance(release_id := made.get("id"), int):
        page_link("releases", "Open it", icon=":material/arrow_forward:", release=release_id)
        page_link("runs", "Run an agent on it", icon=":material/play_arrow:", on=f"release:{release_id}")


def draw_open_questions(made: Mapping[str, Any]) -> None:
    """Draw what a release leaves open: items of the roundtable, and what looks like data about persons."""
    open_ = [f"the roundtable has left open {item}" for item in made.get("open_items") or ()]
    said = [*open_, *map(str, made.get("personal") or ())]
    for line in said[:MAX_NAMES]:
        st.caption(f":material/warning: {label(line, limit=400)}")
    if len(said) > MAX_NAMES:
        st.caption(f"and {len(said) - MAX_NAMES} more")


def draw_release_row(release: Release) -> None:
    """Draw one release as a row of the list."""
    with st.container(border=True, gap="xsmall"):
        with st.container(horizontal=True, vertical_alignment="center"):
            page_link(
                "releases", f"**{label(release.name)} {label(release.version)}**", icon=":material/inventory_2:",
                release=release.id,
            )  # fmt: skip
            st.caption(f"{ago(release.created_at)} by {label(release.created_by or 'somebody')}", width="content")
        names = ", ".join(label(name) for _, name in release.items[:MAX_NAMES])
        more = f" and {len(release.items) - MAX_NAMES} more" if len(release.items) > MAX_NAMES else ""
        st.markdown(f"{plural(len(release.items), 'problemset')}: {names}{more}")
        if not Path(release.path).is_dir():
            st.warning(
                f"Its folder is gone: {label(shown_path(release.path), limit=300)}", icon=":material/folder_off:"
            )


def draw_release(ws: Workspace, release: Release, others: Sequence[Release]) -> None:
    """Draw one release: download, verification, card, differences to another one."""
    folder = Path(release.path)
    st.caption(
        f"Made {ago(release.created_at)} by {label(release.created_by or 'somebody')} · "
        f"digest {label(release.digest[:DIGEST_CHARS])}",
        help=f"The whole digest: {label(release.digest)}",
    )
    if not folder.is_dir():
        st.warning(f"Its folder is gone: {label(shown_path(release.path), limit=300)}", icon=":material/folder_off:")
        return
    st.caption(f"Folder: {label(shown_path(release.path), limit=300)}")
    with st.container(horizontal=True, vertical_alignment="center"):
        st.download_button(
            "Download .zip",
            data=lambda: zip_folder(folder),
            file_name=f"{release.name}-{release.version}.zip",
            mime="application/zip",
            key=f"release:{release.id}:download",
            icon=":material/download:",
            on_click="ignore",
        )
        st.button(
            "Verify", key=f"release:{release.id}:verify", icon=":material/fact_check:", on_click=verify,
            args=(release.path,), help="Compares every file with its recorded digest.",
        )  # fmt: skip
        page_link("runs", "Run an agent on it", icon=":material/play_arrow:", on=f"release:{release.id}")
    content, card, difference = st.tabs(
        ["Problemsets", "Card", "Differences"], key="r_part", on_change="rerun", bind="query-params"
    )
    if content.open:
        with content:
            offset = draw_pager(len(release.items), key=f"release:{release.id}:items")
            for each in list_released(ws, release.items[offset : offset + PAGE_SIZE]):
                size = plural(each.problems, "problem")
                text = f"**{label(each.name)}** · revision {each.number} · {size}"
                page_link("problemset", text, icon=":material/menu_book:", set=each.problemset_id)
    if card.open:
        with card:
            st.markdown(safe_markdown(_card(folder)))
    if difference.open:
        with difference:
            draw_difference(ws, release, [other for other in others if other.id != release.id])


@writes(*Role)
def verify(path: str) -> None:
    """Compare a release's files with their recorded digests, and say what differs."""
    faults = verify_release(Path(path))
    if not faults:
        state.flash("success", "verified: every file matches its checksum")
        return
    listed = "; ".join(map(str, faults[:MAX_NAMES]))
    what = f"{plural(len(faults), 'file')} not as released: {listed}"
    raise ContentError(what, where=path, fix="restore the named files, or create the release again")


def _card(folder: Path) -> str:
    try:
        with (folder / "README.md").open("rb") as file:
            return file.read(MAX_CARD_BYTES).decode("utf-8", "replace")
    except OSError:
        return "The release holds no card."


def zip_folder(folder: Path) -> bytes:
    """Return a release's folder as the bytes of a zip file: sorted, without dates."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted(folder.rglob("*")):
            if path.is_file() and not path.is_symlink():
                entry = zipfile.ZipInfo(f"{folder.name}/{path.relative_to(folder).as_posix()}", _FIXED_TIME)
                entry.compress_type = zipfile.ZIP_DEFLATED
                entry.external_attr = 0o644 << 16
                archive.writestr(entry, path.read_bytes())
    return buffer.getvalue()


KEY: Final = "import:benchmark"
MAX_NAMED: Final = 20


def draw_import_benchmark() -> None:
    """Draw the form that imports a benchmark."""
    with form_box("Import a benchmark", KEY, icon=":material/upload_file:"):
        st.caption(
            "A .zip of a benchmark's folder, such as a downloaded release. Its problemsets come into the queue with "
            "their data; nothing is executed."
        )
        st.file_uploader("Archive", type=["zip"], key=f"{KEY}:file:{state.recall(KEY, 0)}")
        st.button("Import it", key=f"{KEY}:send", icon=":material/upload_file:", on_click=import_file)


def draw_imported_benchmark(ws: Workspace, job: Job | None) -> None:
    """Draw what became of the newest import of a benchmark, if there was one."""
    draw_outcome(ws, job, _draw_head, _draw_rest)


def _draw_head(_job: Job, made: Mapping[str, Any]) -> None:
    kept = made.get("kept") or []
    draw_done(f"Imported **{label(str(made.get('benchmark')))}**: {plural(len(kept), 'problemset')}.")
    draw_way_to_sets(kept)


def _draw_rest(made: Mapping[str, Any]) -> None:
    draw_sets(made.get("kept") or [], made.get("refused") or [])
    if made.get("own_validators"):
        st.info(
            "It has validators of its own. Put its \\_validators.py into the workspace's folder to judge by them.",
            icon=":material/info:",
        )


def draw_way_to_sets(kept: Sequence[Mapping[str, Any]]) -> None:
    """Draw a link to the problemset that was put into the queue, or to the queue where there are more of them."""
    if len(kept) == 1:
        page_link("problemset", "Open it", icon=":material/arrow_forward:", set=kept[0]["problemset"])
    elif kept:
        page_link("queue", "Open the queue", icon=":material/inbox:")


def draw_sets(kept: Sequence[Mapping[str, Any]], refused: Sequence[Mapping[str, Any]]) -> None:
    """Draw links to several problemsets that were put into the queue, and why others were not."""
    if len(kept) > 1:
        with st.expander("Its problemsets", icon=":material/menu_book:"):
            for each in kept[:MAX_NAMED]:
                page_link("problemset", label(str(each["name"])), icon=":material/menu_book:", set=each["problemset"])
            if len(kept) > MAX_NAMED:
                st.caption(f"and {len(kept) - MAX_NAMED} more: see the queue")
    for each in refused[:MAX_NAMED]:
        why = label(str(each["why"]), limit=400)
        st.warning(f"{label(str(each['name']))} is not in the queue: {why}", icon=":material/block:")
    if len(refused) > MAX_NAMED:
        st.caption(f"and {len(refused) - MAX_NAMED} more that are not in the queue")


@writes(Role.MAINTAINER)
def import_file() -> None:
    """Store the uploaded bytes and order the job that reads them."""
    round_no = state.recall(KEY, 0)
    upload = state.widget_value(f"{KEY}:file:{round_no}")
    if upload is None:
        raise ContentError("no archive was chosen", where="Archive", fix="choose a .zip, then press the button again")
    file = {"name": upload.name, "digest": workspace().put_bytes(upload.getvalue())}
    order("import_benchmark", {"file": file, "created_by": current_user()}, key=KEY)
    state.close_box(KEY)
    state.remember(KEY, round_no + 1)
