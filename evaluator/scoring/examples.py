"""Whether an answer that a problem keeps as an example got the verdict that it must get."""

from evaluator.language import ExampleAnswer
from evaluator.scoring.verdicts import Verdict


def wanted_in_words(example: ExampleAnswer) -> str:
    """Return the verdict that an example must get, for people."""
    return example.verdict or ("CORRECT" if example.side == "accept" else "anything but CORRECT")


def example_is_met(example: ExampleAnswer, verdict: Verdict) -> bool:
    """Tell whether an example has the verdict that it must get."""
    if example.verdict:
        return verdict == example.verdict
    return (verdict is Verdict.CORRECT) == (example.side == "accept")
