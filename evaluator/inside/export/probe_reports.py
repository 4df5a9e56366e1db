"""What probes reported, rebuilt from bytes that nobody vouches for."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Final

from evaluator.inside.codec.codec import guarded, unpack
from evaluator.inside.codec.decode.decoded import ABSENT, FAILED, CaseAnswer, DecodedOutcome, ProbeReport
from evaluator.inside.codec.decode.decoder import BadPayload, Decoder
from evaluator.inside.export.payload import read_error, read_value
from evaluator.inside.isolation.run_in_fork import parts_of

_VALUES: Final = ("predict", "eval", "take")


def read_reports(answers: Sequence[bytes | None], evidence: Mapping[str, Any]) -> tuple[ProbeReport, ...]:
    """Rebuild what probes reported.

    Args:
        answers: Bytes of each probe; None where there are none.
        evidence: The host's facts: `probes`, for each its `kind`, the number of `cases` asked and its `ending`.

    Raises:
        BadPayload: If the bytes are no answer to what was asked; never anything else.
    """
    asked = evidence.get("probes", ())
    if len(asked) != len(answers):
        raise BadPayload("there are other answers than probes")
    return tuple(guarded(partial(_read_report, *pair)) for pair in zip(asked, answers, strict=True))


def _read_report(probe: Mapping[str, Any], answer: bytes | None) -> ProbeReport:
    kind, ending = str(probe["kind"]), str(probe["ending"])
    parts = list(parts_of(answer or b""))
    if kind == "call":
        return _read_calls(ending, parts, int(probe["cases"]))
    if ending != "ok" or not parts or kind not in _VALUES:
        return ProbeReport(kind, "died" if ending == "ok" and kind in _VALUES else ending)
    if len(parts) > 1:
        raise BadPayload("a probe answers twice")
    tree, buffers = unpack(parts[0])
    if type(tree) is not dict or set(tree) != {"found", "same_inputs", "value", "error"}:
        raise BadPayload("no answer of a probe")
    if type(tree["found"]) is not bool:
        raise BadPayload("no answer of a probe")
    error, value = read_error(tree["error"]), read_value(Decoder(buffers), tree["value"])
    same = tree["same_inputs"] is True
    return ProbeReport(kind, ending, tree["found"], value=value, error=error, same_inputs=same)


def _read_calls(ending: str, parts: list[bytes], asked: int) -> ProbeReport:
    """Return the answers that arrived; where one is missing although the probe went well, it died there."""
    if not parts:
        return ProbeReport("call", "died" if ending == "ok" else ending)
    tree, _ = unpack(parts[0])
    if type(tree) is not dict or set(tree) != {"found"} or type(tree["found"]) is not bool:
        raise BadPayload("no answer of a probe")
    cases = tuple(map(_read_case, parts[1:]))
    raised = [case.error is not None for case in cases]
    if len(cases) > (asked if tree["found"] else 0) or any(raised[:-1]):
        raise BadPayload("there are answers to cases that were not called")
    is_short = tree["found"] and len(cases) < asked and not any(raised)
    return ProbeReport("call", "died" if ending == "ok" and is_short else ending, tree["found"], cases)


def _read_case(part: bytes) -> CaseAnswer:
    tree, buffers = unpack(part)
    if type(tree) is not list or len(tree) != 3:
        raise BadPayload("no answer of a case")
    decoder = Decoder(buffers)
    return CaseAnswer(read_value(decoder, tree[0]), read_value(decoder, tree[1]), read_error(tree[2]), part)


def with_declared_values(outcome: DecodedOutcome, evidence: Mapping[str, Any]) -> DecodedOutcome:
    """Put what the author's own probes gave among the variables, under the names that validators use.

    A probe without a value stands there as `FAILED`, which equals nothing; one of a name that does not exist as absent.
    """
    variables = dict(outcome.variables)
    for probe, report in zip(evidence.get("probes", ()), outcome.reports, strict=False):
        if not isinstance(probe.get("as"), str):
            continue
        is_value = report.ending == "ok" and report.found and report.error is None
        is_missing = report.ending == "ok" and not report.found
        variables[probe["as"]] = report.value if is_value else ABSENT if is_missing else FAILED
    return replace(outcome, variables=variables)


__all__ = ["read_reports", "with_declared_values"]
