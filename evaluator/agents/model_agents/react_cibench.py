"""The agent that CIBench runs (arXiv:2407.10499): thoughts and actions in a conversation, one execution a round.

Each attempt of ours is a round of its own. A reply without an action that can be run is a round, too, but executes
nothing: it is answered here.
"""

from dataclasses import dataclass, field
from typing import Final, NamedTuple

from evaluator.agents.model_agents.react import (
    MAX_REPLY_CHARS,
    ReactAgent,
    Turn,
    Usage,
    extract_code,
    gave_up,
    too_long,
)
from evaluator.agents.model_agents.replies import filled_prompt
from evaluator.agents.protocol import (
    AgentCard,
    CellKind,
    HistoryCell,
    SolveRequest,
    Submission,
)
from evaluator.models import ContextLengthError, Message, ModelClient
from evaluator.scoring.execution_log import NO_OUTPUT, TRIM, execution_text
from evaluator.scoring.grading import displayed_pictures

TOOL: Final = "IPythonInterpreter"
ROUNDS: Final = 3
APOLOGY: Final = "I could not solve this step."
"""What the history holds of a step at which every round failed."""
_FINAL: Final = "Final Answer:"
_ACTION, _INPUT = "Action:", "Action Input:"
_FORM: Final = f"The reply has no action. Write a line 'Action: {TOOL}' and the code behind 'Action Input:'."
_TOKENS: Final = {"published": 512, "sound": 2048}


class Action(NamedTuple):
    """What a reply asks for."""

    tool: str
    code: str


def read_reply(reply: str, *, sound: bool = False) -> Action | str | None:
    """Return the action of a reply; a text: why it has none that can be run; None: it is a closing answer.

    Args:
        reply: As the model wrote it.
        sound: Code is taken out of its fence once; the published loop does so twice, so that code which contains
            backticks shrinks to what stands between them.
    """
    if _FINAL in reply:
        return None
    line = next((line for line in reversed(reply.split("\n")) if _ACTION in line), None)
    begin = reply.find(_INPUT)
    if line is None or begin < 0:
        return _FORM
    tool = line.partition(_ACTION)[2].strip().strip('"').strip()
    if tool != TOOL:
        return f"There is no tool {tool[:80]!r}. Use {TOOL}."
    code = extract_code(reply[begin + len(_INPUT) :].strip(' "\n\t'))
    return Action(tool, code if sound else extract_code(code))


@dataclass
class _Session:
    """What the agent knows of one session."""

    replies: dict[str, str] = field(default_factory=dict)  # problem id -> the reply whose code ran last
    rounds: list[Turn] = field(default_factory=list)  # of the problem that is being solved
    used: int = 0  # rounds of it (count)


class ReactCibenchAgent(ReactAgent[_Session]):
    """Thinks, acts and reads what came of it, three rounds a step; keeps the last reply of each step in its history."""

    def __init__(self, client: ModelClient, *, rules: str = "published", result_role: str = "system") -> None:
        """Prepare.

        Args:
            client: Asks the model.
            rules: published | sound: 2,048 tokens a reply instead of 512, figures announced, errors not quoted.
            result_role: system | user: in whose name results are told; some endpoints refuse several system messages.
        """
        super().__init__(client, _Session)
        self._sound = rules == "sound"
        self._role = result_role
        self._max_tokens = _TOKENS[rules]

    def describe(self) -> AgentCard:
        """Return the card."""
        version = "1" if not self._sound else "1-sound"
        return AgentCard(f"react-cibench:{self._client.settings.model}", version, history=True)

    def solve(self, request: SolveRequest, _tools: object = None) -> Submission:
        """Return the code of the next round; no code: a closing answer, or no round is left.

        Raises:
            ToolkitError: If the endpoint gives no answer.
        """
        session = self.remembered(request.session_id)
        if request.attempt == 1:
            session.rounds, session.used = [], 0
        else:
            session.rounds.append(Turn(self._role, self._told(request)))
        before = [Turn("system", filled_prompt("react_cibench_system", tool=TOOL)), *self._history(request, session)]
        before.append(Turn("user", request.query))
        usage = Usage()
        while session.used < ROUNDS:
            try:
                answer = self._client.complete(
                    self._messages([*before, *session.rounds]), max_tokens=self._max_tokens, repeat=request.epoch - 1
                )
            except ContextLengthError as error:
                return too_long([*before, *session.rounds], usage, error.what)
            session.used += 1
            reply = answer.text[:MAX_REPLY_CHARS]
            session.rounds.append(Turn("assistant", reply, usage.add(answer)))
            found = read_reply(reply, sound=self._sound)
            if found is None:
                break
            if isinstance(found, Action):
                session.replies[request.problem_id] = reply
                trace = tuple(turn.to_json() for turn in [*before, *session.rounds])
                return Submission(found.code, usage=usage.to_json(), trace=trace)
            session.rounds.append(Turn(self._role, f"Response:{found}\n"))
        return gave_up([*before, *session.rounds], usage)

    def _messages(self, turns: list[Turn]) -> list[Message]:
        """Return turns as messages; adjacent ones of one role become one where results are told by the user."""
        merged: list[tuple[str, str]] = []
        for turn in turns:
            if self._role == "user" and merged and merged[-1][0] == turn.role:
                merged[-1] = (turn.role, f"{merged[-1][1]}\n{turn.content}")
            else:
                merged.append((turn.role, turn.content))
        return [Message(role, content) for role, content in merged]  # pyrefly: ignore[bad-argument-type]  # roles of our own

    def _told(self, request: SolveRequest) -> str:
        """Return what came of the round before."""
        feedback = request.feedback
        if feedback is None:
            return f"Response:{NO_OUTPUT}\n"
        if feedback.error is not None:
            return f"Response:{feedback.error if self._sound else repr(feedback.error)}\n"
        return f"Response:{feedback.output or NO_OUTPUT}\n"

    def _history(self, request: SolveRequest, session: _Session) -> list[Turn]:
        """Return the earlier steps: query, the reply whose code ran, and its result; of a failed step an apology."""
        turns: list[Turn] = []
        for cell in request.history:
            if cell.kind is not CellKind.PROBLEM:
                continue
            if cell.origin != "correction":
                turns.append(Turn("user", cell.query or ""))
            if cell.status != "ok":
                turns.append(Turn("assistant", APOLOGY))
                continue
            turns += [Turn("assistant", self._reply(cell, session)), Turn(self._role, self._result(cell))]
        return turns

    def _reply(self, cell: HistoryCell, session: _Session) -> str:
        """Return the agent's own reply, or one in its layout that was not the agent's: of code that it is given."""
        own = session.replies.get(cell.problem_id or "") if cell.origin == "agent" else None
        if own is not None:
            return own
        return f"Thought: \nAction: {TOOL}\nAction Input: ```python\n{cell.source}\n```"

    def _result(self, cell: HistoryCell) -> str:
        text = execution_text(cell.outputs, limit=None if self._sound else TRIM) or NO_OUTPUT
        figures = len(displayed_pictures(cell.outputs)) if self._sound else 0
        shown = f"\n{figures} figure(s) shown" if figures else ""
        return f"Response:{text}{shown}\n"
