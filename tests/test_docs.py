"""The documentation says what is there: every command, validator and verdict, and its examples are right."""

import re
import textwrap
from pathlib import Path

import pytest

from authoring.cli.main import COMMANDS
from authoring.prompting.blocks import BLOCKS
from evaluator.agents import AGENTS
from evaluator.language import MATCHER_OPTIONS, TEMPLATES, VALIDATOR_SCHEMAS, parse_problemset, read_own_validators
from evaluator.scoring import Verdict

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
ALL_TEXT = "\n".join(page.read_text(encoding="utf-8") for page in PAGES)
PROMPTS = (
    "sketch",
    "draft",
    "refine",
    "amend",
    "topics",
    "topic_draft",
    "semantics",
    "made_table",
    "translate",
    "repair",
)
LANGUAGE = (ROOT / "docs" / "dseal.md").read_text(encoding="utf-8")
TARGETS = re.findall(r"^([a-z-]+):.*##", (ROOT / "Makefile").read_text(encoding="utf-8"), flags=re.MULTILINE)


@pytest.mark.parametrize("command", sorted(COMMANDS))
def test_every_command_is_documented(command: str) -> None:
    assert f"benchwright {command}" in ALL_TEXT


def test_every_documented_command_exists() -> None:
    named = set(re.findall(r"^benchwright ([a-z][a-z-]*)|`benchwright ([a-z][a-z-]*)", ALL_TEXT, flags=re.MULTILINE))
    assert {first or second for first, second in named} <= set(COMMANDS)


@pytest.mark.parametrize("name", sorted(VALIDATOR_SCHEMAS))
def test_every_validator_is_documented(name: str) -> None:
    assert f"`{name}`" in LANGUAGE


@pytest.mark.parametrize("name", sorted([*MATCHER_OPTIONS, *TEMPLATES, *(str(verdict) for verdict in Verdict)]))
def test_every_matcher_option_template_and_verdict_is_documented(name: str) -> None:
    assert f"`{name}`" in LANGUAGE


@pytest.mark.parametrize("name", sorted(AGENTS))
def test_every_agent_is_documented(name: str) -> None:
    assert f"`{name}" in (ROOT / "docs" / "evaluators.md").read_text(encoding="utf-8")


def test_every_target_of_the_makefile_that_the_docs_name_exists() -> None:
    named = set(re.findall(r"`make ([a-z-]+)", ALL_TEXT)) | set(re.findall(r"^make ([a-z-]+)", ALL_TEXT, re.MULTILINE))
    assert {"app", "test", "help"} <= named <= set(TARGETS)


def test_problemsets_in_the_language_guide_have_no_diagnostics() -> None:
    blocks = re.findall(r"^````python\n(.*?)^````", LANGUAGE, flags=re.MULTILINE | re.DOTALL)
    assert len(blocks) == 3
    for block, problems in zip(blocks, (2, 1, 1), strict=True):
        parsed = parse_problemset(textwrap.dedent(block), name="example")
        assert parsed.problemset is not None
        assert (len(parsed.problemset.problems), parsed.diagnostics) == (problems, ())


def test_the_example_of_own_validators_in_the_language_guide_fits_its_settings() -> None:
    section = LANGUAGE.partition("### Validators of your own")[2]
    (code,), (settings,) = (re.findall(rf"^```{kind}\n(.*?)^```", section, re.M | re.S) for kind in ("python", "yaml"))
    own = read_own_validators(code, Path("_validators.py"))
    assert (list(own.validators), own.diagnostics) == (["same_total"], ())
    text = f'# %%\n"""\nquery: ask\n{settings}"""\nreport = None\n'
    assert parse_problemset(text, name="example", own_validators=own).diagnostics == ()


def test_the_table_of_blocks_is_that_of_the_prompts() -> None:
    page = (ROOT / "docs" / "prompts.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| ([a-z ]+) \| ([\d,]+) \| ([a-z]+) \| (.*) \|$", page, flags=re.MULTILINE)
    blocks = [(name, f"{kind.tokens:,}", kind.unit.value, kind.what) for name, kind in BLOCKS.items()]
    assert rows == blocks
    listed = re.findall(r"^\| [a-z ]+ \| `([a-z_]+)\.md` \| (.*) \|$", page, flags=re.MULTILINE)
    assert {name for name, _ in listed} == set(PROMPTS)
    assert {block for _, blocks in listed for block in blocks.split(", ")} <= {
        *BLOCKS,
        "the prompt before it",
        "the answer",
    }


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_and_pictures_of_a_page_lead_somewhere(page: Path) -> None:
    targets = re.findall(r"\]\(([^)#\s]+)", page.read_text(encoding="utf-8"))
    missing = [target for target in targets if "://" not in target and not (page.parent / target).exists()]
    assert missing == []
