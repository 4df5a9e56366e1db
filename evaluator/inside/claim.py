"""A claim: what a trial says its cell left behind, as bytes that only the comparator decodes."""

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from typing import Any, Final

from evaluator.inside.codec import CLAIM_BYTES, guarded, pack, unpack, value_node
from evaluator.inside.decoded import (
    ABSENT,
    DecodedOutcome,
    ErrorFacts,
    Inferred,
    NamespaceDiff,
)
from evaluator.inside.decoder import BadClaim, Decoder
from evaluator.inside.encoder import Encoder, Node
from evaluator.inside.inference import Inference

_KEYS: Final = {"result", "variables", "error", "diff", "inferred"}
_MAX_NAMES: Final = 10_000
_MAX_TEXT: Final = 200_000


@dataclass(frozen=True)
class Findings:
    """What the exporter knows besides the values of variables."""

    result: Any
    error: ErrorFacts | None
    diff: NamespaceDiff


def encode_claim(findings: Findings, wanted: Mapping[str, Any], infer: Callable[[], bytes | None]) -> bytes:
    """Return the claim of a cell.

    Args:
        findings: Last value, error and namespace diff.
        wanted: Asked variables; `ABSENT` for names that are not there.
        infer: Returns what the cell would have shown, as `encode_inferred` writes it; called last.
    """
    encoder = Encoder()
    tree: dict[str, Node] = {
        "result": _node(encoder, findings.result),
        "variables": [[name, _node(encoder, value)] for name, value in wanted.items()],
        "error": None if findings.error is None else asdict(findings.error),
        "diff": {name: list(names) for name, names in asdict(findings.diff).items()},
    }
    inferred = infer()
    if inferred is not None and len(inferred) + sum(map(len, encoder.buffers)) > CLAIM_BYTES:
        inferred = b""
    tree["inferred"] = None if inferred is None else encoder.attach(inferred)
    return pack(tree, encoder.buffers)


def encode_inferred(inference: Inference) -> bytes:
    """Return what a cell without a last value would have shown, as bytes for `encode_claim`."""
    encoder = Encoder()
    values = [[item.source, _node(encoder, item.value), item.key, item.kind] for item in inference.values]
    return pack({"values": values, "failed": inference.failed}, encoder.buffers)


def _node(encoder: Encoder, value: Any) -> Node:
    if value is ABSENT:
        return ["absent"]
    if sum(len(buffer) for buffer in encoder.buffers) > CLAIM_BYTES * 3 // 4:
        return ["over"]
    return value_node(encoder, value)


def decode_claim(claim: bytes | None, evidence: Mapping[str, Any]) -> DecodedOutcome:
    """Rebuild an outcome from a claim and from what the host saw itself.

    Args:
        claim: Bytes that a trial exported; None when there are none (it died, timed out, ...).
        evidence: The host's facts: `ending`, `source`, `streams` (pairs of name and text), `names` (asked variables).

    Raises:
        BadClaim: If the bytes are no claim; never anything else, whatever the bytes are.
    """
    seen: dict[str, Any] = {
        "ending": str(evidence["ending"]),
        "source": str(evidence["source"]),
        "streams": tuple((str(name), str(text)) for name, text in evidence.get("streams", ())),
    }
    if claim is None:
        return DecodedOutcome(**seen)
    tree, buffers = unpack(claim)
    said: dict[str, Any] = guarded(lambda: _read(tree, Decoder(buffers), tuple(evidence.get("names", ()))))
    if (said["error"] is None) != (seen["ending"] == "ok"):
        raise BadClaim("the claim's error does not fit its ending")
    return DecodedOutcome(**seen, **said)


def _read(tree: Any, decoder: Decoder, names: tuple[str, ...]) -> dict[str, Any]:
    if type(tree) is not dict or set(tree) != _KEYS:
        raise BadClaim("no claim")
    variables = _read_variables(tree["variables"], decoder)
    if tuple(variables) != names:
        raise BadClaim("a claim holds other variables than were asked for")
    return {
        "result": read_value(decoder, tree["result"]),
        "variables": variables,
        "error": read_error(tree["error"]),
        "diff": _read_diff(tree["diff"]),
        **_read_inference(tree["inferred"], decoder),
    }


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
        raise BadClaim("no inferred values")
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
            raise BadClaim("no variable")
        variables[read_text(item[0])] = read_value(decoder, item[1])
    return variables


def read_error(item: Any) -> ErrorFacts | None:
    """Return an error as it was described; None for none."""
    if item is None:
        return None
    if type(item) is not dict or set(item) != {"name", "bases", "message", "traceback"}:
        raise BadClaim("no error")
    bases = tuple(read_text(base) for base in read_list(item["bases"]))
    return ErrorFacts(read_text(item["name"]), bases, read_text(item["message"]), read_text(item["traceback"]))


def _read_diff(item: Any) -> NamespaceDiff:
    kinds = tuple(NamespaceDiff.__dataclass_fields__)
    if type(item) is not dict or set(item) != set(kinds):
        raise BadClaim("no namespace diff")
    return NamespaceDiff(**{kind: tuple(read_text(name) for name in read_list(item[kind])) for kind in kinds})


def _read_inferred(item: Any, decoder: Decoder) -> Inferred:
    if type(item) is not list or len(item) != 4:
        raise BadClaim("no inferred value")
    source, node, key, kind = item
    return Inferred(
        read_text(source), read_value(decoder, node), None if key is None else read_text(key), read_text(kind)
    )


def read_list(item: Any) -> list[Any]:
    """Return a plain list of bounded length."""
    if type(item) is not list or len(item) > _MAX_NAMES:
        raise BadClaim("no list")
    return item


def read_text(item: Any) -> str:
    """Return plain text of bounded length."""
    if type(item) is not str or len(item) > _MAX_TEXT:
        raise BadClaim("no text")
    return item


__all__ = ["BadClaim", "Findings", "decode_claim", "encode_claim", "encode_inferred"]
