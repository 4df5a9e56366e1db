"""Let a client of the Model Context Protocol work in a problem's session.

Started by the client as `python mcp_server.py SOCKET`; passes each call on to `cli_agent.py`, which listens there.
Needs the package `mcp`.
"""

import json
import socket
import sys
from typing import Any

from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ToolError

INSTRUCTIONS = (
    "You work in a running Python session of a notebook, in which the user's variables are. Look around with "
    "list_variables and execute_code, as often as you are allowed. Then hand in the code of the next cell with "
    "submit_code."
)


class SessionSocket:
    """Asks whoever has the session; every call is a connection of its own."""

    def __init__(self, path: str) -> None:
        self._path = path

    def ask(self, tool: str, **arguments: Any) -> str:
        """Return what came of a call, as text.

        Raises:
            ToolError: If it is refused, or nobody is there any more.
        """
        try:
            with socket.socket(socket.AF_UNIX) as connection:
                connection.connect(self._path)
                connection.sendall(json.dumps({"tool": tool, **arguments}).encode() + b"\n")
                with connection.makefile("rb") as lines:
                    answer = json.loads(lines.readline() or b'{"error": "the problem is over"}')
        except OSError as error:
            raise ToolError(f"the session cannot be reached: {error}") from error
        if "error" in answer:
            raise ToolError(answer["error"])
        return str(answer["text"])


def server(session: SessionSocket) -> MCPServer:
    """Return a server whose tools work in a session."""
    made = MCPServer("benchwright", instructions=INSTRUCTIONS)

    @made.tool(structured_output=False)
    def execute_code(code: str) -> str:
        """Execute Python code in a copy of the session, which builds up, and return what it shows or its traceback.

        Nothing that runs here is judged, and files that it writes are gone with the copy.
        """
        return session.ask("execute_code", code=code)

    @made.tool(structured_output=False)
    def list_variables(names: list[str] | None = None) -> str:
        """List the variables of the session with their types and a short description: all, or those of these names."""
        return session.ask("list_variables", names=names)

    @made.tool(structured_output=False)
    def submit_code(code: str) -> str:
        """Hand in the code that answers the request, as one notebook cell; a later call replaces an earlier one.

        It runs once in the session as it was before execute_code, so it must not lean on what ran there.
        """
        return session.ask("submit_code", code=code)

    return made


if __name__ == "__main__":
    server(SessionSocket(sys.argv[1])).run()
