"""Which processes this one has started, and their end."""

import contextlib
import os
import signal

_HAS_LISTS = os.path.exists("/proc/thread-self/children")
_HARMLESS = ("jemalloc_bg_thd",)  # pyarrow's allocator starts it again when it needs it


def children_of(parent: int) -> set[int]:
    """Return the children of a process, as `/proc` shows them."""
    if _HAS_LISTS:
        return _listed_children(parent)
    return {child for child, its_parent in _parents().items() if its_parent == parent}


def descendants_of(ancestor: int, *, must_see: bool = False) -> set[int]:
    """Return all that a process has started, directly or not.

    Args:
        ancestor: Its number.
        must_see: Whether what cannot be looked at is an error; else it counts as gone.

    Raises:
        OSError: If a process that is there cannot be looked at, for lack of descriptors for example.
    """
    parents = {} if _HAS_LISTS else _parents()
    found: set[int] = set()
    ring = {ancestor}
    while ring:
        if _HAS_LISTS:
            ring = set().union(*(_listed_children(pid, must_see=must_see) for pid in ring)) - found
        else:
            ring = {child for child, parent in parents.items() if parent in ring} - found
        found |= ring
    return found


def _listed_children(parent: int, *, must_see: bool = False) -> set[int]:
    """Return the children of a process as the kernel lists them for each of its threads.

    This looks at no other process: what flees by starting others and leaving is caught up with, however many
    processes the machine has.
    """
    folder = f"/proc/{parent}/task"
    gone = (FileNotFoundError, ProcessLookupError) if must_see else (OSError,)
    found: set[int] = set()
    try:
        for thread in os.listdir(folder):
            with contextlib.suppress(*gone), open(f"{folder}/{thread}/children", "rb") as file:
                found.update(map(int, file.read().split()))
    except gone:
        return set()
    return found


def lost_threads() -> list[str]:
    """Return the names of this process's threads that a fork would lose, by their names in the kernel."""
    names = []
    for thread in os.listdir("/proc/self/task"):
        if int(thread) != os.getpid():
            with contextlib.suppress(OSError), open(f"/proc/self/task/{thread}/comm", encoding="utf-8") as file:
                names.append(file.read().strip())
    return sorted(name for name in names if name not in _HARMLESS)


def _parents() -> dict[int, int]:
    parents = {}
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            with contextlib.suppress(OSError), open(f"/proc/{entry}/stat", "rb") as file:
                parents[int(entry)] = int(file.read().rsplit(b")", 1)[1].split()[1])
    return parents


def kill_children(*, spare: frozenset[int] | set[int]) -> None:
    """Kill and collect every child but `spare`, until none is left; orphans of theirs become children too.

    All of them are stopped first: what starts others faster than it is killed would never end.
    """
    while True:
        doomed = children_of(os.getpid()) - spare
        if not doomed:
            return
        _stop_all(spare)
        for pid in doomed:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        for pid in doomed:
            with contextlib.suppress(ChildProcessError):
                os.waitpid(pid, 0)


def _stop_all(spare: frozenset[int] | set[int]) -> None:
    """Stop every child but `spare` and all they have started, until no running one is found."""
    stopped: set[int] = set()
    while True:
        children = children_of(os.getpid()) - spare
        running = children.union(*map(descendants_of, children)) - stopped
        if not running:
            return
        for pid in running:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGSTOP)
        stopped |= running
