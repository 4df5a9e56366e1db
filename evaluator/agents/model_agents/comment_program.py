"""An agent that works as Chapyter does: a practice dialogue, then the query with every cell so far and its output."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final

from evaluator.agents.model_agents.replies import MAX_ANSWER_CHARS, prompt_text, without_thought
from evaluator.agents.model_agents.talk import TalkingAgent
from evaluator.agents.options import PARAMS, Option, whole_number
from evaluator.agents.protocol import AgentCard, HistoryCell, SolveRequest, Submission
from evaluator.models import ContextLengthError

WORDS: Final = 100  # of an output
PRACTICE: Final = ("program_rule", "program_agreed", "program_task", "program_answer", "program_good", "program_fine")
_MARK: Final = "```"

COMMENT_PROGRAM_OPTIONS: Final[Mapping[str, Option]] = MappingProxyType(
    {
        **PARAMS,
        "max_tokens": Option(read=whole_number(1, 1_000_000), default=2048, form="a whole number from 1 on"),
    }
)
"""The options of `comment-program`."""


class CommentProgramAgent(TalkingAgent):
    """Asks a model for a program in which prose is comments."""

    KIND = "comment-program"
    OPTIONS = COMMENT_PROGRAM_OPTIONS

    def describe(self) -> AgentCard:
        """Return the card."""
        return AgentCard(self.name, history=True, asks_ahead=True)

    def solve(self, request: SolveRequest, _tools: object = None) -> Submission:
        """Return the program.

        Raises:
            ToolkitError: If the endpoint gives no answer.
        """
        talk = self.begin_talk(request)
        talk.say("system", prompt_text("program_system"))
        for number, name in enumerate(PRACTICE):
            talk.say("assistant" if number % 2 else "user", prompt_text(name))
        shown = "".join(f"{_cell_text(cell)}\n\n" for cell in request.history)
        talk.say("user", f"{shown}{request.query.rstrip()}")
        if request.feedback is not None:
            came_to = request.feedback.error or request.feedback.output or "(nothing)"
            talk.say("assistant", f"{_MARK}python\n{request.feedback.code}\n{_MARK}")
            talk.say("user", f"That was not right. It came to:\n{came_to}")
        try:
            answer = talk.ask()
        except ContextLengthError as error:
            return talk.too_long(error)
        return talk.submission(program_of(answer.text))


def program_of(reply: str) -> str:
    """Return a reply as a program: its fenced blocks in order, the prose between them as comments; without one, all."""
    text = without_thought(reply[:MAX_ANSWER_CHARS].replace("\r\n", "\n").replace("\x00", ""))
    if _MARK not in text:
        return text.strip("\n")
    lines: list[str] = []
    is_code = False
    for line in text.split("\n"):
        if line.lstrip().startswith(_MARK):
            is_code = not is_code
        elif is_code:
            lines.append(line)
        elif line.strip():
            lines.append(f"# {line.strip()}")
    return "\n".join(lines).strip("\n")


def _cell_text(cell: HistoryCell) -> str:
    """Return a cell in a fence, with its value, else its error, else what it printed."""
    words = _output(cell.outputs).split(" ")
    shown = " ".join(words[:WORDS]) + (" ..." if len(words) > WORDS else "")
    return f"{_MARK}python\n{cell.source}\n{_MARK}" + (f"\nOutput:\n{shown}" if shown.strip() else "")


def _output(outputs: Sequence[Mapping[str, Any]]) -> str:
    values = [
        str(each["data"].get("text/plain", "")) for each in outputs if each.get("output_type") == "execute_result"
    ]
    errors = [f"{each.get('ename')}: {each.get('evalue')}" for each in outputs if each.get("output_type") == "error"]
    printed = [str(each.get("text", "")) for each in outputs if each.get("output_type") == "stream"]
    return "\n".join(values) or "\n".join(errors) or "".join(printed).rstrip("\n")
