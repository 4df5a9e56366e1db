"""`benchwright topics`: modules -> topics -> problemsets in the style of a notebook."""

from pathlib import Path
from typing import Annotated

import typer

from authoring.cli.options import (
    DEFAULT_WORKSPACE,
    BudgetCostOption,
    BudgetMinutesOption,
    BudgetTokensOption,
    ByOption,
    JsonOption,
    ModelOption,
    RngSeedOption,
    WorkspaceOption,
    budget_of,
    progress_bar,
)
from authoring.cli.output import emit, print_diagnostics
from authoring.seeds.workspace_setup import open_workspace
from evaluator.session import SandboxChoice


def register(app: typer.Typer) -> None:
    """Add the command and its subcommands."""
    commands = typer.Typer(help="Propose topics of Python modules, draft sets on them.", no_args_is_help=True)
    commands.command("propose", help="Ask a model for topics and add them to a file to edit.")(propose)
    commands.command("draft", help="Let a model write a problemset on a topic of the file.")(draft)
    app.add_typer(commands, name="topics")


FileOption = Annotated[Path, typer.Option("--file", help="The file of topics, YAML.")]


def propose(
    modules: Annotated[list[str], typer.Argument(metavar="MODULE...", help="As they are imported: pandas scipy.stats")],
    file: FileOption = Path("topics.yaml"),
    count: Annotated[int, typer.Option(help="How many at most, 1 to 50.")] = 20,
    rng_seed: RngSeedOption = 0,
    model: ModelOption = None,
    budget_tokens: BudgetTokensOption = None,
    budget_cost: BudgetCostOption = None,
    budget_minutes: BudgetMinutesOption = None,
    workspace: WorkspaceOption = DEFAULT_WORKSPACE,
    as_json: JsonOption = False,
) -> int:
    """Propose topics; those that the file holds already are not repeated."""
    from authoring.drafting.topics.topic import add_topics, read_topics
    from authoring.drafting.topics.topic_draft import propose_topics

    known = read_topics(file) if file.exists() else ()
    with progress_bar() as on_event:
        ws = open_workspace(workspace)
        found = propose_topics(
            ws,
            modules,
            count=count,
            taken=known,
            rng_seed=rng_seed,
            model=model,
            on_event=on_event,
            budget=budget_of(budget_tokens, budget_cost, budget_minutes),
        )
    add_topics(file, found.topics)
    lines = [f"{len(known) + number:>4}  {topic.title}" for number, topic in enumerate(found.topics, start=1)]
    result = {"file": str(file), "topics": [topic.title for topic in found.topics], "left_out": found.left_out}
    emit(result, as_json, "\n".join([*lines, f"{len(found.topics)} topics added to {file}"]))
    return 0


def draft(
    topic: Annotated[str, typer.Argument(help="Its number in the file, or its title.")],
    file: FileOption = Path("topics.yaml"),
    seed: Annotated[str | None, typer.Option(help="The data to work on; else the code makes its own.")] = None,
    name: Annotated[str | None, typer.Option(help="What the problemset is called; else after the topic.")] = None,
    rng_seed: RngSeedOption = 0,
    model: ModelOption = None,
    budget_tokens: BudgetTokensOption = None,
    budget_cost: BudgetCostOption = None,
    budget_minutes: BudgetMinutesOption = None,
    by: ByOption = "",
    sandbox: SandboxChoice = SandboxChoice.AUTO,
    workspace: WorkspaceOption = DEFAULT_WORKSPACE,
    as_json: JsonOption = False,
) -> int:
    """Draft a problemset; what is still wrong with it is listed on standard error."""
    from authoring.drafting.topics.topic import find_topic, read_topics
    from authoring.drafting.topics.topic_draft import make_topic_draft
    from evaluator.session import Engine

    chosen = find_topic(read_topics(file), topic)
    with Engine(sandbox=sandbox) as engine, progress_bar() as on_event:
        made = make_topic_draft(
            open_workspace(workspace),
            chosen,
            engine=engine,
            seed=seed,
            name=name,
            rng_seed=rng_seed,
            model=model,
            created_by=by,
            on_event=on_event,
            budget=budget_of(budget_tokens, budget_cost, budget_minutes),
        )
    print_diagnostics(made.left_over)
    what = f"problemset {made.problemset}, {made.name}: {made.problems} problems, revision {made.number}"
    emit(made.to_json(), as_json, what)
    return 0
