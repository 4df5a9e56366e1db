"""The documentation says what is there: every command, validator and verdict, and its examples are right."""

import re
import textwrap
from pathlib import Path

from authoring.cli.main import COMMANDS
from authoring.prompting.blocks import BLOCKS
from evaluator.agents import AGENTS
from evaluator.language import MATCHER_OPTIONS, TEMPLATES, VALIDATOR_SCHEMAS, parse_problemset, read_own_validators
from evaluator.scoring import Verdict

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
ALL_TEXT = "\n".join(page.read_text(encoding="utf-8") for page in PAGES)
PROMPTS = {
    *("sketch", "draft", "refine", "amend", "topics", "topic_draft"),
    *("semantics", "made_table", "translate", "repair"),
}
LANGUAGE = (ROOT / "docs" / "dseal.md").read_text(encoding="utf-8")
TARGETS = re.findall(r"^([a-z-]+):.*##", (ROOT / "Makefile").read_text(encoding="utf-8"), flags=re.MULTILINE)


def test_every_name_that_users_write_is_documented() -> None:
    evaluators = (ROOT / "docs" / "evaluators.md").read_text(encoding="utf-8")
    words = [*VALIDATOR_SCHEMAS, *MATCHER_OPTIONS, *TEMPLATES, *map(str, Verdict)]
    assert len(COMMANDS) + len(words) + len(list(AGENTS)) >= 80
    assert [command for command in COMMANDS if f"benchwright {command}" not in ALL_TEXT] == []
    assert [word for word in words if f"`{word}`" not in LANGUAGE] == []
    assert [name for name in AGENTS if f"`{name}" not in evaluators] == []


def test_every_documented_command_exists() -> None:
    named = set(re.findall(r"^benchwright ([a-z][a-z-]*)|`benchwright ([a-z][a-z-]*)", ALL_TEXT, flags=re.MULTILINE))
    assert {first or second for first, second in named} <= set(COMMANDS)


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


def test_the_example_of_own_validators_in_the_guide_fits_its_settings() -> None:
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
    assert {name for name, _ in listed} == PROMPTS
    assert {block for _, blocks in listed for block in blocks.split(", ")} <= {
        *BLOCKS,
        "the prompt before it",
        "the answer",
    }


def test_links_and_pictures_of_all_pages_lead_somewhere() -> None:
    links = [(page, target) for page in PAGES for target in re.findall(r"\]\(([^)#\s]+)", page.read_text("utf-8"))]
    local = [(page, target) for page, target in links if "://" not in target]
    assert len(local) >= 30
    assert [(page.name, target) for page, target in local if not (page.parent / target).exists()] == []
