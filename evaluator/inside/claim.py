"""A claim: what a trial says its cell left behind, as bytes that only the comparator decodes."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from evaluator.inside.decoded import DecodedOutcome, ErrorFacts, NamespaceDiff
from evaluator.inside.inference import Inference


class BadClaim(Exception):  # noqa: N818  # a verdict about the peer's bytes, not an error of ours
    """The bytes are no claim: malformed, over a limit, short, or holding what was not asked for."""


@dataclass(frozen=True)
class Findings:
    """What the exporter knows besides the values of variables."""

    result: Any
    error: ErrorFacts | None
    diff: NamespaceDiff


def encode_claim(findings: Findings, wanted: Mapping[str, Any], infer: Callable[[], Inference | None]) -> bytes:
    """Return the claim."""
    del findings, wanted, infer
    return b""


def decode_claim(claim: bytes | None, evidence: Mapping[str, Any]) -> DecodedOutcome:
    """Rebuild an outcome from a claim and from what the host saw itself.

    Args:
        claim: Bytes that a trial exported; None when there are none (it died, timed out, ...).
        evidence: The host's facts: `ending`, `source`, `streams` (pairs of name and text), `names` (asked variables).

    Raises:
        BadClaim: If the bytes are no claim; never anything else, whatever the bytes are.
    """
    del claim
    return DecodedOutcome(ending=str(evidence["ending"]), source=str(evidence["source"]))
