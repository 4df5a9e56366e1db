"""The first step inside a sandbox: namespaces in which later ones can be made."""

import os

from evaluator.inside import isolation


def move_into_namespaces() -> None:
    """Become an unprivileged user and pid 1 of namespaces in which trials can get their own."""
    isolation.leave_root()
    isolation.enter_own_namespaces()
    child = os.fork()
    if child:
        _, status = os.waitpid(child, 0)
        os._exit(os.waitstatus_to_exitcode(status) & 0xFF)
    isolation.die_with_parent()
    isolation.keep_mounts_private()
    isolation.mount_proc()
