"""An agent that plans and executes, as the Data Interpreter of MetaGPT does (arXiv:2402.18679).

A plan of a few steps is written as JSON; for each step code is written and run on a scratch copy, again where it fails;
a step that goes on failing leads to a new plan. Unlike the original, plans are renewed a bounded number of times.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Final

from evaluator.agents.model_agents.replies import MAX_ANSWER_CHARS, filled_prompt, prompt_text, without_thought
from evaluator.agents.model_agents.talk import Talk, TalkingAgent, cells_text, printed, variables_text
from evaluator.agents.options import PARAMS, Option, whole_number
from evaluator.agents.protocol import (
    AgentCard,
    BudgetSpentError,
    Execution,
    NoTools,
    SolveRequest,
    Submission,
    ToolRefusedError,
    Tools,
)
from evaluator.models import ContextLengthError
from evaluator.session import ENCODINGS

MAX_STEPS: Final = 3
PLAN_TRIES: Final = 3
STEP_ROUNDS: Final = 3
REACT_ROUNDS: Final = 10
OBSERVED: Final = 5_000  # characters
_PYTHON_FENCE: Final = re.compile(r"```(?:python|py)?[ \t]*\n(.*?)(?:```|\Z)", re.DOTALL)
_JSON_FENCE: Final = re.compile(r"```(?:json)?[ \t]*\n(.*?)(?:```|\Z)", re.DOTALL)
_NOISE: Final = re.compile(
    r"warning|^\s*warnings\.warn|\[(?:INFO|DEBUG|WARNING)\]|^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d", re.IGNORECASE
)
_INSTALL: Final = re.compile(r"^\s*[!%]?\s*(?:python\d? -m )?(?:pip|conda|apt(?:-get)?)\d?\s+install\b", re.MULTILINE)
ADVICE: Final[Mapping[str, str]] = MappingProxyType(
    {
        "eda": "Look at shapes, types, missing values and distributions with numbers, not with plots.",
        "data preprocessing": "Work on a copy where no change is asked for; fill, convert and scale all parts alike.",
        "feature engineering": "Make features from what is known at prediction time; drop what leaks the target.",
        "model train": "Choose a simple model that suits the target, and keep test data out of training.",
        "model evaluate": "Use the measure that the request names, on the data that it names.",
        "visualization": "Label axes and give a title; one figure for one question.",
        "other": "",
    }
)
"""Kinds of steps, and what the model is told for each."""

PLAN_OPTIONS: Final[Mapping[str, Option]] = MappingProxyType(
    {
        "react": Option(words=("off", "on")),
        "submit": Option(words=("joined", "last_cell")),
        "max_replans": Option(read=whole_number(0, 20), default=2, form="a whole number from 0 to 20"),
        "encoding": Option(words=tuple(ENCODINGS)),
        **PARAMS,
        "max_tokens": Option(read=whole_number(1, 1_000_000), default=4096, form="a whole number from 1 on"),
    }
)
"""The options of `plan`."""


@dataclass(frozen=True)
class Step:
    """One step of a plan."""

    id: str
    instruction: str
    kind: str
    depends_on: tuple[str, ...] = ()


@dataclass
class _Work:
    """What is known while one problem is worked on."""

    request: SolveRequest
    tools: Tools
    talk: Talk
    finished: list[tuple[str, str]] = field(default_factory=list)  # code and its observation, of cells that succeeded
    is_spent: bool = False  # no execution is left

    def context(self) -> str:
        """Return the requirement with what is there."""
        request = self.request
        text = filled_prompt(
            "plan_requirement",
            query=request.query,
            variables=variables_text(request.variables),
            history=cells_text(request.history),
        )
        if request.feedback is None:
            return text
        shown = (request.feedback.error or request.feedback.output or "(nothing)")[-OBSERVED:]
        tried = f"```python\n{request.feedback.code}\n```"
        return f"{text}\n\nThis was submitted and was not right:\n{tried}\nIt came to:\n{shown}"

    def results(self) -> str:
        """Return finished code with what came of it."""
        parts = [f"```python\n{code}\n```\nResult:\n{seen}" for code, seen in self.finished]
        return "\n\n".join(parts) or "(nothing yet)"


class PlanAgent(TalkingAgent):
    """Plans steps, writes and runs code for each on a scratch copy, and submits what succeeded."""

    KIND = "plan"
    OPTIONS = PLAN_OPTIONS

    def describe(self) -> AgentCard:
        """Return the card."""
        return AgentCard(self.name, variables=True, encoding=self._options["encoding"], history=True)

    def solve(self, request: SolveRequest, tools: Tools | None = None) -> Submission:
        """Return the code of the steps that succeeded.

        Raises:
            ToolkitError: If the endpoint gives no answer.
        """
        talk = self.begin_talk(request)
        work = _Work(request, tools or NoTools(), talk)
        try:
            if self._options["react"] == "on":
                self._think_and_act(work)
            else:
                self._plan_and_act(work)
        except ContextLengthError as error:
            if not work.finished:
                return talk.too_long(error)
            talk.labels.append("context-length")
        codes = [code for code, _ in work.finished]
        return talk.submission(codes[-1] if codes and self._options["submit"] == "last_cell" else "\n\n".join(codes))

    def _plan_and_act(self, work: _Work) -> None:
        failure = ""
        for replans in range(self._options["max_replans"] + 1):
            plan = self._planned(work, failure)
            if not plan:
                work.talk.labels.append("no-plan")
                return
            failed = next((step for step in plan if not self._step_done(work, step)), None)
            if failed is None:
                return
            failure = failed.instruction
            if work.is_spent or replans == self._options["max_replans"]:
                work.talk.labels.append("plan-failed")
                return

    def _planned(self, work: _Work, failure: str) -> list[Step]:
        """Return a plan; it is asked for again where it cannot be read. None that can be: an empty one."""
        asked = filled_prompt(
            "plan_plan", context=work.context(), finished=work.results(), steps=str(MAX_STEPS), kinds=", ".join(ADVICE)
        )
        if failure:
            asked += f"\n\nThis step failed in the plan before: {failure}\nPlan what is left in another way."
        for _ in range(PLAN_TRIES):
            work.talk.begin_anew()
            work.talk.say("user", asked)
            answer = work.talk.ask()
            plan = read_plan(answer.text)
            if plan:
                return plan
        return []

    def _step_done(self, work: _Work, step: Step) -> bool:
        """Write and run code for a step until it succeeds, three times at most."""
        rounds: list[tuple[str, str]] = []
        for _ in range(STEP_ROUNDS):
            tried = "\n\n".join(f"```python\n{code}\n```\nFailed:\n{seen}" for code, seen in rounds) or "(none)"
            work.talk.begin_anew()
            work.talk.say("system", prompt_text("plan_system"))
            work.talk.say(
                "user",
                filled_prompt(
                    "plan_step",
                    context=work.context(),
                    finished=work.results(),
                    instruction=step.instruction,
                    advice=ADVICE.get(step.kind, "") or "(none)",
                    rounds=tried,
                ),
            )
            code = code_of(work.talk.ask().text)
            is_done, seen = self._run(work, code)
            if is_done:
                work.finished.append((code, seen))
                return True
            rounds.append((code, seen))
            if work.is_spent:
                break
        return False

    def _think_and_act(self, work: _Work) -> None:
        """Alternate thoughts with code until the model says that it is done."""
        failed = "(none)"
        for _ in range(REACT_ROUNDS):
            work.talk.begin_anew()
            work.talk.say(
                "user", filled_prompt("plan_think", context=work.context(), finished=work.results(), rounds=failed)
            )
            thoughts, goes_on = read_thoughts(work.talk.ask().text)
            if not goes_on:
                return
            step = Step("1", thoughts or "Solve the request.", "other")
            work.talk.begin_anew()
            work.talk.say("system", prompt_text("plan_system"))
            told = filled_prompt(
                "plan_step",
                context=work.context(),
                finished=work.results(),
                instruction=step.instruction,
                advice="(none)",
                rounds=failed,
            )
            work.talk.say("user", told)
            code = code_of(work.talk.ask().text)
            is_done, seen = self._run(work, code)
            if is_done:
                work.finished.append((code, seen))
                failed = "(none)"
            else:
                failed = f"```python\n{code}\n```\nFailed:\n{seen}"
            if work.is_spent:
                return
        work.talk.labels.append("rounds-used-up")

    @staticmethod
    def _run(work: _Work, code: str) -> tuple[bool, str]:
        """Run code on the scratch copy; return whether it succeeded, and what is told of it."""
        if not code.strip():
            return False, "There is no code."
        if _INSTALL.search(code):
            return False, "Nothing can be installed here; use what is there."
        try:
            execution = work.tools.execute(code)
        except BudgetSpentError as error:
            work.is_spent = True
            return False, str(error)
        except ToolRefusedError as error:
            return False, str(error)
        return execution.status == "ok", observation(execution)


def observation(execution: Execution) -> str:
    """Return what a model is told: the first 5,000 characters without warnings and log lines, or a traceback's last."""
    if execution.status == "ok":
        lines = [line for line in printed(execution.outputs).splitlines() if not _NOISE.search(line)]
        return "\n".join(lines)[:OBSERVED] or "(no output)"
    text = execution.error.traceback if execution.error is not None else f"the code ended as {execution.status}"
    return text[-OBSERVED:]


def read_plan(reply: str) -> list[Step]:
    """Return the steps of a plan, three at most, in an order that their dependencies allow; none: there is no plan."""
    written = _json(reply)
    if isinstance(written, dict):
        written = next((value for value in written.values() if isinstance(value, list)), None)
    steps = []
    for number, entry in enumerate(written if isinstance(written, list) else [], 1):
        if not isinstance(entry, dict) or not isinstance(entry.get("instruction"), str):
            continue
        needs = entry.get("depends_on", [])
        depends = tuple(str(each) for each in needs) if isinstance(needs, list) else ()
        kind = str(entry.get("type", "other")).lower()
        steps.append(Step(str(entry.get("id", number)), entry["instruction"].strip(), kind, depends))
    return _ordered(steps[:MAX_STEPS])


def _ordered(steps: list[Step]) -> list[Step]:
    done: list[Step] = []
    waiting = list(steps)
    while waiting:
        ids = {step.id for step in done}
        known = {step.id for step in steps}
        ready = next((step for step in waiting if set(step.depends_on) & known <= ids), waiting[0])
        waiting.remove(ready)
        done.append(ready)
    return done


def read_thoughts(reply: str) -> tuple[str, bool]:
    """Return the thoughts of a reply, and whether the model wants to go on; a reply that is no JSON goes on."""
    written = _json(reply)
    if not isinstance(written, dict):
        return reply.strip()[:OBSERVED], True
    goes_on = written.get("continue", written.get("state", True))
    return str(written.get("thoughts", ""))[:OBSERVED], goes_on not in (False, "false", "False", "no", 0)


def _json(reply: str) -> Any:
    text = without_thought(reply[:MAX_ANSWER_CHARS])
    fence = _JSON_FENCE.search(text)
    for candidate in ([fence[1]] if fence else []) + [text, _outermost(text)]:
        try:
            return json.loads(candidate)
        except (ValueError, RecursionError):
            continue
    return None


def _outermost(text: str) -> str:
    begins = [place for place in (text.find("["), text.find("{")) if place >= 0]
    end = max(text.rfind("]"), text.rfind("}"))
    return text[min(begins) : end + 1] if begins and end > min(begins) else ""


def code_of(reply: str) -> str:
    """Return the first Python fence of a reply, closed or not, else all of it."""
    text = without_thought(reply[:MAX_ANSWER_CHARS].replace("\r\n", "\n").replace("\x00", ""))
    fence = _PYTHON_FENCE.search(text)
    return (text if fence is None else fence[1]).strip("\n")
