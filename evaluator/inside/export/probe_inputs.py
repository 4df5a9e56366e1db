"""What is prepared for probes on the reference's side: the cases of a table, the data that a model predicts on."""

from collections.abc import Mapping
from typing import Any, Final

from evaluator.inside.codec.codec import encode, pack, value_node
from evaluator.inside.codec.decode.decoder import Decoder
from evaluator.inside.codec.encode.encoder import Encoder, Node
from evaluator.inside.compare.identity import find_incomparable
from evaluator.inside.isolation.run_in_fork import Send
from evaluator.inside.runtime.error_report import describe_error
from evaluator.inside.runtime.frames import pack_parts
from evaluator.inside.validators.test_cases import build_case, scope

_MAX_FAULT: Final = 500
_FAULTS: Final = 5
_MISSING: Final = object()


def build_cases(header: Mapping[str, Any], send: Send) -> None:
    """Build the cases of a table: the author's code, run where no answer is at hand."""
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
    send(pack_parts(header, pack(tree, encoder.buffers)))


def _case_node(encoder: Encoder, arguments: Any) -> Node:
    """Return a case as data; None where a part of it cannot travel, so that it is built again where it is used."""
    return value_node(encoder, arguments) if _travels(arguments) else None


def _travels(value: Any) -> bool:
    """Return whether what the reader of a value's bytes rebuilds is the value, type and all."""
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


def record_inputs(header: Mapping[str, Any], namespace: Mapping[str, Any], send: Send) -> None:
    """Send a variable's value as data, for other probes."""
    value = namespace.get(header["name"], _MISSING)
    if value is _MISSING:
        send(pack_parts({"fault": f"the reference leaves no variable {header['name']!r}"}, None))
    elif not _travels(value):
        fault = f"the value of {header['name']!r} is too large, or of a kind that cannot travel as data"
        send(pack_parts({"fault": fault}, None))
    else:
        send(pack_parts({"fault": None}, encode(value)))
