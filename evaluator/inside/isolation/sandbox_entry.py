"""Starts a module that needs no privileges and no namespaces of its own: the comparator."""

import gc
import runpy
import sys

from evaluator.inside.isolation import namespaces as isolation
from evaluator.inside.isolation import seccomp

_MEMORY_BYTES = 2 * 1024 * 1024 * 1024


def main(arguments: list[str]) -> None:
    """Give up all rights, limit memory, and run the module named first; "isolated" second: we are in a sandbox."""
    gc.disable()  # imports leave little to collect; the module enables it when they are done
    is_isolated = arguments[1:] == ["isolated"]
    if is_isolated:
        isolation.leave_root()
    isolation.drop_privileges()
    if is_isolated:
        seccomp.deny_dangerous_calls()
        seccomp.deny_new_namespaces()  # it starts no trials, and what it forks runs an author's comparisons
    isolation.limit_memory(_MEMORY_BYTES, hard=True)
    sys.argv = arguments[:1]
    runpy.run_module(arguments[0], run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main(sys.argv[1:])
