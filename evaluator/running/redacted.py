"""What is kept of a run, without the values of variables that its agent was given."""

import os
from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from evaluator.agents.process.redaction import Redactor
from evaluator.records import Record
from evaluator.running.attempt_details import AttemptDetails
from evaluator.running.config import RunConfig
from evaluator.running.execution.candidate import PriorAnswer

_FIELDS: Final = ("extended_verdict", "agent_exception", "validation", "code", "answer", "agent_stats", "family")
"""Of a record: what an agent, or the code that it wrote, may have written."""


def redactor_of(config: RunConfig) -> Redactor:
    """Return what takes the values of a run's `--agent-variable` out of texts."""
    return Redactor({name: os.environ.get(name, "") for name in config.agent_variables})


def redacted_record(record: Record, redactor: Redactor) -> Record:
    """Return a record without the values."""
    if redactor.is_idle:
        return record
    told = {name: redactor.json(getattr(record, name)) for name in _FIELDS}
    return replace(record, **told, labels=tuple(map(redactor.text, record.labels)))


def restored_answers(answers: Mapping[int, PriorAnswer], redactor: Redactor) -> dict[int, PriorAnswer]:
    """Return what an agent answered as it was executed, with the values that its records are kept without."""
    return {index: replace(each, codes=tuple(map(redactor.restored, each.codes))) for index, each in answers.items()}


def redacted_details(details: AttemptDetails, redactor: Redactor) -> AttemptDetails:
    """Return what is kept of an attempt without the values."""
    if redactor.is_idle:
        return details
    outputs, transcript = tuple(redactor.json(details.outputs)), tuple(redactor.json(details.transcript))
    return replace(details, outputs=outputs, error=redactor.json(details.error), transcript=transcript)
