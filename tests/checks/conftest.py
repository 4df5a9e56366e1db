"""The small seed, engine and scripted model of the drafting tests."""

from tests.drafting.conftest import engine, no_model_of_the_machine, serve, ws

__all__ = ["engine", "no_model_of_the_machine", "serve", "ws"]
