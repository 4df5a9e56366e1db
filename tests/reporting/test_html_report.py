"""The page about a run."""

import json
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

from evaluator.errors import ContentError, UsageError
from evaluator.reporting import read_asked_set, read_asked_sets, read_run, run_details, run_text
from evaluator.reporting.html_report import html_report
from tests.reporting.conftest import record, write_run

HOSTILE = '</pre><script>hit()</script><img src=x onerror=hit()>\x1b]0;x\x07\u202egnp\u200b&"\' onfocus="hit()'


class Tags(HTMLParser):
    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: set[str] = set()
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes.update(name for name, _ in attrs)


def test_the_page_shows_every_attempt_beside_the_reference_code(tmp_path: Path) -> None:
    tree = {"category": "stream", "correct": False, "reason": "nothing was printed"}
    tries = [
        record(1, "CRASH", attempt=1, code="1 / 0", validation=tree),
        record(1, attempt=2, code="2"),
        record(2, code="4"),
    ]
    page = html_report(read_run(write_run(tmp_path, *tries)))
    for text in ("1 / 0", "<pre>1 + 1</pre>", "<pre>2 + 2</pre>", "And two and two?", "Attempt 2", "100.0%"):
        assert text in page
    assert page.count("<pre>1 + 1</pre>") == 2
    assert (
        "".join(f'<th class="text">{name}</th>' for name in ("validator", "what it checks", "result", "reason")) in page
    )


def test_the_page_explains_its_words_once(tmp_path: Path) -> None:
    finding = {"category": "namespace_check", "correct": "no", "reason": "is missing", "variable": "totals"}
    tree = {"category": "namespace_check", "correct": "no", "reason": [finding]}
    tries = [record(1, "CRASH", subverdict="KILLED"), record(2, labels=("zero",), validation=tree)]
    page = html_report(read_run(write_run(tmp_path, *tries, rules="sound")))
    assert page.count("no closer cause is known") == 1
    assert "its process ended before the code had finished" in page
    assert page.count("Presentation errors forgiven: so does PRESENTATION_ERROR") == 1
    assert page.count("Rules of judging: sound are those of this program") == 1
    assert "<th>attempts</th></tr>" in page  # no label is known: no column of meanings
    assert "namespace_check of totals" in page
    assert "what that variable holds after the cell" in page


def test_the_page_shows_outputs_and_the_transcript_as_text(tmp_path: Path) -> None:
    folder = write_run(tmp_path, record(1), record(2))
    kept = {
        "key": ["sums", 1, 1, 1],
        "outputs": [
            {"output_type": "stream", "name": "stdout", "text": f"printed {HOSTILE}\n"},
            {"output_type": "display_data", "data": {"image/png": "AAAA", "text/html": HOSTILE}, "metadata": {}},
        ],
        "error": {"name": "E", "message": "m", "traceback": f"Traceback {HOSTILE}"},
        "transcript": [{"role": "assistant", "content": f"I say {HOSTILE}"}],
    }
    (folder / "details.jsonl").write_text(json.dumps(kept) + "\n")
    page = html_report(read_run(folder))
    for text in ("printed &lt;/pre&gt;", "(image/png, text/html)", "Traceback &lt;/pre&gt;", "I say &lt;/pre&gt;"):
        assert text in page
    assert page.count("What the submission showed") == 1
    assert Tags(page).tags.count("script") == 1
    assert "img" not in Tags(page).tags


def test_nothing_that_agents_or_authors_wrote_becomes_markup(tmp_path: Path) -> None:
    fields = dict.fromkeys(("problemset", "subverdict", "extended_verdict", "question", "code"), HOSTILE)
    tree = {
        "correct": HOSTILE,
        "category": HOSTILE,
        "reason": [{"correct": "no", "category": HOSTILE, "reason": HOSTILE}],
    }
    hostile = record(1, HOSTILE, **fields, validation=tree, agent_exception=HOSTILE, agent_stats={HOSTILE: HOSTILE})
    facts = dict.fromkeys(("agent", "benchmark", "version", "environment", "sandbox", "rules"), HOSTILE)
    page = html_report(read_run(write_run(tmp_path, hostile, **facts, policies={"state": HOSTILE})))
    tags = Tags(page)
    assert tags.tags.count("script") == 1
    assert not {"img", "iframe", "object", "link", "a", "form"} & set(tags.tags)
    assert not any(name.startswith("on") or name in ("href", "style") for name in tags.attributes)
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b\u202e]", page)
    assert r"\u202egnp\u200b" in page


def test_the_page_is_always_the_same_and_loads_nothing(tmp_path: Path) -> None:
    run = write_run(tmp_path, record(2), record(1))
    page = html_report(read_run(run))
    assert html_report(read_run(run)) == page
    assert "default-src 'none'" in page
    assert "unsafe" not in page
    assert not re.findall(r"(?:src|href)=", page)


def test_rates_are_withheld_while_something_is_not_judged(tmp_path: Path) -> None:
    run = read_run(write_run(tmp_path, record(1), record(2, "NOT_JUDGED")))
    page, text = html_report(run), run_text(run, run_details(run.records))
    assert "NOT_JUDGED: no rates are shown" in page
    assert "%" not in page.split("<h2>")[0].split("<body>")[1]
    assert "1 not judged: no rates" in text
    assert "%" not in text


def test_reference_code_is_left_out_when_the_problemset_has_changed(tmp_path: Path) -> None:
    run = write_run(tmp_path, record(), sets=[{"name": "sums", "digest": "0" * 64}])
    found = read_run(run)
    assert (found.problems, found.missing) == ({}, "changed since the run: sums")
    assert read_asked_set(run, "sums") == read_asked_sets(run)
    assert read_asked_set(run, "sums").missing == "changed since the run: sums"
    assert "changed since the run: sums" in html_report(found)


def test_a_benchmark_that_moved_can_be_named(tmp_path: Path) -> None:
    run = write_run(tmp_path, record(), source="/nowhere")
    assert "no longer at '/nowhere'" in read_run(run).missing
    assert read_run(run, benchmark=tmp_path / "bench").problems["sums", 1].code.strip() == "1 + 1"
    with pytest.raises(UsageError):
        read_run(run, benchmark=tmp_path / "nothing")


def test_a_folder_without_a_run_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="holds no run"):
        read_run(tmp_path)
    with pytest.raises(UsageError, match="there is no run"):
        read_run(tmp_path / "nothing")
    run = write_run(tmp_path, record())
    (run / "manifest.json").write_text("[")
    with pytest.raises(ContentError, match="manifest of the run cannot be read"):
        read_run(run)
