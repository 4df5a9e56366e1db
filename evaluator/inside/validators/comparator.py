"""The comparator process: `python -m evaluator.inside.validators.comparator` answers JUDGE frames.

It decodes payloads and compares data. It never executes a submission's code, never unpickles, and lives on after any
request that keeps within its time. An author's own comparisons run in forks of it.
"""

import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from evaluator.inside.codec.decode.decoded import ABSENT, DecodedOutcome
from evaluator.inside.codec.protocols import keep_labels_from_protocols
from evaluator.inside.compare.identity import find_incomparable
from evaluator.inside.compare.model_metrics import load_metrics
from evaluator.inside.compare.value_text import brief, remedy
from evaluator.inside.export.payload import BadPayload, decode_payload
from evaluator.inside.export.probe_reports import read_reports, with_declared_values
from evaluator.inside.runtime.answering import answer_frames, limit_processor_time
from evaluator.inside.runtime.frames import FrameKind, Packet, unpack_parts
from evaluator.inside.validators.interface import Grade
from evaluator.inside.validators.judging import judge
from evaluator.inside.validators.result import has_result


def inspect(reference: DecodedOutcome, validators: Mapping[str, Any]) -> list[dict[str, str]]:
    """Return `where` (validator and variable), `what` and `fix` of every compared value that equals nothing."""
    found = []
    for where, value in _compared(reference, validators):
        part = find_incomparable(value)
        if part is not None:
            found.append({"where": where, "what": brief(part), "fix": remedy(part)})
    return found


def _compared(reference: DecodedOutcome, validators: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    name, options = str(validators.get("name")), validators.get("options") or {}
    for child in validators.get("children") or ():
        yield from _compared(reference, child)
    if name == "result" and has_result(reference) and _looks_at_the_value(options):
        yield name, reference.result
    elif name == "namespace_check":
        for variable, matcher in options.items():
            value = reference.variables.get(variable, ABSENT)
            if value is not ABSENT and _looks_at_the_value(matcher):
                yield f"{name}.{variable}", value


def _looks_at_the_value(matcher: Any) -> bool:
    """Return whether options compare values: code may look at plain attributes, and a type needs no value."""
    if not isinstance(matcher, Mapping):
        return matcher is None
    return matcher.get("type_only") is not True and not isinstance(matcher.get("compare_fn"), str)


def main(arguments: Sequence[str] = ()) -> int:
    """Answer requests until the host closes its end; print nothing else.

    Args:
        arguments: The number of the descriptor to talk over; without one, stdin and stdout.
    """
    keep_labels_from_protocols()
    return answer_frames(_answer, verb="judging", arguments=arguments)


def _answer(frame: Packet) -> tuple[FrameKind, dict[str, Any]]:
    if frame.kind != FrameKind.JUDGE:
        return FrameKind.FAILED, {"reason": f"a comparator does not answer frames of kind {frame.kind}"}
    header, payloads = unpack_parts(frame.body)
    if _scores_models(header["validators"]):
        load_metrics()  # once, and at no submission's cost
    limit_processor_time(float(header.get("limit_s", 0)))
    first = 2 + len(header["reference"].get("probes", ()))
    answers = {"reference": payloads[2:first], "submission": payloads[first:]}
    outcomes: list[DecodedOutcome] = []
    for side, payload in zip(("reference", "submission"), payloads[:2], strict=True):
        try:
            outcome = decode_payload(payload, header[side])
            outcome = replace(outcome, reports=read_reports(answers[side], header[side]))
            outcomes.append(with_declared_values(outcome, header[side]))
        except BadPayload as error:
            return FrameKind.BAD_PAYLOAD, {"side": side, "reason": str(error)[:500]}
    if header.get("inspect") is True:
        return FrameKind.FINDINGS, {"opaque": inspect(outcomes[0], header["validators"])}
    protected = header.get("protected")
    findings = judge(
        outcomes[0],
        outcomes[1],
        header["validators"],
        rules=str(header["rules"]),
        protected=None if protected is None else frozenset(protected),
        grades=tuple(Grade(score, why) for score, why in header.get("grades", ())),
        is_recorded=header.get("is_recorded") is True,
    )
    return FrameKind.FINDINGS, findings


def _scores_models(validators: Mapping[str, Any]) -> bool:
    return validators.get("name") == "model" or any(map(_scores_models, validators.get("children") or ()))


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
