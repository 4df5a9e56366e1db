"""Finding out which sandbox works here, and refusing to run without one unless somebody agreed to it."""

import os
import platform
import shutil
import threading
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cache

from evaluator.errors import ToolkitError, UsageError
from evaluator.inside.isolation import landlock, seccomp
from evaluator.session.sandboxing.scratch import make_scratch_folder, remove_scratch_folder
from evaluator.session.template import WorkerDiedError, receive_within, start_in_sandbox


class SandboxChoice(StrEnum):
    """What was asked for. `AUTO` never becomes `NONE` by itself; BENCHWRIGHT_SANDBOX overrides `AUTO`."""

    AUTO = "auto"
    BWRAP = "bwrap"
    LANDLOCK = "landlock"  # weaker: no namespaces
    NONE = "none"


class EngineChoice(StrEnum):
    """What was asked for. With `AUTO` each problemset decides."""

    AUTO = "auto"
    FORK = "fork"
    REPLAY = "replay"


class Isolation(StrEnum):
    """What keeps a submission apart from the session it starts from."""

    FORK = "fork"  # a forked copy of the session's process
    REPLAY = "replay"  # a fresh kernel, into which the session's cells are replayed


@dataclass(frozen=True)
class SandboxReport:
    """Whether a sandbox can be had on this machine, found by trying the whole chain once."""

    available: bool
    backend: str  # "bwrap" or "landlock", or "" when there is none
    reason: str = ""  # why not, or why not "bwrap"
    fix: str = ""  # what the reader can do about it


VARIABLE = "BENCHWRIGHT_SANDBOX"
_PROBE = "evaluator.inside.isolation.sandbox_probe"
_PROBE_S = 30.0
_PROBING = threading.Lock()
_CONSENT = "or agree to run without one: `--sandbox none` or BENCHWRIGHT_SANDBOX=none"


def resolve_backend(choice: SandboxChoice, *, trusted: bool) -> str:
    """Return the backend that sessions will use: "bwrap", "landlock" or "none".

    Raises:
        ToolkitError: If the sandbox asked for is not to be had.
        UsageError: If BENCHWRIGHT_SANDBOX holds no known name.
    """
    if platform.system() != "Linux":
        raise ToolkitError(
            f"sessions run on Linux only, this is {platform.system()}",
            fix="use a Linux machine, a virtual machine or a container",
        )
    asked = _from_environment() if choice is SandboxChoice.AUTO else SandboxChoice(choice)
    if asked is SandboxChoice.NONE:
        return "none"
    report = probe_sandbox() if asked is SandboxChoice.AUTO else probe_backend(asked)
    if report.available:
        return report.backend
    if trusted and asked is SandboxChoice.AUTO:
        return "none"
    raise ToolkitError(f"no sandbox is available: {report.reason}", fix=f"{report.fix}, {_CONSENT}")


def _from_environment() -> SandboxChoice:
    value = os.environ.get(VARIABLE, "") or SandboxChoice.AUTO.value
    try:
        return SandboxChoice(value.strip().lower())
    except ValueError as error:
        raise UsageError(
            f"no sandbox is called {value!r}",
            where=f"environment variable {VARIABLE}",
            fix="use auto, bwrap, landlock or none",
        ) from error


def probe_sandbox() -> SandboxReport:
    """Return the best sandbox that works here, or why there is none; each is tried once per process."""
    best = probe_backend(SandboxChoice.BWRAP)
    if best.available:
        return best
    second = probe_backend(SandboxChoice.LANDLOCK)
    return replace(second, reason=best.reason, fix=best.fix) if second.available else best


def probe_backend(choice: SandboxChoice) -> SandboxReport:
    """Try the whole chain of one sandbox (starting it, filters, what a trial needs) and say what is missing."""
    with _PROBING:
        return _probe(choice.value)


@cache
def _probe(backend: str) -> SandboxReport:
    report = _missing(backend)
    if report is not None:
        return report
    scratch = make_scratch_folder()
    try:
        worker = start_in_sandbox(
            backend, "evaluator.inside.isolation.sandbox_probe", [backend, str(scratch)], scratch=scratch
        )
        try:
            receive_within(worker.channel, _PROBE_S)
        except WorkerDiedError as error:
            reason, fix = _diagnose(worker.complaint() or error.what)
            return SandboxReport(False, "", reason, fix)
        finally:
            worker.end()
    except ToolkitError as error:
        return SandboxReport(False, "", error.what, "install bubblewrap anew")
    finally:
        remove_scratch_folder(scratch)
    return SandboxReport(True, backend)


def _missing(backend: str) -> SandboxReport | None:
    """Return what is missing without which a backend need not be tried."""
    if not seccomp.IS_KNOWN_MACHINE:
        reason = f"the system calls of this kind of processor are not known ({platform.machine()})"
        return SandboxReport(False, "", reason, "use a machine with x86_64 or aarch64")
    if backend == "bwrap" and shutil.which("bwrap") is None:
        return SandboxReport(False, "", "bubblewrap is not installed", "install it (`apt install bubblewrap`)")
    if backend == "landlock" and (abi := landlock.find_abi()) < landlock.LEAST_ABI:
        reason = f"Landlock {landlock.LEAST_ABI} is needed (Linux 6.12), this kernel has {abi or 'none'}"
        return SandboxReport(False, "", reason, "install bubblewrap (`apt install bubblewrap`) or a newer kernel")
    return None


def _diagnose(complaint: str) -> tuple[str, str]:
    """Return reason and remedy for what a failed probe said."""
    last = complaint.strip().splitlines()[-1] if complaint.strip() else "it ended without a word"
    if "uid map" in complaint or "RTM_NEWADDR" in complaint or "apparmor" in complaint.lower():
        return (
            f"this machine restricts user namespaces ({last})",
            "allow them: `sysctl kernel.apparmor_restrict_unprivileged_userns=0` as root",
        )
    if "unshare" in complaint or "No permissions to create" in complaint or "namespace" in complaint:
        return (
            f"user namespaces are switched off here ({last})",
            "allow them (`sysctl user.max_user_namespaces=10000` as root; in a container: a seccomp profile that "
            "permits unshare)",
        )
    if "landlock" in complaint or "seccomp" in complaint:
        return (
            f"the kernel refuses filters ({last})",
            "in a container, allow the system calls of Landlock (landlock_create_ruleset and others) and seccomp",
        )
    if "mount" in complaint and "proc" in complaint:
        return (
            f"a fresh /proc cannot be mounted here ({last})",
            "in a container, start it with an unmasked /proc (`--security-opt systempaths=unconfined`)",
        )
    return f"bubblewrap failed ({last})", "check that bubblewrap can start a program as this user"
