"""The folder of environments: what is listed, found and removed, and which one some work runs in."""

import json
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from evaluator.environments import (
    VARIABLE,
    choose_environment,
    environment_named,
    environments_folder,
    list_environments,
    remove_environment,
)
from evaluator.environments.store import check_name, work_folder
from evaluator.errors import ContentError, ToolkitError, UsageError
from evaluator.language import Benchmark, Manifest
from evaluator.session import Interpreter, own_environment
from tests.environments.conftest import MakeEnvironment, site_of


def benchmark(root: Path, environment: str | None) -> Benchmark:
    return Benchmark("trips", "1", root, Manifest("trips", "1", environment))


def test_the_folder_is_the_named_one_else_in_the_data_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv(VARIABLE, raising=False)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    assert environments_folder() == tmp_path / "benchwright" / "environments"
    monkeypatch.setenv("XDG_DATA_HOME", "relative")  # which the rules of that variable forbid
    assert environments_folder() == Path("~/.local/share/benchwright/environments").expanduser()
    monkeypatch.setenv(VARIABLE, str(tmp_path / "mine"))
    assert environments_folder() == tmp_path / "mine"


def test_environments_are_listed_by_name_without_work_under_way(
    make_environment: MakeEnvironment, environments: Path
) -> None:
    assert list_environments() == ()
    assert not environments.exists()
    make_environment("b")
    make_environment("a", {"pandas": "2.1.4"})
    make_environment("newer", format=99)
    make_environment("richer", more="from a later version")
    (environments / ".under-way-x" / "c").mkdir(parents=True)
    (environments / "empty").mkdir()
    listed = [(record.name, record.packages["pandas"]) for record in list_environments()]
    assert listed == [("a", "2.1.4"), ("b", "2.2.3"), ("richer", "2.2.3")]
    told = json.loads(json.dumps(list_environments()[-1].to_json()))
    assert (told["pandas"], "more" in told) == ("2.2.3", False)


def test_an_unknown_name_is_answered_with_the_nearest(make_environment: MakeEnvironment) -> None:
    make_environment("pandas22")
    with pytest.raises(UsageError, match="no environment 'pandas2'") as caught:
        environment_named("pandas2")
    assert "use 'pandas22'" in caught.value.fix
    assert "env create pandas2" in caught.value.fix
    for hostile in ("../pandas22", "", ".lock", "a/b"):
        with pytest.raises(UsageError):
            environment_named(hostile)
    for name in ("default", "Big", "-x", ".hidden", "a b", "", "x" * 65):  # which nothing may have
        with pytest.raises(UsageError):
            check_name(name)
    assert check_name("x" * 64) == "x" * 64


def test_the_id_tells_what_is_installed_and_the_label_how_it_is_called(make_environment: MakeEnvironment) -> None:
    folder = make_environment("one", {"pandas": "2.2.3"})
    make_environment("two", {"Pandas": "2.2.3"})
    make_environment("three", {"pandas": "2.2.2"})
    one, two, three = (environment_named(name) for name in ("one", "two", "three"))
    assert one.id == two.id != three.id
    assert (one.label, two.label) == (f"one@{one.id}", f"two@{one.id}")
    site = site_of(folder)
    (site / "pandas-2.2.3.dist-info").rename(site / "pandas-2.2.1.dist-info")
    (site / "pandas-2.2.1.dist-info" / "METADATA").write_text("Name: pandas\nVersion: 2.2.1\n")
    assert environment_named("one").id != one.id
    assert replace(one, name="other").id == one.id != own_environment().id


def test_modules_are_found_by_their_files(make_environment: MakeEnvironment) -> None:
    site = site_of(make_environment("one"))
    (site / "single.py").touch()
    (site / "compiled.cpython-311-x86_64-linux-gnu.so").touch()
    environment = environment_named("one")
    names = ("pandas.core", "single", "compiled", "json", "sklearn", "sing")
    assert [environment.has_module(name) for name in names] == [True, True, True, True, False, False]
    assert own_environment().has_module("sklearn.linear_model")
    assert not own_environment().has_module("no_such_module_anywhere")


def test_a_used_environment_is_not_removed_and_a_removed_one_not_used(make_environment: MakeEnvironment) -> None:
    folder = make_environment("one")
    environment = environment_named("one")
    with environment.in_use(), environment.in_use():
        with pytest.raises(ContentError, match="in use"):
            remove_environment("one")
        assert folder.is_dir()
    remove_environment("one")
    assert list(folder.parent.iterdir()) == []
    with pytest.raises(ToolkitError, match="is gone"), environment.in_use():
        raise AssertionError("it was used")
    with pytest.raises(UsageError, match="no environment"):
        remove_environment("one")


def test_damaged_environments_are_named_and_can_be_removed(
    make_environment: MakeEnvironment, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (make_environment("cut") / "environment.json").write_text('{"format": 1')
    (make_environment("homeless") / "venv" / "pyvenv.cfg").unlink()
    loose = make_environment("loose") / "venv" / "bin" / "python"
    loose.unlink()
    loose.symlink_to("/nowhere/python3")
    for name, what in (("cut", "damaged"), ("homeless", "no virtual environment"), ("loose", "is gone")):
        with pytest.raises(ToolkitError, match=what) as caught:
            environment_named(name)
        assert caught.value.exit_code == 3
        remove_environment(name)
    assert list_environments() == ()
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / "bin").mkdir()  # a Python that lies loose in the home folder
    (make_environment("loose") / "venv" / "pyvenv.cfg").write_text(f"home = {tmp_path}/bin\nversion = 3.11.7\n")
    with pytest.raises(ToolkitError, match="home folder"):
        environment_named("loose")


def test_everything_that_a_venv_needs_is_shown_and_nothing_of_ours(make_environment: MakeEnvironment) -> None:
    folder = make_environment("one")
    shown = environment_named("one").interpreter.roots
    assert str(folder / "venv") in shown
    assert not any(sys.prefix == root or sys.prefix.startswith(f"{root}/") for root in shown)
    own = Interpreter.own()
    assert any(sys.prefix.startswith(root) for root in own.roots)
    assert own.command("some.module", ["x"])[1:] == ["-s", "-P", "-m", "some.module", "x"]
    older = replace(own, version="3.10.4").command("some.module", ["x"])
    assert older[1:3] == ["-s", "-c"]  # -P does not exist there
    assert older[-2:] == ["some.module", "x"]


def test_the_user_stands_above_the_manifest_and_that_above_our_own(
    make_environment: MakeEnvironment, tmp_path: Path
) -> None:
    make_environment("one")
    make_environment("two")
    capture = benchmark(tmp_path, "one")
    assert choose_environment(None, capture).name == "one"
    assert choose_environment("two", capture).name == "two"
    for named, given in (("default", capture), (None, benchmark(tmp_path, None)), (None, None)):
        assert choose_environment(named, given) is own_environment()


def test_a_manifest_that_names_what_is_not_here_is_refused(environments: Path, tmp_path: Path) -> None:
    (tmp_path / "requirements.txt").touch()
    with pytest.raises(ContentError, match="wants the environment 'course'") as caught:
        choose_environment(None, benchmark(tmp_path, "course"))
    assert f"env create course -r {tmp_path}/requirements.txt" in caught.value.fix
    assert "--environment default" in caught.value.fix
    with pytest.raises(UsageError, match="no environment 'course'"):
        choose_environment("course", benchmark(tmp_path, None))


def test_a_release_names_an_id_which_binds_nobody(make_environment: MakeEnvironment, tmp_path: Path) -> None:
    tried_in = "0123456789abcdef"
    assert choose_environment(None, benchmark(tmp_path, tried_in)) is own_environment()
    assert choose_environment(None, benchmark(tmp_path, own_environment().id)) is own_environment()
    make_environment("same", digest=tried_in)
    assert choose_environment(None, benchmark(tmp_path, tried_in)).name == "same"


def test_what_a_killed_build_left_is_removed_unless_it_still_runs(environments: Path) -> None:
    left = environments / ".under-way-left"
    (left / "half").mkdir(parents=True)
    with work_folder() as (busy, _):
        assert not left.exists()
        with work_folder() as (other, _):
            assert busy.is_dir()
        assert not other.exists()
        assert list_environments() == ()
    assert list(environments.iterdir()) == []
