"""Tables over the records of runs."""

from evaluator.reporting.summary import GroupSummary, RunReport, summarise_run
from evaluator.reporting.tables import percent, text_table

__all__ = ["GroupSummary", "RunReport", "percent", "summarise_run", "text_table"]
