"""Scores of the families of CIBench and Qwen in an experiment: columns of its table, and one board."""

from collections.abc import Iterable, Sequence

from evaluator.experiments.counted_records import judged_to_the_end
from evaluator.experiments.planned_runs import PlannedBenchmark, PlannedRun
from evaluator.families.leaderboard import Leaderboard, RunBoard, leaderboard, own_score
from evaluator.families.predicted_run import family_board
from evaluator.families.published import published_boards
from evaluator.records import Record
from evaluator.running import Mode
from evaluator.scoring import last_attempts


def family_scores(run: PlannedRun, counted: Sequence[Record]) -> dict[str, float | None]:
    """Return the scores of a run by the metrics of its family, fractions; empty where it is of none.

    Args:
        run: Whose they are.
        counted: Of each problem and epoch the attempt that counts.
    """
    board = family_board(counted, {"mode": run.config.mode, "rules": run.config.rules or ""}) if counted else None
    if board is None:
        return {}
    if "all" in board:
        return {name: score["value"] for name, score in board["all"].items()}
    return {column: own_score(board, column) for column in published_boards()[board["family"]].columns}


def experiment_board(planned: Iterable[PlannedBenchmark], *, with_published: bool = False) -> Leaderboard | None:
    """Return the board of an experiment in one family's modes: a row for each agent, as that family publishes it.

    The problems of all its benchmarks are pooled. An agent is left out while a run of it is not at its end.

    Args:
        planned: The runs.
        with_published: Add the published rows.

    Returns:
        None where no run is of a family, or runs are of two, or fill the same columns.
    """
    found = [(each, run) for each in planned for run in each.runs]
    boards = []
    for agent in dict.fromkeys(run.agent.title for _, run in found):
        of_agent = [(each, run, _counted_of_family(run)) for each, run in found if run.agent.title == agent]
        if any(records is None for _, _, records in of_agent):
            continue
        for policy in dict.fromkeys(run.titles[2] for _, run, _ in of_agent):  # two of one mode fill the same columns
            under_it = [(each, run, records or ()) for each, run, records in of_agent if run.titles[2] == policy]
            rules = " and ".join(sorted({run.config.rules or each.content.rules for each, run, _ in under_it}))
            counted = [record for _, _, records in under_it for record in records]
            board = family_board(counted, {"mode": under_it[0][1].config.mode, "rules": rules})
            if board is not None:
                boards.append(RunBoard(f"{agent}, {policy}", agent, board))
    if not boards or not _fit_one_board(boards):
        return None
    return leaderboard(boards, with_published=with_published)


def _counted_of_family(run: PlannedRun) -> Sequence[Record] | None:
    """Return what counts of a run and has scores of a family; None while it is not at its end."""
    records = judged_to_the_end(run)
    return None if records is None else [last for last in last_attempts(records) if last.family]


def _fit_one_board(boards: Sequence[RunBoard]) -> bool:
    kinds = {(each.board["family"], each.board["rules"]) for each in boards}
    filled = [(each.agent, _letter(str(each.board["mode"]))) for each in boards]
    return len(kinds) == 1 and len(set(filled)) == len(filled) and all(letter for _, letter in filled)


def _letter(mode: str) -> str:
    """Return in which columns of a board a mode's scores stand; empty: it has none."""
    if mode == Mode.END_TO_END or mode == Mode.QWEN:
        return mode
    return "oracle" if mode.startswith(Mode.ORACLE.value) else ""
