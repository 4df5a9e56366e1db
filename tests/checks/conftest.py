"""The small seed and the scripted model of the drafting tests."""

from tests.drafting.conftest import (
    no_model_of_the_machine,
    no_trials,
    serve,
    trips_workspace,
    ws,
)

__all__ = ["no_model_of_the_machine", "no_trials", "serve", "trips_workspace", "ws"]
