"""What may stand in a requirements file of an environment."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluator.environments.installers import brief_reason, package_name, pins_of_report, read_requirements
from evaluator.errors import ContentError, UsageError


def read(tmp_path: Path, text: str) -> tuple[str, ...]:
    path = tmp_path / "requirements.txt"
    path.write_text(text, encoding="utf-8")
    return read_requirements([path])


def test_packages_with_versions_markers_and_extras_are_read(tmp_path: Path) -> None:
    text = """\
# what the course uses
pandas==2.2.*   # not 3
numpy >=1.26, <2.3
scikit_learn~=1.5 ; python_version < "3.13"
requests[socks]
scipy==1.14.0 \\
    --hash=sha256:aaaa \\
    --hash=sha256:bbbb
"""
    assert read(tmp_path, text) == (
        "pandas==2.2.*",
        "numpy >=1.26, <2.3",
        'scikit_learn~=1.5 ; python_version < "3.13"',
        "requests[socks]",
        "scipy==1.14.0",
    )


@pytest.mark.parametrize(
    "line",
    [
        "--index-url https://packages.example/simple",
        "-e .",
        "-r other.txt",
        "./wheels/thing.whl",
        "/opt/thing",
        "thing @ https://packages.example/thing.whl",
        "git+https://packages.example/thing",
        "two words",
        "= 1.0",
    ],
)
def test_whatever_points_elsewhere_is_refused_at_its_line(tmp_path: Path, line: str) -> None:
    with pytest.raises(ContentError, match="is no package") as caught:
        read(tmp_path, f"pandas\n\n{line}\n")
    assert caught.value.where.endswith("requirements.txt:3")
    assert "pandas==2.2.*" in caught.value.fix


@given(
    name=st.from_regex(r"[A-Za-z0-9]([A-Za-z0-9._-]{0,8}[A-Za-z0-9])?", fullmatch=True),
    tail=st.sampled_from(["", "==1.0", " >= 2, < 3", "[extra]", "[a,b]~=1.4", "; python_version > '3.10'"]),
)
def test_names_are_the_same_however_they_are_written(name: str, tail: str) -> None:
    written = package_name(f"{name}{tail}")
    assert written == package_name(name.upper().replace("_", "-")) == package_name(written)
    assert not set(written) & set("_. []=<>;~")


def test_files_that_cannot_be_read_are_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot be read"):
        read_requirements([tmp_path / "none.txt"])
    broken = tmp_path / "broken.txt"
    broken.write_bytes(b"pandas\xff")
    with pytest.raises(ContentError, match="UTF-8"):
        read_requirements([broken])


def test_an_installers_reason_is_short_and_names_no_address() -> None:
    said = "\n".join(["noise"] * 50 + ["", "error: no wheel at https://packages.example/simple/pandas/", "pandas<1"])
    lines = brief_reason(said).splitlines()
    assert lines[-2:] == ["error: no wheel at (an address)", "pandas<1"]
    assert len(lines) == 12
    assert brief_reason("\n \n") == "it said nothing"


def test_a_report_of_pip_becomes_pins_without_addresses() -> None:
    report = """{"install": [
        {"metadata": {"name": "Six", "version": "1.17.0"},
         "download_info": {"url": "https://packages.example/six.whl",
                           "archive_info": {"hashes": {"sha256": "ab"}}}},
        {"metadata": {"name": "idna", "version": "3.1"}, "download_info": {"url": "file:///x", "dir_info": {}}}]}"""
    assert pins_of_report(report) == "idna==3.1\nsix==1.17.0 \\\n    --hash=sha256:ab\n"
