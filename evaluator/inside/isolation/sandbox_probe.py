"""Tries what a template and a trial need, without importing anything heavy; reports READY or dies with the reason."""

import os
import socket
import sys

from evaluator.inside.isolation import landlock, seccomp
from evaluator.inside.isolation import namespaces as isolation
from evaluator.inside.isolation.nesting import isolate_trial, move_into_namespaces, settle_trial
from evaluator.inside.runtime.channel import take_standard_socket
from evaluator.inside.runtime.frames import FrameKind


def main(arguments: "list[str]") -> None:
    """Try what the backend named first promises; under Landlock the folder named second is closed to us."""
    channel = take_standard_socket()
    backend, closed_folder = arguments
    if backend == "landlock":
        is_well = _is_closed(closed_folder)
    else:
        move_into_namespaces()
        is_well = _has_trial_namespaces()
    if is_well:
        channel.send(FrameKind.READY)


def _is_closed(folder: str) -> bool:
    """Whether a guarded process is kept from files and sockets, and can be guarded once more as trials are."""
    for reach_out in (lambda: os.listdir(folder), lambda: socket.socket(socket.AF_INET, socket.SOCK_STREAM)):
        try:
            reach_out()
        except PermissionError:
            continue
        raise OSError("landlock: files or sockets stay within reach")
    landlock.restrict(readable=(), writable=())
    return True


def _has_trial_namespaces() -> bool:
    namespace = os.open("/proc/self/ns/pid", os.O_RDONLY)
    isolation.unshare(isolation.CLONE_NEWPID)
    child = os.fork()
    if child == 0:
        proc = isolate_trial()
        isolation.mount_tmpfs("/run/benchwright", size_mb=1, files=10)
        settle_trial(proc)
        isolation.drop_privileges()
        seccomp.deny_new_namespaces()
        os._exit(0)
    isolation.return_to_pid_namespace(namespace)
    _, status = os.waitpid(child, 0)
    return os.waitstatus_to_exitcode(status) == 0


if __name__ == "__main__":
    main(sys.argv[1:])
