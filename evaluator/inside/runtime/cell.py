"""One cell: run it, report that it ended, then export what it left behind."""

import errno
import json
import math
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from evaluator.inside.codec.decode.decoded import ABSENT, ErrorFacts, NamespaceDiff
from evaluator.inside.describing.encodings import Form, encode_variables
from evaluator.inside.describing.variable_views import describe_variables
from evaluator.inside.export.figures import close_figures, draw_figures, has_figures, show_figures
from evaluator.inside.export.files import read_files
from evaluator.inside.export.payload import Exported, Remains, encode_inferred, encode_later, encode_payload
from evaluator.inside.export.probing import answer_apart, answer_here
from evaluator.inside.export.suspicious_code import EXPORT_TAMPERED, FORBIDDEN_IN_REACH
from evaluator.inside.export.tripwire import Table
from evaluator.inside.isolation import namespaces as isolation
from evaluator.inside.isolation.single_thread_fork import fork_single_thread, has_threads
from evaluator.inside.runtime.cell_execution import CellResult, shows_before_value
from evaluator.inside.runtime.channel import Channel
from evaluator.inside.runtime.error_report import describe_error
from evaluator.inside.runtime.frames import FrameKind
from evaluator.inside.runtime.inference import are_names, infer_outputs, shown_expressions
from evaluator.inside.runtime.namespace import Before, Namespace

if TYPE_CHECKING:
    from evaluator.inside.runtime.session_worker import Runtime

_ERRNO_LIMITS = {errno.EAGAIN: "processes", errno.EFBIG: "files", errno.ENOSPC: "files"}
_FILE_BYTES = 200 * 1024 * 1024
_PROCESSES = 200
_OPEN_FILES = 512
_exit = os._exit  # bound before any cell can replace it

Look = Callable[[], tuple[str, ...]]
"""Says what of the exporter was changed."""


@dataclass(frozen=True)
class CellRequest:
    """What the host asks to run."""

    source: str
    wall_s: float
    memory_bytes: int
    forbid_names: tuple[str, ...]
    magics: bool = True  # IPython's, shell lines and awaits outside functions; without, they are syntax errors
    renders: bool = True  # whether its last value is also rendered for people
    withheld_names: tuple[str, ...] = ()  # of the forbidden ones: in a trial's own process, their values are given up

    @classmethod
    def from_json(cls, body: dict[str, Any]) -> "CellRequest":
        """Return the request that the host wrote as JSON."""
        limits = (body["wall_s"], body["memory_bytes"], tuple(body["forbid_names"]))
        return cls(body["source"], *limits, body["magics"], body["renders"], tuple(body["withheld_names"]))

    def restrict(self, *, others: int) -> None:
        """Set the hard limits of a trial for the request, or for all that follow where the trial lives on.

        Args:
            others: Threads outside the trial that its limit on processes counts too.
        """
        isolation.limit_trial(
            cpu_s=math.ceil(self.wall_s) + 60,
            file_bytes=_FILE_BYTES,
            processes=_PROCESSES + others,
            open_files=_OPEN_FILES,
        )
        isolation.limit_memory(self.memory_bytes, hard=True)


@dataclass(frozen=True)
class Ended:
    """A cell that has run and has not reported yet."""

    before: Before
    result: CellResult
    error: ErrorFacts | None
    looks: tuple[Look, Look]  # at what reports it: before it is used, and afterwards
    is_core_intact: bool


class Cell:
    """Runs one request: in a session itself, in a trial forked from it, or in such a fork that lives on."""

    def __init__(
        self,
        channel: Channel,
        descriptors: Sequence[int],
        *,
        request: CellRequest,
        number: int,
        forked: bool,
        lives_on: bool = False,
        runtime: "Runtime",
        namespace: Namespace,
        folder: str,
        may_fork: bool = True,
    ) -> None:
        self._channel = channel
        self._records, self._out, self._err = descriptors
        self._request = request
        self._shows_first = shows_before_value(request.source)  # read before any code of the cell runs
        self._number = number
        self._forked = forked
        self._lives_on = lives_on or not forked
        self._runtime = runtime
        self._namespace = namespace
        self._folder = folder
        self._may_fork = may_fork

    def run(self) -> None:
        """Run the cell and answer the host's request for what it left behind."""
        self.report(self.execute())

    def execute(self) -> "Ended":
        """Run the cell and say that it has ended."""
        runtime = self._runtime
        withheld = () if self._lives_on else self._request.withheld_names
        runtime.shell.forget_shown(withheld)
        before = self._namespace.begin(self._request.forbid_names, withheld)
        if before.is_in_reach:
            runtime.originals.marks |= {FORBIDDEN_IN_REACH}
        looks = (runtime.tripwire.set(*self._parts(before)), runtime.tripwire.set())
        memory, places, known = runtime.tripwire.core
        runtime.pipe.attach(self._records)
        runtime.descriptors.attach(self._out, self._err)
        if self._lives_on:
            isolation.limit_memory(self._request.memory_bytes, hard=False)
        self._channel.send(FrameKind.READY)
        settle = runtime.originals.restore_builtins if self._forked else _nothing
        request = self._request
        runtime.shell.renders = request.renders
        result = runtime.shell.run(request.source, number=self._number, settle=settle, magics=request.magics)
        is_core_intact = memory[places].tobytes() == known  # in this frame: no cell can replace code that runs already
        error = describe_error(result.error)
        self._channel.send(FrameKind.CELL_DONE)
        if self._lives_on:
            isolation.limit_memory(None, hard=False)
        return Ended(before, result, error, looks, is_core_intact)

    def _parts(self, before: Before) -> Iterator[Table]:
        """Yield what of this cell's own the cell has no business with."""
        yield "cell", vars(self)
        yield "runtime", vars(self._runtime)
        yield from self._namespace.tables()
        yield "before", before.prints
        yield "before", before.values

    def report(self, ended: "Ended") -> None:
        """Answer the host's request for what the cell left behind."""
        runtime = self._runtime
        try:
            with runtime.originals.for_a_while():
                self._report(ended)
        finally:
            runtime.pipe.detach()
            runtime.descriptors.detach()
            self._channel.close()

    def _report(self, ended: Ended) -> None:
        message = self._channel.receive()
        if message is None:
            return
        asked = json.loads(message.body)
        if self._forked and self._may_fork and (self._lives_on or has_threads()):
            self._export_apart(asked, ended)
        else:
            self._export(asked, ended, is_lone_fork=self._forked and not self._lives_on)

    def _export_apart(self, asked: dict[str, Any], ended: Ended) -> None:
        """Export in a fork: without the threads that the cell left, and without effect on a state that lives on."""
        if fork_single_thread(lambda: self._export(asked, ended)):
            _exit(1)  # the host hears of a death, not of a socket that stays silent
        self._namespace.leave(ended.before)
        close_figures()

    def _export(self, asked: dict[str, Any], ended: Ended, *, is_lone_fork: bool = False) -> None:
        result, error = ended.result, ended.error
        diff = self._finish(ended, is_lone_fork=is_lone_fork and asked["alone"] is True)
        values = self._namespace.values()
        findings = Exported(result=result.value, error=error, diff=diff)
        wanted = {name: self._namespace.user_ns.get(name, ABSENT) for name in asked["names"]}
        inferred: list[bytes | Callable[[], bytes] | None] = []

        def infer() -> bytes | None:
            inferred.append(self._infer(asked, result, error))
            return b"" if callable(inferred[0]) else inferred[0]

        def remains() -> Remains:
            return Remains(() if asked["figures"] else None, tuple(read_files(self._folder, asked["files"])))

        view: dict[str, Any] = {
            "error": None
            if error is None
            else {"name": error.name, "message": error.message, "traceback": error.traceback},
            "variables": _described(asked, values) if asked.get("encoding") else describe_variables(values, diff),
            "limits_hit": self._limits_hit(result),
            "marks": sorted({*self._runtime.originals.marks, *([EXPORT_TAMPERED] if diff.tampered else ())}),
        }
        states = self._namespace.state_of
        view["states"] = {name: [states(name, ended.before), states(name)] for name in asked["watched"]}
        payload = encode_payload(findings, wanted, infer, remains)
        evaluate = inferred[0] if callable(inferred[0]) else None
        self._channel.send(FrameKind.VIEW, json.dumps(view).encode())
        if evaluate is None and not has_figures():
            self._channel.send(FrameKind.PAYLOAD, payload)
            self._answer_probes(asked)
            return
        self._channel.send(FrameKind.DRAFT, payload)  # from here on the cell's time is no longer counted
        drawn = draw_figures(self._apart if self._may_fork else None, with_facts=asked["figures"])
        show_figures(drawn, self._runtime.pipe, before_value=self._shows_first)
        figures = tuple((one.facts, one.png) for one in drawn) if asked["figures"] else None
        if evaluate is not None and not self._may_fork:  # a probe wears this process
            self._channel.send(FrameKind.LATER, encode_later(figures=figures, inferred=evaluate()))
            evaluate = None
        else:
            self._channel.send(FrameKind.LATER, encode_later(figures=figures))
        self._answer_probes(asked)
        if evaluate is not None:
            self._apart()
        self._channel.send(FrameKind.LATER, encode_later(inferred=None if evaluate is None else evaluate()))

    def _finish(self, ended: Ended, *, is_lone_fork: bool) -> NamespaceDiff:
        """Return how the names changed, and whether that is told by what was there before the cell."""
        first, second = ended.looks
        changed = first()
        diff = self._namespace.finish(ended.before, is_lone_fork=is_lone_fork, goes_on=not self._forked)
        changed = tuple(dict.fromkeys((*changed, *second())))
        if not ended.is_core_intact:
            changed = changed or ("a function",)
        if changed and not self._forked:  # trusted code: it is what later cells find
            self._runtime.tripwire.arm()
            return diff
        return replace(diff, tampered=changed)

    def _answer_probes(self, asked: dict[str, Any]) -> None:
        for _ in range(asked["probes"]):
            self._probe()

    def _probe(self) -> None:
        message = self._channel.receive()
        if message is None or not message.descriptors:
            return
        with open(message.descriptors[0], "rb") as file:
            request = file.read()
        names = self._namespace.user_ns
        if self._may_fork:
            answer = answer_apart(request, names, self._apart, self._calm)
        else:
            answer = answer_here(request, names, self._apart, self._calm, partial(self._channel.send, FrameKind.PART))
        self._channel.send(FrameKind.ANSWER, answer)

    def _apart(self) -> None:
        """In a fork: keep what it prints out of the cell's output."""
        self._runtime.pipe.detach()
        self._runtime.descriptors.detach()

    def _calm(self) -> None:
        self._runtime.originals.restore_builtins()

    def _infer(
        self, asked: dict[str, Any], result: CellResult, error: ErrorFacts | None
    ) -> bytes | Callable[[], bytes] | None:
        """Return what a cell without a last value would have shown, or what evaluates it: the cell's own code.

        Such code runs after all else, in the process that ends with it: no fork is needed to keep its effects out.
        """
        if not (asked["infer"] and self._forked) or error is not None:
            return None
        if result.value is not ABSENT and result.value is not None:
            return None
        try:
            source = self._request.source
            source = self._runtime.shell.transform_cell(source) if self._request.magics else source
            shown = shown_expressions(source, with_displays=self._request.magics)  # not under published rules
        except SyntaxError:
            return None
        if are_names(shown):
            return encode_inferred(infer_outputs(shown, self._namespace.user_ns))

        def evaluate() -> bytes:
            inference = infer_outputs(shown, self._namespace.user_ns)
            self._calm()
            return encode_inferred(inference)

        return evaluate

    def _limits_hit(self, result: CellResult) -> list[str]:
        hit = []
        if isinstance(result.error, MemoryError):
            hit.append("memory")
        if self._runtime.pipe.displays_cut:
            hit.append("displays")
        if isinstance(result.error, OSError) and result.error.errno in _ERRNO_LIMITS:
            hit.append(_ERRNO_LIMITS[result.error.errno])
        return hit


def _described(asked: dict[str, Any], values: dict[str, Any]) -> list[dict[str, str]]:
    """Return the variables as an agent is shown them."""
    found = encode_variables(values, Form(**asked["encoding"]), asked["described"])
    return [{**each, "change": "unchanged"} for each in found]


def _nothing() -> None:
    """Leave a session's own process as its code left it."""
