"""One problemset's session, as callers use it."""

import contextlib
import json
import os
import signal
import socket
import threading
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import Final

from evaluator.errors import ToolkitError, UsageError
from evaluator.inside.isolation.folders import remove_tree, trial_folders
from evaluator.inside.runtime.channel import Channel, ChannelMessage
from evaluator.inside.runtime.frames import FrameKind
from evaluator.session.cell_monitor import RESTART_S, START_S, CellMonitor, NeverStartedError
from evaluator.session.cell_report import ExportTime, read_hostile_json
from evaluator.session.cell_request import code_in_memory, has_ended, request_body
from evaluator.session.input_files import batches, input_files, open_input
from evaluator.session.outcome import DEFAULT_LIMITS, NO_CAPTURE, CaptureSpec, CellLimits, Ending, Outcome
from evaluator.session.sealing import Stillness, freeze_trial, has_one_thread, thaw_trial
from evaluator.session.template import WorkerDiedError, receive_within

_ANSWER_S: Final = 120.0
_MAX_WATCHED: Final = 1000
SETUP_LIMITS: Final = CellLimits(wall_s=60)


class SessionLost(ToolkitError):  # noqa: N818  # an event of a session's life
    """The session's process is gone; open a new one and replay the cells that made its state."""


class Session:
    """Runs cells: `execute` in the session itself, `attempt` on a copy of it, or several on one copy that is kept.

    Use it as a context manager.
    """

    _probes_end_it = False  # nobody else answers them than the cell's own process

    def __init__(
        self, channel: Channel, pidfd: int, *, folder: Path | None = None, exports: ExportTime | None = None
    ) -> None:
        """Take over a process.

        Args:
            channel: Where it listens.
            pidfd: The process.
            folder: Where it works, if it has no namespace of its own.
            exports: What reporting took in the session that this one is a copy of, in which no cell is trusted.
        """
        self._channel = channel
        self._channel.set_patience(_ANSWER_S)
        self._pidfd = pidfd
        self._folder = folder
        self._trusts_cells = exports is None
        self._exports = exports or ExportTime()
        self._lock = threading.RLock()
        self._lost = ""
        self._stillness: Stillness | None = None  # None: it has not stood still yet
        self._is_closed = False

    @property
    def is_lost(self) -> bool:
        """Whether the session's process is gone, or cannot be relied on."""
        return bool(self._lost) or has_ended(self._pidfd)

    def prepare(self, *, key: str, rng_seed: int, inputs: Path | None) -> None:
        """Make the working folder with its input files and set the random states; called by the engine."""
        folder = None if self._folder is None else str(self._folder)
        options = {"key": key, "rng_seed": rng_seed, "folder": folder, "size_mb": self._folder_mb(inputs)}
        try:
            self._channel.send(FrameKind.OPEN, json.dumps(options).encode())
            for batch in batches(list(input_files(inputs))):
                self._send_files(inputs, batch)
            self._channel.send(FrameKind.START)
            receive_within(self._channel, _ANSWER_S)
        except (OSError, WorkerDiedError) as error:
            raise self._lose("the session died while its inputs were copied") from error

    def _folder_mb(self, inputs: Path | None) -> int | None:
        """Return what the files in its working folder may occupy together; None leaves it to the worker."""
        del inputs
        return None

    def _send_files(self, inputs: Path | None, names: list[str]) -> None:
        assert inputs is not None
        descriptors = []
        try:
            for name in names:
                descriptors.append(open_input(inputs / name))
            self._channel.send(FrameKind.INPUTS, json.dumps(names).encode(), descriptors)
        finally:
            for descriptor in descriptors:
                os.close(descriptor)

    def execute(self, source: str, *, capture: CaptureSpec = NO_CAPTURE, limits: CellLimits = SETUP_LIMITS) -> Outcome:
        """Run a cell in the session and advance its state: setup cells and reference code.

        A cell that ends as `died`, `timed_out` or `over_limit` takes the session with it: its outcome is
        returned, and every later call raises `SessionLost`.

        Raises:
            SessionLost: If the session is gone.
        """
        return self._execute(source, capture, limits)

    def execute_alone(self, known: Mapping[str, str], source: str, capture: CaptureSpec, limits: CellLimits) -> Outcome:
        """Run a cell as `execute` does in a session that stands still but for that.

        The cell says what became of variables whose states are known.

        Raises:
            SessionLost: If the session is gone.
        """
        self._refuse_unusable()
        if not thaw_trial(self._pidfd, self._stillness):
            raise self._lose("what an earlier cell left behind did not stand still")
        return self._execute(source, capture, limits, known)

    def freeze(self) -> bool:
        """Let the session, and all that its cells started, stand still; false where that cannot be done."""
        if not self.is_lost:
            self._stillness = freeze_trial(self._pidfd)
        return self.is_lost or self._stillness is not None

    def _execute(
        self, source: str, capture: CaptureSpec, limits: CellLimits, known: Mapping[str, str] | None = None
    ) -> Outcome:
        with self._lock:
            run = self._send(FrameKind.EXEC, source, capture, limits, is_trusted=self._trusts_cells, known=known)
            try:
                outcome = self._watch(run, self._pidfd)
                if outcome.ending not in (Ending.OK, Ending.ERROR):
                    run.kill(self._pidfd)
                    self._lost = f"a cell ended as {outcome.ending.value} and took the session with it"
                return outcome
            finally:
                run.close()

    def attempt(
        self, source: str, *, capture: CaptureSpec = NO_CAPTURE, limits: CellLimits = DEFAULT_LIMITS
    ) -> Outcome:
        """Run a submission on a copy of the session; the session's state stays as it is.

        Raises:
            SessionLost: If the session is gone.
        """
        with self._lock:
            run = self._send(FrameKind.TRY, source, capture, limits)
            pidfd = -1
            grew_too_large = False
            try:
                pidfd = self._receive_started().descriptors[0]
                outcome = self._watch(run, pidfd, seal=True)
            finally:
                grew_too_large = self._end_trial(run, pidfd)
            if grew_too_large and outcome.ending is Ending.DIED:
                return replace(outcome, ending=Ending.OVER_LIMIT, limits_hit=(*outcome.limits_hit, "memory"))
            return outcome

    def lost_threads(self) -> tuple[str, ...]:
        """Return the names of the threads that cells left and that a fork would lose.

        Raises:
            SessionLost: If the session is gone.
        """
        with self._lock:
            self._refuse_unusable()
            if has_one_thread(self._pidfd) and not has_ended(self._pidfd):  # to look is cheaper than to ask the session
                return ()
            try:
                self._channel.send(FrameKind.THREADS)
                names = json.loads(receive_within(self._channel, _ANSWER_S).body)
            except (OSError, WorkerDiedError) as error:
                raise self._lose("the session died") from error
            return tuple(str(name) for name in names)

    def keep(self, limits: CellLimits) -> "PersistentFork":
        """Fork a copy of the session that lives on; until it is closed, the session does nothing else.

        Args:
            limits: Of all its cells together: processor time (as `wall_s`), and memory, in which the fork that reports
                a cell counts beside the state that it reports.

        Raises:
            SessionLost: If the session is gone.
        """
        with self._lock:
            self._refuse_unusable()
            ours, theirs = socket.socketpair()
            try:
                body = request_body("", replace(limits, forbid_names=(), withheld_names=()))
                self._channel.send(FrameKind.KEEP, body, [theirs.fileno()])
                started = self._receive_started()
                states = self._read_states(started)
            except OSError as error:
                ours.close()
                raise self._lose("the session died") from error
            except SessionLost:
                ours.close()
                raise
            finally:
                theirs.close()
            cells = Session(Channel(ours), started.descriptors[0], exports=self._exports)
            return PersistentFork(cells, self, states)

    def watch_end(self) -> bool:
        """Wait until the session says that its trial is gone; tell whether it was killed for its memory."""
        with self._lock:
            return self._hear_end()

    def _watch(self, run: CellMonitor, pidfd: int, *, seal: bool = False) -> Outcome:
        try:
            return run.wait(pidfd, seal=seal)
        except NeverStartedError as error:
            raise self._lose(error.what) from error

    def _receive_started(self) -> ChannelMessage:
        try:
            message = receive_within(self._channel, _ANSWER_S)
        except WorkerDiedError as error:
            raise self._lose("the session died while a submission was to start") from error
        if message.kind != FrameKind.STARTED or not message.descriptors:
            raise self._lose("the session answered out of turn")
        return message

    def _read_states(self, started: ChannelMessage) -> dict[str, str]:
        """Return the states of variables as the session says them in which no agent's code has run."""
        try:
            states = read_hostile_json(started.body)
        except ValueError:
            states = None
        if not isinstance(states, dict):
            raise self._lose("the session answered nonsense")
        return {name: str(state) for name, state in list(states.items())[:_MAX_WATCHED]}

    def _end_trial(self, run: CellMonitor, pidfd: int) -> bool:
        """Kill the trial with everything it started, wait for the session's word that it is gone.

        Returns:
            Whether the session killed it because it used too much memory.
        """
        try:
            if pidfd >= 0:
                with contextlib.suppress(ProcessLookupError):
                    signal.pidfd_send_signal(pidfd, signal.SIGKILL)
                return self._hear_end()
        finally:
            if pidfd >= 0:
                os.close(pidfd)
            run.close()
        return False

    def _hear_end(self) -> bool:
        try:
            report = json.loads(receive_within(self._channel, _ANSWER_S).body)
            return isinstance(report, dict) and report.get("memory") is True
        except WorkerDiedError:
            self._lost = self._lost or "the session died while a submission ended"
        except (ValueError, RecursionError):  # reference code ran in that process: what it says may be anything
            self._lost = self._lost or "the session answered nonsense"
        return False

    def _send(
        self,
        kind: FrameKind,
        source: str,
        capture: CaptureSpec,
        limits: CellLimits,
        *,
        is_trusted: bool = False,
        known: Mapping[str, str] | None = None,
    ) -> CellMonitor:
        self._refuse_unusable()
        is_held_up = self._stillness is not None  # if it does not begin: by what an earlier cell left behind
        run = CellMonitor(
            source,
            capture,
            limits,
            exports=self._exports,
            is_trusted=is_trusted,
            known=known,
            probes_end_it=self._probes_end_it,
            start_s=RESTART_S if is_held_up else START_S,
        )
        try:
            self._deliver(kind, source, limits, run.descriptors)
        except OSError as error:
            run.close()
            raise self._lose("the session died") from error
        run.passed_on()
        return run

    def _deliver(self, kind: FrameKind, source: str, limits: CellLimits, descriptors: Sequence[int]) -> None:
        code = code_in_memory(source)
        try:
            self._channel.send(kind, request_body("", limits), (*descriptors, code))
        finally:
            os.close(code)

    def _refuse_unusable(self) -> None:
        if self._is_closed:
            raise UsageError("the session is closed", fix="open a new one")
        if self._lost:
            raise SessionLost(self._lost, fix="open the session again and replay its cells")

    def _lose(self, what: str) -> SessionLost:
        self._lost = self._lost or what
        return SessionLost(what, fix="open the session again and replay its cells")

    def close(self) -> None:
        """End the session and everything it started."""
        with self._lock:
            if self._is_closed:
                return
            self._is_closed = True
            self._channel.close()
            with contextlib.suppress(ProcessLookupError):
                signal.pidfd_send_signal(self._pidfd, signal.SIGKILL)
            os.close(self._pidfd)
            if self._folder is not None:
                for folder in (self._folder, *trial_folders(str(self._folder))):
                    remove_tree(str(folder))

    def __enter__(self) -> "Session":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class PersistentFork:
    """A copy of a session that runs cells one after the other, each under the limits and the eyes of a trial.

    What it reports is believed no more than a trial's word. Use it as a context manager.
    """

    def __init__(self, cells: Session, origin: Session, states: Mapping[str, str] | None = None) -> None:
        """Take over a copy.

        Args:
            cells: Runs cells in it.
            origin: The session that it was forked from.
            states: Of variables, as that session says.
        """
        self._cells = cells
        self._states = dict(states or {})
        self._origin = origin
        self._is_closed = False

    @property
    def origin_is_lost(self) -> bool:
        """Whether the session that this is a copy of is gone, which no cell in here can bring about."""
        return self._origin.is_lost

    def execute(
        self, source: str, *, capture: CaptureSpec = NO_CAPTURE, limits: CellLimits = DEFAULT_LIMITS
    ) -> Outcome:
        """Run a cell and keep the state it leaves.

        A cell that ends as anything but `ok` or `error` takes the trial with it: every later call raises.

        Raises:
            SessionLost: If the trial is gone, or was before the cell could run.
        """
        if self._is_closed:
            raise SessionLost("the trial has ended", fix="keep another copy of the session and replay its cells")
        outcome = self._cells.execute_alone(self._states, source, capture, limits)
        for each in outcome.watched:
            if each.found == each.known:  # else somebody changed it in secret, and every later report says so
                self._states[each.name] = each.left
        try:
            is_still = self._cells.freeze()
        except ToolkitError:
            self._end()
            raise
        if not is_still:
            self._end()
            return replace(outcome, ending=Ending.OVER_LIMIT, limits_hit=(*outcome.limits_hit, "processes"))
        if outcome.ending is Ending.DIED and self._end():
            return replace(outcome, ending=Ending.OVER_LIMIT, limits_hit=(*outcome.limits_hit, "memory"))
        return outcome

    def close(self) -> None:
        """End the trial and everything it started; the session it is a copy of can be used again."""
        self._end()

    def _end(self) -> bool:
        if self._is_closed:
            return False
        self._is_closed = True
        self._cells.close()
        return self._origin.watch_end()

    def __enter__(self) -> "PersistentFork":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
