"""Tries what a template and a trial need, without importing anything heavy; reports READY or dies with the reason."""

import os

from evaluator.inside import isolation, seccomp
from evaluator.inside.channel import take_standard_socket
from evaluator.inside.frames import Kind
from evaluator.inside.nesting import count_processes_apart, isolate_trial, move_into_namespaces


def main() -> None:
    """Make the namespaces of a template and of a trial."""
    channel = take_standard_socket()
    move_into_namespaces()
    namespace = os.open("/proc/self/ns/pid", os.O_RDONLY)
    isolation.unshare(isolation.CLONE_NEWPID)
    child = os.fork()
    if child == 0:
        isolate_trial()
        isolation.mount_tmpfs("/run/benchwright", size_mb=1, files=10)
        count_processes_apart()
        isolation.drop_privileges()
        seccomp.deny_new_namespaces()
        os._exit(0)
    isolation.return_to_pid_namespace(namespace)
    _, status = os.waitpid(child, 0)
    if os.waitstatus_to_exitcode(status) == 0:
        channel.send(Kind.READY)


if __name__ == "__main__":
    main()
