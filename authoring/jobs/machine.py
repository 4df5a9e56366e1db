"""Jobs about the machine around the problems: environments that code runs in, the model that authors ask."""

import time
from collections.abc import Mapping
from typing import Any, Final

from authoring.jobs.context import JobContext
from authoring.jobs.payloads import optional, required
from authoring.store import set_setting
from authoring.store.clock import timestamp
from evaluator.errors import ToolkitError

MODEL_SEEN: Final = "model_seen"  # the setting in which the last look at the model stands
MAX_REQUIREMENTS_CHARS: Final = 50_000


def build_environment(context: JobContext, payload: Mapping[str, Any]) -> dict[str, Any]:
    """Build an environment under a new name.

    Payload: `name`, `requirements` (text, one a line), `python` (a version; null: Benchwright's own). Returns the
    record of the environment.
    """
    from evaluator.environments import create_environment
    from evaluator.session import scratch_folder

    with scratch_folder() as folder:
        wanted = folder / "requirements.txt"
        wanted.write_text(required(payload, "requirements", str)[:MAX_REQUIREMENTS_CHARS], encoding="utf-8")
        record = create_environment(
            required(payload, "name", str),
            [wanted],
            python=optional(payload, "python", str, "") or None,
            sandbox=context.sandbox_choice(),
            on_event=lambda text: context.progress(0, 0, text),
        )
    for module, outcome in record.fork_check.items():
        if outcome != "ok":
            context.progress(0, 0, f"{module} will not be imported before sessions start: {outcome}")
    return record.to_json()


def check_model(context: JobContext, payload: Mapping[str, Any]) -> dict[str, Any]:  # noqa: ARG001 - one signature
    """Ask the configured model one short question, and keep in the workspace whether an answer came.

    Returns `model`, `host`, `reachable`, `seconds`, `at`, and where no answer came `what` and `fix`.
    """
    from authoring.prompting.repair_loop import open_client
    from evaluator.models import Message, configured_model

    settings = configured_model()
    seen: dict[str, Any] = {"at": timestamp(), "model": settings.model if settings else None, "reachable": False}
    if settings is not None:
        seen["host"] = settings.host
        started = time.monotonic()
        try:
            with open_client(
                context.workspace, settings, purpose="check", subject="is it there", job_id=context.job.id
            ) as client:
                question = Message("user", "Answer with the one word yes.")
                client.complete((question,), max_tokens=16, repeat=context.job.id)
            seen["reachable"] = True
        except ToolkitError as error:
            seen |= {"what": error.what, "fix": error.fix}
        seen["seconds"] = round(time.monotonic() - started, 2)
    set_setting(context.workspace, MODEL_SEEN, seen)
    return seen
