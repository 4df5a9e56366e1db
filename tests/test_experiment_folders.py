"""Each entry of an experiment has a folder of its own, whatever its title."""

from evaluator.experiments.planned_runs import _folders


def test_a_numbered_folder_is_not_the_one_of_another_title() -> None:
    """Titles that differ in marks alone are numbered; a title that looks so numbered keeps its folder to itself."""
    folders = _folders("agents", ["a!", "a?", "a-1"])
    assert len(set(folders)) == 3
    assert folders[2] == "a-1"
