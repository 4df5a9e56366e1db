"""Human effort, measured: minutes of people, cost of models, and the reduction against a manual baseline."""

from authoring.effort.summary import EffortGroup, EffortReport, Grouping, effort_report

__all__ = ["EffortGroup", "EffortReport", "Grouping", "effort_report"]
