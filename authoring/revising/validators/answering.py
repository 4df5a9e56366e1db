"""Give answers to one problem of a text, saved or not, and have them judged on the state that the reference leaves."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from authoring.checks.dry_run.checked_set import CheckedCell
from authoring.checks.dry_run.execution import execute_cells
from authoring.checks.dry_run.warm_sessions import WarmPlace
from authoring.progress import OnEvent, no_progress
from authoring.seeds import materialise_inputs
from authoring.store import Workspace, problemset_inputs
from evaluator.agents import AgentCard, SessionInfo, SolveRequest, Submission
from evaluator.errors import ContentError
from evaluator.language import Problemset
from evaluator.session import Engine, scratch_folder

PlaceOf = Callable[[Mapping[str, str], int], WarmPlace | None]
"""From a problemset's input files (name -> digest) and a problem's number to where sessions wait."""


def nowhere(inputs: Mapping[str, str], number: int) -> None:
    """Let no sessions wait."""
    del inputs, number


@dataclass(frozen=True)
class GivenAnswer:
    """An agent that submits one code, whatever it is asked."""

    code: str

    def describe(self) -> AgentCard:
        """Return the card."""
        return AgentCard(name="given")

    def start(self, session: SessionInfo) -> None:
        """Begin a session."""

    def solve(self, request: SolveRequest) -> Submission:  # noqa: ARG002 - the answer is there already
        """Return the answer."""
        return Submission(code=self.code)

    def end(self, session_id: str) -> None:
        """Forget a session."""


def judge_answers(
    ws: Workspace,
    problemset_id: int,
    problemset: Problemset,
    number: int,
    codes: Sequence[str],
    *,
    engine: Engine,
    place: PlaceOf = nowhere,
    on_event: OnEvent = no_progress,
) -> CheckedCell:
    """Execute a problemset up to a problem and judge answers to that one: `tries`, in the order of `codes`.

    Raises:
        ContentError: If an earlier cell ends the session.
        ToolkitError: If the engine fails.
    """
    digests = problemset_inputs(ws, problemset_id)
    with scratch_folder() as folder:
        executed = execute_cells(
            engine,
            problemset,
            materialise_inputs(ws, digests, folder / "inputs"),
            upto=number,
            agents=[GivenAnswer(code) for code in codes],
            judges=lambda each, _: each == number,
            place=place(digests, number),
            on_event=on_event,
        )
    executed.refuse_engine_faults()
    last = executed.problems[-1]
    if len(last.tries) < len(codes):
        what = f"problem {number} is not reached: an earlier cell ends the session"
        raise ContentError(what, where=problemset.name, fix="repair that cell first")
    return last
