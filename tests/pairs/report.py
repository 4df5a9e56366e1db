"""Judges all pairs and prints which verdicts were expected and which given.

`python -m tests.pairs.report [TOPIC ...]`
"""

import argparse
import sys
from collections import Counter
from collections.abc import Sequence

from evaluator.reporting import text_table
from tests.pairs.pairs import Seen, judge_topics, read_explained, read_topics


def main(arguments: list[str]) -> int:
    """Judge the pairs of some topics, or of all; the exit code is 1 if a pair is judged otherwise and unexplained."""
    parser = argparse.ArgumentParser(prog="tests.pairs.report", description=__doc__)
    topics = read_topics()
    parser.add_argument("topics", nargs="*", help="one of " + ", ".join(topic.name for topic in topics))
    chosen = parser.parse_args(arguments).topics
    seen = judge_topics([topic for topic in topics if not chosen or topic.name in chosen])
    print(confusion_table(seen))
    explained = {(entry.topic, entry.why): entry.reason for entry in read_explained()}
    unexplained = 0
    for one in seen:
        if not one.agrees:
            reason = explained.get((one.pair.topic, one.pair.why))
            unexplained += reason is None
            print(f"\n{one.pair.topic}: {one.pair.why}\n  {one.difference}" + (f"\n  {reason}" if reason else ""))
    agreeing = sum(one.agrees for one in seen)
    print(f"\n{agreeing} of {len(seen)} pairs are judged as expected, {unexplained} others have no explanation")
    return 1 if unexplained else 0


def confusion_table(seen: Sequence[Seen]) -> str:
    """Return the counts of pairs by expected and observed verdict."""
    counts = Counter((one.pair.expected, one.observed) for one in seen)
    expected = sorted({pair[0] for pair in counts})
    observed = sorted({pair[1] for pair in counts})
    numbers = {name: str(number) for number, name in enumerate(observed, 1)}
    rows = [
        [name, *(str(counts[name, other] or "") for other in observed), str(sum(_row(counts, name)))]
        for name in expected
    ]
    legend = ", ".join(f"{number}: {name}" for name, number in numbers.items())
    return f"{text_table(['expected', *numbers.values(), 'all'], rows)}\nobserved: {legend}"


def _row(counts: Counter[tuple[str, str]], name: str) -> list[int]:
    return [count for (expected, _), count in counts.items() if expected == name]


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
