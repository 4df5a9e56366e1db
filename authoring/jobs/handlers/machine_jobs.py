"""Jobs about the machine around the problems: environments that code runs in, the model that authors ask."""

import time
from typing import Any, Final

from authoring.jobs.context import JobContext
from authoring.jobs.declaring import job
from authoring.jobs.payloads import NoFields, Payload
from authoring.store.database.connections import timestamp
from authoring.store.settings import set_setting
from evaluator.errors import ToolkitError

MODEL_SEEN: Final = "model_seen"  # the setting in which the last look at the model stands
MAX_REQUIREMENTS_CHARS: Final = 50_000


class NewEnvironment(Payload):
    """An environment under a new name."""

    name: str
    requirements: str  # one a line
    python: str = ""  # a version; empty: Benchwright's own


@job("environment", title="Build an environment", lane="batch", payload=NewEnvironment)
def build_environment(context: JobContext, payload: NewEnvironment) -> dict[str, Any]:
    """Build an environment under a new name and return its record."""
    from evaluator.environments import create_environment
    from evaluator.session import scratch_folder

    with scratch_folder() as folder:
        wanted = folder / "requirements.txt"
        wanted.write_text(payload.requirements[:MAX_REQUIREMENTS_CHARS], encoding="utf-8")
        record = create_environment(
            payload.name,
            [wanted],
            python=payload.python or None,
            sandbox=context.sandbox_choice(),
            on_event=lambda text: context.progress(0, 0, text),
        )
    for module, outcome in record.fork_check.items():
        if outcome != "ok":
            context.progress(0, 0, f"{module} will not be imported before sessions start: {outcome}")
    return record.to_json()


@job("model_check", title="Ask the model endpoint", lane="batch", payload=NoFields)
def check_model(context: JobContext, payload: NoFields) -> dict[str, Any]:  # noqa: ARG001 - one signature
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
