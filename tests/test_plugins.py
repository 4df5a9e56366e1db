import logging
from collections.abc import Callable
from pathlib import Path

import pytest

from evaluator.plugins import Plugin, find_plugins, load_plugins

GROUP = "benchwright.tried"
Install = Callable[..., None]


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Install:
    """Return a function that puts a package with entry points where Python looks for packages."""
    monkeypatch.syspath_prepend(str(tmp_path))

    def install(package: str, entries: dict[str, str], code: str = "") -> None:
        metadata = tmp_path / f"{package}-2.5.dist-info"
        metadata.mkdir()
        (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 2.5\n")
        lines = "".join(f"{name} = {target}\n" for name, target in entries.items())
        (metadata / "entry_points.txt").write_text(f"[{GROUP}]\n{lines}")
        (tmp_path / f"{package}.py").write_text(code)

    return install


def test_plugins_are_found_without_an_import_and_loaded_by_name(install: Install) -> None:
    install("good_plugin", {"two": "good_plugin:second", "one": "good_plugin:first"}, "first, second = 1, 2\n")
    install("broken_plugin", {"three": "broken_plugin:anything"}, "1 / 0\n")
    found = find_plugins(GROUP)
    assert list(found) == ["one", "three", "two"]
    assert found["one"] == Plugin("one", "good_plugin:first", "good_plugin", "2.5")


def test_a_plugin_that_fails_to_load_is_one_warning_and_left_out(
    install: Install, caplog: pytest.LogCaptureFixture
) -> None:
    install("whole_plugin", {"whole": "whole_plugin:value"}, "value = 7\n")
    install("failing_plugin", {"failing": "failing_plugin:value"}, "raise SystemExit('not today')\n")
    with caplog.at_level(logging.WARNING):
        assert load_plugins(GROUP) == {"whole": 7}
    (said,) = caplog.messages
    assert "package=failing_plugin" in said
    assert "not today" in said


def test_of_two_plugins_with_one_name_the_first_package_counts(
    install: Install, caplog: pytest.LogCaptureFixture
) -> None:
    install("beta_plugin", {"same": "beta_plugin:value"}, "value = 'beta'\n")
    install("alpha_plugin", {"same": "alpha_plugin:value"}, "value = 'alpha'\n")
    with caplog.at_level(logging.WARNING):
        assert load_plugins(GROUP) == {"same": "alpha"}
    (said,) = caplog.messages
    assert "package=beta_plugin" in said
    assert "alpha_plugin" in said


def test_without_plugins_there_is_nothing() -> None:
    assert load_plugins(GROUP) == {}
