"""Where drafts of a plan are written and checked: on engines of this process, or on the workers of a cluster."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from authoring.checks import Proof, prove
from authoring.checks.dry_run.dry_running import DryRunResult, dry_run
from authoring.drafting.template_order import WriteTemplate
from authoring.progress import OnEvent
from authoring.seeds import materialise_inputs
from authoring.store.problemsets import problemset_inputs
from authoring.store.revisions import Revision
from authoring.store.workspace import Workspace
from evaluator.language import LoadedSet, OwnValidators, Problemset
from evaluator.session import Engine, scratch_folder


class DraftExecutor(Protocol):
    """Executes what is drafted. Several threads may use one."""

    @property
    def engine(self) -> Engine | None:
        """An engine of this process, which models' drafts need; None: it has none."""
        ...

    @property
    def write_template(self) -> WriteTemplate | None:
        """Writes drafts by template; None: they are written on the engine."""
        ...

    @property
    def environment_id(self) -> str:
        """Digest of the Python, platform and packages that problem code sees."""
        ...

    def dry_run(self, ws: Workspace, revision: Revision, problemset: Problemset, on_event: OnEvent) -> DryRunResult:
        """Execute and judge a revision, and store the result.

        Raises:
            ToolkitError: If an engine fails; then nothing is stored.
        """
        ...

    def prove(self, ws: Workspace, revision: Revision, loaded: LoadedSet) -> Proof:
        """Judge a revision's references across several fresh processes.

        Args:
            ws: The workspace.
            revision: The revision.
            loaded: The same, without its input files.

        Raises:
            ToolkitError: If an engine fails; then nothing was proved.
        """
        ...


@dataclass(frozen=True)
class LocalDraftExecutor:
    """Works on engines of this process: two or more, with different hash seeds; the first one does dry runs."""

    engines: Sequence[Engine]
    write_template: WriteTemplate | None = None

    @property
    def engine(self) -> Engine:
        """The first engine."""
        return self.engines[0]

    @property
    def environment_id(self) -> str:
        """Digest of what problem code sees."""
        return self.engine.environment_id

    def dry_run(self, ws: Workspace, revision: Revision, problemset: Problemset, on_event: OnEvent) -> DryRunResult:
        """Execute and judge a revision, and store the result."""
        del problemset
        return dry_run(ws, revision.id, engine=self.engine, on_event=on_event)

    def prove(self, ws: Workspace, revision: Revision, loaded: LoadedSet) -> Proof:
        """Judge a revision's references across the engines."""
        with scratch_folder() as folder:
            inputs = materialise_inputs(ws, problemset_inputs(ws, revision.problemset_id), folder / "inputs")
            return prove(with_inputs(loaded, inputs), self.engines)


def loaded_text(name: str, text: str, problemset: Problemset, own: OwnValidators | None) -> LoadedSet:
    """Return a text without errors as a problemset that has no input files yet."""
    return LoadedSet(name, Path(f"{name}.py"), text, problemset, (), None, own)


def with_inputs(loaded: LoadedSet, inputs: Path) -> LoadedSet:
    """Return a problemset with its input files."""
    return LoadedSet(
        loaded.name, loaded.path, loaded.text, loaded.problemset, loaded.diagnostics, inputs, loaded.own_validators
    )
