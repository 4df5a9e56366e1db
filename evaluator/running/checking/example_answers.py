"""The answers that problems keep as examples, given and judged: regression tests of their validators."""

from collections.abc import Iterator

from evaluator.agents import AgentCard, SessionInfo, SolveRequest, Submission
from evaluator.diagnostics import Diagnostic, Severity
from evaluator.language import ExampleAnswer, LoadedSet, Problemset, example_answers, problem_id, setting_line
from evaluator.registry import nearest_name
from evaluator.running.execution.executed_cell import ExecutedCell
from evaluator.scoring import Judged, Verdict, example_is_met, wanted_in_words


class ExampleAgent:
    """Returns one example of each problem, by its place among them; an empty cell where a problem has no such."""

    def __init__(self, place: int, codes: dict[str, str]) -> None:
        self.place = place
        self._codes = codes  # problem id -> code

    def describe(self) -> AgentCard:
        """Return the card."""
        return AgentCard(name=example_name(self.place), retry=False)

    def start(self, session: SessionInfo) -> None:
        """Begin a session."""

    def solve(self, request: SolveRequest) -> Submission:
        """Return the example of the problem."""
        return Submission(code=self._codes.get(request.problem_id, ""))

    def end(self, session_id: str) -> None:
        """Forget a session."""


def example_name(place: int) -> str:
    """Return the name of the agent that gives the examples at a place."""
    return f"example {place}"


def example_agents(problemset: Problemset) -> Iterator[ExampleAgent]:
    """Yield as many agents as the problem with the most examples needs."""
    examples: dict[str, tuple[ExampleAnswer, ...]] = {
        problem_id(problemset, index): example_answers(problem)
        for index, problem in enumerate(problemset.problems, start=1)
    }
    for place in range(max(map(len, examples.values()), default=0)):
        yield ExampleAgent(place, {name: kept[place].code for name, kept in examples.items() if place < len(kept)})


def judge_example(
    loaded: LoadedSet, scored: ExecutedCell, example: ExampleAnswer, judged: Judged
) -> Iterator[Diagnostic]:
    """Yield what is wrong with the verdict of an answer that a problem keeps."""
    line = setting_line(scored.problem, "examples", example.side, example.position)
    named = f"problem {scored.index} ({scored.problem_id}), {example.where}"
    if example.verdict and example.verdict not in list(Verdict):
        near = nearest_name(example.verdict, [each.value for each in Verdict])
        fix = f"use {near!r}" if near else f"use one of {', '.join(Verdict)}"
        what = f"{named}: no verdict is called {example.verdict!r}"
        yield Diagnostic("unknown-verdict", Severity.ERROR, loaded.path, line, what, fix)
    elif judged.verdict is not Verdict.NOT_JUDGED and not example_is_met(example, judged.verdict):
        said = judged.verdict.value + (f" ({judged.reason})" if judged.reason else "")
        what = f"{named}: this answer is judged {said}, but must be {wanted_in_words(example)}"
        yield Diagnostic(
            "example-misjudged", Severity.ERROR, loaded.path, line, what, "mend the validators or the answer"
        )
