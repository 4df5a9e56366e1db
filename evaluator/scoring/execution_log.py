"""What an agent executed at one problem, as text: how it is written, and what each score reads of it.

An execution's text is that of CIBench's interpreter (arXiv:2407.10499): its outputs in order, each with its kind above
it and a fence around it, cut to 1,024 characters. Published predictions hold nothing else, so that theirs and ours are
read by the same rules.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

TRIM: Final = 1024  # characters that the published interpreter leaves of an execution's text
NO_OUTPUT: Final = "The code is succeed without any outputs."
"""Stands for the text of an execution that showed nothing, to the letter: published predictions hold it."""
_CUT: Final = "......"
_PNG: Final = "image/png"
_VALUE_KINDS: Final = (
    "execute_result",
    "stdout",
    "display_data",
)  # in which numbers are looked for soundly, best first
_FENCE_OPENS, _FENCE_CLOSES = "```\n", "\n```"
_BLOCK_OPENS: Final = re.compile(r"(?:\A|\n\n)(stdout|stderr|execute_result|display_data|error):\n\n```\n")
_BLOCK_CLOSES: Final = re.compile(r"\n```(?=\n\n|\Z)")
_LINK: Final = re.compile(r"!\[fig-[0-9]*\]\(")
_COLOUR: Final = re.compile(r"(?:\x1b[@-_]|[\x80-\x9f])[0-?]*[ -/]*[@-~]")


class Block(NamedTuple):
    """One output in an execution's text."""

    kind: str  # stdout | stderr | execute_result | display_data | error
    text: str


@dataclass(frozen=True)
class Execution:
    """One execution of an agent's code."""

    succeeded: bool
    text: str | None = None  # what the agent was told; None: no result, as published predictions keep of a failed one
    figures: tuple[str, ...] = ()  # where the pictures are that it showed, in order

    @property
    def blocks(self) -> tuple[Block, ...]:
        """The outputs that its text holds; one that was cut in two is none."""
        found, position, text = [], 0, self.text or ""
        while (opened := _BLOCK_OPENS.search(text, position)) is not None:
            closed = _BLOCK_CLOSES.search(text, opened.end())
            if closed is None:
                break
            found.append(Block(opened[1], text[opened.end() : closed.start()]))
            position = closed.end()
        return tuple(found)


@dataclass(frozen=True)
class ExecutionLog:
    """All executions at one problem, in order."""

    executions: tuple[Execution, ...] = ()

    @property
    def used_tool(self) -> bool:
        """Whether anything was executed."""
        return bool(self.executions)

    @property
    def is_executable(self) -> bool:
        """Whether the last execution succeeded."""
        return self.used_tool and self.executions[-1].succeeded

    def _with_text(self) -> Iterator[str]:
        """Yield the texts of the executions that have a result, last one first."""
        for execution in reversed(self.executions):
            if execution.text is not None:
                yield execution.text

    @property
    def last_success(self) -> Execution | None:
        """The last successful execution."""
        return next((each for each in reversed(self.executions) if each.succeeded), None)

    def value_text(self, *, sound: bool) -> str | None:
        """Return the text that numbers are looked for in; None: there is none.

        As published: the first `execute_result`, else the first `stdout`, of the last successful execution that has
        one. Soundly: the last `execute_result`, else all of `stdout`, else all that was displayed as text, of the last
        successful execution.
        """
        if sound:
            return self._sound_value()
        for text in self._with_text():
            for kind in ("execute_result", "stdout"):
                found = _first_fenced(text, f"{kind}:\n\n{_FENCE_OPENS}")
                if found is not None:
                    return found
        return None

    def _sound_value(self) -> str | None:
        blocks = self.last_success.blocks if self.last_success is not None else ()
        texts = {kind: [block.text for block in blocks if block.kind == kind] for kind in _VALUE_KINDS}
        values, printed, displayed = (texts[kind] for kind in _VALUE_KINDS)
        return values[-1] if values else "\n".join(printed or displayed) or None

    def shown_text(self, *, sound: bool) -> str | None:
        """Return the text that likeness is measured of; None: there is none.

        As published: the first fenced text of any kind, warnings too, of the last successful execution that has one.
        Soundly: everything but `stderr` of the last successful execution.
        """
        if sound:
            return self._sound_text()
        for text in self._with_text():
            found = _first_fenced(text, _FENCE_OPENS)
            if found is not None:
                return found
        return None

    def _sound_text(self) -> str | None:
        blocks = self.last_success.blocks if self.last_success is not None else ()
        shown = [block.text for block in blocks if block.kind != "stderr"]
        return "\n".join(shown) if shown else None

    def figures(self) -> tuple[str, ...]:
        """Return where the pictures of the last execution with a result are; an earlier one's never count."""
        last = next((each for each in reversed(self.executions) if each.text is not None), None)
        return last.figures if last is not None else ()


def _first_fenced(text: str, opening: str) -> str | None:
    """Return what stands between the first opening and the fence that closes it, in one pass; None: nothing does."""
    begin = text.find(opening)
    end = text.find(_FENCE_CLOSES, begin + len(opening)) if begin >= 0 else -1
    return text[begin + len(opening) : end] if end >= 0 else None


def picture_links(text: str) -> tuple[str, ...]:
    """Return the targets of the figure links in a text, in order; however long the text is, in one pass."""
    found, position = [], 0
    while (opened := _LINK.search(text, position)) is not None:
        end = text.find(")", opened.end())
        if end < 0:
            break
        found.append(text[opened.end() : end])
        position = end + 1
    return tuple(found)


def execution_text(outputs: Iterable[Mapping[str, Any]], *, limit: int | None = TRIM) -> str:
    """Return the text of an execution.

    Args:
        outputs: Shaped as in nbformat. A displayed PNG has no text; neighbouring chunks of one stream are joined.
        limit: The most characters of it; None: all.
    """
    blocks = list(_joined(_blocks(outputs)))
    text = "".join(f"\n\n{block.kind}:\n\n```\n{block.text}\n```" for block in blocks if block.text)
    if limit is not None and len(text) > limit:
        half = (limit - len(_CUT)) // 2
        text = text[:half] + _CUT + text[-half:]
    return text.lstrip("\n")


def _blocks(outputs: Iterable[Mapping[str, Any]]) -> Iterator[Block]:
    for output in outputs:
        kind = str(output.get("output_type"))
        if kind == "stream":
            yield Block(str(output.get("name", "stdout")), text_of(output.get("text")))
        elif kind == "error":
            traceback = output.get("traceback") or ()
            yield Block(kind, _COLOUR.sub("", "\n".join(map(str, traceback))))
        elif kind in ("execute_result", "display_data"):
            data = output.get("data") or {}
            if kind == "execute_result" or _PNG not in data:
                yield Block(kind, text_of(data.get("text/plain")))


def _joined(blocks: Iterable[Block]) -> Iterator[Block]:
    waiting: Block | None = None
    for block in blocks:
        if waiting is not None and waiting.kind == block.kind and block.kind in ("stdout", "stderr"):
            waiting = Block(block.kind, waiting.text + block.text)
            continue
        if waiting is not None:
            yield waiting
        waiting = block
    if waiting is not None:
        yield waiting


def text_of(written: object) -> str:
    """Return a text that nbformat may keep as a list of lines."""
    if isinstance(written, (list, tuple)):
        return "".join(part for part in written if isinstance(part, str))
    return written if isinstance(written, str) else ""
