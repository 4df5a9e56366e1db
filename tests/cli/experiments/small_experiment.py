"""An experiment on two small sets, what a model replies to it, and what came of it."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from evaluator.records import read_records
from tests.scripted_model import Say

Command = Callable[..., Any]
Write = Callable[..., Path]
TASKS = tuple(f'# %%\n"""\nquery: Add {number} to x.\n"""\nx + {number}\n\n' for number in (1, 2, 3, 4))
PROBLEMS = "".join(TASKS)
AGENTS = ("agents:", "- {agent: 'chat:m', label: plain, options: {shots: none}}", "- {agent: 'chat:m', label: shots}")
POLICIES = ("policies:", "- {label: once}", "- {label: two attempts, max_attempts: 2, feedback: [output]}")


def reply(request: dict[str, Any]) -> Say:
    """Right for 1 and 2, wrong for 3, right for 4 at the second attempt."""
    turns = [str(turn["content"]) for turn in request["messages"]]
    asked = next(turn for turn in reversed(turns) if " to x." in turn)
    number = next(number for number in (1, 2, 3, 4) if f"Add {number} to x." in asked)
    wrong = number == 3 or (number == 4 and turns[-1] == asked)
    code = "x" if wrong else f"x + {number}"
    return Say(f"```python\n{code}\n```", prompt_tokens=100 * number, completion_tokens=10)


def verdicts(path: Path) -> dict[Any, Any]:
    return {record.key: (record.verdict, record.code, record.agent_stats) for record in read_records(path)}


def spent(benchwright: Command, file: Path, *more: str) -> int:
    return int(benchwright("experiment", "status", file, *more, "--json").json["spent"]["tokens"])
