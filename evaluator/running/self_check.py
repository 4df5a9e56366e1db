"""Executes problemsets against themselves: every reference must pass its own validators, doing nothing must not."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from evaluator.agents import EmptyAgent, OracleAgent
from evaluator.diagnostics import Diagnostic, Severity
from evaluator.language import LoadedSet
from evaluator.running.conversation import Attempted
from evaluator.running.plan import modules_to_preload
from evaluator.running.problemset_run import Conditions, ScoredProblem, score_problemset
from evaluator.scoring import Verdict
from evaluator.session import Engine, Environment, SandboxChoice, own_environment


@dataclass(frozen=True)
class SelfCheck:
    """What executing problemsets against themselves found."""

    diagnostics: tuple[Diagnostic, ...]
    problems: int  # executed (count)
    not_judged: tuple[str, ...]  # "set:index" of problems that the engine failed on


def self_check(
    sets: Iterable[LoadedSet],
    *,
    rules: Mapping[Path, str] = MappingProxyType({}),
    sandbox: SandboxChoice = SandboxChoice.AUTO,
    rng_seed: int = 0,
    environment: Environment | None = None,
) -> SelfCheck:
    """Execute problemsets that parse, each with the reference code and with an empty cell as submissions.

    Args:
        sets: Problemsets without errors.
        rules: Path of a problemset -> "sound" or "published"; those not named are judged by sound rules.
        sandbox: Where to run them.
        rng_seed: Seeds the random states.
        environment: Where their code runs; None: our own Python.

    Raises:
        ToolkitError: If the engine cannot start.
    """
    chosen = tuple(sets)
    diagnostics: list[Diagnostic] = []
    scored: list[ScoredProblem] = []
    used = environment or own_environment()
    preload = modules_to_preload((each.problemset for each in chosen if each.problemset is not None), used)
    with Engine(sandbox=sandbox, rng_seed=rng_seed, preload=preload, environment=used) as engine:
        engine.warm_up()
        for loaded in chosen:
            found: list[ScoredProblem] = []
            agents = (OracleAgent(), EmptyAgent())
            by = Conditions(rules=rules.get(loaded.path, "sound"))
            refusal = score_problemset(engine, loaded, agents, conditions=by, on_scored=found.append)
            diagnostics += [each for problem in found for each in _judge_problem(loaded, problem)]
            diagnostics += refusal
            scored += found
    lost = tuple(f"{each.problemset}:{each.index}" for each in scored if _is_lost(each))
    return SelfCheck(tuple(diagnostics), len(scored), lost)


def _judge_problem(loaded: LoadedSet, scored: ScoredProblem) -> list[Diagnostic]:
    by_agent = {attempted.agent: attempted for attempted in scored.attempts}
    found = []
    oracle = by_agent["oracle"].judged
    if oracle.verdict not in (Verdict.CORRECT, Verdict.NOT_JUDGED):
        what = f"the reference code of problem {scored.index} fails its own validators: {_shown(by_agent['oracle'])}"
        fix = "repair the code, or the validators that it fails"
        found.append(_error("reference-fails", loaded, scored, what, fix))
    if by_agent["empty"].judged.verdict is Verdict.CORRECT:
        what = f"an empty cell passes problem {scored.index}"
        found.append(
            _error("empty-passes", loaded, scored, what, "add a validator that looks at what the query asks for")
        )
    return found


def _shown(attempted: Attempted) -> str:
    judged = attempted.judged
    return f"{judged.verdict.value}{f' ({judged.reason})' if judged.reason else ''}"


def _error(code: str, loaded: LoadedSet, scored: ScoredProblem, what: str, fix: str) -> Diagnostic:
    return Diagnostic(code, Severity.ERROR, loaded.path, scored.problem.code_line, what, fix)


def _is_lost(scored: ScoredProblem) -> bool:
    return any(attempted.judged.verdict is Verdict.NOT_JUDGED for attempted in scored.attempts)
