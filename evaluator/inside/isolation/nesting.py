"""The first step inside a sandbox: namespaces in which later ones can be made."""

import os

from evaluator.inside.isolation import namespaces as isolation
from evaluator.inside.isolation import seccomp


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


def isolate_trial() -> int:
    """Right after the fork into a pid namespace of its own: see no other trial's processes, files or sockets.

    In its own `/proc` nothing can be written, so that no process of it takes back what `settle_trial` asks for.

    Returns:
        Descriptor of the session's `/proc`, for `settle_trial`.
    """
    isolation.unshare(isolation.CLONE_NEWNS | isolation.CLONE_NEWIPC | isolation.CLONE_NEWNET)
    proc = os.open("/proc", os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
    isolation.mount_proc(writable=False)
    isolation.raise_loopback()
    return proc


def settle_trial(proc: int) -> None:
    """Be the first to go when memory runs out, and enter a user namespace of its own, in which processes are counted.

    The limit on processes counts all that a user has in one such namespace.

    Args:
        proc: From `isolate_trial`; it is closed.
    """
    isolation.set_dumpable(True)  # else its own files in /proc are closed to it
    isolation.be_first_to_go(proc)
    isolation.enter_own_namespaces(0, proc)
    os.close(proc)
