"""Starts a module under Landlock and system call filters: the sandbox where there can be no namespaces.

`python -m evaluator.inside.isolation.landlock_entry OPTIONS MODULE ARGUMENTS`; the options are JSON:
`readable` and `writable` places.
"""

import json
import os
import runpy
import sys

from evaluator.inside.isolation import landlock, seccomp
from evaluator.inside.isolation import namespaces as isolation


def main(arguments: "list[str]") -> None:
    """Take everything from this process but the named places, then run the module in it."""
    options = json.loads(arguments[0])
    isolation.go_before_others()
    if os.getuid() == 0:
        isolation.count_as_nobody()
        os.umask(0o002)  # programs that ask whether they may write ask as nobody, in the group of root
    isolation.drop_privileges()
    landlock.restrict(readable=options["readable"], writable=options["writable"])
    seccomp.deny_dangerous_calls()
    seccomp.deny_new_namespaces()
    seccomp.deny_reaching_out()
    isolation.set_dumpable(True)
    sys.argv = arguments[1:]
    runpy.run_module(arguments[1], run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main(sys.argv[1:])
