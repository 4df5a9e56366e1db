"""Parts of a run: which problems are asked, and which of generate, execute and score is done now."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from authoring.cli.output import emit
from evaluator.agents import Agent, SupportsClose
from evaluator.errors import UsageError
from evaluator.language import Benchmark
from evaluator.reporting.progress_bar import drawn_progress
from evaluator.running import DETAILS, RunConfig
from evaluator.running.plan import plan_run
from evaluator.running.run_folder import discard_run


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


def start_afresh(config: RunConfig, phases: str) -> None:
    """Remove what an earlier run left in the folder, once nothing else of the command can be refused.

    Raises:
        UsageError: If the command needs what it would remove.
        ContentError: If a run is writing to the folder.
        ToolkitError: If a file cannot be removed.
    """
    refuse_fresh(config, phases)
    discard_run(config.out, *names_of_run())


def names_of_run() -> tuple[str, ...]:
    """Return the names of what a run leaves in its folder beside its records and its manifest."""
    from evaluator.families.qwen.phases import AGENT, REPLIES, WAITING
    from evaluator.models.figure_judge import JUDGEMENTS

    return DETAILS, JUDGEMENTS, REPLIES, AGENT, WAITING


def refuse_fresh(config: RunConfig, phases: str) -> None:
    """Refuse to remove an earlier run that the command needs.

    Raises:
        UsageError: If it does.
    """
    from evaluator.families.qwen.phases import Phase, parse_phases
    from evaluator.models import ModelSettings

    if phases and Phase.GENERATE not in parse_phases(phases):
        raise UsageError("the phases go on with what --fresh removes", where="--fresh", fix="leave it out")
    kind, _, file = config.agent.partition(":")
    if kind == "replay" and Path(file).resolve().is_relative_to(config.out.resolve()):
        raise UsageError(
            "the agent replays what --fresh removes", where="--fresh", fix="name another folder with --out"
        )
    if config.judge:
        ModelSettings.from_env(config.judge)


def is_generate_alone(phases: str) -> bool:
    """Return whether only replies are got, which makes no run.

    Raises:
        UsageError: If a phase is unknown.
    """
    if not phases:
        return False
    from evaluator.families.qwen.phases import Phase, parse_phases

    return parse_phases(phases) == (Phase.GENERATE,)


def generate_only(config: RunConfig, benchmark: Benchmark, agent: Agent, *, as_json: bool) -> int:
    """Get one reply to each problem, and execute nothing.

    Raises:
        UsageError: If a judge is named, or a problemset has more than one problem.
        ContentError: If the folder holds replies of another agent.
        ToolkitError: If a file cannot be written, or the agent's endpoint fails.
    """
    from evaluator.families.qwen.phases import generate

    with closed(agent):
        _refuse_judge(config)
        loaded = [planned.loaded for planned in plan_run(benchmark, names=config.sets, limit=config.limit).sets]
        with drawn_progress() as draw:
            found = generate(loaded, agent, config.out, on_reply=lambda done, total: draw(done, total, ""))
    before = f", {found.resumed} of them from before" if found.resumed else ""
    empty = f"\n{found.without_code} without code" if found.without_code else ""
    emit(found.to_json(), as_json, f"{found.agent}: {found.replies} replies{before}{empty}\nreplies: {found.file}")
    return 0


def agent_of_phases(config: RunConfig, benchmark: Benchmark, agent: Agent, phases: str) -> Agent:
    """Return the agent that is run: the given one, or one that submits what it wrote before.

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
    with closed(agent):
        plan = plan_run(benchmark, names=config.sets, limit=config.limit)
        if Phase.EXECUTE in wanted:
            return GeneratedReplies(config.out, [planned.loaded for planned in plan.sets], agent.describe())
        return RecordedRun(config.out, plan.sets, agent.describe())


@contextmanager
def closed(agent: Agent) -> Iterator[None]:
    """Free what an agent holds at the end."""
    try:
        yield
    finally:
        if isinstance(agent, SupportsClose):
            agent.close()


def _refuse_judge(config: RunConfig) -> None:
    if config.judge:
        raise UsageError("--judge looks at figures in the phase score", where="--judge", fix="add score to --phases")
