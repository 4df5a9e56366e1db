"""The environment that runs us knows what is installed."""

from importlib.metadata import distributions

from evaluator.session import own_environment


def test_its_packages_are_those_that_their_metadata_name() -> None:
    named = {each.metadata["Name"].lower(): each.version for each in distributions()}
    assert own_environment().packages == named
