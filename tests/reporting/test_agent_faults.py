"""What reports tell of the agent itself."""

import re
from pathlib import Path

import evaluator.agents
from evaluator.reporting.agent_faults import (
    LABEL_FORMS,
    LABELS,
    agent_faults,
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
