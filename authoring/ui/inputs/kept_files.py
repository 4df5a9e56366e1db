"""Files of an earlier order, which stay in the workspace's store and go along when a form is sent again."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import streamlit as st
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.scriptrunner import get_script_run_ctx

from authoring.store.workspace import Workspace
from authoring.ui import state
from authoring.ui.boundary import ANYONE, writes
from authoring.ui.wording import label, size_words


class KeptFile(NamedTuple):
    """A file that an earlier order put into the store."""

    name: str
    digest: str

    def payload(self) -> dict[str, str]:
        """Return it as orders name it."""
        return {"name": self.name, "digest": self.digest}


def store_upload(ws: Workspace, upload: Any) -> KeptFile:  # Streamlit's own class, as a test may stand in
    """Put the bytes of an uploaded file into the store."""
    return KeptFile(upload.name, ws.put_bytes(upload.getvalue()))


def release_uploads(uploads: Iterable[Any]) -> None:
    """Let the server forget the bytes of uploads that are in the store by now; only in a callback, once they are sent.

    It would hold them in memory until the browser's tab is closed. The field must get another key.
    """
    context = get_script_run_ctx()
    if context is None or not isinstance(context.uploaded_file_mgr, MemoryUploadedFileManager):
        return
    for upload in uploads:
        context.uploaded_file_mgr.remove_file(session_id=context.session_id, file_id=upload.file_id)


def kept_files(slot: str) -> list[KeptFile]:
    """Return the files that go along again in a field of a form."""
    found: list[KeptFile] = state.recall(f"{slot}:kept", [])
    return found


def keep_files(slot: str, ordered: Sequence[Mapping[str, Any] | None]) -> None:
    """Let files that an order names go along again in a field of a form; none: forget them."""
    state.remember(f"{slot}:kept", [KeptFile(file["name"], file["digest"]) for file in ordered if file])


def kept_size(ws: Workspace, file: KeptFile) -> int:
    """Return how many bytes a kept file has; 0 when the store has lost it."""
    path = ws.blob_path(file.digest)
    return path.stat().st_size if path.is_file() else 0


def draw_kept(ws: Workspace, form: str, slots: Mapping[str, str], *, then: str) -> None:
    """Draw the files that go along again, each with a button that leaves it out.

    Args:
        ws: The workspace.
        form: Begins the buttons' keys.
        slots: The fields of the form, each with what its files are called.
        then: What happens when another file is chosen, as the end of a sentence.
    """
    found = [(slot, role, file) for slot, role in slots.items() for file in kept_files(slot)]
    if found:
        st.caption(f"Sent before, and sent again {then}:")
    for number, (slot, role, file) in enumerate(found):
        with st.container(horizontal=True, vertical_alignment="center"):
            called = f"{role} · " if role else ""
            size = size_words(kept_size(ws, file))
            st.markdown(f":material/attach_file: {label(file.name)} · {called}{size}", width="content")
            st.button(
                "Leave out", key=f"{form}:drop:{number}", type="tertiary", icon=":material/close:", on_click=leave_out,
                args=(slot, file.digest),
            )  # fmt: skip


@writes(ANYONE)
def leave_out(slot: str, digest: str) -> None:
    """Take a file of the earlier order out of this one."""
    keep_files(slot, [file.payload() for file in kept_files(slot) if file.digest != digest])
