"""The first step inside a sandbox: namespaces in which later ones can be made."""

import os

from evaluator.inside import isolation, seccomp


def move_into_namespaces() -> None:
    """Become an unprivileged user and pid 1 of namespaces in which trials can get their own."""
    isolation.leave_root()
    isolation.enter_own_namespaces(isolation.CLONE_NEWNS | isolation.CLONE_NEWPID)
    child = os.fork()
    if child:
        _, status = os.waitpid(child, 0)
        os._exit(os.waitstatus_to_exitcode(status) & 0xFF)
    isolation.die_with_parent()
    isolation.keep_mounts_private()
    isolation.mount_proc()
    seccomp.deny_dangerous_calls()


def isolate_trial() -> None:
    """Right after the fork into a pid namespace of its own: see no other trial's processes, files or sockets."""
    isolation.unshare(isolation.CLONE_NEWNS | isolation.CLONE_NEWIPC | isolation.CLONE_NEWNET)
    isolation.mount_proc()
    isolation.raise_loopback()


def count_processes_apart() -> None:
    """Enter a user namespace of its own: the limit on processes counts all that a user has in one."""
    isolation.set_dumpable(True)  # else its own /proc/self is closed to it
    isolation.enter_own_namespaces(0)
