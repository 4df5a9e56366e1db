"""A claim: what a trial says its cell left behind, as bytes that only the comparator decodes."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any, Final

from evaluator.inside.codec import CLAIM_BYTES, guarded, pack, unpack, value_node
from evaluator.inside.decoded import (
    ABSENT,
    CaseAnswer,
    DecodedOutcome,
    ErrorFacts,
    Inferred,
    NamespaceDiff,
    ProbeReport,
)
from evaluator.inside.decoder import BadClaim, Decoder
from evaluator.inside.encoder import Encoder, Node
from evaluator.inside.inference import Inference

_KEYS: Final = {"result", "variables", "error", "diff", "inferred", "inference_failed"}
_MAX_NAMES: Final = 10_000
_MAX_TEXT: Final = 200_000


@dataclass(frozen=True)
class Findings:
    """What the exporter knows besides the values of variables."""

    result: Any
    error: ErrorFacts | None
    diff: NamespaceDiff


def encode_claim(findings: Findings, wanted: Mapping[str, Any], infer: Callable[[], Inference | None]) -> bytes:
    """Return the claim of a cell.

    Args:
        findings: Last value, error and namespace diff.
        wanted: Asked variables; `ABSENT` for names that are not there.
        infer: Evaluates what the cell would have shown; called last, since it runs the cell's own code.
    """
    encoder = Encoder()
    tree: dict[str, Node] = {
        "result": _node(encoder, findings.result),
        "variables": [[name, _node(encoder, value)] for name, value in wanted.items()],
        "error": None if findings.error is None else asdict(findings.error),
        "diff": {name: list(names) for name, names in asdict(findings.diff).items()},
    }
    inference = infer() or Inference()
    tree["inferred"] = [[i.source, _node(encoder, i.value), i.key, i.kind] for i in inference.values]
    tree["inference_failed"] = inference.failed
    return pack(tree, encoder.buffers)


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
        "result": _value(decoder, tree["result"]),
        "variables": variables,
        "error": _read_error(tree["error"]),
        "diff": _read_diff(tree["diff"]),
        "inferred": tuple(_read_inferred(item, decoder) for item in _list(tree["inferred"])),
        "inference_failed": tree["inference_failed"] is True,
    }


def _value(decoder: Decoder, node: Node) -> Any:
    decoder.start_value()
    return decoder.value(node)


def _read_variables(items: Any, decoder: Decoder) -> dict[str, Any]:
    variables = {}
    for item in _list(items):
        if type(item) is not list or len(item) != 2:
            raise BadClaim("no variable")
        variables[_text(item[0])] = _value(decoder, item[1])
    return variables


def _read_error(item: Any) -> ErrorFacts | None:
    if item is None:
        return None
    if type(item) is not dict or set(item) != {"name", "bases", "message", "traceback"}:
        raise BadClaim("no error")
    bases = tuple(_text(base) for base in _list(item["bases"]))
    return ErrorFacts(_text(item["name"]), bases, _text(item["message"]), _text(item["traceback"]))


def read_reports(answers: Sequence[bytes | None], evidence: Mapping[str, Any]) -> tuple[ProbeReport, ...]:
    """Rebuild what probes reported.

    Args:
        answers: Bytes of each probe; None where there are none.
        evidence: The host's facts: `probes`, for each its `kind`, the number of `cases` asked and its `ending`.

    Raises:
        BadClaim: If the bytes are no answer to what was asked; never anything else.
    """
    asked = evidence.get("probes", ())
    if len(asked) != len(answers):
        raise BadClaim("there are other answers than probes")
    return tuple(guarded(partial(_read_report, *pair)) for pair in zip(asked, answers, strict=True))


def _read_report(probe: Mapping[str, Any], answer: bytes | None) -> ProbeReport:
    kind, ending = str(probe["kind"]), str(probe["ending"])
    if ending != "ok" or answer is None or kind not in ("call", "predict"):
        return ProbeReport(kind, ending if answer is None else "missing")
    tree, buffers = unpack(answer)
    decoder = Decoder(buffers)
    keys = {"found", "cases"} if kind == "call" else {"found", "same_inputs", "value", "error"}
    if type(tree) is not dict or set(tree) != keys or type(tree["found"]) is not bool:
        raise BadClaim("no answer of a probe")
    if kind == "call":
        cases = tuple(_read_case(item, decoder) for item in _list(tree["cases"]))
        _require_all_cases(cases, int(probe["cases"]) if tree["found"] else 0)
        return ProbeReport(kind, ending, tree["found"], cases)
    error, value = _read_error(tree["error"]), _value(decoder, tree["value"])
    same = tree["same_inputs"] is True
    return ProbeReport(kind, ending, tree["found"], value=value, error=error, same_inputs=same)


def _read_case(item: Any, decoder: Decoder) -> CaseAnswer:
    if type(item) is not list or len(item) != 3:
        raise BadClaim("no answer of a case")
    return CaseAnswer(_value(decoder, item[0]), _value(decoder, item[1]), _read_error(item[2]))


def _require_all_cases(cases: tuple[CaseAnswer, ...], asked: int) -> None:
    """Refuse a surplus answer, and a missing one unless the case before it raised."""
    if any(case.error is not None for case in cases[:-1]) or len(cases) > asked:
        raise BadClaim("there are answers to cases that were not called")
    if len(cases) < asked and not (cases and cases[-1].error is not None):
        raise BadClaim("there are fewer answers than cases")


def _read_diff(item: Any) -> NamespaceDiff:
    kinds = tuple(NamespaceDiff.__dataclass_fields__)
    if type(item) is not dict or set(item) != set(kinds):
        raise BadClaim("no namespace diff")
    return NamespaceDiff(**{kind: tuple(_text(name) for name in _list(item[kind])) for kind in kinds})


def _read_inferred(item: Any, decoder: Decoder) -> Inferred:
    if type(item) is not list or len(item) != 4:
        raise BadClaim("no inferred value")
    source, node, key, kind = item
    return Inferred(_text(source), _value(decoder, node), None if key is None else _text(key), _text(kind))


def _list(item: Any) -> list[Any]:
    if type(item) is not list or len(item) > _MAX_NAMES:
        raise BadClaim("no list")
    return item


def _text(item: Any) -> str:
    if type(item) is not str or len(item) > _MAX_TEXT:
        raise BadClaim("no text")
    return item


__all__ = ["BadClaim", "Findings", "decode_claim", "encode_claim", "read_reports"]
