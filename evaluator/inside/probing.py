"""Probes: what is tried with what a cell left behind, each in a fork of its process (design: session engine, 6).

Names and inputs travel to a probe, expected values never do. An answer is a claim: bytes for the comparator.
"""

import contextlib
import os
import select
import signal
import time
from collections.abc import Callable, Mapping
from typing import Any, Final

from evaluator.inside import isolation
from evaluator.inside.codec import encode, pack, unpack, value_node
from evaluator.inside.decoder import Decoder
from evaluator.inside.encoder import Encoder, Node
from evaluator.inside.errors_seen import describe_error
from evaluator.inside.frames import pack_parts, unpack_parts, write_all
from evaluator.inside.matchers_identity import find_incomparable
from evaluator.inside.test_cases import build_case, scope, seed

_CHUNK: Final = 1024 * 1024
_MAX_ANSWER: Final = 256 * 1024 * 1024
_MAX_FAULT: Final = 500
_FAULTS: Final = 5
_MISSING: Final = object()

Calm = Callable[[], None]  # undoes what called code did to the process, before we go on

_fork, _exit, _kill, _waitpid = os.fork, os._exit, os.kill, os.waitpid


def answer_apart(request: bytes, namespace: Mapping[str, Any], prepare: Calm, calm: Calm) -> bytes:
    """Answer one probe in a fork of this process; empty when the fork died or ran out of time.

    Args:
        request: Parts: a JSON header with `kind` and `limit_s`, and the data of the probe.
        namespace: What the cell left behind.
        prepare: Called in the fork before anything else.
        calm: Called in the fork after code of the cell has run.
    """
    header, (data,) = unpack_parts(request)
    reading, writing = os.pipe()
    pid = _fork()
    if pid == 0:
        try:
            isolation.die_with_parent()
            os.close(reading)
            prepare()
            write_all(writing, _PROBES[header["kind"]](header, data, namespace, calm))
        finally:
            _exit(0)
    os.close(writing)
    try:
        return _read_within(reading, float(header["limit_s"]))
    finally:
        os.close(reading)
        with contextlib.suppress(ProcessLookupError):
            _kill(pid, signal.SIGKILL)
        with contextlib.suppress(ChildProcessError):  # the cell's own code may collect children
            _waitpid(pid, 0)


def answer_here(request: bytes, namespace: Mapping[str, Any], prepare: Calm, calm: Calm) -> bytes:
    """Answer one probe in this process, which serves for nothing else afterwards; the host's clock limits it."""
    header, (data,) = unpack_parts(request)
    prepare()
    try:
        return _PROBES[header["kind"]](header, data, namespace, calm)
    except BaseException:  # noqa: BLE001  # where a fork would have died of it
        return b""


def _read_within(descriptor: int, seconds: float) -> bytes:
    deadline = time.monotonic() + seconds
    poll = select.poll()
    poll.register(descriptor, select.POLLIN)
    data = bytearray()
    while len(data) <= _MAX_ANSWER:
        if not poll.poll(max(0, int((deadline - time.monotonic()) * 1000))):
            return b""
        part = os.read(descriptor, _CHUNK)
        if not part:
            return bytes(data)
        data += part
    return b""


def _build(header: Mapping[str, Any], data: bytes | None, namespace: Mapping[str, Any], calm: Calm) -> bytes:
    """Build the cases of a table: the author's code, run where no answer is at hand."""
    del data, namespace, calm
    cases, faults, encoder = header["cases"], [], Encoder()
    tree: list[Node] = []
    validate = _function(header.get("input_validator"), "_validate")
    for number in range(len(cases)):
        try:
            arguments = build_case(cases, number)
            tree.append(_case_node(encoder, arguments))
            if validate is not None and not _accepts(validate, arguments):
                faults.append(f"case {number + 1} is refused by the input_validator")
        except BaseException as error:  # noqa: BLE001  # whatever the author's code raises is for the author
            if isinstance(error, AssertionError) and len(tree) > number:
                faults.append(f"case {number + 1} is refused by the input_validator: {_brief(error)}")
            else:
                faults.append(f"case {number + 1} cannot be built: {_brief(error)}")
    header = {"faults": [fault[:_MAX_FAULT] for fault in faults[:_FAULTS]]}
    return pack_parts(header, pack(tree, encoder.buffers))


def _case_node(encoder: Encoder, arguments: Any) -> Node:
    """Return a case as data; None where a part of it cannot travel, so that it is built again where it is used."""
    return value_node(encoder, arguments) if _travels(arguments) else None


def _travels(value: Any) -> bool:
    """Tell whether what the reader of a value's bytes rebuilds is the value, type and all."""
    alone = Encoder()
    node = value_node(alone, value)
    if not alone.comes_back:
        return False
    try:
        back = Decoder([memoryview(bytes(buffer)) for buffer in alone.buffers]).value(node)
    except Exception:  # noqa: BLE001  # data that cannot be read back do not travel
        return False
    return find_incomparable(back) is None


def _function(code: str | None, name: str) -> Any:
    if code is None:
        return None
    names = scope()
    exec(compile(code, f"<{name}>", "exec"), names)
    return names[name]


def _accepts(validate: Any, arguments: Any) -> bool:
    verdict = validate(**arguments) if isinstance(arguments, dict) else validate(*arguments)
    return verdict is None or bool(verdict)


def _brief(error: BaseException) -> str:
    facts = describe_error(error)
    assert facts is not None
    return f"{facts.name}: {facts.message}" if facts.message else facts.name


def _take(header: Mapping[str, Any], data: bytes | None, namespace: Mapping[str, Any], calm: Calm) -> bytes:
    """Return a variable's value as data, for other probes."""
    del data, calm
    value = namespace.get(header["name"], _MISSING)
    if value is _MISSING:
        return pack_parts({"fault": f"the reference leaves no variable {header['name']!r}"}, None)
    if not _travels(value):
        fault = f"the value of {header['name']!r} is too large, or of a kind that cannot travel as data"
        return pack_parts({"fault": fault}, None)
    return pack_parts({"fault": None}, encode(value))


def _call(header: Mapping[str, Any], data: bytes | None, namespace: Mapping[str, Any], calm: Calm) -> bytes:
    """Call a function with every case of a table, in order; stop at the first exception."""
    function = namespace.get(header["name"], _MISSING)
    if function is _MISSING:
        return pack({"found": False, "cases": []}, [])
    assert data is not None
    nodes, buffers = unpack(data)
    encoder, answers = Encoder(), []
    for number, node in enumerate(nodes):
        arguments = build_case(header["cases"], number) if node is None else _fresh(buffers, node)
        seed(number)
        output, error = _called(function, arguments, calm)
        left = value_node(encoder, arguments)
        facts = describe_error(error)
        if facts is not None:
            answers.append([["absent"], left, vars(facts)])
            break
        answers.append([value_node(encoder, output), left, None])
    return pack({"found": True, "cases": answers}, encoder.buffers)


def _fresh(buffers: list[memoryview], node: Node) -> Any:
    decoder = Decoder(buffers)
    return decoder.value(node)


def _called(function: Any, arguments: Any, calm: Calm) -> tuple[Any, BaseException | None]:
    try:
        output = function(**arguments) if isinstance(arguments, dict) else function(*arguments)
    except BaseException as error:  # noqa: BLE001  # whatever leaves the function is data
        calm()
        return None, error
    calm()
    return output, None


def _predict(header: Mapping[str, Any], data: bytes | None, namespace: Mapping[str, Any], calm: Calm) -> bytes:
    """Let a model predict on inputs that travelled as data."""
    model = namespace.get(header["name"], _MISSING)
    if model is _MISSING:
        return pack({"found": False, "same_inputs": False, "value": ["absent"], "error": None}, [])
    assert data is not None
    own = namespace.get(header["inputs"], _MISSING)
    same_inputs = own is not _MISSING and encode(own) == data
    tree, buffers = unpack(data)
    inputs = _fresh(buffers, tree)
    seed(0)
    output, error = _called(lambda given: model.predict(given), [inputs], calm)
    facts = describe_error(error)
    encoder = Encoder()
    value = ["absent"] if facts is not None else value_node(encoder, output)
    report = None if facts is None else vars(facts)
    answer = {"found": True, "same_inputs": same_inputs, "value": value, "error": report}
    return pack(answer, encoder.buffers)


_PROBES: Final = {"build": _build, "take": _take, "call": _call, "predict": _predict}

__all__ = ["answer_apart", "answer_here"]
