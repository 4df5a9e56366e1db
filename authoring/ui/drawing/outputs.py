"""Draw the outputs of problem code. What is drawn was cleaned by `blocks`; the drawing itself trusts nothing either."""

import html
from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from authoring.ui.drawing import ansi
from authoring.ui.drawing.blocks import Block, BlockKind, error_block, render_blocks
from authoring.ui.drawing.markup import columns_cut
from authoring.ui.wording import label, plural


def draw_outputs(outputs: Sequence[Mapping[str, Any]], *, key: str, empty: str = "No output.") -> None:
    """Draw nbformat-shaped outputs.

    Args:
        outputs: As stored, hostile.
        key: Names what the outputs belong to; the downloads' widget keys begin with it.
        empty: What to say when there is nothing to draw.
    """
    blocks = render_blocks(outputs)
    if not blocks:
        st.caption(empty)
    for number, block in enumerate(blocks):
        draw_block(block, key=f"{key}:{number}", name=f"output {number + 1} of {len(blocks)}: {block.title}")


def draw_error(error: Mapping[str, Any], *, key: str, cell: str = "") -> None:
    """Draw an exception that was stored as name, message and traceback; `cell` is what to call the executed cell."""
    block = error_block(
        str(error.get("name") or error.get("ename") or "Error"),
        str(error.get("message") or error.get("evalue") or ""),
        str(error.get("traceback") or ""),
        cell=cell,
    )
    draw_block(block, key=key)


def draw_block(block: Block, *, key: str, name: str = "") -> None:
    """Draw one block; `name` tells screen readers which of several it is, and is plain text."""
    named = html.escape(name or block.title)
    match block.kind:
        case BlockKind.TEXT:
            _draw_text(block, key, named)
        case BlockKind.ERROR:
            _draw_traceback(block)
        case BlockKind.PICTURE:
            _draw_picture(block, key)
        case BlockKind.DRAWING:
            st.image(block.text, alt=block.title)
        case BlockKind.TABLE:
            _draw_table(block, named)
        case BlockKind.MARKDOWN:
            st.markdown(block.text)
        case BlockKind.CHART:
            st.vega_lite_chart(spec=dict(block.spec or {}), width="stretch", alt=block.title)
        case BlockKind.FILE:
            _draw_download(block, key)


def draw_grid(table: str, *, title: str) -> None:
    """Draw what `cell_grid` made in a frame that scrolls; `title` is read to who does not see it."""
    named = html.escape(ansi.plain_text(title), quote=True)
    st.html(f'<div class="bw-table bw-grid" role="region" aria-label="{named}" tabindex="0">{table}</div>')


def _draw_text(block: Block, key: str, named: str) -> None:
    if not block.text.strip():
        return
    kind = "bw-stderr" if block.title == "standard error" else "bw-stdout"
    st.html(f'<pre class="bw-pre {kind}" role="group" aria-label="{named}" tabindex="0">{block.text}</pre>')
    if block.data:
        _draw_download(block, key)


def _draw_table(block: Block, named: str) -> None:
    st.html(f'<div class="bw-table" role="group" aria-label="{named}, table" tabindex="0">{block.text}</div>')
    if cut := columns_cut(block.text):
        st.caption(f"{cut.shown:,} of {cut.all:,} columns: the rest was left out where the table was written as text.")


def _draw_picture(block: Block, key: str) -> None:
    try:
        st.image(block.data, alt=block.title)
    except (OSError, ValueError, SyntaxError, EOFError):  # a sound header over damaged data: what Pillow raises
        st.caption("This picture is damaged.")
        _draw_download(block, key)


def _draw_traceback(block: Block) -> None:
    with st.expander(label(block.title), expanded=True, icon=":material/error:"):
        if block.text.strip():
            named = html.escape(f"traceback of {block.title}")
            pre = f'<pre class="bw-pre bw-error" role="group" aria-label="{named}" tabindex="0">'
            frames = plural(block.folded, "frame")
            rest = f"<details><summary>With {frames} of libraries</summary>{pre}{block.whole}</pre></details>"
            st.html(f"{pre}{block.text}</pre>{rest if block.folded else ''}")
        else:
            st.caption("No traceback was recorded.")


def _draw_download(block: Block, key: str) -> None:
    """Offer what is not drawn, under a type that no browser opens by itself."""
    st.download_button(
        f"Download raw · {label(block.title)}",
        data=block.data,
        file_name="output.bin",
        mime="application/octet-stream",
        key=f"{key}:download",
        icon=":material/download:",
        on_click="ignore",
    )
