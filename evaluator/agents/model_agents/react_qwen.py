"""The agent of the Qwen code-interpreter benchmark: a model writes on at one text of thoughts and actions.

Each attempt of ours is an execution. It ends with the first one that fails, or with a reply without an action.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from types import MappingProxyType
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
from evaluator.agents.protocol import AgentCard, SolveRequest, Submission
from evaluator.models import ContextLengthError, Message, ModelClient

_ACTION, _INPUT, _OBSERVATION = "\nAction:", "\nAction Input:", "\nObservation:"
_STOP: Final = "Observation:"
_GIVEN: Final = "<|im_start|>"  # in a query that holds a first action
_CHINESE: Final = re.compile("[\u4e00-\u9fff]")
_MAX_TOKENS: Final = 2048
WRAPPERS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "plain": "{}",
        "qwen": "<|im_start|>user\n{}<|im_end|>\n<|im_start|>assistant\n",
        "llama": "[INST] {} [/INST]",
        "internlm": "<|User|>:{}<eoh>\n<|Bot|>:",
    }
)
"""How a text is put to models that were tuned to a form of dialogue, over the completions endpoint."""


class Call(NamedTuple):
    """What a reply asks to run."""

    code: str
    reply: str  # up to the observation that the model may have gone on to make up


def read_reply(reply: str, *, strict_newline: bool = True) -> Call | None:
    """Return the action of a reply: behind the last `Action:` and the last `Action Input:`; None: it has none.

    Args:
        reply: As the model wrote it.
        strict_newline: Each stands after a line end, so that a reply which begins with its action has none, as
            published.
    """
    text = reply if strict_newline else f"\n{reply}"
    action, begin, end = text.rfind(_ACTION), text.rfind(_INPUT), text.rfind(_OBSERVATION)
    if not 0 <= action < begin:
        return None
    if end < begin:
        end = len(text.rstrip())
    told = text[: max(end, begin + len(_INPUT))]
    written = text[begin + len(_INPUT) : max(end, begin + len(_INPUT))].strip()
    return Call(extract_code(written), told if strict_newline else told[1:])


def with_paths(code: str, paths: Sequence[str], *, sound: bool = False) -> str:
    """Return code with the paths of uploaded files instead of their base names, unless a path is there already.

    Args:
        code: Of a model.
        paths: Of the files.
        sound: Whole names only; as published `data.csv` becomes `datup/a.csv` where `up/a.csv` was uploaded.
    """
    for path in paths:
        name = PurePosixPath(path).name
        if path in code or name not in code:
            continue
        pattern = rf"(?<![\w./-]){re.escape(name)}(?![\w-])" if sound else re.escape(name)
        code = re.sub(pattern, lambda _, path=path: path, code)
    return code


def file_prefix(query: str, files: Sequence[str], *, wrapper: str = "plain") -> str:
    """Return a query with what tells the model of uploaded files before it."""
    names = [PurePosixPath(name).name for name in files]
    if not names:
        return query
    if wrapper == "qwen":
        return f"[Upload file {', '.join(names)}]\n{query}"
    quoted = ", ".join(f"`{name}`" for name in names)
    if _CHINESE.search(query):
        return f"文件{quoted}，{query}"
    return f"{'File' if len(names) == 1 else 'Files'} {quoted}. {query}"


@dataclass
class _Session:
    text: str = ""  # of the problem that is being solved, from the end of the prompt on


class ReactQwenAgent(ReactAgent[_Session]):
    """Writes on at one text; what runs, and what came of it, stands in it."""

    def __init__(
        self, client: ModelClient, *, rules: str = "published", wrapper: str = "plain", strict_newline: bool = True
    ) -> None:
        """Prepare.

        Args:
            client: Asks the model.
            rules: published | sound: only whole file names are replaced.
            wrapper: One of `WRAPPERS`.
            strict_newline: Whether a reply that begins with its action has none, as published.
        """
        super().__init__(client, _Session)
        self._sound = rules == "sound"
        self._wrapper = wrapper
        self._strict = strict_newline

    def describe(self) -> AgentCard:
        """Return the card."""
        options = [self._wrapper, *(["sound"] if self._sound else []), *([] if self._strict else ["loose"])]
        version = "-".join(["1", *(option for option in options if option != "plain")])
        return AgentCard(f"react-qwen:{self._client.settings.model}", version)

    def solve(self, request: SolveRequest, _tools: object = None) -> Submission:
        """Return the code of the next action; no code: the reply has none, and closes.

        Raises:
            ToolkitError: If the endpoint gives no answer.
        """
        session = self.remembered(request.session_id)
        if request.attempt == 1:
            session.text = ""
        elif request.feedback is not None:
            told = request.feedback.error or request.feedback.output or ""
            session.text += f"{_OBSERVATION} {told.strip()}\nThought:"
        prompt = self._prompt(request)
        usage, turns = Usage(), [Turn("user", prompt + session.text)]
        try:
            answer = self._client.complete(
                [Message("user", prompt + session.text)],
                max_tokens=_MAX_TOKENS,
                repeat=request.epoch - 1,
                stop=(_STOP,),
                is_prefix=True,
            )
        except ContextLengthError as error:
            return too_long(turns, usage, error.what)
        reply = answer.text[:MAX_REPLY_CHARS].split(_STOP, 1)[0]  # where the server ignored the stop
        turns.append(Turn("assistant", reply, usage.add(answer)))
        call = read_reply(reply, strict_newline=self._strict)
        if call is None or not call.code.strip():
            session.text += reply
            return gave_up(turns, usage, answer=session.text)
        session.text += call.reply.rstrip()
        trace = tuple(turn.to_json() for turn in turns)
        return Submission(self._code(call.code, request.files), usage=usage.to_json(), trace=trace)

    def _prompt(self, request: SolveRequest) -> str:
        """Return the text that the model goes on with: instructions, question, and the given action if there is one."""
        asked, mark, given = request.query.partition("<|im_end|>")
        language = "zh" if _CHINESE.search(asked) else "en"
        question = file_prefix(asked, request.files, wrapper=self._wrapper)
        text = WRAPPERS[self._wrapper].format(filled_prompt(f"react_qwen_{language}", query=question) + "\n")
        if not mark:
            return text
        begin = given.find(_GIVEN)
        opened = given[begin:].partition("\n")[2] if begin >= 0 else given
        return text + opened

    def _code(self, code: str, files: Sequence[str]) -> str:
        """Return the code to run: file names replaced, and a `solution()` that it defines called."""
        told = with_paths(code, [f"inputs/{name}" for name in files], sound=self._sound)
        return f"{told}\nsolution()" if "def solution()" in told else told
