"""`cli:COMMAND`: an agent that is somebody's command-line program, run once per attempt in the agent's sandbox."""

import re
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from evaluator.agents import adapters, sdk
from evaluator.agents.process.launching import AgentCommand, LaunchOptions, command_of, find_program
from evaluator.errors import ToolkitError, UsageError
from evaluator.registry import nearest_name
from evaluator.session import Interpreter, interpreter_places

PLACEHOLDERS: Final = ("prompt", "prompt_file", "mcp_config")
"""What may stand in braces in a command."""
_ADAPTERS: Final = Path(adapters.__file__).parent
_SDK: Final = Path(sdk.__file__).parent


def cli_command_of(text: str, options: LaunchOptions) -> AgentCommand:
    """Return how the agent is started that runs a program whose command line a user wrote.

    Args:
        text: Such as "claude -p {prompt} --mcp-config {mcp_config}"; without `{prompt}` and `{prompt_file}` the prompt
            comes on the program's standard input.
        options: How its process is started.

    Raises:
        UsageError: If the command cannot be read, its program is not there, or a placeholder is misspelt.
        ToolkitError: If the tools that it asks for cannot be served here.
    """
    program = command_of(text, options, written=f"cli:{text}")
    for name in re.findall(r"\{([a-z_]+)\}", text):
        near = None if name in PLACEHOLDERS else nearest_name(name, list(PLACEHOLDERS))
        if near is not None:
            raise UsageError(f"there is no placeholder {{{name}}}", where=program.name, fix=f"write {{{near}}}")
    if "{mcp_config}" in text and find_spec("mcp") is None:
        fix = "pip install 'benchwright[mcp]', or leave {mcp_config} out: the last fenced block is the answer then"
        raise ToolkitError("the package mcp is not installed", where=program.name, fix=fix)
    found = find_program(program)
    python = Interpreter.own().executable
    own_home = () if options.backend == "none" else ("--own-home",)  # there it is the user's, with the settings in it
    return replace(
        program,
        words=(python, str(_ADAPTERS / "cli_agent.py"), *own_home, "--", found, *program.words[1:]),
        readable=(*program.readable, *interpreter_places(found), str(_ADAPTERS), str(_SDK)),
    )
