"""Probes: what is tried with what a cell left behind, each in a fork of its process (design: session engine, 6).

Names and inputs travel to a probe, expected values never do. An answer is a payload: parts for the comparator, sent one
by one, so that those before a hang or a death survive it.
"""

import contextlib
import itertools
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from evaluator.inside.codec.codec import encode, pack, unpack, value_node
from evaluator.inside.codec.decode.decoder import Decoder
from evaluator.inside.codec.encode.encoder import Encoder, Node
from evaluator.inside.export.probe_inputs import build_cases, record_inputs
from evaluator.inside.isolation.run_in_fork import Prepare, Send, parts_of, run_in_fork, with_length
from evaluator.inside.runtime.error_report import describe_error
from evaluator.inside.runtime.frames import unpack_parts
from evaluator.inside.validators.test_cases import build_case, seed

_MISSING: Final = object()


@dataclass(frozen=True)
class _Probe:
    """One question, and where it is asked."""

    header: Mapping[str, Any]
    data: bytes | None
    namespace: Mapping[str, Any]
    restore_builtins: Callable[[], None]  # undoes what called code did to the process, before we go on


def answer_apart(
    request: bytes, namespace: Mapping[str, Any], prepare: Prepare, restore_builtins: Callable[[], None]
) -> bytes:
    """Answer one probe in a fork of this process, or in one for each case; the parts that came back, maybe none.

    Args:
        request: Parts: a JSON header with `kind` and `limit_s`, and the data of the probe.
        namespace: What the cell left behind.
        prepare: Called in the fork before anything else.
        restore_builtins: Called in the fork after code of the cell has run.
    """
    header, (data,) = unpack_parts(request)
    probe = _Probe(header, data, namespace, restore_builtins)
    deadline = time.monotonic() + float(header["limit_s"])
    is_apart = header["kind"] == "call" and header.get("fresh") is True
    answer = b""
    for only in range(len(header["cases"])) if is_apart else (None,):
        work = _work(probe, only)
        back = run_in_fork(work, seconds=max(0.0, deadline - time.monotonic()), prepare=prepare)
        answer += back.data
        if not back.has_ended or (only is not None and len(list(parts_of(back.data))) != 1 + (only == 0)):
            break  # whatever ended the process of a case, no later one may take its place
    return answer


def answer_here(
    request: bytes,
    namespace: Mapping[str, Any],
    prepare: Prepare,
    restore_builtins: Callable[[], None],
    tell: Callable[[bytes], None],
) -> bytes:
    """Answer one probe in this process, which serves for nothing else afterwards; the host's clock limits it.

    Each part is told at once too: the code that is tried may end the process.
    """
    header, (data,) = unpack_parts(request)
    prepare()
    parts: list[bytes] = []

    def send(part: bytes) -> None:
        parts.append(with_length(part))
        tell(parts[-1])

    with contextlib.suppress(BaseException):  # where a fork would have died of it
        _work(_Probe(header, data, namespace, restore_builtins), None)(send)
    return b"".join(parts)


def _work(probe: _Probe, only: int | None) -> Callable[[Send], bool]:
    kind = probe.header["kind"]
    if kind == "call":
        return lambda send: _call(probe, only, send)
    return lambda send: _ANSWERS[kind](probe, send) is None


def _call(probe: _Probe, only: int | None, send: Send) -> bool:
    """Call a function with every case of a table, or with one, in order; false after an exception."""
    function = _resolve(probe)
    if not only:
        send(pack({"found": function is not _MISSING}, []))
    if function is _MISSING:
        return False
    assert probe.data is not None
    nodes, buffers = unpack(probe.data)
    for number, node in enumerate(nodes):
        if only in (None, number) and not _call_case(probe, function, number, (node, buffers), send):
            return False
    return True


def _call_case(probe: _Probe, function: Any, number: int, case: tuple[Node, list[memoryview]], send: Send) -> bool:
    """Call a function with fresh arguments and send what came of it; false after an exception."""
    node, buffers = case
    arguments = build_case(probe.header["cases"], number) if node is None else Decoder(buffers).value(node)
    seed(number)
    output, error = _called(function, arguments, probe.restore_builtins)
    encoder = Encoder()
    left = value_node(encoder, arguments)
    facts = describe_error(error)
    answer = ["absent"] if facts is not None else value_node(encoder, output)
    send(pack([answer, left, None if facts is None else vars(facts)], encoder.buffers))
    return error is None


def _called(function: Any, arguments: Any, restore_builtins: Callable[[], None]) -> tuple[Any, BaseException | None]:
    try:
        output = function(**arguments) if isinstance(arguments, dict) else function(*arguments)
    except BaseException as error:  # noqa: BLE001  # whatever leaves the function is data
        restore_builtins()
        return None, error
    restore_builtins()
    return output, None


def _resolve(probe: _Probe) -> Any:
    """Return what a name, maybe with dots, stands for; `_MISSING` if nothing does."""
    first, *rest = str(probe.header["name"]).split(".")
    found = probe.namespace.get(first, _MISSING)
    for name in rest:
        if found is _MISSING:
            break
        try:
            found = getattr(found, name)
        except BaseException:  # noqa: BLE001  # a property of the cell's own may raise anything
            found = _MISSING
    probe.restore_builtins()
    return found


def _predict(probe: _Probe, send: Send) -> None:
    """Let a model predict on, or transform, inputs that travelled as data."""
    header, data = probe.header, probe.data
    model = _resolve(probe)
    if model is _MISSING or data is None:
        _send_value(send, _MISSING, None)
        return
    own = probe.namespace.get(header["inputs"], _MISSING)
    same_inputs = own is not _MISSING and encode(own) == data
    tree, buffers = unpack(data)
    inputs = Decoder(buffers).value(tree)
    method = header.get("method", "predict")
    seed(0)
    output, error = _called(lambda given: getattr(model, method)(given), [inputs], probe.restore_builtins)
    _send_value(send, output, error, same_inputs=same_inputs)


def _evaluate(probe: _Probe, send: Send) -> None:
    """Evaluate an expression of the author's."""
    code = compile(str(probe.header["source"]), "<probe>", "eval")
    seed(0)
    _send_value(send, *_called(lambda: eval(code, dict(probe.namespace)), [], probe.restore_builtins))


def _take(probe: _Probe, send: Send) -> None:
    """Take at most `count` items of something that can be iterated over."""
    items = _resolve(probe)
    if items is _MISSING:
        _send_value(send, _MISSING, None)
        return
    count = int(probe.header["count"])
    _send_value(send, *_called(lambda: list(itertools.islice(items, count)), [], probe.restore_builtins))


def _send_value(send: Send, value: Any, error: BaseException | None, *, same_inputs: bool = False) -> None:
    encoder = Encoder()
    facts = describe_error(error)
    is_value = facts is None and value is not _MISSING
    node = value_node(encoder, value) if is_value else ["absent"]
    report = None if facts is None else vars(facts)
    answer = {"found": value is not _MISSING, "same_inputs": same_inputs, "value": node, "error": report}
    send(pack(answer, encoder.buffers))


_ANSWERS: Final[Mapping[str, Callable[[_Probe, Send], None]]] = {
    "build": lambda probe, send: build_cases(probe.header, send),
    "inputs": lambda probe, send: record_inputs(probe.header, probe.namespace, send),
    "predict": _predict,
    "eval": _evaluate,
    "take": _take,
}

__all__ = ["answer_apart", "answer_here"]
