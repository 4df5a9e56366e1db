"""`benchwright translate`: problemsets in another language, paired with the originals."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from authoring.cli.new_files import refuse_existing, write_new
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
from authoring.cli.output import emit
from authoring.languages import Language, find_language
from authoring.seeds.workspace_setup import open_workspace
from evaluator.errors import UsageError

if TYPE_CHECKING:
    from authoring.drafting.translating.translating import TranslatedSet
    from evaluator.language import LoadedSet
    from evaluator.language.document import Document


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("translate", help="Let a model translate queries; code and validators stay as they are.")(translate)


def translate(
    source: Annotated[
        str, typer.Argument(metavar="SET", help="A folder or file of a benchmark; or NAME, NAME@3, an id.")
    ],
    to: Annotated[str, typer.Option("--to", metavar="LANGUAGE", help="zh or en.")],
    out: Annotated[
        Path | None, typer.Option(help="The file or folder to make; else a new problemset of the workspace.")
    ] = None,
    only: Annotated[bool, typer.Option("--only", help="Of a folder: without the originals beside.")] = False,
    name: Annotated[str, typer.Option(help="What the new problemset is called; else NAME-zh.")] = "",
    rng_seed: RngSeedOption = 0,
    model: ModelOption = None,
    budget_tokens: BudgetTokensOption = None,
    budget_cost: BudgetCostOption = None,
    budget_minutes: BudgetMinutesOption = None,
    by: ByOption = "",
    workspace: WorkspaceOption = DEFAULT_WORKSPACE,
    as_json: JsonOption = False,
) -> int:
    """Translate a problemset of the workspace, a file, or all sets of a benchmark."""
    from authoring.drafting.translating import stored_pairs, translating
    from authoring.drafting.translating.benchmark_pairs import translate_benchmark
    from evaluator.language import read_benchmark

    language = find_language(to)
    ws = open_workspace(workspace)
    asked: dict[str, Any] = {"rng_seed": rng_seed, "model": model}
    asked["budget"] = budget_of(budget_tokens, budget_cost, budget_minutes)
    path = Path(source)
    if not path.is_dir():
        refuse_existing(out)
    with progress_bar() as on_event:
        if not path.exists():
            made = stored_pairs.translate_stored(
                ws, source, language, name=name, created_by=by, on_event=on_event, **asked
            )
            if out is not None:
                write_new(out, made.text)
            what = f"problemset {made.name}: {made.texts} texts translated, revision {made.revision.number}"
            emit(made.to_json(), as_json, what)
            return 0
        if out is None:
            raise UsageError(
                f"{source!r} is no problemset of the workspace", where=source, fix="say where to with --out"
            )
        benchmark = read_benchmark(path)

        def of_set(loaded: "LoadedSet", document: "Document") -> "TranslatedSet | None":
            if path.is_dir() and stored_pairs.is_translated(document, language):
                return None
            return translating.translate_set(ws, document, language, on_event=on_event, pair_name=loaded.name, **asked)

        if path.is_dir():
            found = translate_benchmark(benchmark, out, language, of_set, only=only)
            lines = [f"  {original} -> {made_name}" for original, made_name in found.sets]
            emit(found.to_json(), as_json, "\n".join([*lines, f"{out}: {found.texts} texts translated"]))
            return 0
        (loaded,) = benchmark.sets
        one = of_set(loaded, stored_pairs.document_of(loaded))
    assert one is not None, "a single file is translated or refused"
    write_new(out, one.document.text)
    emit(
        {"path": str(out), "texts": one.texts, "language": Language(language).value},
        as_json,
        f"{out}: {one.texts} texts",
    )
    return 0
