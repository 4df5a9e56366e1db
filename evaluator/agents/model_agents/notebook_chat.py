"""An agent that works as the chat of Jupyter AI does: the bare query, and what was said before."""

import re
import threading
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final

from evaluator.agents.model_agents.replies import MAX_ANSWER_CHARS, prompt_text, without_thought
from evaluator.agents.model_agents.talk import TalkingAgent
from evaluator.agents.options import PARAMS, Option, whole_number
from evaluator.agents.protocol import AgentCard, CellKind, SessionInfo, SolveRequest, Submission
from evaluator.models import ContextLengthError, ModelClient

_CLOSED: Final = re.compile(r"```[^\n`]*\n(.*?)```", re.DOTALL)

NOTEBOOK_CHAT_OPTIONS: Final[Mapping[str, Option]] = MappingProxyType(
    {
        "transcript": Option(words=("policy", "own")),
        "max_exchanges": Option(read=whole_number(0, 1000), form="a whole number, such as 2"),
        **PARAMS,
    }
)
"""The options of `notebook-chat`; without `max_exchanges` everything said before is shown."""


class NotebookChatAgent(TalkingAgent):
    """Asks a model with the query alone: no system message, no variables, no code but in what was said before."""

    KIND = "notebook-chat"
    OPTIONS = NOTEBOOK_CHAT_OPTIONS

    def __init__(self, client: ModelClient, options: Mapping[str, Any] | None = None) -> None:
        """Prepare; as every agent that talks."""
        super().__init__(client, options)
        self._said: dict[str, list[tuple[str, str]]] = {}  # session id -> what the agent itself was asked and said
        self._lock = threading.Lock()

    def describe(self) -> AgentCard:
        """Return the card."""
        return AgentCard(self.name, history=True, asks_ahead=self._options["transcript"] != "own")

    def start(self, session: SessionInfo) -> None:
        """Begin a session."""
        with self._lock:
            self._said[session.session_id] = []

    def end(self, session_id: str) -> None:
        """Forget a session."""
        with self._lock:
            self._said.pop(session_id, None)

    def solve(self, request: SolveRequest, _tools: object = None) -> Submission:
        """Return the code of the model's answer.

        Raises:
            ToolkitError: If the endpoint gives no answer.
        """
        talk = self.begin_talk(request)
        for asked, said in self._exchanges(request):
            talk.say("user", asked)
            talk.say("assistant", said)
        talk.say("user", _asked(request.query))
        if request.feedback is not None:
            shown = request.feedback.error or request.feedback.output or "(nothing)"
            talk.say("assistant", request.feedback.code)
            talk.say("user", _asked(f"That was not right. It came to:\n{shown}\n\n{request.query}"))
        try:
            answer = talk.ask()
        except ContextLengthError as error:
            return talk.too_long(error)
        with self._lock:
            self._said.setdefault(request.session_id, []).append((_asked(request.query), answer.text))
        text = without_thought(answer.text[:MAX_ANSWER_CHARS].replace("\r\n", "\n"))
        fence = _CLOSED.search(text)
        if fence is None:
            talk.labels.append("unfenced")
        return talk.submission((text if fence is None else fence[1]).strip("\n"))

    def _exchanges(self, request: SolveRequest) -> list[tuple[str, str]]:
        """Return what was said at earlier problems; by the policy's transcript their replies are the policy's code."""
        if self._options["transcript"] == "own":
            with self._lock:
                said = list(self._said.get(request.session_id, []))
            said = said[: len(said) - (request.attempt - 1)]
        else:
            cells = [cell for cell in request.history if cell.kind is CellKind.PROBLEM and cell.origin != "correction"]
            said = [(_asked(cell.query or ""), cell.source) for cell in cells]
        most = self._options["max_exchanges"]
        return said if most is None else said[len(said) - min(most, len(said)) :]


def _asked(query: str) -> str:
    return f"{query.rstrip()}\n\n{prompt_text('notebook_chat_request')}"
