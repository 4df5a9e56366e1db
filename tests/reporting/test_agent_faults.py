"""What reports tell of the agent itself."""

import re
from pathlib import Path

import evaluator.agents
from evaluator.agents.cheat import CHEAT_LABEL, TRICKS
from evaluator.reporting.agent_faults import (
    LABEL_FORMS,
    LABELS,
    MAX_CELL,
    MAX_FAILURES,
    agent_faults,
    label_meaning,
)
from tests.reporting.conftest import record

GLOSSARY = Path(__file__).parents[2] / "docs" / "glossary.md"


def test_failures_are_counted_by_their_first_line_and_labels_by_name() -> None:
    told = agent_faults(
        [
            record(1, "CRASH", agent_exception="it died\nTraceback ..."),
            record(2, "CRASH", agent_exception="it was late", labels=("log-cut",)),
            record(3, "CRASH", agent_exception=" it died \nanother traceback", labels=("log-cut", "of-its-own")),
            record(4, agent_exception=""),
        ]
    ).to_json()
    assert told == {
        "agent_failures": [
            {"why": "it died", "attempts": 2, "first": "sums 1"},
            {"why": "it was late", "attempts": 1, "first": "sums 2"},
        ],
        "not_judged_why": [],
        "agent_labels": [
            {"label": "log-cut", "attempts": 2, "means": LABELS["log-cut"]},
            {"label": "of-its-own", "attempts": 1, "means": None},
        ],
    }


def test_an_agent_that_fails_in_many_ways_fills_no_page() -> None:
    count = MAX_FAILURES + 5
    records = [record(n, "CRASH", agent_exception=f"{n:03} {'x' * 100_000}") for n in range(1, count + 1)]
    ((_, rows),) = agent_faults(records).tables()
    assert len(rows) == MAX_FAILURES + 1
    assert max(len(why) for why, _, _ in rows) <= MAX_CELL
    assert rows[-1] == ["and 5 others", "5", f"sums {MAX_FAILURES + 1}"]


def test_every_label_that_agents_of_ours_give_is_explained() -> None:
    given = set[str]()
    for path in Path(evaluator.agents.__file__).parent.rglob("*.py"):
        for line in path.read_text().splitlines():
            if "labels" in line:
                given.update(re.findall(r'"([a-z]+(?:-[a-z]+)+)"', line))
    assert len(given) >= 11
    assert given - LABELS.keys() == set()


def test_the_glossary_says_the_same_of_labels() -> None:
    told = GLOSSARY.read_text(encoding="utf-8").split("## Labels of attempts")[1]
    rows = dict(re.findall(r"^\| (?!label \|)([a-z].*?) \| (.+) \|$", told, re.MULTILINE))
    assert rows == {**LABELS, **LABEL_FORMS}


def test_a_label_with_a_number_or_a_name_in_it_is_explained_too() -> None:
    for label, means in (
        ("log-cut", LABELS["log-cut"]),
        ("rung-4", "a prompt was longer than the model takes; it was shortened up to step 4"),
        ("cheat-zero", "a trick of the agent `cheat`, which solves nothing: it answers 0 to everything"),
        ("cheat-<b>", ""),
        ("zero", ""),
    ):
        assert label_meaning(label) == means
    assert all(label_meaning(f"{CHEAT_LABEL}{trick}") for trick in TRICKS)


def test_what_is_not_judged_is_told_with_reasons_not_as_a_failure() -> None:
    outage = "the model endpoint answered with 503 Service Unavailable"
    told = agent_faults(
        [
            record(1, "NOT_JUDGED", agent_exception=f"{outage}; what the agent made of it: HTTP Error 503"),
            record(2, "NOT_JUDGED", agent_exception=None, extended_verdict="no judge has looked at it"),
            record(3, "NOT_JUDGED", agent_exception=None, extended_verdict="no judge has looked at it"),
            record(4, "NOT_JUDGED", agent_exception=" "),
        ]
    )
    assert told.to_json()["agent_failures"] == []
    assert told.to_json()["not_judged_why"][0] == {
        **{"why": "no judge has looked at it", "attempts": 2, "first": "sums 2"}
    }
    (((title, *_), rows),) = told.tables()
    assert (title, [row[0].split(";")[0] for row in rows]) == ("not judged: why", ["no judge has looked at it", outage])
