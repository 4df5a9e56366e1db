"""The outer loop as a plan: which seeds are drafted in which round, by whom, and what becomes of the drafts."""

from authoring.bootstrap.auto import AutoOrder, bootstrap_auto, release_folder
from authoring.bootstrap.progress import RoundProgress, RoundsStatus, rounds_status
from authoring.bootstrap.rounds import RoundsOrder, StepOrder, find_rounds, plan_rounds, step_rounds
from authoring.bootstrap.summary import AutoSummary, SeedSummary

__all__ = [
    "AutoOrder",
    "AutoSummary",
    "RoundProgress",
    "RoundsOrder",
    "RoundsStatus",
    "SeedSummary",
    "StepOrder",
    "bootstrap_auto",
    "find_rounds",
    "plan_rounds",
    "release_folder",
    "rounds_status",
    "step_rounds",
]
