"""Small CIBench notebooks, written in memory, and strategies for all kinds of them."""

import base64
import io
import json
from pathlib import Path
from typing import Any

import numpy as np
from hypothesis import strategies as st
from PIL import Image


def png(level: int = 200, size: int = 16) -> bytes:
    """A plain picture of three channels."""
    file = io.BytesIO()
    Image.fromarray(np.full((size, size, 3), level, dtype=np.uint8)).save(file, "PNG")
    return file.getvalue()


def shown(picture: bytes) -> dict[str, Any]:
    data = {"image/png": base64.b64encode(picture).decode(), "text/plain": ["<Figure>"]}
    return {"output_type": "display_data", "data": data, "metadata": {}}


def printed(text: str, name: str = "stdout") -> dict[str, Any]:
    return {"output_type": "stream", "name": name, "text": text.splitlines(keepends=True)}


def value(text: str) -> dict[str, Any]:
    return {"output_type": "execute_result", "execution_count": 1, "metadata": {}, "data": {"text/plain": [text]}}


def ask(text: str) -> dict[str, Any]:
    return {"cell_type": "markdown", "metadata": {}, "source": text.splitlines(keepends=True)}


def answer(code: str, *outputs: dict[str, Any]) -> dict[str, Any]:
    return {"cell_type": "code", "execution_count": 1, "metadata": {}, "outputs": list(outputs),
            "source": code.splitlines(keepends=True)}  # fmt: skip


def book(*cells: dict[str, Any], **metadata: Any) -> dict[str, Any]:
    return {"cells": list(cells), "metadata": metadata, "nbformat": 4, "nbformat_minor": 4}


def write(path: Path, content: dict[str, Any]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(content), encoding="utf-8")
    return path


WORDS = st.text(alphabet="abc dé均值?.,:*#-_'\"\\", min_size=1, max_size=30).filter(lambda text: text.strip() != "")
CODE = st.lists(st.sampled_from(["x = 1", "x + 1", "print('a\\n')", "for i in [1]:\n    i", "# note", "", "%time 1"]),
                min_size=1, max_size=4).map("\n".join)  # fmt: skip
OUTPUTS = st.lists(
    st.one_of(
        st.text(alphabet="ab1\n", max_size=8).map(printed),
        st.text(alphabet="ab1", max_size=8).map(value),
        st.just(printed("careful", "stderr")),
        st.just(shown(png())),
    ),
    max_size=3,
)


@st.composite
def books(draw: st.DrawFn) -> dict[str, Any]:
    """A notebook as one might find it: thoughts, raw cells, ids, own metadata, with and without the two lists."""
    steps = draw(st.integers(1, 4))
    cells: list[dict[str, Any]] = []
    for number in range(steps):
        query = draw(WORDS)
        if draw(st.booleans()):
            query += f"\n\nThought: {draw(WORDS)}"
        cells.append(ask(query))
        if draw(st.booleans()):
            cells.append({"cell_type": "raw", "metadata": {}, "source": "between"})
        cells.append(answer(draw(CODE), *draw(OUTPUTS)) | {"metadata": draw(st.sampled_from([{}, {"tags": ["a"]}]))})
        if draw(st.booleans()):
            cells[-1]["id"] = f"cell-{number}"
    metadata: dict[str, Any] = {"kernelspec": {"name": "python3"}}

    def one_each(values: list[str]) -> list[str]:
        return draw(st.lists(st.sampled_from(values), min_size=steps, max_size=steps))

    if draw(st.booleans()):
        metadata["step_types"] = one_each(["exec", "num", "text", "vis"])
        if draw(st.booleans()):
            metadata["modules"] = one_each(["pandas", "numpy & scipy"])
    return book(*cells, **metadata)
