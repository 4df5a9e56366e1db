"""A payload: what a trial says its cell left behind, as bytes that only the comparator decodes."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import Any, Final

from evaluator.inside.codec.codec import MAGIC, PAYLOAD_BYTES, decode, guarded, pack, unpack, value_node
from evaluator.inside.codec.decode.decoded import (
    ABSENT,
    FAILED,
    OVER_LIMIT,
    DecodedOutcome,
    ErrorFacts,
    FigureSeen,
    Inferred,
    Marker,
    NamespaceDiff,
)
from evaluator.inside.codec.decode.decoder import BadPayload, Decoder
from evaluator.inside.codec.encode.encoder import Encoder, Node
from evaluator.inside.runtime.frames import FrameError, unpack_parts
from evaluator.inside.runtime.inference import Inference

_LATER_KEYS: Final = {"figures", "inferred"}
_MAX_PARTS: Final = 3
_KEYS: Final = {"result", "variables", "error", "diff", "inferred", "figures", "files"}
_MAX_FIGURES: Final = 20
_FILE_STATES: Final = {"ok": OVER_LIMIT, "absent": ABSENT, "refused": FAILED, "over": OVER_LIMIT}
_MAX_NAMES: Final = 10_000
_MAX_TEXT: Final = 200_000


@dataclass(frozen=True)
class Exported:
    """What the exporter knows besides the values of variables."""

    result: Any
    error: ErrorFacts | None
    diff: NamespaceDiff


Figures = tuple[tuple[bytes | None, bytes | None], ...]  # facts and picture of each


@dataclass(frozen=True)
class Remains:
    """What a cell left behind besides values."""

    figures: Figures | None = None  # None: not asked for
    files: tuple[tuple[str, str, bytes], ...] = ()  # path, state and content


def encode_payload(
    findings: Exported,
    wanted: Mapping[str, Any],
    infer: Callable[[], bytes | None],
    remains: Callable[[], Remains] = Remains,
) -> bytes:
    """Return the payload of a cell.

    Args:
        findings: Last value, error and namespace diff.
        wanted: Asked variables; `ABSENT` for names that are not there.
        infer: Returns what the cell would have shown, as `encode_inferred` writes it; called after them. Nothing (empty
            bytes) says that it cannot be evaluated, unless an `encode_later` follows that can.
        remains: Returns figures and files; called after that.
    """
    encoder = Encoder()
    tree: dict[str, Node] = {
        "result": _node(encoder, findings.result),
        "variables": [[name, _node(encoder, value)] for name, value in wanted.items()],
        "error": None if findings.error is None else asdict(findings.error),
        "diff": {name: list(names) for name, names in asdict(findings.diff).items()},
    }
    tree["inferred"] = _attach(encoder, infer())
    left = remains()
    tree["figures"] = _figures(encoder, left.figures)
    tree["files"] = [[path, state, _attach(encoder, data)] for path, state, data in left.files]
    return pack(tree, encoder.buffers)


def encode_later(*, figures: Figures | None = None, inferred: bytes | None = None) -> bytes:
    """Return what takes running code of the cell again, or drawing, and therefore follows a payload that is told."""
    encoder = Encoder()
    tree = {"figures": _figures(encoder, figures), "inferred": _attach(encoder, inferred)}
    return pack(tree, encoder.buffers)


def _figures(encoder: Encoder, figures: Figures | None) -> Node:
    return None if figures is None else [[_attach(encoder, part) for part in one] for one in figures]


def _attach(encoder: Encoder, data: bytes | None) -> int | None:
    """Return the reference to bytes that the payload still has room for."""
    if data is None or len(data) + sum(map(len, encoder.buffers)) > PAYLOAD_BYTES:
        return None
    return encoder.attach(data)


def encode_inferred(inference: Inference) -> bytes:
    """Return what a cell without a last value would have shown, as bytes for `encode_payload`."""
    encoder = Encoder()
    values = [[item.source, _node(encoder, item.value), item.key, item.kind] for item in inference.values]
    return pack({"values": values, "failed": inference.failed}, encoder.buffers)


def _node(encoder: Encoder, value: Any) -> Node:
    if value is ABSENT:
        return ["absent"]
    if sum(len(buffer) for buffer in encoder.buffers) > PAYLOAD_BYTES * 3 // 4:
        return ["over"]
    return value_node(encoder, value)


def decode_payload(payload: bytes | None, evidence: Mapping[str, Any]) -> DecodedOutcome:
    """Rebuild an outcome from a payload and from what the host saw itself.

    Args:
        payload: Bytes that a trial exported, or parts (`pack_parts`) of which the first is what it said when its time
            counted, the others what it said later; None when there is nothing (it died, timed out, ...).
        evidence: The host's facts: `ending`, `source`, `streams` (pairs of name and text), `names` (asked variables),
            `figures` (whether they were asked for), `files` (asked paths), `watched` (of variables in a state that
            lives on: name, and digests of the state that was known, that the cell found, that it left).

    Raises:
        BadPayload: If the bytes are no payload; never anything else, whatever the bytes are.
    """
    seen: dict[str, Any] = {
        "ending": str(evidence["ending"]),
        "source": str(evidence["source"]),
        "streams": tuple((str(name), str(text)) for name, text in evidence.get("streams", ())),
    }
    if payload is None:
        return DecodedOutcome(**seen)
    first, *later = payload_parts(payload)
    tree, buffers = unpack(first)
    said: dict[str, Any] = guarded(lambda: _read(tree, Decoder(buffers), evidence))
    for part in later:
        said |= guarded(partial(_read_later, part, evidence))
    said["diff"] = _with_unreported(said["diff"], evidence.get("watched", ()))
    if (said["error"] is None) != (seen["ending"] == "ok"):
        raise BadPayload("the payload's error does not fit its ending")
    return DecodedOutcome(**seen, **said)


def _with_unreported(diff: NamespaceDiff, watched: Iterable[Sequence[str]]) -> NamespaceDiff:
    """Count as updated what was changed between two reports, or changed by the cell beside what it says of itself."""
    told = {name for names in asdict(diff).values() for name in names} - set(diff.not_checked)
    changed = [
        name
        for name, known, found, left in watched
        if name not in diff.updated and (found != known or (left != found and name not in told))
    ]
    return replace(diff, updated=(*diff.updated, *changed))


def payload_parts(payload: bytes) -> list[bytes]:
    """Return a payload and what was told later.

    Raises:
        BadPayload: If it is neither one payload nor parts.
    """
    if payload[: len(MAGIC)] == MAGIC:
        return [payload]
    try:
        _, parts = unpack_parts(payload)
    except FrameError as error:
        raise BadPayload("no payload") from error
    if not 0 < len(parts) <= _MAX_PARTS or None in parts:
        raise BadPayload("a payload comes in parts that do not fit")
    return [part for part in parts if part is not None]


def _read_later(part: bytes, evidence: Mapping[str, Any]) -> dict[str, Any]:
    """Return what was told after the payload: nothing else than figures and what the cell would have shown."""
    tree, buffers = unpack(part)
    if type(tree) is not dict or set(tree) != _LATER_KEYS:
        raise BadPayload("no later part of a payload")
    decoder = Decoder(buffers)
    said: dict[str, Any] = {}
    if tree["figures"] is not None:
        said["figures"] = _read_figures(tree["figures"], decoder, is_asked=evidence.get("figures") is True)
    if tree["inferred"] is not None:
        said |= _read_inference(tree["inferred"], decoder)
    return said


def _read(tree: Any, decoder: Decoder, evidence: Mapping[str, Any]) -> dict[str, Any]:
    if type(tree) is not dict or set(tree) != _KEYS:
        raise BadPayload("no payload")
    variables = _read_variables(tree["variables"], decoder)
    if tuple(variables) != tuple(evidence.get("names", ())):
        raise BadPayload("a payload holds other variables than were asked for")
    return {
        "result": read_value(decoder, tree["result"]),
        "variables": variables,
        "error": read_error(tree["error"]),
        "diff": _read_diff(tree["diff"]),
        **_read_inference(tree["inferred"], decoder),
        "figures": _read_figures(tree["figures"], decoder, is_asked=evidence.get("figures") is True),
        "files": _read_files(tree["files"], decoder, tuple(evidence.get("files", ()))),
    }


def _read_figures(items: Any, decoder: Decoder, *, is_asked: bool) -> tuple[FigureSeen, ...]:
    if (items is not None) != is_asked:
        raise BadPayload("a payload holds figures exactly where they were asked for")
    return tuple(_read_figure(item, decoder) for item in read_list([] if items is None else items)[:_MAX_FIGURES])


def _read_figure(item: Any, decoder: Decoder) -> FigureSeen:
    if type(item) is not list or len(item) != 2:
        raise BadPayload("no figure")
    facts, png = (_read_attached(reference, decoder) for reference in item)
    return FigureSeen(ABSENT if facts is None else decode(facts), png)


def _read_files(items: Any, decoder: Decoder, paths: tuple[str, ...]) -> dict[str, bytes | Marker]:
    files: dict[str, bytes | Marker] = {}
    for item in read_list(items):
        if type(item) is not list or len(item) != 3 or item[1] not in _FILE_STATES:
            raise BadPayload("no file")
        path, state, reference = item
        if path in files:
            raise BadPayload("a payload holds a file twice")
        data = _read_attached(reference, decoder) if state == "ok" else None
        files[read_text(path)] = _FILE_STATES[state] if data is None else data
    if tuple(files) != paths:
        raise BadPayload("a payload holds other files than were asked for")
    return files


def _read_attached(reference: Any, decoder: Decoder) -> bytes | None:
    decoder.start_value()
    return None if reference is None else bytes(decoder.raw(decoder.number(reference, low=0)))


def _read_inference(reference: Any, decoder: Decoder) -> dict[str, Any]:
    """Return what the cell would have shown; a report that was cut short says that it cannot be evaluated."""
    if reference is None:
        return {"inferred": (), "inference_failed": False}
    decoder.start_value()
    data = bytes(decoder.raw(reference))
    if not data:
        return {"inferred": (), "inference_failed": True}
    tree, buffers = unpack(data)
    if type(tree) is not dict or set(tree) != {"values", "failed"}:
        raise BadPayload("no inferred values")
    inner = Decoder(buffers)
    values = tuple(_read_inferred(item, inner) for item in read_list(tree["values"]))
    return {"inferred": values, "inference_failed": tree["failed"] is True}


def read_value(decoder: Decoder, node: Node) -> Any:
    """Return one value, counted against limits of its own."""
    decoder.start_value()
    return decoder.value(node)


def _read_variables(items: Any, decoder: Decoder) -> dict[str, Any]:
    variables = {}
    for item in read_list(items):
        if type(item) is not list or len(item) != 2:
            raise BadPayload("no variable")
        name = read_text(item[0])
        if name in variables:
            raise BadPayload("a payload holds a variable twice")
        variables[name] = read_value(decoder, item[1])
    return variables


def read_error(item: Any) -> ErrorFacts | None:
    """Return an error as it was described; None for none."""
    if item is None:
        return None
    if type(item) is not dict or set(item) != {"name", "bases", "message", "traceback"}:
        raise BadPayload("no error")
    bases = tuple(read_text(base) for base in read_list(item["bases"]))
    return ErrorFacts(read_text(item["name"]), bases, read_text(item["message"]), read_text(item["traceback"]))


def _read_diff(item: Any) -> NamespaceDiff:
    kinds = tuple(NamespaceDiff.__dataclass_fields__)
    if type(item) is not dict or set(item) != set(kinds):
        raise BadPayload("no namespace diff")
    return NamespaceDiff(**{kind: tuple(read_text(name) for name in read_list(item[kind])) for kind in kinds})


def _read_inferred(item: Any, decoder: Decoder) -> Inferred:
    if type(item) is not list or len(item) != 4:
        raise BadPayload("no inferred value")
    source, node, key, kind = item
    return Inferred(
        read_text(source), read_value(decoder, node), None if key is None else read_text(key), read_text(kind)
    )


def read_list(item: Any) -> list[Any]:
    """Return a plain list of bounded length."""
    if type(item) is not list or len(item) > _MAX_NAMES:
        raise BadPayload("no list")
    return item


def read_text(item: Any) -> str:
    """Return plain text of bounded length."""
    if type(item) is not str or len(item) > _MAX_TEXT:
        raise BadPayload("no text")
    return item


__all__ = ["BadPayload", "Exported", "Remains", "decode_payload", "encode_inferred", "encode_later", "encode_payload"]
