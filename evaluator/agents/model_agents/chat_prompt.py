"""What `chat` sends: rules, examples and the blocks of a request, in the order that was chosen."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from evaluator.agents.model_agents.replies import indented, prompt_text
from evaluator.agents.model_agents.shots import Repair, RepairRound, Shot
from evaluator.models import Message

CELL_MARK = "# %%"


@dataclass(frozen=True)
class PromptStyle:
    """How requests are laid out, and by which rules they are answered."""

    context: str = "vcq"  # blocks in order: v variables, c code, q query
    thinks: bool = False  # asks to reason before the code
    has_intact_rule: bool = True  # variables stay as they are unless the request asks for a change

    def system(self, *, repairs: bool = False) -> str:
        """Return the system message."""
        rules = [prompt_text("chat_system")]
        rules += [prompt_text("chat_rule_intact")] if self.has_intact_rule else []
        rules += [prompt_text("chat_rule_thinking")] if self.thinks else []
        rules += [prompt_text("chat_rules_repair")] if repairs else []
        return "\n".join(rules)

    def request(self, query: str, variables: Mapping[str, str], cells: Sequence[str], *, thinks: bool = False) -> str:
        """Return the blocks of one request; an empty block says so."""
        blocks = {
            "v": _block("Variables", (f"{name}: {text}" for name, text in variables.items()), "No variables yet."),
            "c": _block(
                "Executed code", (f"{CELL_MARK}\n{cell.rstrip()}\n" for cell in cells), "No code executed yet."
            ),
            "q": f"### Request\n\n{query.rstrip() or 'The request is unclear.'}",
        }
        if thinks:
            blocks["q"] += "\nReason step by step before you write the code."
        return "\n\n".join(blocks[kind] for kind in self.context)

    def example(self, shot: Shot) -> tuple[Message, Message]:
        """Return an example as a turn of the user and one of the assistant."""
        code = shot.code if self.has_intact_rule else shot.code_without_rule or shot.code
        answer = fenced(code)
        if self.thinks and shot.rationale:
            answer = f"{shot.rationale}\n\n{answer}"
        asked = self.request(shot.query, shot.variables, shot.cells, thinks=self.thinks)
        return Message("user", asked), Message("assistant", answer)

    def repair_example(self, repair: Repair) -> list[Message]:
        """Return an example of a repair: the request, the attempt, and each complaint with its answer."""
        asked = self.request(repair.query, repair.variables, repair.cells)
        turns = [Message("user", asked), Message("assistant", fenced(repair.code))]
        for number, mended in enumerate(repair.rounds, 1):
            turns.append(Message("user", complaint(mended.error, mended.output, mended.hint, number=number)))
            turns.append(Message("assistant", repair_answer(mended)))
        return turns


def _block(title: str, parts: Iterable[str], empty: str) -> str:
    shown = "\n".join(parts)
    return f"### {title}\n\n{shown.rstrip()}" if shown else empty


def fenced(code: str) -> str:
    """Return code as a fenced block."""
    return f"```python\n{code.rstrip()}\n```"


RIGHT = "THE CODE IS RIGHT."
"""With this phrase a model declares code right that it was asked to mend."""
EXPLANATION, OBSERVATION, FIXED = "Line by line:", "What is wrong:", "The mended code:"
"""The parts of an answer that mends code."""


def complaint(
    error: str | None, output: str | None, hint: str | None, *, number: int, asks_otherwise: bool = False
) -> str:
    """Return what is said of an attempt: how it ended, what it showed, a hint, and what is asked.

    Args:
        error: Its traceback; None: it raised nothing.
        output: What it showed; empty or None: nothing.
        hint: Of the user; None: there is none.
        number: Of the complaint at this problem, from 1.
        asks_otherwise: The model declared the same code right before: it shall try another way.
    """
    lead = "This code has a problem." if number == 1 else "The code still has a problem."
    parts = [
        lead,
        f"- It raised:\n{indented(error.rstrip(), '  ')}" if error else "- It raised no exception.",
        f"- It showed:\n{indented(output.rstrip(), '  ')}" if output and output.strip() else "- It showed nothing.",
        f"- A hint: {hint.rstrip()}" if hint else "- There is no hint.",
        prompt_text("chat_repair_otherwise" if asks_otherwise else "chat_repair_request"),
    ]
    return "\n\n".join(parts)


def repair_answer(mended: RepairRound) -> str:
    """Return how an answer that mends code is laid out."""
    parts = [f"{EXPLANATION}\n{mended.explanation.rstrip()}", f"{OBSERVATION}\n{mended.observation.rstrip()}"]
    return "\n\n".join([*parts, *([f"{FIXED}\n\n{fenced(mended.code)}"] if mended.code else [])])
