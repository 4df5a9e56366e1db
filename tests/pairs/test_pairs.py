"""Right answers in other clothes and near misses are judged as a data scientist would judge them."""

from collections import Counter
from collections.abc import Hashable, Iterable
from dataclasses import replace

import pytest

from tests.pairs.pairs import Pair, Seen, judge_topics, read_explained, read_topics

TOPICS = read_topics()
PAIRS = tuple(pair for topic in TOPICS for pair in topic.pairs)


@pytest.fixture(scope="module", params=[2, pytest.param(1, marks=pytest.mark.deep)])
def seen(request: pytest.FixtureRequest) -> tuple[Seen, ...]:
    """Every second pair of each topic, judged, or all of them."""
    judged = judge_topics([replace(topic, pairs=topic.pairs[:: request.param]) for topic in TOPICS])
    assert len(judged) >= len(PAIRS) / request.param
    return judged


def test_there_are_at_least_300_pairs_of_at_least_a_dozen_topics() -> None:
    assert len(PAIRS) >= 300
    assert len(TOPICS) >= 12


def test_every_pair_says_why_in_one_line_of_its_own() -> None:
    assert [pair for pair in PAIRS if not pair.why.strip() or "\n" in pair.why] == []
    assert _twice(pair.why for pair in PAIRS) == []


def test_no_pair_stands_there_twice_or_compares_a_text_with_itself() -> None:
    assert _twice((pair.topic, pair.reference, pair.submission, str(pair.validator)) for pair in PAIRS) == []
    assert [pair for pair in PAIRS if pair.reference.strip() == pair.submission.strip()] == []


def test_right_ones_wrong_ones_and_other_forms_all_have_their_share() -> None:
    shares = Counter(str(pair.verdict).partition("_")[0] for pair in PAIRS)
    assert shares["CORRECT"] >= 0.4 * len(PAIRS)
    assert shares["PRESENTATION"] >= 0.2 * len(PAIRS)
    assert shares["WRONG"] >= 0.2 * len(PAIRS)
    assert [pair for pair in PAIRS if (pair.subverdict is None) is str(pair.verdict).startswith("PRES")] == []


def test_exactly_the_explained_pairs_are_judged_otherwise(seen: tuple[Seen, ...]) -> None:
    tried = {_place(one.pair) for one in seen}
    differing = {_place(one.pair): one.difference for one in seen if not one.agrees}
    explained = {(entry.topic, entry.why): entry.reason for entry in read_explained()}
    assert [reason for reason in explained.values() if not reason.strip()] == []
    assert {place: text for place, text in differing.items() if place not in explained} == {}
    assert tried & set(explained) <= set(differing), "these are explained and agree all the same"
    assert len(explained) <= 0.01 * len(PAIRS)
    assert set(explained) <= {_place(pair) for pair in PAIRS}


def _place(pair: Pair) -> tuple[str, str]:
    return pair.topic, pair.why


def _twice(items: Iterable[Hashable]) -> list[Hashable]:
    return [item for item, count in Counter(items).items() if count > 1]
