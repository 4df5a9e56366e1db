"""How we come to a Dask cluster: by the address of a scheduler that is safe to talk to, or by starting one here."""

import asyncio
import contextlib
import ipaddress
import logging
import os
import platform
import signal
import warnings
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from multiprocessing import resource_tracker
from typing import Any, Final

import dask
import distributed
from dask.utils import parse_timedelta
from distributed import Client, LocalCluster
from distributed.core import rpc
from distributed.security import Security

from evaluator.errors import ToolkitError, UsageError
from evaluator.running.config import no_address, refuse_many_processes
from evaluator.session import scratch_folder

_log = logging.getLogger(__name__)

CONNECT_S: Final = 15.0  # until a scheduler must have answered
MAX_LOST_STARTS: Final = 5  # how often all workers may be lost before the first one is ready
WORKERS_S: Final = 60.0  # until a cluster without workers must have one again, where Dask's configuration says nothing
WORKERS_SETTING: Final = "benchwright.worker-timeout"  # of Dask's configuration: it says something else
LOCAL: Final = "the cluster on this machine"
_QUIET: Final[Mapping[str, Any]] = {
    "distributed.scheduler.http.routes": [],
    "distributed.worker.http.routes": [],
    "distributed.worker.memory.target": False,
    "distributed.worker.memory.spill": False,
    "distributed.worker.memory.pause": False,
    "distributed.worker.memory.terminate": False,
}
"""Of a cluster of our own: it serves no pages, and sandboxes limit memory."""

_ADVICE: Final = "Creating scratch directories is taking"
"""How a warning of Dask begins where a machine is busy: the folders are ours, nobody can act on it."""
_WARNINGS_OF_WORKERS: Final = "distributed.nanny.pre-spawn-environ.PYTHONWARNINGS"


def _without_advice() -> str:
    """Return our own filters of warnings, with one for Dask's advice."""
    before = os.environ.get("PYTHONWARNINGS", "")
    return f"{before},ignore:{_ADVICE}:UserWarning".lstrip(",")


def worker_timeout_s() -> float:
    """Return how long a cluster may be without workers, in seconds.

    Raises:
        UsageError: If Dask's configuration names no time.
    """
    said = dask.config.get(WORKERS_SETTING, None)
    if said is None:
        return WORKERS_S
    try:
        seconds = float(parse_timedelta(said))
    except (KeyError, TypeError, ValueError) as error:
        what, fix = f"{said!r} is no time", "write seconds, or a time such as 2h"
        raise UsageError(what, where=f"Dask's configuration, {WORKERS_SETTING}", fix=fix) from error
    return seconds


@contextlib.contextmanager
def silence_dask() -> Iterator[None]:
    """Keep Dask's log from a user's terminal, where we tell what fails; its loggers have levels of their own."""
    known = [name for name in logging.root.manager.loggerDict if name.partition(".")[0] == "distributed"]
    loggers = [logging.getLogger(name) for name in {"distributed", *known}]
    before = [logger.level for logger in loggers]
    for logger in loggers:
        logger.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        for logger, level in zip(loggers, before, strict=True):
            logger.setLevel(level)


def refuse_unsafe(address: str) -> str:
    """Return the address of a scheduler that may be used: on this machine, or with TLS.

    Raises:
        UsageError: If it is neither, or no address.
    """
    kind, separator, rest = address.partition("://")
    host, _, port = rest.rpartition(":")
    if not separator or kind not in ("tcp", "tls") or not host or not _is_port(port):
        raise no_address(address)
    if kind == "tcp" and not _is_loopback(host.strip("[]")):
        what = f"{address!r} is on another machine, and without TLS anybody on its network could run code as you"
        fix = "start the scheduler with TLS and name it tls://HOST:PORT (docs/cluster.md says how)"
        raise UsageError(what, where="--scheduler", fix=fix)
    return address


def _is_port(text: str) -> bool:
    return text.isascii() and text.isdecimal() and len(text) <= 5 and 1 <= int(text) <= 65_535


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def connected(address: str, security: Security | None, where: str) -> Client:
    """Return a client of a scheduler.

    Args:
        address: Of the scheduler.
        security: Certificates; None: those of Dask's own configuration, where the address needs some.
        where: The scheduler, for what is said to people.

    Raises:
        UsageError: If there are no certificates.
        ToolkitError: If it does not answer.
    """
    if address.startswith("tls://") and security is None:
        security = Security()
        if security.tls_client_cert is None or security.tls_ca_file is None:
            what = "Dask does not know certificates for TLS"
            fix = "set distributed.comm.tls.ca-file and .client.cert, .client.key in ~/.config/dask (docs/cluster.md)"
            raise UsageError(what, where=where, fix=fix)
    try:
        with ThreadPoolExecutor(1) as thread:  # the caller's, as a notebook's, may have an event loop that runs
            packages = thread.submit(asyncio.run, _packages_of(address, security or Security())).result()
        refuse_other_versions(packages, where)
        return Client(address, security=security, timeout=CONNECT_S, set_as_default=False)
    except ToolkitError:
        raise
    except Exception as error:
        raise _no_answer(error, where) from error


def _no_answer(error: Exception, where: str) -> ToolkitError:
    """Return the error that says why a scheduler cannot be talked to; with TLS it may be there and refuse us."""
    said = f"{type(error).__name__}: {' '.join(str(error).split())[:200]}".removesuffix(": ")
    fix = "start it ('dask scheduler'), or correct its address, then repeat the same command"
    if isinstance(error, (TimeoutError, ConnectionRefusedError)) or said.startswith("OSError: Timed out"):
        return ToolkitError(f"the scheduler does not answer: {said}", where=where, fix=fix)
    fix = (
        "if it uses TLS, name it tls://HOST:PORT, with the certificates that it has (distributed.comm.tls in "
        "~/.config/dask), else tcp://; or correct the address, or start it ('dask scheduler')"
    )
    return ToolkitError(f"the scheduler cannot be talked to: {said}", where=where, fix=fix)


def warn_of_open(client: Client, where: str) -> None:
    """Warn of a scheduler that listens to a network without TLS, though we come to it from this machine."""
    address = str(client.scheduler_info(n_workers=0).get("address", ""))
    host = address.removeprefix("tcp://").rpartition(":")[0].strip("[]")
    if address.startswith("tcp://") and not _is_loopback(host):
        _log.warning("event=scheduler_open where=%r address=%s (fix: start it with --host 127.0.0.1)", where, address)


async def _packages_of(address: str, security: Security) -> Mapping[str, Any]:
    """Return the versions that a scheduler tells of itself, before a client of another one would fail at it."""
    with dask.config.set({"distributed.comm.timeouts.connect": CONNECT_S}):
        async with rpc(address, connection_args=security.get_connection_args("client")) as scheduler:
            told = await asyncio.wait_for(scheduler.versions(), 2 * CONNECT_S)
    packages = told.get("packages") if isinstance(told, dict) else None
    return packages if isinstance(packages, dict) else {}


def started(workers: int, stack: contextlib.ExitStack) -> tuple[str, Security]:
    """Start a cluster on this machine, with certificates of its own that nobody else has; it ends with this process.

    Args:
        workers: Its processes (count).
        stack: Ends it.

    Returns:
        The address of its scheduler, and the certificates.

    Raises:
        UsageError: If they are too many.
        ToolkitError: If it cannot be started.
    """
    refuse_many_processes(workers)
    folder = str(stack.enter_context(scratch_folder()))
    security = Security.temporary()
    stack.enter_context(dask.config.set({**_QUIET, _WARNINGS_OF_WORKERS: _without_advice()}))
    for number in range(1, MAX_LOST_STARTS + 1):
        try:
            with _interrupted_later():
                cluster = _started(workers, security, folder)
                stack.callback(ended, cluster)
            break
        except Exception as error:
            if number == MAX_LOST_STARTS:
                said = f"{type(error).__name__}: {' '.join(str(error).split())[:200]}"
                fix = "use fewer --workers, or leave out --executor"
                raise ToolkitError(f"no cluster can be started: {said}", where=LOCAL, fix=fix) from error
    return cluster.scheduler_address, security  # pyrefly: ignore[unbound-name]  # started, or raised


@contextlib.contextmanager
def _interrupted_later() -> Iterator[None]:
    """Hold Ctrl-C back while processes start, which inherit that; it would end them within Python's own start.

    What was pressed meanwhile comes afterwards.
    """
    resource_tracker.ensure_running()  # which, when it starts later on, lets interrupts through again
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _started(workers: int, security: Security, folder: str) -> LocalCluster:
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", _ADVICE, UserWarning)  # of those parts that live in this process
        return LocalCluster(
            n_workers=workers,
            threads_per_worker=1,
            host="127.0.0.1",
            protocol="tls",
            security=security,
            dashboard_address="127.0.0.1:0",
            worker_dashboard_address=None,
            scheduler_kwargs={"dashboard": False},
            memory_limit=0,
            silence_logs=logging.CRITICAL,
            local_directory=folder,
            preload=["evaluator.running.cluster.without_interrupts"],
        )


def left(client: Client) -> None:
    """Leave a cluster."""
    with contextlib.suppress(Exception):
        client.close(timeout=5)


def ended(cluster: LocalCluster) -> None:
    """End a cluster of our own."""
    with contextlib.suppress(Exception):
        cluster.close(timeout=10)


def refuse_other_versions(theirs: Mapping[str, Any], where: str) -> None:
    """Refuse a scheduler of another version: Dask's own messages differ from one to the next.

    Args:
        theirs: Package -> version, as the scheduler tells.
        where: The scheduler.

    Raises:
        ToolkitError: If it is of another one.
    """
    ours = {"distributed": distributed.__version__, "dask": dask.__version__, "python": platform.python_version()}
    for name, version in ours.items():
        if name in theirs and _release(name, str(theirs[name])) != _release(name, version):
            what = f"the scheduler has {name} {theirs[name]}, not {version} as here"
            raise ToolkitError(what, where=where, fix="install the same packages on all machines")


def _release(name: str, text: str) -> str:
    return ".".join(text.split(".")[:2]) if name == "python" else text
