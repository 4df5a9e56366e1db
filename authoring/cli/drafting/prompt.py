"""`benchwright prompt`: what a model would be asked, without asking it, and how large prompts are."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from authoring.cli.options import (
    DEFAULT_WORKSPACE,
    ExamplesOption,
    JsonOption,
    LanguageOption,
    RngSeedOption,
    WorkspaceOption,
)
from authoring.cli.output import emit, note
from authoring.drafting.example_strategy import ExampleStrategy
from authoring.languages import Language
from authoring.seeds.workspace_setup import open_workspace
from evaluator.session import SandboxChoice

if TYPE_CHECKING:
    from authoring.prompting.prompts import PromptRequest


def register(app: typer.Typer) -> None:
    """Add the command and its subcommands."""
    about = "Show what a model would be asked, without asking it; measure prompts."
    commands = typer.Typer(help=about, no_args_is_help=True)
    commands.command("sketch", help="Show what 'sketch SEED --author model' would ask.")(sketch)
    commands.command("draft", help="Show what 'draft SKETCH --author model' would ask.")(draft)
    commands.command("topic", help="Show what 'topics draft TOPIC' would ask.")(topic)
    commands.command("refine", help="Show what 'refine SET' would ask; executes the set.")(refine)
    commands.command("guide", help="Show what 'guide propose --author model' would ask.")(guide)
    commands.command("measure", help="Measure the prompts for each seed, block by block, in estimated tokens.")(measure)
    app.add_typer(commands, name="prompt")


def sketch(
    seed: Annotated[str, typer.Argument(help="Name or id of the seed.")],
    examples: ExamplesOption = ExampleStrategy.ALL,
    mix: Annotated[str, typer.Option(help="What is asked for, such as easy=3,medium=6,hard=4.")] = "",
    language: LanguageOption = Language.ENGLISH,
    rng_seed: RngSeedOption = 0,
    workspace: WorkspaceOption = DEFAULT_WORKSPACE,
    as_json: JsonOption = False,
) -> int:
    """Show the prompt for a sketch."""
    from authoring.drafting.prompt_previews import sketch_preview
    from authoring.drafting.sketching import read_mix

    ws, wanted = open_workspace(workspace), read_mix(mix) if mix else None
    found = sketch_preview(ws, seed, rng_seed=rng_seed, examples=examples, mix=wanted, language=language)
    return _show(found, as_json)


def draft(
    sketch: Annotated[str, typer.Argument(help="Name or id of the sketch.")],
    examples: ExamplesOption = ExampleStrategy.ALL,
    rng_seed: Annotated[int | None, typer.Option(min=0, max=2**32 - 1, help="Else the sketch's own.")] = None,
    workspace: WorkspaceOption = DEFAULT_WORKSPACE,
    as_json: JsonOption = False,
) -> int:
    """Show the prompt for a draft."""
    from authoring.drafting.prompt_previews import draft_preview

    return _show(draft_preview(open_workspace(workspace), sketch, rng_seed=rng_seed, examples=examples), as_json)


def topic(
    topic: Annotated[str, typer.Argument(help="Its number in the file, or its title.")],
    file: Annotated[Path, typer.Option("--file", help="The file of topics, YAML.")] = Path("topics.yaml"),
    seed: Annotated[str | None, typer.Option(help="The data to work on; else the code makes its own.")] = None,
    workspace: WorkspaceOption = DEFAULT_WORKSPACE,
    as_json: JsonOption = False,
) -> int:
    """Show the prompt for a set about a topic."""
    from authoring.drafting.topics.topic import find_topic, read_topics
    from authoring.drafting.topics.topic_draft import topic_draft_request
    from authoring.prompting.prompts import PromptBook
    from authoring.store.drafting.seeds import find_seed

    ws, chosen = open_workspace(workspace), find_topic(read_topics(file), topic)
    found = find_seed(ws, seed) if seed is not None else None
    return _show(topic_draft_request(ws, chosen, found, PromptBook(ws.root)), as_json)


def refine(
    problemset: Annotated[str, typer.Argument(metavar="SET", help="Name or id of the problemset.")],
    problems: Annotated[str, typer.Option(metavar="ID,ID", help="The problems to change: ids or numbers.")],
    instruction: Annotated[str, typer.Option(help="What is wanted, in words.")] = "",
    comments: Annotated[bool, typer.Option(help="With the open comments on them.")] = True,
    findings: Annotated[bool, typer.Option(help="With what an execution says against them.")] = True,
    sandbox: SandboxChoice = SandboxChoice.AUTO,
    workspace: WorkspaceOption = DEFAULT_WORKSPACE,
    as_json: JsonOption = False,
) -> int:
    """Show the prompt for a refinement."""
    from authoring.drafting.refining.refining import RefineOptions, refine_preview
    from evaluator.session import Engine

    options, chosen = RefineOptions(instruction, comments, findings), problems.split(",")
    with Engine(sandbox=sandbox) as engine:
        found = refine_preview(open_workspace(workspace), problemset, chosen, engine=engine, options=options)
    return _show(found, as_json)


def guide(
    all_times: Annotated[bool, typer.Option("--all", help="Also comments from before the newest guide.")] = False,
    workspace: WorkspaceOption = DEFAULT_WORKSPACE,
    as_json: JsonOption = False,
) -> int:
    """Show the prompt for amendments."""
    from authoring.drafting.prompt_previews import amend_preview

    return _show(amend_preview(open_workspace(workspace), all_times=all_times), as_json)


def measure(workspace: WorkspaceOption = DEFAULT_WORKSPACE, as_json: JsonOption = False) -> int:
    """Measure prompts."""
    from authoring.drafting.prompt_previews import check_estimates, measure_prompts, sizes_text

    ws = open_workspace(workspace)
    sizes, checked = measure_prompts(ws), check_estimates(ws).to_json()
    emit({"prompts": [size.to_json() for size in sizes], "estimates": checked}, as_json, sizes_text(sizes))
    if "median" in checked:
        note("estimated / reported tokens of {calls} calls: {median}, from {least} to {most}".format(**checked))
    return 0


def _show(request: "PromptRequest", as_json: bool) -> int:
    size = request.to_json()
    blocks = ", ".join(f"{name} {tokens:,}" for name, tokens in size["blocks"].items())
    emit({"prompt": request.name, "system": request.system, "text": request.text, **size}, as_json, request.shown())
    if not as_json:
        note(f"about {size['tokens']:,} tokens: {blocks}")
        note(f"cut at their budgets: {', '.join(size['cut'])}" if size["cut"] else "nothing is cut")
    return 0
