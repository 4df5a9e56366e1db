"""An agent that calls functions: it executes code on a scratch copy of the session until it submits."""

import json
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Final

from evaluator.agents.model_agents.replies import code_in_reply, fenced_blocks, filled_prompt, prompt_text
from evaluator.agents.model_agents.talk import (
    Talk,
    TalkingAgent,
    cells_text,
    middle_cut,
    printed,
    result_text,
    variables_text,
)
from evaluator.agents.options import PARAMS, Option, whole_number
from evaluator.agents.protocol import (
    AgentCard,
    CellKind,
    Execution,
    ExecutionStatus,
    HistoryCell,
    NoTools,
    Scope,
    SessionInfo,
    SolveRequest,
    Submission,
    Submits,
    ToolRefusedError,
    Tools,
)
from evaluator.models import ContextLengthError, Message, ModelClient, ToolCall, ToolSchema
from evaluator.session import ENCODINGS

_CODE: Final = {
    "type": "object",
    "properties": {"code": {"type": "string", "description": "Python of one notebook cell"}},
    "required": ["code"],
}
EXECUTE: Final = ToolSchema(
    "execute_code", "Executes Python in a copy of the notebook and returns what it shows.", _CODE
)
SUBMIT: Final = ToolSchema("submit_code", "Submits the cell that answers the request, whole. Call it once.", _CODE)
_PYTHON: Final = ToolSchema("python", "Executes Python in the notebook.", _CODE)
_LAST: Final = 500  # characters of a result
_PICTURES: Final = 4  # of one execution

TOOLS_OPTIONS: Final[Mapping[str, Option]] = MappingProxyType(
    {
        "variant": Option(words=("loop", "codeinterpreter")),
        "submits": Option(words=("code", "session")),
        "vision": Option(words=("off", "on")),
        "encoding": Option(words=tuple(ENCODINGS)),
        "max_calls": Option(read=whole_number(1, 100), default=20, form="a whole number from 1 to 100"),
        **PARAMS,
    }
)
"""The options of `tools`."""


@dataclass
class _Session:
    """The dialogue of the variant `codeinterpreter`, which goes on from problem to problem."""

    turns: list[Message] = field(default_factory=list)
    query: str = ""  # of the last problem


class ToolsAgent(TalkingAgent):
    """Lets a model call functions. The variant `codeinterpreter` is DSEval's adapter of codeinterpreterapi."""

    KIND = "tools"
    OPTIONS = TOOLS_OPTIONS

    def __init__(self, client: ModelClient, options: Mapping[str, Any] | None = None) -> None:
        """Prepare; as every agent that talks."""
        super().__init__(client, options)
        self._is_live = self._options["submits"] == "session"
        self._sessions: dict[str, _Session] = {}
        self._lock = threading.Lock()

    def describe(self) -> AgentCard:
        """Return the card."""
        is_step = self._options["variant"] == "codeinterpreter"
        encoding = "names" if is_step else self._options["encoding"]
        submits = Submits.SESSION if self._is_live and not is_step else Submits.CODE
        return AgentCard(self.name, submits=submits, variables=True, encoding=encoding, history=True)

    def start(self, session: SessionInfo) -> None:
        """Begin a session."""
        with self._lock:
            self._sessions[session.session_id] = _Session()

    def end(self, session_id: str) -> None:
        """Forget a session."""
        with self._lock:
            self._sessions.pop(session_id, None)

    def solve(self, request: SolveRequest, tools: Tools | None = None) -> Submission:
        """Return the submitted code.

        Raises:
            ToolkitError: If the endpoint gives no answer.
        """
        talk = self.begin_talk(request)
        try:
            if self._options["variant"] == "codeinterpreter":
                return self._one_step(request, talk)
            return self._loop(request, talk, tools or NoTools())
        except ContextLengthError as error:
            return talk.too_long(error)

    def _loop(self, request: SolveRequest, talk: Talk, tools: Tools) -> Submission:
        talk.say("system", prompt_text("tools_system_session" if self._is_live else "tools_system"))
        talk.say("user", _request_text(request))
        offered = (EXECUTE,) if self._is_live else (EXECUTE, SUBMIT)
        last_success = ""
        for _ in range(self._options["max_calls"]):
            answer = talk.ask(tools=offered)
            if not answer.calls:
                return self._closed(talk, answer.text, last_success)
            for call in answer.calls:
                code = _code_of(call)
                if code is None:
                    talk.say("tool", f"There is no function {call.name[:80]!r} with these arguments.", call_id=call.id)
                    continue
                if call.name == SUBMIT.name and not self._is_live:
                    return talk.submission(code)
                execution = self._executed(code, tools)
                if isinstance(execution, Execution) and execution.status is ExecutionStatus.OK:
                    last_success = code
                told = execution if isinstance(execution, str) else result_text(execution)
                talk.say("tool", told, call_id=call.id)
                if isinstance(execution, Execution) and self._options["vision"] == "on":
                    _show_pictures(talk, execution)
        talk.labels.append("calls-used-up")
        return self._closed(talk, "", last_success)

    def _closed(self, talk: Talk, text: str, last_success: str) -> Submission:
        """Return the submission of a talk that ended without `submit_code`."""
        if self._is_live:
            return talk.submission("", answer=text or None)
        blocks = list(fenced_blocks(text))
        return talk.submission(blocks[-1].strip("\n") if blocks else last_success, answer=text or None)

    def _executed(self, code: str, tools: Tools) -> Execution | str:
        try:
            return tools.execute(code, scope=Scope.LIVE if self._is_live else Scope.SCRATCH)
        except ToolRefusedError as error:
            return f"Nothing was executed: {error}."

    def _one_step(self, request: SolveRequest, talk: Talk) -> Submission:
        with self._lock:
            session = self._sessions.setdefault(request.session_id, _Session())
        if request.attempt == 1:
            if session.query:
                self._close_previous(request, session, talk)
            session.query = request.query
        names = ", ".join(variable.name for variable in request.variables) or "(none)"
        asked = f"{request.query}\n\nVariables: {names}"
        if request.feedback is not None:
            shown = request.feedback.error or request.feedback.output or "(nothing)"
            asked = (
                f"{asked}\n\nThis code was tried:\n```python\n{request.feedback.code}\n```\nResult:\n{shown[-_LAST:]}"
            )
        talk.messages = [Message("system", prompt_text("codeinterpreter_system")), *session.turns]
        talk.say("user", asked)
        answer = talk.ask(tools=(_PYTHON,))
        code = _code_of(answer.calls[0]) if answer.calls else None
        if code is None:
            found = code_in_reply(answer.text)
            code = found.code
            talk.labels += found.labels
        if request.attempt == 1:
            session.turns.append(Message("user", asked))
        return talk.submission(code)

    def _close_previous(self, request: SolveRequest, session: _Session, talk: Talk) -> None:
        """Show the model what its last problem came to, and keep the sentence with which it closes."""
        cell = next((cell for cell in reversed(request.history) if cell.kind is CellKind.PROBLEM), None)
        if cell is None or not session.turns:
            return
        call = ToolCall("call-1", _PYTHON.name, json.dumps({"code": cell.source}))
        shown = [Message("assistant", "", calls=(call,)), Message("tool", _result_of(cell), call_id=call.id)]
        talk.messages = [Message("system", prompt_text("codeinterpreter_system")), *session.turns, *shown]
        answer = talk.ask(tools=(_PYTHON,), keeps=False)
        said = answer.text.strip()
        if answer.calls or not said:
            said = f"I executed this code:\n```python\n{cell.source}\n```"
        session.turns.append(Message("assistant", said))


def _request_text(request: SolveRequest) -> str:
    text = filled_prompt(
        "tools_request",
        variables=variables_text(request.variables),
        history=cells_text(request.history),
        query=request.query,
    )
    feedback = request.feedback
    if feedback is None:
        return text
    shown = middle_cut(feedback.error or feedback.output or "(nothing)", 5_000)
    hint = f"\nHint: {feedback.hint}" if feedback.hint else ""
    return f"{text}\n\nThis was submitted and was not right:\n```python\n{feedback.code}\n```\nResult:\n{shown}{hint}"


def _code_of(call: ToolCall) -> str | None:
    """Return the code in a call's arguments; some models write it without the object around it."""
    if call.name not in (EXECUTE.name, SUBMIT.name, _PYTHON.name):
        return None
    try:
        written = json.loads(call.arguments)
    except (ValueError, RecursionError):
        return call.arguments if call.arguments.strip() and not call.arguments.lstrip().startswith("{") else None
    code = written.get("code") if isinstance(written, dict) else written
    return code if isinstance(code, str) else None


def _result_of(cell: HistoryCell) -> str:
    """Return what a cell printed, else its value, else its error; its last 500 characters."""
    streams = "".join(str(each.get("text", "")) for each in cell.outputs if each.get("output_type") == "stream")
    errors = [
        f"{each.get('ename')}: {each.get('evalue')}" for each in cell.outputs if each.get("output_type") == "error"
    ]
    return (streams.strip() or printed(cell.outputs).strip() or "".join(errors))[-_LAST:] or "(no output)"


def _show_pictures(talk: Talk, execution: Execution) -> None:
    import base64

    found = [output.get("data", {}).get("image/png") for output in execution.outputs]
    pictures = [base64.b64decode(each) for each in found if isinstance(each, str)][:_PICTURES]
    if pictures:
        talk.say("user", "The figures of the last execution:", pictures=tuple(pictures))
