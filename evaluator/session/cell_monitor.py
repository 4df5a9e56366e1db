"""Watching one cell from outside: its socket, its pipes, its death and the host's clock, all at once."""

import contextlib
import json
import os
import select
import signal
import socket
import time
from collections.abc import Mapping, Sequence
from enum import Enum, auto
from typing import Final

from evaluator.errors import ToolkitError
from evaluator.inside.export.suspicious_code import EXPORT_TAMPERED, marks_in_source
from evaluator.inside.runtime.channel import Channel
from evaluator.inside.runtime.frames import (
    MAX_BODY,
    FrameBuffer,
    FrameError,
    FrameKind,
    Packet,
    pack_parts,
    write_frame,
)
from evaluator.session.cell_report import CellReport, ExportTime, error_view, held_bytes, read_view
from evaluator.session.cell_request import file_in_memory
from evaluator.session.outcome import (
    CaptureSpec,
    CellLimits,
    Ending,
    Outcome,
    Probe,
    ProbeAnswer,
    ProbeEnding,
    VariableView,
    Watched,
)
from evaluator.session.recording import CellPipes, Recording
from evaluator.session.sealing import Sealed, pid_of, seal_trial

START_S: Final = 30.0
RESTART_S: Final = 20.0
"""How long a process may take to begin a cell when earlier cells of the same submission ran in it."""
EXPORT_S: Final = 60.0
"""How long a cell of trusted code may take to report."""
DRAW_S: Final = 30.0
"""How long its figures may take; they are drawn when its payload is here."""
INFER_S: Final = 10.0
"""How long a cell may take to evaluate again what it printed."""
PROBE_GRACE_S: Final = 10.0
"""How long a cell's process may take to end a probe whose time is up."""
_DEATH_S: Final = 10.0
_READ: Final = 256 * 1024
_LAST_READS: Final = 8  # of what is still in the pipes when all else is known


class Phase(Enum):
    """Where a cell is."""

    STARTING = auto()  # ours to answer for
    RUNNING = auto()  # the clock runs
    EXPORTING = auto()  # the clock runs on, less what reporting may take
    DRAWING = auto()  # the payload is here, but for figures
    PROBING = auto()
    INFERRING = auto()  # all but what the cell would have shown is known
    FINISHED = auto()


_PAYLOADS: Final = {(FrameKind.PAYLOAD, Phase.EXPORTING), (FrameKind.DRAFT, Phase.EXPORTING)}


class NeverStartedError(ToolkitError):
    """The cell's process failed before the cell could run: an infrastructure error, not the cell's."""


class CellMonitor:
    """The host's end of one cell: make it, pass `descriptors` on, `start` it, `wait` for the outcome."""

    def __init__(
        self,
        source: str,
        capture: CaptureSpec,
        limits: CellLimits,
        *,
        exports: ExportTime,
        is_trusted: bool = False,
        known: Mapping[str, str] | None = None,
        probes_end_it: bool = False,
        start_s: float = START_S,
    ) -> None:
        """Prepare to watch.

        Args:
            source: Of the cell, for its outcome.
            capture: Asked of it.
            limits: Its wall time counts here.
            exports: What reporting takes in this session.
            is_trusted: Its word counts for when it ended; what its report takes is measured.
            known: States of variables, each of which it has to say something of.
            probes_end_it: The cell's own process answers probes, not a fork: one that takes too long, or kills it,
                ends them all.
            start_s: How long its process may take to begin.
        """
        self._source = source
        self._exports = exports
        self._is_trusted = is_trusted
        self._known = known or {}
        self._probes_end_it = probes_end_it
        self._wants = capture
        self._limits = limits
        self._ours, self._theirs = socket.socketpair()
        self._pipes = CellPipes()
        self._recording = Recording()
        self._frames = FrameBuffer()
        self._report = CellReport()
        self._phase = Phase.STARTING
        self._started_at = self._ended_at = time.monotonic()
        self._start_s = start_s
        self._deadline = self._started_at + start_s
        self._probed_at = self._started_at
        self._is_draft = False  # of the payload: parts of it are still to come
        self._pidfd = -1
        self._has_hung_up = False  # its end of the socket is closed: nothing more will be told
        self._seals = False
        self._held_bytes = 0  # by its process, when it said that it had ended
        self._received_bytes = 0  # since then
        self._sealing_s = 0.0  # which is our time
        self._partial = bytearray()  # of the answer to a probe that the cell's own process gives

    @property
    def descriptors(self) -> Sequence[int]:
        """What the cell's process gets: its socket, the record pipe, descriptors 1 and 2."""
        return (self._theirs.fileno(), *self._pipes.far)

    def passed_on(self) -> None:
        """Close our copies of the far ends, once the worker holds them."""
        self._theirs.close()
        self._pipes.passed_on()

    def wait(self, pidfd: int, *, seal: bool = False) -> Outcome:
        """Watch the cell until it has reported or must be stopped; `pidfd` is its process.

        Args:
            pidfd: The process.
            seal: Kill what the cell started before it reports.

        Raises:
            NeverStartedError: If its process failed before the cell could run.
        """
        self._pidfd, self._seals = pidfd, seal
        poll = select.poll()
        for descriptor in (self._ours.fileno(), *self._pipes.near, pidfd):
            poll.register(descriptor, select.POLLIN)
        while not self._is_finished():
            ready = {descriptor for descriptor, _ in poll.poll(self._milliseconds_left())}
            self._pipes.read(ready, poll, self._recording)
            if self._ours.fileno() in ready:
                self._read_socket(poll)
            if self._recording.is_over_limit:
                self._stop(Ending.OVER_LIMIT, "output")
            elif self._is_finished():
                break
            elif pidfd in ready:
                self._died(poll)
            elif time.monotonic() >= self._deadline:
                self._ran_out()
        self._read_last()
        return self._outcome()

    def kill(self, pidfd: int) -> bool:
        """Kill the cell's process and wait for its end; false when it would not die."""
        with contextlib.suppress(ProcessLookupError):
            signal.pidfd_send_signal(pidfd, signal.SIGKILL)
        poll = select.poll()
        poll.register(pidfd, select.POLLIN)
        return bool(poll.poll(int(_DEATH_S * 1000)))

    def close(self) -> None:
        """Close everything that is still open."""
        self._ours.close()
        self._theirs.close()
        self._pipes.close()

    def _is_finished(self) -> bool:
        return self._phase is Phase.FINISHED

    def _milliseconds_left(self) -> int:
        return max(0, int((self._deadline - time.monotonic()) * 1000) + 1)

    def _read_socket(self, poll: "select.poll") -> None:
        try:
            data = self._ours.recv(_READ)
        except OSError:
            data = b""
        if not data:
            with contextlib.suppress(KeyError):
                poll.unregister(self._ours.fileno())
            self._hung_up()
            return
        self._received_bytes += len(data)
        if self._phase is Phase.EXPORTING and not self._is_trusted:
            self._deadline = self._latest()
        try:
            for frame in self._frames.feed(data):
                if self._is_finished():  # what comes later is not read either
                    return
                self._take(frame)
        except FrameError:
            self._fail()

    def _hung_up(self) -> None:
        """Note that the cell's process has closed its end: nobody is left to report, and a death may explain it."""
        self._has_hung_up = True
        if self._phase not in (Phase.STARTING, Phase.RUNNING):
            self._deadline = min(self._deadline, time.monotonic() + _DEATH_S)

    def _take(self, frame: Packet) -> None:
        """Go on by one frame; any frame out of turn is a bad report."""
        expected = (frame.kind, self._phase)
        if expected == (FrameKind.READY, Phase.STARTING):
            self._started_at = time.monotonic()
            self._enter(Phase.RUNNING, self._limits.wall_s)
        elif expected == (FrameKind.CELL_DONE, Phase.RUNNING):
            self._ended_at = time.monotonic()
            self._seal_and_ask()
        elif expected == (FrameKind.VIEW, Phase.EXPORTING) and self._report.view is None:
            self._report.view = read_view(frame.body)
            if self._report.view is None or self._report.view["states"].keys() != self._known.keys():
                self._fail()
        elif expected in _PAYLOADS and self._report.view is not None:
            self._take_payload(frame)
        elif frame.kind == FrameKind.LATER and self._phase in (Phase.DRAWING, Phase.INFERRING):
            self._take_later(frame.body)
        elif self._phase is Phase.PROBING:
            self._take_in_probe(frame)
        else:
            self._fail()

    def _take_in_probe(self, frame: Packet) -> None:
        if frame.kind == FrameKind.PART and self._probes_end_it:
            self._partial += frame.body
            if self._size() + len(self._partial) > MAX_BODY:
                self._fail()
        elif frame.kind == FrameKind.ANSWER:
            self._take_answer(frame.body)
            if not self._is_finished():
                self._probe()
        else:
            self._fail()

    def _seal_and_ask(self) -> None:
        """Kill what the cell started, and ask for its report."""
        self._held_bytes = self._received_bytes = 0
        if not self._is_trusted:  # what is trusted may take its time to report
            self._held_bytes = held_bytes(pid_of(self._pidfd))
        sealed = seal_trial(self._pidfd) if self._seals else Sealed.KILLED
        self._sealing_s = time.monotonic() - self._ended_at
        if sealed is Sealed.FAILED:
            self._stop(Ending.OVER_LIMIT, "processes")
            return
        self._enter(Phase.EXPORTING, EXPORT_S)
        if not self._is_trusted:
            self._deadline = self._latest()
        capture = self._wants
        asked = {"names": list(capture.names), "infer": capture.infer, "probes": len(capture.probes)}
        asked["alone"] = sealed is Sealed.ALONE
        asked |= {"figures": capture.figures, "files": list(capture.files), "watched": list(self._known)}
        if capture.encoding is not None:
            described = None if capture.described is None else list(capture.described)
            asked |= {"encoding": capture.encoding.to_json(), "described": described}
        try:
            write_frame(self._ours.fileno(), FrameKind.EXPORT, json.dumps(asked).encode())
        except OSError:
            self._hung_up()

    def _latest(self) -> float:
        """Return until when the payload has to be here, given what has arrived of it."""
        return self._started_at + self._limits.wall_s + self._allowance_s()

    def _allowance_s(self) -> float:
        held, received = self._held_bytes, self._received_bytes
        return self._sealing_s + self._exports.allowance_s(held_bytes=held, received_bytes=received)

    def _take_payload(self, frame: Packet) -> None:
        """Take the payload, whose arrival ends the cell's time; what comes later adds to it, and changes nothing."""
        now = time.monotonic()
        if self._is_trusted:
            self._exports.measure(now - self._ended_at)
        elif now >= self._latest():
            self._time_out()
            return
        self._count_until(now)
        self._report.payload = frame.body
        self._is_draft = frame.kind == FrameKind.DRAFT
        if self._is_draft:
            self._enter(Phase.DRAWING, DRAW_S + self._limits.wall_s)
        else:
            self._probe()

    def _count_until(self, now: float) -> None:
        """Count what a report took beyond its allowance as time of the cell."""
        if not self._is_trusted:
            self._ended_at = max(self._ended_at, now - self._allowance_s())

    def _take_later(self, body: bytes) -> None:
        """Add a part of the payload that follows it: the first one before the probes, the second after them."""
        self._report.later.append(body)
        if self._size() > MAX_BODY:
            self._fail()
        elif self._phase is Phase.DRAWING:
            self._probe()
        else:
            self._phase = Phase.FINISHED

    def _size(self) -> int:
        """Return how many bytes of a report are held: all of it together has the limit of one body."""
        report = self._report
        answers = (answer.data or b"" for answer in report.answers)
        return len(report.payload or b"") + sum(map(len, report.later)) + sum(map(len, answers))

    def _probe(self) -> None:
        """Ask the next probe; after the last one the cell is finished."""
        asked = len(self._report.answers)
        if asked == len(self._wants.probes):
            if self._is_draft:
                self._enter(Phase.INFERRING, INFER_S)
            else:
                self._phase = Phase.FINISHED
            return
        probe = self._wants.probes[asked]
        self._partial = bytearray()
        self._probed_at = time.monotonic()
        self._enter(Phase.PROBING, probe.limit_s + (0 if self._probes_end_it else PROBE_GRACE_S))
        try:
            _send_probe(self._ours, probe)
        except OSError:
            self._hung_up()

    def _take_answer(self, data: bytes) -> None:
        if self._size() + len(data) > MAX_BODY:
            self._fail()
            return
        limit_s = self._wants.probes[len(self._report.answers)].limit_s
        if time.monotonic() - self._probed_at >= limit_s:
            self._report.answers.append(ProbeAnswer(ProbeEnding.TIMED_OUT, data))  # what came before counts
        elif not data:
            self._report.answers.append(ProbeAnswer(ProbeEnding.DIED))
        else:
            self._report.answers.append(ProbeAnswer(ProbeEnding.OK, data))

    def _end_probes(self, ending: ProbeEnding) -> None:
        """End all probes, with what came of the last one: as much as a fork would have left of it."""
        if self._partial and ending is ProbeEnding.DIED:
            ending = ProbeEnding.OK
        self._report.answers.append(ProbeAnswer(ending, bytes(self._partial) or None))
        self._phase = Phase.FINISHED

    def _enter(self, phase: Phase, seconds: float) -> None:
        self._phase = phase
        self._deadline = time.monotonic() + seconds

    def _fail(self) -> None:
        self._stop(Ending.BAD_REPORT)

    def _stop(self, ending: Ending, *limits: str) -> None:
        if self._phase is Phase.RUNNING:
            self._ended_at = time.monotonic()
        elif self._phase is Phase.EXPORTING:
            self._count_until(time.monotonic())
        self._report.ending = ending
        self._report.limits_hit.update(limits)
        self._phase = Phase.FINISHED

    def _time_out(self) -> None:
        """End a cell whose time is over; what it said of its end does not count."""
        now = time.monotonic()
        self._stop(Ending.TIMED_OUT, "time")
        self._ended_at = now - self._sealing_s

    def _died(self, poll: "select.poll") -> None:
        self._read_rest(poll)
        if self._phase is Phase.STARTING:
            raise NeverStartedError("the process of a cell died before the cell could run")
        if self._phase is Phase.PROBING and self._probes_end_it:
            self._end_probes(ProbeEnding.DIED)
        if self._phase is Phase.INFERRING:
            self._phase = Phase.FINISHED  # the draft says what is known
        if not self._is_finished():
            self._stop(Ending.DIED)

    def _read_rest(self, poll: "select.poll") -> None:
        """Read what a dead process has sent."""
        while True:
            ready = {descriptor for descriptor, events in poll.poll(0) if events & select.POLLIN}
            ready &= {self._ours.fileno(), *self._pipes.near}
            if not ready or self._recording.is_over_limit:
                return
            before = self._recording.total_bytes
            self._pipes.read(ready, poll, self._recording)
            if self._ours.fileno() in ready:
                self._read_socket(poll)
            elif self._recording.total_bytes == before:
                return

    def _ran_out(self) -> None:
        if self._phase is Phase.STARTING:
            raise NeverStartedError(f"the process of a cell was not ready within {self._start_s:g} s")
        if self._phase is Phase.EXPORTING and self._has_hung_up:
            self._fail()
        elif self._phase is Phase.RUNNING or (self._phase is Phase.EXPORTING and not self._is_trusted):
            self._time_out()
        elif self._phase is Phase.PROBING and self._probes_end_it:
            self._end_probes(ProbeEnding.TIMED_OUT)
        elif self._phase is Phase.INFERRING:
            self._phase = Phase.FINISHED
        else:
            self._stop(Ending.BAD_REPORT)

    def _read_last(self) -> None:
        """Read what a cell that has reported printed and drew before."""
        if self._report.ending is not None:
            return
        poll = select.poll()
        for descriptor in self._pipes.near:
            poll.register(descriptor, select.POLLIN)
        for _ in range(_LAST_READS):
            ready = {descriptor for descriptor, events in poll.poll(0) if events & select.POLLIN}
            if not ready or self._recording.is_over_limit:
                return
            self._pipes.read(ready, poll, self._recording)

    def _outcome(self) -> Outcome:
        view = self._report.view if self._report.ending is None else None
        error = error_view(view)
        ending = self._report.ending or (Ending.OK if error is None else Ending.ERROR)
        outputs = self._recording.outputs()
        if error is not None:
            lines = error.traceback.splitlines()
            outputs += ({"output_type": "error", "ename": error.name, "evalue": error.message, "traceback": lines},)
        limits = self._report.limits_hit | self._recording.limits_hit
        limits |= set(view["limits_hit"]) if view else set()
        watched = self._watched(view["states"]) if view else ()
        marks = marks_in_source(self._source) | set(view["marks"] if view else ())
        if any(each.found != each.known for each in watched):
            marks |= {EXPORT_TAMPERED}  # what was there before says that nothing was changed
        return Outcome(
            ending=ending,
            source=self._source,
            seconds=max(0.0, self._ended_at - self._started_at),
            limits_hit=tuple(sorted(limits)),
            marks=tuple(sorted(marks)),
            outputs=outputs,
            error=error,
            variables=tuple(VariableView(**v) for v in view["variables"]) if view else (),
            payload=self._report.whole_payload() if view else None,
            capture=self._wants,
            answers=self._answers() if view else (),
            watched=watched,
        )

    def _watched(self, states: Mapping[str, Sequence[str | None]]) -> tuple[Watched, ...]:
        """Return the states of variables but of those that were hidden from the cell."""
        hidden = self._limits.forbid_names
        return tuple(
            Watched(name, known, states[name][0] or "", states[name][1] or "")
            for name, known in self._known.items()
            if name not in hidden
        )

    def _answers(self) -> tuple[ProbeAnswer, ...]:
        missing = len(self._wants.probes) - len(self._report.answers)
        return (*self._report.answers, *[ProbeAnswer(ProbeEnding.MISSING)] * missing)


def _send_probe(sock: socket.socket, probe: Probe) -> None:
    """Send a probe as a file in memory, so that a process that does not read cannot make us wait."""
    file = file_in_memory("probe", pack_parts({**probe.header, "limit_s": probe.limit_s}, probe.data))
    try:
        Channel(sock).send(FrameKind.PROBE, b"", [file])
    finally:
        os.close(file)
