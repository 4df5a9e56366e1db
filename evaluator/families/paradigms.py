"""One agent under the rules of three systems, in one pass: what it loses to history, state, presentation, side effects.

DSEval asks each problem on the reference's state and history, CIBench end to end or with an oracle in rounds, the Qwen
benchmark until an execution fails. Between the first two lie two steps: the agent's own history, then its own state.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from evaluator.agents import Agent
from evaluator.families.live_run import rules_in_mode
from evaluator.families.predicted_run import family_board
from evaluator.language import Benchmark
from evaluator.records import Record, read_records
from evaluator.running import (
    RECORDS,
    ROUNDS,
    HistoryPolicy,
    Mode,
    Policies,
    RunConfig,
    RunEvent,
    RunSummary,
    StatePolicy,
    policies_of,
)
from evaluator.running.side_by_side import SideRun, run_side_by_side
from evaluator.scoring import Verdict, last_attempts
from evaluator.scoring.grading import FigureJudge
from evaluator.session import Engine


@dataclass(frozen=True)
class Paradigm:
    """A way to run an agent."""

    name: str  # of its folder, too
    what: str
    policies: Policies
    max_attempts: int = 1
    mode: str = ""


DSEVAL: Final = "dseval"
OWN_HISTORY: Final = "own-history"
OWN_STATE: Final = "own-state"
PARADIGMS: Final = (
    Paradigm(DSEVAL, "DSEval: state and history of the reference, one attempt", Policies()),
    Paradigm(OWN_HISTORY, "the same, and the agent sees its own code", Policies(history=HistoryPolicy.OWN)),
    Paradigm(OWN_STATE, "the same, and its own code made the state", Policies(StatePolicy.OWN, HistoryPolicy.OWN)),
    Paradigm(
        "end-to-end", "CIBench end to end: own state, rounds", policies_of(Mode.END_TO_END), ROUNDS, Mode.END_TO_END
    ),
    Paradigm("oracle", "CIBench with an oracle: wrong code is replaced", policies_of(Mode.ORACLE), ROUNDS, Mode.ORACLE),
    Paradigm("qwen", "Qwen: own state, until an execution fails", policies_of(Mode.QWEN), ROUNDS, Mode.QWEN),
)


@dataclass(frozen=True)
class Loss:
    """What an agent loses, each as a share of all problems (fraction); None: not all of them were judged."""

    history: float | None  # correct with the reference's history and not with its own
    state: float | None  # correct on the reference's state and not on its own, with its own history
    presentation: float | None  # right values in another form, under DSEval's rules
    side_effects: float | None  # right, and changed what it should have left alone, under DSEval's rules

    def to_json(self) -> dict[str, float | None]:
        """Return plain JSON values."""
        return {
            "history": self.history,
            "state": self.state,
            "presentation": self.presentation,
            "side_effects": self.side_effects,
        }


@dataclass(frozen=True)
class ParadigmRow:
    """How one way to run went."""

    paradigm: Paradigm
    problems: int  # asked
    judged: int
    not_judged: int
    refused: int  # of those asked: in problemsets that their author's fault ends before them
    rates: Mapping[str, float | None]  # correct, presentation, side_effects, executable; fractions
    board: Mapping[str, Any] | None  # of the family

    def to_json(self) -> dict[str, Any]:
        """Return plain JSON values."""
        return {
            "name": self.paradigm.name,
            "what": self.paradigm.what,
            "problems": self.problems,
            "judged": self.judged,
            "not_judged": self.not_judged,
            "refused": self.refused,
            "rates": dict(self.rates),
            "family_board": self.board,
        }


@dataclass(frozen=True)
class Comparison:
    """One agent under all paradigms."""

    agent: str
    benchmark: str
    rows: tuple[ParadigmRow, ...]
    loss: Loss
    summaries: tuple[RunSummary, ...]
    differing: tuple[tuple[str, Mapping[str, str]], ...]  # problem, and its verdict by paradigm, where verdicts differ

    def to_json(self) -> dict[str, Any]:
        """Return plain JSON values."""
        return {
            "agent": self.agent,
            "benchmark": self.benchmark,
            "paradigms": [row.to_json() for row in self.rows],
            "loss": self.loss.to_json(),
            "differing": [{"problem": name, "verdicts": dict(verdicts)} for name, verdicts in self.differing],
            "runs": {row.paradigm.name: str(each.out) for row, each in zip(self.rows, self.summaries, strict=True)},
        }


def compare_paradigms(
    config: RunConfig,
    benchmark: Benchmark,
    agent: Callable[[], Agent],
    *,
    on_event: Callable[[RunEvent], None] = lambda _event: None,
    engine: Engine | None = None,
    figure_judge: FigureJudge | None = None,
) -> Comparison:
    """Run an agent under every paradigm, each into a folder of its own below `config.out`.

    Args:
        config: Policies, attempts and mode of it do not count.
        benchmark: What is run.
        agent: Makes one agent for each paradigm: they keep what they know of a session apart.
        on_event: Told what happens, from any thread.
        engine: Used instead of a new one.
        figure_judge: Looks at figures where problems ask for it.

    Raises:
        UsageError, ContentError, ToolkitError, KeyboardInterrupt: As `run_side_by_side`.
    """
    runs = [_side_run(config, benchmark, each, agent()) for each in PARADIGMS]
    summaries = run_side_by_side(runs, benchmark, on_event=on_event, engine=engine, figure_judge=figure_judge)
    rules = config.rules or benchmark.rules
    records = [list(last_attempts(list(read_records(each.out / RECORDS)))) for each in summaries]
    rows = tuple(
        _row(each, found, rules, summary.total)
        for each, found, summary in zip(PARADIGMS, records, summaries, strict=True)
    )
    of_name = {each.name: found for each, found in zip(PARADIGMS, records, strict=True)}
    return Comparison(
        summaries[0].agent,
        benchmark.name,
        rows,
        loss_of(of_name, problems=summaries[0].total),
        tuple(summaries),
        differing_problems(of_name),
    )


def _side_run(config: RunConfig, benchmark: Benchmark, paradigm: Paradigm, agent: Agent) -> SideRun:
    own = replace(
        config,
        out=config.out / paradigm.name,
        policies=paradigm.policies,
        max_attempts=paradigm.max_attempts,
        mode=paradigm.mode,
    )
    return SideRun(own, agent, rules_in_mode(benchmark, mode=paradigm.mode, rules=config.rules))


def _row(paradigm: Paradigm, records: Sequence[Record], rules: str, asked: int) -> ParadigmRow:
    verdicts = [record.verdict for record in records]
    waiting = verdicts.count(Verdict.NOT_JUDGED)
    is_whole = len(records) == asked and not waiting
    ran = [record.ending == "ok" and bool((record.code or "").strip()) for record in records]
    rates = {
        "correct": _share([verdict == Verdict.CORRECT for verdict in verdicts], is_whole),
        "presentation": _share([verdict == Verdict.PRESENTATION_ERROR for verdict in verdicts], is_whole),
        "side_effects": _share([verdict == Verdict.INTACT_VIOLATION for verdict in verdicts], is_whole),
        "executable": _share(ran, is_whole),
    }
    board = family_board(records, {"mode": paradigm.mode, "rules": rules}) if paradigm.mode else None
    refused = asked - len(records)
    return ParadigmRow(paradigm, asked, len(records) - waiting, waiting, refused, rates, board)


def _share(holds: Sequence[bool], is_whole: bool) -> float | None:
    return sum(holds) / len(holds) if holds and is_whole else None


def loss_of(records: Mapping[str, Sequence[Record]], *, problems: int) -> Loss:
    """Return what is lost between paradigms, problem by problem.

    Args:
        records: Paradigm -> the attempts that count.
        problems: That were asked (count).
    """
    base, history, state = (_by_problem(records[name]) for name in (DSEVAL, OWN_HISTORY, OWN_STATE))
    return Loss(
        history=_lost(base, history, problems),
        state=_lost(history, state, problems),
        presentation=_having(base, Verdict.PRESENTATION_ERROR, problems),
        side_effects=_having(base, Verdict.INTACT_VIOLATION, problems),
    )


def differing_problems(records: Mapping[str, Sequence[Record]]) -> tuple[tuple[str, Mapping[str, str]], ...]:
    """Return the problems whose verdict is not the same under all paradigms, in the order of the benchmark."""
    verdicts = {name: _by_problem(found) for name, found in records.items()}
    problems = dict.fromkeys(key for found in verdicts.values() for key in found)
    by_paradigm = {key: {name: found.get(key, "") for name, found in verdicts.items()} for key in problems}
    return tuple(
        (f"{problemset}[{index}]", found)
        for (problemset, index), found in by_paradigm.items()
        if len(set(found.values())) > 1
    )


def _by_problem(records: Sequence[Record]) -> dict[tuple[str, int], str]:
    return {(record.problemset, record.index): record.verdict for record in records}


def _lost(before: Mapping[tuple[str, int], str], after: Mapping[tuple[str, int], str], problems: int) -> float | None:
    """Return the share of problems that were correct before, less that of those that are after."""
    if not (_is_judged(before, problems) and _is_judged(after, problems)):
        return None
    counts = [sum(verdict == Verdict.CORRECT for verdict in each.values()) for each in (before, after)]
    return (counts[0] - counts[1]) / problems


def _having(verdicts: Mapping[tuple[str, int], str], wanted: Verdict, problems: int) -> float | None:
    if not _is_judged(verdicts, problems):
        return None
    return sum(verdict == wanted for verdict in verdicts.values()) / problems


def _is_judged(verdicts: Mapping[tuple[str, int], str], problems: int) -> bool:
    return 0 < problems == len(verdicts) and Verdict.NOT_JUDGED not in verdicts.values()
