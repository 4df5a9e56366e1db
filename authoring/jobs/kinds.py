"""The kinds of job: which lane does them and which function."""

import importlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from authoring.jobs.context import JobContext
from evaluator.errors import UsageError
from evaluator.registry import nearest_name

Handler = Callable[[JobContext, Mapping[str, Any]], dict[str, Any]]
LANES: Final = ("interactive", "batch")  # two processes, so that Run in the editor never waits behind a long job


@dataclass(frozen=True)
class JobKind:
    """How one kind of job is done."""

    lane: str  # one of LANES
    handler: str  # "module:function"; the module is imported when the first such job runs

    def run(self, context: JobContext, payload: Mapping[str, Any]) -> dict[str, Any]:
        """Do the job and return its result, plain JSON."""
        module, _, function = self.handler.partition(":")
        handler: Handler = getattr(importlib.import_module(module), function)
        return handler(context, payload)


JOB_KINDS: Final[Mapping[str, JobKind]] = {
    "execute": JobKind("interactive", "authoring.jobs.execution:execute"),
    "try": JobKind("interactive", "authoring.jobs.trying:try_code"),
    "validators": JobKind("interactive", "authoring.jobs.trying:validators"),
    "dry_run": JobKind("interactive", "authoring.jobs.drafting:dry_run"),
    "dry_run_agent": JobKind("batch", "authoring.jobs.drafting:dry_run_agent"),
    "check": JobKind("interactive", "authoring.jobs.execution:check"),
    "seed_add": JobKind("batch", "authoring.jobs.drafting:seed_add"),
    "sketch": JobKind("batch", "authoring.jobs.drafting:sketch"),
    "draft": JobKind("batch", "authoring.jobs.drafting:draft"),
    "refine": JobKind("batch", "authoring.jobs.refining:refine"),
    "guide": JobKind("batch", "authoring.jobs.guiding:propose"),
    "topics": JobKind("batch", "authoring.jobs.topics:propose"),
    "topic_draft": JobKind("batch", "authoring.jobs.topics:draft"),
    "run": JobKind("batch", "authoring.jobs.releasing:run"),
    "release": JobKind("batch", "authoring.jobs.releasing:release"),
    "bootstrap_auto": JobKind("batch", "authoring.jobs.bootstrapping:bootstrap_auto"),
    "bootstrap_step": JobKind("batch", "authoring.jobs.bootstrapping:bootstrap_step"),
    "import": JobKind("batch", "authoring.jobs.importing:import_job"),
    "environment": JobKind("batch", "authoring.jobs.machine:build_environment"),
    "model_check": JobKind("batch", "authoring.jobs.machine:check_model"),
    "import_results": JobKind("batch", "authoring.jobs.importing:import_results_job"),
    "import_benchmark": JobKind("batch", "authoring.jobs.importing:import_benchmark_job"),
    "demo": JobKind("batch", "authoring.jobs.releasing:demo"),
}


def load_kinds(module: str) -> Mapping[str, JobKind]:
    """Return the table `JOB_KINDS` of a module: ours, or one that a test or an extension brings."""
    kinds: Mapping[str, JobKind] = importlib.import_module(module).JOB_KINDS
    return kinds


def find_kind(kinds: Mapping[str, JobKind], name: str) -> JobKind:
    """Return the kind called `name`.

    Raises:
        UsageError: If there is none; the fix names the nearest known one.
    """
    if name not in kinds:
        near = nearest_name(name, sorted(kinds))
        raise UsageError(
            f"there is no kind of job {name!r}", fix=f"use {near!r}" if near else f"use one of {', '.join(kinds)}"
        )
    return kinds[name]
