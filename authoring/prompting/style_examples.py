"""Steps in the style of a notebook that are bad and how they are mended, as a model is shown them.

The examples are a problemset of their own, `prompt_files/topic_examples.md`: each problem tagged `bad` and with what is
told of it, its `notes` say how to mend it, and the problem below it, tagged `good`, is the mended one.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from typing import Final

from authoring.prompting.prompts import shipped_prompt
from evaluator.language import Problem, parse_problemset

EXAMPLES: Final = "topic_examples"  # the prompt file with the examples


@dataclass(frozen=True)
class StyleExample:
    """A bad step and the good one that came of it."""

    fault: str  # the code of what is told of the bad one, such as "style-open"
    mending: str  # what to do about it
    bad: Problem
    good: Problem


@cache
def style_examples() -> tuple[StyleExample, ...]:
    """Return the examples in the order of the file."""
    parsed = parse_problemset(shipped_prompt(EXAMPLES).text, name=EXAMPLES).problemset
    assert parsed is not None, "a shipped file that tests parse"
    pairs = zip(parsed.problems[::2], parsed.problems[1::2], strict=True)
    return tuple(
        StyleExample(str(bad.metadata["tags"][1]), " ".join(str(bad.metadata["notes"]).split()), bad, good)
        for bad, good in pairs
    )


def style_examples_text() -> str:
    """Return all examples as the part of a prompt that shows them."""
    return "\n\n".join(_text(example) for example in style_examples())


def mending_text(faults: Iterable[str]) -> str:
    """Return the examples of faults that are told of an answer, each once; empty when none has one."""
    told = dict.fromkeys(faults)
    shown = [_text(example) for example in style_examples() if example.fault in told]
    return "Mended like this:\n\n" + "\n\n".join(shown) if shown else ""


def _text(example: StyleExample) -> str:
    parts = (("Bad", example.bad), ("Good", example.good))
    bad, good = (
        f"{title}: {' '.join(problem.query.split())}\n```python\n{_shown_code(problem.code)}\n```"
        for title, problem in parts
    )
    return f"{bad}\n{example.mending} (`{example.fault}`)\n{good}"


def _shown_code(code: str) -> str:
    """Return code without its imports, which are the same in both."""
    lines = [line for line in code.strip().splitlines() if not line.startswith(("import ", "from "))]
    return "\n".join(lines).strip()
