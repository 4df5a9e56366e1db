"""`benchwright paradigms`: one agent under the rules of three systems, in one pass."""

import re
from pathlib import Path
from typing import Annotated

import typer

from authoring.cli.evaluating.phases import words_of
from authoring.cli.evaluating.run import progress_bar, purse_of, run_judge
from authoring.cli.options import (
    BudgetCostOption,
    BudgetMinutesOption,
    BudgetTokensOption,
    EnvironmentOption,
    JsonOption,
    budget_of,
)
from authoring.cli.output import emit, print_diagnostics
from evaluator.language import Rules, read_benchmark
from evaluator.running import RunConfig
from evaluator.running.run_agent import agent_of_run
from evaluator.session import EngineChoice, SandboxChoice


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("paradigms", help="Run an agent as DSEval, CIBench and the Qwen benchmark do, and compare.")(paradigms)


def paradigms(
    benchmark: Annotated[Path, typer.Argument(help="A folder with _manifest.yaml, or one problemset file.")],
    agent: Annotated[str, typer.Option(help="As `benchwright run --agent` takes it.")],
    out: Annotated[
        Path | None,
        typer.Option(help="Folder for one run each; the same command again resumes.  [default: one below runs/]"),
    ] = None,
    html: Annotated[
        Path | None, typer.Option("--html", metavar="FILE", help="Write a page that needs nothing else.")
    ] = None,
    workers: Annotated[int, typer.Option(help="Problemsets worked on at once.")] = 1,
    limit: Annotated[int | None, typer.Option(help="Only the first N problems of all sets together.")] = None,
    sets: Annotated[str, typer.Option(metavar="NAME,...", help="Only these problemsets.")] = "",
    judge: Annotated[str, typer.Option(help="A vision model that looks at figures where a problem asks.")] = "",
    rules: Annotated[Rules | None, typer.Option(help="Judge by these rules, whatever the benchmark says.")] = None,
    sandbox: Annotated[
        SandboxChoice, typer.Option(help="none is your consent to run code unprotected.")
    ] = SandboxChoice.AUTO,
    rng_seed: Annotated[int, typer.Option(help="Seeds the random states of every session.")] = 0,
    environment: EnvironmentOption = None,
    budget_tokens: BudgetTokensOption = None,
    budget_cost: BudgetCostOption = None,
    budget_minutes: BudgetMinutesOption = None,
    as_json: JsonOption = False,
) -> int:
    """Compare; 0: all judged, 1: a problemset was refused, 3: something could not be judged."""
    from evaluator.families.paradigms import compare_paradigms
    from evaluator.reporting.paradigm_page import paradigms_page, paradigms_text
    from evaluator.running import write_atomically

    config = RunConfig(
        benchmark,
        agent,
        out or default_folder(benchmark, agent),
        workers,
        limit,
        words_of(sets),
        sandbox,
        rng_seed,
        EngineChoice.AUTO,
        rules=rules.value if rules is not None else None,
        environment=environment,
        judge=judge,
    )
    purse = purse_of(budget_of(budget_tokens, budget_cost, budget_minutes))
    figure_judge = run_judge(config, purse)
    with progress_bar() as on_event:
        comparison = compare_paradigms(
            config,
            read_benchmark(benchmark),
            lambda: agent_of_run(config, purse),
            on_event=on_event,
            figure_judge=figure_judge,
        )
    found = comparison.to_json()
    print_diagnostics(tuple(dict.fromkeys(each for run in comparison.summaries for each in run.diagnostics)))
    text = paradigms_text(found)
    if html is not None:
        write_atomically(html, [paradigms_page(found).encode("utf-8", "backslashreplace")])
        text += f"\n\npage: {html}"
    emit({**found, "html": None if html is None else str(html)}, as_json, f"{text}\n\nruns: {config.out}")
    if any(run.not_judged for run in comparison.summaries):
        return 3
    return 1 if any(run.refused for run in comparison.summaries) else 0


def default_folder(benchmark: Path, agent: str) -> Path:
    """Return where the runs of a comparison lie unless --out says it."""
    told = re.sub(r"[^A-Za-z0-9.-]+", "-", agent).strip("-.") or "agent"
    return Path("runs") / f"paradigms-{benchmark.resolve().stem}-{told[:60]}"
