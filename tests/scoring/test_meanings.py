"""What verdicts and subverdicts mean: told in one place, and the glossary says the same."""

import re
from pathlib import Path

from evaluator.scoring import MEANINGS, Subverdict, Verdict, meaning_of

GLOSSARY = Path(__file__).parents[2] / "docs" / "glossary.md"


def test_every_verdict_and_subverdict_has_a_sentence_and_the_glossary_has_the_same() -> None:
    verdicts = GLOSSARY.read_text(encoding="utf-8").split("## Verdicts")[1]
    told = dict(re.findall(r"^\| ([A-Z_]+) \| (.+) \|$", verdicts, re.MULTILINE))
    assert told == {str(name): MEANINGS[name] for name in (*Verdict, *Subverdict)}
    assert MEANINGS.keys() == told.keys()


def test_a_subverdict_adds_to_what_its_verdict_means_unless_there_is_none() -> None:
    assert meaning_of("WRONG_OUTPUT", "VALUE_MISMATCH").endswith("the reference's; some values differ")
    assert meaning_of("TIMEOUT", "UNCATEGORIZED") == meaning_of("TIMEOUT") == MEANINGS["TIMEOUT"]
    assert meaning_of("<b>") == ""
