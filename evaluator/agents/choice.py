"""The table of agents, and how the command line names one: `oracle`, `empty`, `cheat`, `replay:FILE`."""

from collections.abc import Callable
from pathlib import Path
from typing import Final

from evaluator.agents.cheat import CheatAgent
from evaluator.agents.fixtures import EmptyAgent, OracleAgent, VariedOracle
from evaluator.agents.protocol import Agent
from evaluator.agents.replay import ReplayAgent
from evaluator.errors import UsageError
from evaluator.registry import Registry


def _without_option(name: str, factory: Callable[[], Agent]) -> Callable[..., Agent]:
    def build(option: str | None, *, allow_mismatch: bool) -> Agent:  # noqa: ARG001 - the table's one signature
        if option is not None:
            raise UsageError(f"agent {name!r} takes no option, got {option!r}", fix=f"use {name!r} alone")
        return factory()

    return build


def _oracle(option: str | None, *, allow_mismatch: bool) -> Agent:  # noqa: ARG001 - the table's one signature
    if option not in (None, "varied"):
        raise UsageError(f"agent 'oracle' takes no option {option!r}", fix="use oracle or oracle:varied")
    return OracleAgent() if option is None else VariedOracle()


def _cheat(option: str | None, *, allow_mismatch: bool) -> Agent:  # noqa: ARG001 - the table's one signature
    return CheatAgent(option)


def _replay(option: str | None, *, allow_mismatch: bool) -> Agent:
    if not option:
        raise UsageError("agent 'replay' needs a records file", fix="use replay:FILE")
    return ReplayAgent.from_file(Path(option), allow_mismatch=allow_mismatch)


AGENTS: Final[Registry[Agent]] = Registry("agent")
"""Name -> factory(option after the colon or None, allow_mismatch)."""
AGENTS.add("oracle", _oracle)
AGENTS.add("empty", _without_option("empty", EmptyAgent))
AGENTS.add("cheat", _cheat)
AGENTS.add("replay", _replay)


def parse_agent(text: str, *, allow_mismatch: bool = False) -> Agent:
    """Return the agent that `NAME` or `NAME:OPTION` stands for.

    Args:
        text: Such as "oracle" or "replay:records.jsonl".
        allow_mismatch: Let a replay answer a problem whose query text has changed since.

    Raises:
        UsageError: If there is no such agent (the fix names the nearest) or the option does not fit.
        ContentError: If the named file is broken.
    """
    name, colon, option = text.partition(":")
    return AGENTS.get(name)(option if colon else None, allow_mismatch=allow_mismatch)
