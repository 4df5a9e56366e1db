"""Environments: named sets of packages, each with a Python of its own, in which problem code runs."""

from evaluator.environments.building import create_environment
from evaluator.environments.choosing import choose_environment
from evaluator.environments.store import (
    VARIABLE,
    EnvironmentRecord,
    environment_named,
    environments_folder,
    find_environment,
    list_environments,
    remove_environment,
)

__all__ = [
    "VARIABLE",
    "EnvironmentRecord",
    "choose_environment",
    "create_environment",
    "environment_named",
    "environments_folder",
    "find_environment",
    "list_environments",
    "remove_environment",
]
