"""Seeds that come as a folder or an archive, twins, what is stated about them, and their end."""

import json
import stat
import warnings
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from PIL import Image

from authoring.cli.main import run_command_line
from authoring.drafting.seed_knowledge import profile_text
from authoring.seeds import Profile, SeedCard, add_seed, open_bundle
from authoring.seeds import bundles as bundles_module
from authoring.store import problemsets
from authoring.store.drafting.seeds import delete_seed, describe_seed, find_seed, list_seeds
from authoring.store.drafting.sketches import insert_sketch
from authoring.store.statuses import Origin
from authoring.store.workspace import Workspace
from evaluator.errors import ContentError, ToolkitError, UsageError
from tests.seeds.read_here import HERE

TRIPS = "city,km\nOslo,3\nRome,4\n"
CARD = "name: trips\nlicence: CC0-1.0\npublished_on: 2024-02-01\npopularity: 40 stars\nsynthetic: true\n"


def fill(folder: Path) -> Path:
    (folder / "data").mkdir(parents=True)
    Image.new("RGB", (7, 5)).save(folder / "map.png")
    cells = [{"cell_type": "code", "source": "df", "outputs": []}]
    book = json.dumps({"cells": cells, "nbformat": 4, "nbformat_minor": 5, "metadata": {}})
    texts = {"data/trips.csv": TRIPS, "seed.yaml": CARD, "README.txt": "about", "notes.md": "# notes", "a.ipynb": book}
    for name, text in {**texts, ".hidden.csv": "x"}.items():
        (folder / name).write_text(text)
    return folder


def packed(folder: Path, archive: Path) -> Path:
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as opened:
        for path in sorted(folder.rglob("*")):
            opened.write(path, path.relative_to(folder))
    return archive


@pytest.mark.parametrize("form", ["folder", "zip"])
def test_a_folder_or_an_archive_is_a_seed(workspace: Workspace, tmp_path: Path, form: str) -> None:
    source = fill(tmp_path / "shop")
    source = packed(source, tmp_path / "shop.zip") if form == "zip" else source
    (tmp_path / "scratch").mkdir()
    bundle = open_bundle([source], tmp_path / "scratch")
    assert [path.name for path in bundle.files] == ["map.png", "trips.csv"]
    assert bundle.left_out == ("README.txt", "notes.md")
    added = add_seed(workspace, bundle.files, name="t", engine=HERE, notebook=bundle.notebook, facts=bundle.card)
    seed = find_seed(workspace, added)
    stated = (seed.licence, seed.published_on, seed.popularity, seed.synthetic)
    assert stated == ("CC0-1.0", "2024-02-01", "40 stars", True)
    assert seed.notebook is not None
    (image,) = Profile.from_json(seed.profile or {}).images
    assert (image.file, image.width, image.height, image.mode) == ("map.png", 7, 5, "RGB")
    text = profile_text(seed)
    assert "7 x 5 pixels" in text
    assert "synthetic" in text


def entry(*names: str, data: bytes = b"a,b\n1,2\n", mode: int = 0) -> Callable[[Path], Path]:
    def write(folder: Path) -> Path:
        path = folder / "x.zip"
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as opened, warnings.catch_warnings():
            warnings.filterwarnings("ignore", "Duplicate")
            for name in names:
                info = zipfile.ZipInfo(name)
                info.external_attr = mode << 16
                opened.writestr(info, data, zipfile.ZIP_DEFLATED)
        return path

    return write


def linked(folder: Path) -> Path:
    (folder / "f").mkdir()
    (folder / "f" / "a.csv").symlink_to("/etc/hostname")
    return folder / "f"


def carded(text: str, name: str = "seed.yaml") -> Callable[[Path], Path]:
    def write(folder: Path) -> Path:
        (fill(folder / "f") / name).write_text(text)
        return folder / "f"

    return write


def torn(folder: Path) -> Path:
    whole = packed(fill(folder / "f"), folder / "w.zip").read_bytes()
    (folder / "x.zip").write_bytes(whole[: len(whole) // 2])
    return folder / "x.zip"


def spoilt(folder: Path) -> Path:
    """An archive whose list of entries is sound and whose compressed data is not."""
    path = entry("a.csv", data=b"a,b\n" + bytes(range(48, 58)) * 300)(folder)
    data = bytearray(path.read_bytes())
    start = data.index(b"a.csv") + len(b"a.csv")
    data[start : start + 8] = b"\xff" * 8
    path.write_bytes(data)
    return path


BAD: list[tuple[str, Callable[[Path], Path], type[ToolkitError], str]] = [
    ("out of it", entry("../a.csv"), ContentError, "leads out of it"),
    ("absolute", entry("/etc/a.csv"), ContentError, "leads out of it"),
    ("drive", entry("C:/a.csv"), ContentError, "leads out of it"),
    ("link", entry("a.csv", data=b"/etc/passwd", mode=stat.S_IFLNK | 0o777), ContentError, "holds a link"),
    ("deep", entry("a/" * 20 + "a.csv"), ContentError, "too long"),
    ("bomb", entry("a.csv", data=b"0" * 3_000_000), ContentError, "larger than"),
    ("nothing", entry("a.docx"), ContentError, "holds no data file"),
    ("twice", entry("a.csv", "a.csv"), ContentError, "twice"),
    ("file and folder", entry("data", "data/a.csv"), ContentError, "as a file and as a folder"),
    ("spoilt", spoilt, ContentError, "no readable .zip"),
    ("torn", torn, ContentError, "no readable .zip"),
    ("absent", lambda folder: folder / "no.zip", UsageError, "there is no file"),
    ("linked file", linked, ContentError, "is a link"),
    ("two notebooks", carded("{}", "b.ipynb"), UsageError, "2 notebooks: 'a.ipynb', 'b.ipynb'"),
    ("card without YAML", carded("a: [1"), ContentError, "cannot be read"),
    ("card of a list", carded("[1]"), ContentError, "no mapping"),
    ("card with a list", carded("licence: [1]"), ContentError, "'licence' of the card is no text"),
    ("card with a path", carded("files: [../x.csv]"), ContentError, "no list of file names"),
    ("card with a ghost", carded("files: [y.csv]"), ContentError, "names 'y.csv', which is not there"),
]


def test_a_bad_bundle_is_refused_in_plain_words(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bundles_module, "MAX_FILE_BYTES", 1_000_000)
    for name, write, kind, message in BAD:
        (scratch := tmp_path / name / "scratch").mkdir(parents=True)
        with pytest.raises(kind) as raised:
            open_bundle([write(tmp_path / name)], scratch)
        assert type(raised.value) is kind, name
        assert message in raised.value.what, name
        assert raised.value.fix, name
        assert not (tmp_path / name / "a.csv").exists()


def test_the_limits_hold_for_what_comes_out_of_an_archive(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    archive = packed(fill(tmp_path / "f"), tmp_path / "f.zip")
    monkeypatch.setattr(bundles_module, "MAX_TOTAL_BYTES", 20)
    (tmp_path / "scratch").mkdir()
    with pytest.raises(ContentError, match="unpacks to more"):
        open_bundle([archive], tmp_path / "scratch")
    monkeypatch.setattr(bundles_module, "MAX_ENTRIES", 2)
    with pytest.raises(ContentError, match="more than 2 files"):
        open_bundle([tmp_path / "f"], tmp_path / "scratch")


def test_the_same_data_under_another_name_is_refused(workspace: Workspace, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text(TRIPS)
    (tmp_path / "b.csv").write_text(TRIPS)
    add_seed(workspace, [tmp_path / "a.csv"], name="first", engine=HERE)
    with pytest.raises(ContentError, match="seed 'first' holds the same data") as raised:
        add_seed(workspace, [tmp_path / "b.csv"], name="second", engine=HERE)
    assert "benchwright sketch first" in raised.value.fix
    assert [seed.name for seed in list_seeds(workspace)] == ["first"]


def test_a_seed_is_removed_only_while_nothing_was_made_of_it(workspace: Workspace, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text(TRIPS)
    seed = add_seed(workspace, [tmp_path / "a.csv"], name="trips", engine=HERE)
    sketch = insert_sketch(workspace, seed_id=seed, author="Ann", rng_seed=0, items=[], provenance={})
    problemsets.create(
        workspace, name="set", text="# %%\n1\n", author="Ann", origin=Origin.PERSON, seed_id=seed, sketch_id=sketch
    )
    with pytest.raises(ContentError, match="used by problemset 'set', sketch 'trips-1'"):
        delete_seed(workspace, "trips")
    assert find_seed(workspace, "trips").id == seed
    (tmp_path / "b.csv").write_text("a,b\n1,2\n")
    add_seed(workspace, [tmp_path / "b.csv"], name="other", engine=HERE)
    assert delete_seed(workspace, "other").name == "other"
    assert [one.name for one in list_seeds(workspace)] == ["trips"]


def test_what_is_stated_can_be_corrected(
    workspace: Workspace, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "a.csv").write_text(TRIPS)
    add_seed(workspace, [tmp_path / "a.csv"], name="trips", engine=HERE, facts=SeedCard(title="Trips"))
    words = ["seed", "describe", "trips", "--licence", "MIT", "--name", "rides", "--workspace", str(workspace.root)]
    assert run_command_line(words) == 0
    seed = find_seed(workspace, "rides")
    assert (seed.licence, seed.title) == ("MIT", "Trips")
    assert "licence" in capsys.readouterr().out
    with pytest.raises(UsageError, match="no field 'colour'"):
        describe_seed(workspace, "rides", colour="red")
