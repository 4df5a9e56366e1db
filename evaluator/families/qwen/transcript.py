"""A ReAct transcript of the Qwen benchmark: its actions, observations and figures, read as published or soundly.

A transcript is what a model wrote, with the observations between: lines that begin with `Thought:`, `Action:`,
`Action Input:`, `Observation:`. All text in it is hostile; nothing of it is executed.
"""

import json
from collections.abc import Iterator
from typing import Final, NamedTuple

from evaluator.agents.model_agents.react import marked_code
from evaluator.scoring.execution_log import picture_links

ACTION: Final = "\nAction:"
ACTION_INPUT: Final = "\nAction Input:"
OBSERVATION: Final = "\nObservation:"
THOUGHT: Final = "\nThought:"
END_MARK: Final = "<|im_end|>"
"""Stands in a query that gives a first action: what comes before it is the user's text."""
_FAILED: Final = ("error:", "Traceback")
_FIGURE: Final = "![fig-"
MAX_PARTS: Final = 1000  # actions, observations or figures of one transcript that are looked at


def action_inputs(text: str, *, first_only: bool = False, sound: bool = False) -> tuple[str, ...]:
    """Return what was given to the interpreter, in order.

    Args:
        text: The transcript, with a line end before it where it begins with an action.
        first_only: Only the first one, as for visualization and general.
        sound: Each in its place. As published, the text that follows an input begins where that input occurs for the
            first time and ends where it occurs again: code that is repeated word for word hides what follows it.
    """
    found: list[str] = []
    rest = text
    while (part := _first(rest, ACTION_INPUT, OBSERVATION)) is not None and part.text:
        found.append(part.text)
        if first_only or len(found) == MAX_PARTS:
            break
        rest = rest[part.end :] if sound else rest.split(part.text, 2)[1]
        if not rest:
            break
    return tuple(found)


class _Part(NamedTuple):
    text: str  # stripped
    end: int  # where it ends in the text that was searched


def _first(text: str, opening: str, closing: str) -> _Part | None:
    begin = text.find(opening)
    if begin < 0:
        return None
    end = text.find(closing, begin)
    stop = len(text) if end < 0 else end
    return _Part(text[begin + len(opening) : stop].strip(), stop)


def code_of(action_input: str) -> str:
    """Return the code of an action input: the first fence, else the first span in backticks, else JSON, else all."""
    marked = marked_code(action_input)
    if marked is not None:
        return marked
    try:
        written = json.loads(action_input)
    except (ValueError, RecursionError):
        return action_input
    code = written.get("code") if isinstance(written, dict) else None
    return code if isinstance(code, str) else action_input


def joined_code(inputs: tuple[str, ...]) -> str:
    """Return the code of several action inputs, one below the other, as result files keep it."""
    return "".join(f"# concat\n{code_of(each)}\n" for each in inputs)


def observations(text: str) -> Iterator[str]:
    """Yield what the interpreter answered, in order."""
    position = 0
    while (begin := text.find(OBSERVATION, position)) >= 0:
        start = begin + len(OBSERVATION)
        ends = [end for mark in (THOUGHT, OBSERVATION) if (end := text.find(mark, start)) >= 0]
        position = min(ends, default=len(text))
        yield text[start:position].strip()


def failed(observation: str) -> bool:
    """Return whether an observation tells of a failure, by the words that the published program looks for."""
    return any(word in observation for word in _FAILED)


def figure_links(text: str, *, sound: bool) -> tuple[str, ...]:
    """Return where the figures of a transcript lie, in order; as published two links on one line become one."""
    found = picture_links(text) if sound else tuple(filter(None, map(_published_link, text.split("\n"))))
    return found[:MAX_PARTS]


def _published_link(line: str) -> str:
    """Return the one link that the published program finds in a line: from the last bracket to the last parenthesis."""
    begin, end = line.find(_FIGURE), line.rfind(")")
    turn = line.rfind("](", begin + len(_FIGURE) + 1, end - 1) if 0 <= begin < end else -1
    return line[turn + 2 : end] if turn >= 0 else ""


def shows_soundly(text: str, links: tuple[str, ...]) -> bool:
    """Return whether some figure stands in an observation that tells of no failure before it."""
    for link in links:
        shown = text[: text.find(link) + len(link)]
        if not failed(shown[shown.rfind(OBSERVATION) + len(OBSERVATION) :]):
            return True
    return False
