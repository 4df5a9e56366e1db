"""Parts of a run: which problems are asked, and which of generate, execute and score is done now."""

from pathlib import Path
from typing import Final

from authoring.cli.output import emit
from evaluator.agents import Agent
from evaluator.errors import UsageError
from evaluator.language import Benchmark
from evaluator.reporting.progress_bar import drawn_progress
from evaluator.running import DETAILS, RunConfig
from evaluator.running.plan import plan_run
from evaluator.running.run_folder import discard_run

GENERATE: Final = "generate"
"""The one phase that makes no run."""


def words_of(text: str) -> tuple[str, ...]:
    """Return the names of a list with commas."""
    return tuple(name.strip() for name in text.split(",") if name.strip())


def sets_to_ask(benchmark: Benchmark, sets: str, task: str) -> tuple[str, ...]:
    """Return the names of the problemsets that --sets or --task selects; empty: all.

    Raises:
        UsageError: If both are given, or a tag is unknown or has no record.
    """
    if not task:
        return words_of(sets)
    if sets:
        raise UsageError("--task selects problemsets as --sets does", where="--task", fix="leave out one of the two")
    from evaluator.families.qwen.phases import sets_of_tasks  # late: few runs need what it brings

    return sets_of_tasks(benchmark, words_of(task))


def start_afresh(out: Path) -> None:
    """Remove what an earlier run left in a folder."""
    from evaluator.families.qwen.phases import AGENT, REPLIES
    from evaluator.models.figure_judge import JUDGEMENTS

    discard_run(out, DETAILS, JUDGEMENTS, REPLIES, AGENT)


def generate_only(config: RunConfig, benchmark: Benchmark, agent: Agent, *, as_json: bool) -> int:
    """Get one reply to each problem, and execute nothing.

    Raises:
        UsageError: If a judge is named, or a problemset has more than one problem.
        ContentError: If the folder holds replies of another agent.
        ToolkitError: If a file cannot be written, or the agent's endpoint fails.
    """
    from evaluator.families.qwen.phases import generate

    _refuse_judge(config)
    loaded = [planned.loaded for planned in plan_run(benchmark, names=config.sets, limit=config.limit).sets]
    with drawn_progress() as draw:
        found = generate(loaded, agent, config.out, on_reply=lambda done, total: draw(done, total, ""))
    before = f", {found.resumed} of them from before" if found.resumed else ""
    empty = f"\n{found.without_code} without code" if found.without_code else ""
    emit(found.to_json(), as_json, f"{found.agent}: {found.replies} replies{before}{empty}\nreplies: {found.file}")
    return 0


def agent_of_phases(config: RunConfig, benchmark: Benchmark, agent: Agent, phases: str) -> Agent:
    """Return the agent that is run: the given one, or what it said before.

    Raises:
        UsageError: If the phases do not fit one another, the judge or what the folder holds.
        ContentError: If the folder holds replies of another agent.
    """
    from evaluator.families.qwen.phases import GeneratedReplies, Phase, RecordedRun, parse_phases

    wanted = parse_phases(phases)
    if Phase.SCORE not in wanted:
        _refuse_judge(config)
    if Phase.GENERATE in wanted:
        return agent
    plan = plan_run(benchmark, names=config.sets, limit=config.limit)
    if Phase.EXECUTE in wanted:
        return GeneratedReplies(config.out, [planned.loaded for planned in plan.sets], agent.describe())
    asked = {planned.loaded.name: planned.problems for planned in plan.sets}
    return RecordedRun(config.out, asked, agent.describe())


def _refuse_judge(config: RunConfig) -> None:
    if config.judge:
        raise UsageError("--judge looks at figures in the phase score", where="--judge", fix="add score to --phases")
