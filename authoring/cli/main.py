"""The `benchwright` command: finds the module of the command that was asked for and runs it."""

import gc
import importlib
import sys
from collections.abc import Mapping, Sequence
from types import ModuleType
from typing import Annotated, Final, NamedTuple

import typer

from authoring.cli.output import emit, run_guarded
from evaluator.errors import UsageError


class CommandEntry(NamedTuple):
    """Where a command lives and what the overview says about it."""

    module: (
        str  # below authoring.cli; defines `register(app: typer.Typer) -> None`, which adds the command under its name
    )
    help: str

    def load(self) -> ModuleType:
        """Import the module."""
        return importlib.import_module(f"authoring.cli.{self.module}")


COMMANDS: Final[Mapping[str, CommandEntry]] = {
    "seed": CommandEntry("drafting.seed", "Add data files as an idea seed, list seeds, show one."),
    "sketch": CommandEntry("drafting.sketch", "List the problems that a seed can carry."),
    "draft": CommandEntry("drafting.draft", "Turn a sketch into a problemset with reference code."),
    "topics": CommandEntry("drafting.topics", "Propose topics of modules, draft sets on them."),
    "generalise": CommandEntry("drafting.generalise", "Make a template of a problemset."),
    "instantiate": CommandEntry("drafting.generalise", "Put a template on another seed."),
    "translate": CommandEntry("drafting.translate", "Translate queries by a model, paired with the originals."),
    "dry-run": CommandEntry("revising.dry_run", "Execute a draft and judge its reference code."),
    "affected": CommandEntry("revising.dry_run", "List the problems that an edit reaches, and why."),
    "rerun": CommandEntry("revising.dry_run", "Dry-run again only what an edit reaches."),
    "try": CommandEntry("revising.validators", "Judge an answer of your own, keep it as an example."),
    "validators": CommandEntry("revising.validators", "Propose validators, show what each would accept."),
    "comment": CommandEntry("revising.review", "Comment on a problemset, resolve a comment."),
    "comments": CommandEntry("revising.review", "List the comments on a problemset."),
    "diversity": CommandEntry("revising.diversity", "What problemsets repeat, overuse and leave out."),
    "roundtable": CommandEntry("revising.roundtable", "What dry runs leave open, and how it was settled."),
    "merge": CommandEntry("revising.revisions", "Put an edit together with what others saved since."),
    "cell": CommandEntry("revising.revisions", "Add, move and delete cells of a problemset."),
    "restore": CommandEntry("revising.revisions", "Save an older revision's text as the newest one."),
    "refine": CommandEntry("drafting.refine", "Let a model change chosen problems and no others."),
    "prompt": CommandEntry("drafting.prompt", "Show what a model would be asked; measure prompts."),
    "suggestion": CommandEntry("revising.suggestion", "Accept, change or refuse suggested changes."),
    "example": CommandEntry("drafting.example", "List the accepted sets that prompts show, take one out."),
    "accept": CommandEntry("revising.review", "Accept a revision of a problemset."),
    "send-back": CommandEntry("revising.review", "Send a revision back to its author with a reason."),
    "guide": CommandEntry("drafting.guide", "Read the guide for authors, amend it, see its effects."),
    "effort": CommandEntry("serving.effort", "Show what people and models spent; record what was measured."),
    "release": CommandEntry("evaluating.release", "Freeze accepted problemsets, verify, compare."),
    "bootstrap": CommandEntry("drafting.bootstrap", "From seeds to a benchmark, at once or in rounds."),
    "check": CommandEntry("evaluating.check", "Check problemset files; with --run, execute them too."),
    "stats": CommandEntry("evaluating.stats", "Count problems, difficulty, validators, dependencies."),
    "experiment": CommandEntry("evaluating.experiment", "Agents x benchmarks x policies from one file, in one table."),
    "run": CommandEntry("evaluating.run", "Run an agent on a benchmark and judge it."),
    "paradigms": CommandEntry("evaluating.paradigms", "Run an agent as three systems do, and compare."),
    "agents": CommandEntry("evaluating.agents", "List agents, check one of your own, begin a new one."),
    "env": CommandEntry("evaluating.env", "Create, list and remove environments for problem code."),
    "import": CommandEntry("evaluating.import_", "Import notebooks, records, problemsets, results."),
    "export": CommandEntry("evaluating.export", "Write a problemset as a notebook."),
    "report": CommandEntry("evaluating.report", "Show what a run came to, as tables or as one page."),
    "leaderboard": CommandEntry("evaluating.leaderboard", "Several runs of CIBench or Qwen's benchmark on one board."),
    "compare": CommandEntry("evaluating.report", "Compare two runs problem by problem."),
    "app": CommandEntry("serving.app", "Start the annotators' app, and print its address."),
    "job": CommandEntry("serving.job", "Order background work, follow it, cancel it."),
    "worker": CommandEntry("serving.job", "Work off the jobs of a workspace."),
    "workspace": CommandEntry("serving.workspace", "Describe a workspace, back it up."),
}
"""Every command, in the order of the overview. Static, so that `--help` imports none of their modules."""

_OBJECTS_BETWEEN_COLLECTIONS: Final = 50_000
"""Imports alone would else cause a hundred collections, a tenth of the time that a short command takes."""


def main() -> None:
    """Run the command line of this process and exit with its code."""
    gc.set_threshold(_OBJECTS_BETWEEN_COLLECTIONS)
    sys.exit(run_command_line(sys.argv[1:]))


def run_command_line(arguments: Sequence[str]) -> int:
    """Run one command line and return its exit code.

    Args:
        arguments: What stands after `benchwright`.

    Returns:
        0 fine, 1 the content is wrong or refused, 2 usage, 3 the toolkit or machine, 130 interrupted.
    """
    words = list(arguments) or ["--help"]
    return run_guarded(lambda: _invoke(words), words)


def _invoke(arguments: list[str]) -> int:
    app = build_app(next((word for word in arguments if not word.startswith("-")), None))
    command = typer.main.get_command(app)
    try:  # not `app(...)`, which would swallow Ctrl-C and what it has to say
        with command.make_context("benchwright", arguments) as context:
            code = command.invoke(context)
    except typer.Exit as end:
        code = end.exit_code
    return code if isinstance(code, int) else 0


def build_app(invoked: str | None) -> typer.Typer:
    """Return the command tree with the invoked command, or with a stub for each where none is known by that name."""
    app = typer.Typer(
        add_completion=False,
        context_settings={"help_option_names": ["-h", "--help"]},
        invoke_without_command=True,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,  # drawing boxes would double the time that `--help` takes
    )
    app.callback()(_root)
    loaded = COMMANDS.get(invoked) if invoked is not None else None
    if loaded is not None:
        loaded.load().register(app)
    else:
        for name, entry in COMMANDS.items():
            app.command(name, help=entry.help)(_stub)
    return app


def _root(
    ctx: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False,
    as_json: Annotated[bool, typer.Option("--json", hidden=True)] = False,
) -> None:
    """Author, check, release and run benchmarks of data-science agents."""
    if version:
        emit({"version": installed_version()}, as_json, f"benchwright {installed_version()}")
        raise typer.Exit
    if ctx.invoked_subcommand is None:
        raise UsageError("no command was given", where="benchwright", fix="see 'benchwright --help'")
    if as_json:
        raise UsageError("--json stands before the command", where="benchwright", fix="put it after the command")


def installed_version() -> str:
    """Return the version of the installed distribution."""
    from importlib.metadata import version

    return version("benchwright")


def _stub() -> None:
    raise AssertionError("a stub of a command whose module was not imported was invoked")
