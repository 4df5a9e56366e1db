"""Judges all pairs and prints those that are not judged as expected.

`python -m tests.pairs.report [TOPIC ...]`
"""

import argparse
import sys

from tests.pairs.pairs import judge_topics, read_explained, read_topics


def main(arguments: list[str]) -> int:
    """Judge the pairs of some topics, or of all; the exit code is 1 if a pair is judged otherwise and unexplained."""
    parser = argparse.ArgumentParser(prog="tests.pairs.report", description=__doc__)
    topics = read_topics()
    parser.add_argument("topics", nargs="*", help="one of " + ", ".join(topic.name for topic in topics))
    chosen = parser.parse_args(arguments).topics
    seen = judge_topics([topic for topic in topics if not chosen or topic.name in chosen])
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


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
