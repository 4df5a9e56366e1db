"""Runs in an agent's sandbox that has no network: lends its loopback one door, a socket that leads to the model.

Started as `python forward.py SOCKET PORT -- COMMAND...`: listens on 127.0.0.1:PORT, passes what comes on to the socket,
and becomes the command. Needs the standard library only.
"""

import os
import socket
import sys
import threading

_PART = 65_536


def main(arguments: list[str]) -> None:
    """Listen in a process of its own, then become the command."""
    place, port = arguments[0], int(arguments[1])
    command = arguments[arguments.index("--") + 1 :]
    server = socket.create_server(("127.0.0.1", port), backlog=64)
    if os.fork() == 0:
        os.setsid()
        null = os.open(os.devnull, os.O_RDWR)
        for descriptor in (0, 1, 2):
            os.dup2(null, descriptor)  # so that nobody waits for it at the end of the agent
        _serve(server, place)
        os._exit(0)
    server.close()
    os.execvp(command[0], command)  # noqa: S606 - the agent, as the user wrote it


def _serve(server: socket.socket, place: str) -> None:
    while True:
        try:
            client, _ = server.accept()
        except OSError:
            return
        threading.Thread(target=_pass_on, args=(client, place), daemon=True).start()


def _pass_on(client: socket.socket, place: str) -> None:
    with client, socket.socket(socket.AF_UNIX) as model:
        try:
            model.connect(place)
        except OSError:
            return
        back = threading.Thread(target=_copy, args=(model, client), daemon=True)
        back.start()
        _copy(client, model)
        back.join()


def _copy(source: socket.socket, target: socket.socket) -> None:
    try:
        while data := source.recv(_PART):
            target.sendall(data)
        target.shutdown(socket.SHUT_WR)
    except OSError:
        return


if __name__ == "__main__":
    main(sys.argv[1:])
