"""Every authoring command as a table: ids, one JSON object, exit codes, and what a failure says."""

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from authoring.cli.main import run_command_line
from authoring.store import problemsets
from authoring.store.drafting.seeds import find_seed
from authoring.store.statuses import Origin
from authoring.store.workspace import Workspace
from authoring.templates import sketched_thread
from tests.cli.conftest import Serve
from tests.lent_engines import Lend, share
from tests.scripted_model import Refuse, Say

pytestmark = [pytest.mark.kernel, pytest.mark.slow]
Command = Callable[..., Any]

SET = '''# %%
import pandas as pd

# %%
"""
query: Load `inputs/trips.csv` as `trips` and show the number of its rows.
validator:
  namespace_check:
    trips:
"""

trips = pd.read_csv("inputs/trips.csv")
len(trips)
'''
CRASHES = SET.replace("len(trips)", 'trips["nothing"]')
BROKEN = SET.replace("namespace_check", "namespace_chek")


@pytest.fixture(scope="module")
def stock(tmp_path_factory: pytest.TempPathFactory, lender: Lend, shipped_workspace: Path) -> Path:
    """A folder with a data file and a workspace `w` that holds the shipped seeds and three problemsets by a person."""
    folder = tmp_path_factory.mktemp("stock")
    (folder / "trips.csv").write_text("id,km\n" + "".join(f"{n},{n * 2.5}\n" for n in range(40)), encoding="utf-8")
    shutil.copytree(shipped_workspace, folder / "w")
    where = ["--name", "trips", "--workspace", str(folder / "w")]
    with pytest.MonkeyPatch.context() as patched:
        share(lender, patched)
        assert run_command_line(["seed", "add", str(folder / "trips.csv"), *where]) == 0
    ws = Workspace.open(folder / "w")
    seed = find_seed(ws, "trips")
    for name, text in (("good", SET), ("crashes", CRASHES), ("broken", BROKEN)):
        inputs = {file.name: file.digest for file in seed.files}
        problemsets.create(ws, name=name, text=text, author="Ann", origin=Origin.PERSON, seed_id=seed.id, inputs=inputs)
    return folder


@pytest.fixture
def stocked(benchwright: Command, tmp_path: Path, stock: Path) -> Command:
    """The command in a copy of that folder."""
    shutil.copytree(stock, tmp_path, dirs_exist_ok=True)
    return benchwright


def test_each_creating_command_gives_an_id_and_names_do_as_well(stocked: Command) -> None:
    def call(*arguments: str) -> dict[str, Any]:
        done = stocked(*arguments, "--workspace", "w", "--json")
        assert done.code == 0, done.stdout + done.stderr
        found: dict[str, Any] = done.json
        return found

    seed = call("seed", "show", "trips")
    assert seed["profile"]["tables"][0]["rows"] == 40
    assert call("seed", "show", str(seed["id"]))["name"] == "trips"
    assert {"trips", "penguins"} <= {found["name"] for found in call("seed", "list")["seeds"]}
    judged = call("dry-run", "good")
    assert isinstance(judged["id"], int)
    assert judged["problems"][0]["reference"] == "CORRECT"
    assert call("dry-run", str(judged["problemset"]))["revision"] == judged["revision"]
    assert call("dry-run", "good@1")["revision"] == judged["revision"]
    assert call("send-back", "good@1", "--by", "Bo", "--reason", "say the unit")["decision"] == "sent_back"
    accepted = call("accept", "good", "--by", "Bo")
    assert (accepted["decision"], accepted["revision"], accepted["by"]) == ("accepted", judged["revision"], "Bo")
    assert isinstance(accepted["id"], int)
    released = call("release", "create", "trips", "1.0", "--out", "out")
    assert isinstance(released["id"], int)
    assert released["problemsets"] == ["good"]
    verified = stocked("release", "verify", "out", "--json")
    assert (verified.code, verified.json["ok"], verified.json["digest"]) == (0, True, released["digest"])


class Failing(NamedTuple):
    """A command line that fails: its exit code, and words of what it says."""

    arguments: str
    code: int
    says: str
    fix: str = ""


FAILING = (
    Failing("seed add nothing.csv --name x", 2, "nothing.csv"),
    Failing("seed add trips.csv --name trips", 2, "'trips'", "another name"),
    Failing("seed add trips.csv --name 7", 2, "digits"),
    Failing("seed add trips.csv", 2, "'trips'", "another name"),
    Failing("seed add trips.csv --name again", 1, "seed 'trips' holds the same data", "benchwright sketch trips"),
    Failing("seed remove trips", 1, "used by problemset"),
    Failing("seed add --name x", 2, "FILE"),
    Failing("seed add empty.csv --name x", 1, "empty.csv"),
    Failing("seed add header.csv --name x", 1, "header.csv"),
    Failing("seed add twice.csv --name x", 1, "twice.csv"),
    Failing("seed add latin.csv --name x", 1, "latin.csv", "UTF-8"),
    Failing("seed add more.csv --name x --notebook broken.ipynb", 1, "broken.ipynb"),
    Failing("seed show trip", 2, "'trip'", "'trips'"),
    Failing("seed show 999", 2, "999"),
    Failing("sketch nothing", 2, "'nothing'"),
    Failing("sketch trips --author me", 2, "me"),
    Failing("sketch trips --rng-seed minus", 2, "--rng-seed"),
    Failing("sketch trips --author model", 3, "no model", "BENCHWRIGHT_MODEL"),
    Failing("sketch trips --author model --model m", 3, "no key", "OPENAI_API_KEY"),
    Failing("draft nothing", 2, "nothing"),
    Failing("draft 999", 2, "999"),
    Failing("dry-run nothing", 2, "nothing"),
    Failing("dry-run good@9", 2, "no revision 9"),
    Failing("dry-run broken", 1, "namespace_chek", ""),
    Failing("dry-run crashes", 1, "problem 1", "repair"),
    Failing("accept good", 2, "--by"),
    Failing("accept nothing --by Bo", 2, "nothing"),
    Failing("accept 999 --by Bo", 2, "999"),
    Failing("accept crashes --by Bo", 1, "problem 1", "repair"),
    Failing("accept broken --by Bo", 1, "namespace_chek"),
    Failing("send-back good --by Bo", 2, "--reason"),
    Failing("release create trips 1.0 --out out", 1, "nothing to release", "accept"),
    Failing("release create 7 1.0 --out out", 2, "digits"),
    Failing("release create trips 1/0 --out out", 2, "version"),
    Failing("release create trips 1.0", 2, "--out"),
    Failing("release create trips 1.0 --out trips.csv", 2, "not empty", "another --out"),
    Failing("release create trips 1.0 --out out --sets nothing", 2, "nothing"),
)
NO_WORKSPACE = (
    Failing("release verify nowhere", 2, "no such folder"),
    Failing("release verify .", 1, "1 file differs"),
    Failing("release", 2, ""),
    Failing("seed", 2, ""),
    Failing("release burn", 2, "burn"),
)


@pytest.fixture(autouse=True)
def no_model_of_the_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_BASE_URL", "OPENAI_API_KEY", "BENCHWRIGHT_MODEL"):
        monkeypatch.delenv(name, raising=False)


def check(done: Any, expected: Failing) -> None:
    label = f"{expected.arguments}: {done.stdout} {done.stderr}"
    assert done.code == expected.code, label
    assert list(done.json) == ["error"], label
    error = done.json["error"]
    assert {"what", "where", "fix"} <= set(error), label
    assert expected.says in f"{error['what']} {error['where']} {error['fix']}", label
    assert expected.fix in error["fix"], label


def test_each_failure_says_what_where_and_fix_with_its_exit_code(stocked: Command, tmp_path: Path) -> None:
    (tmp_path / "empty.csv").write_bytes(b"")
    (tmp_path / "header.csv").write_text("a,b\n")
    (tmp_path / "more.csv").write_text("a,b\n1,2\n")
    (tmp_path / "twice.csv").write_text("a,a\n1,2\n")
    (tmp_path / "latin.csv").write_bytes("größe\n1\n".encode("latin-1"))
    (tmp_path / "broken.ipynb").write_text("{")
    for expected in FAILING:
        check(stocked(*expected.arguments.split(), "--workspace", "w", "--json"), expected)
    for expected in NO_WORKSPACE:
        check(stocked(*expected.arguments.split(), "--json"), expected)
    assert not (tmp_path / "out").exists()
    done = stocked("seed", "list", "--workspace", "w", "--json")
    assert "x" not in {seed["name"] for seed in done.json["seeds"]}, "a refused seed leaves nothing behind"


def test_a_failing_dry_run_is_told_on_stderr_and_stored_all_the_same(stocked: Command) -> None:
    done = stocked("dry-run", "crashes", "--workspace", "w")
    assert (done.code, "CRASH" in done.stdout) == (1, True)
    assert done.stderr.startswith("error: crashes@1 is not fit to be accepted: problem 1")
    assert "fix: " in done.stderr
    assert stocked("dry-run", "crashes", "--workspace", "w", "--json").json["error"]["dry_run"]["id"] == 2


def test_verify_names_every_file_that_differs(stocked: Command, tmp_path: Path) -> None:
    for step in (["accept", "good", "--by", "Bo"], ["release", "create", "trips", "1.0", "--out", "out"]):
        assert stocked(*step, "--workspace", "w").code == 0
    (tmp_path / "out" / "good.py").write_text("# %%\n")
    (tmp_path / "out" / "more.txt").write_text("x")
    done = stocked("release", "verify", "out", "--json")
    assert done.code == 1
    faults = {(fault["path"], fault["difference"]) for fault in done.json["error"]["faults"]}
    assert faults == {("good.py", "changed"), ("more.txt", "surplus")}
    assert "changed: good.py" in stocked("release", "verify", "out").stdout


def test_a_workspace_that_cannot_be_used_is_named(benchwright: Command, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("a file")
    done = benchwright("seed", "list", "--workspace", "file", "--json")
    assert (done.code, "not a workspace" in done.json["error"]["what"]) == (2, True)
    done = benchwright("seed", "list", "--workspace", "/proc/nowhere/w", "--json")  # not even root may write there
    assert done.code == 3
    assert done.json["error"]["where"].startswith("/proc")


def test_a_sketch_states_its_language_and_an_unknown_one_is_refused(
    stocked: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sketched_thread, "PLANS", 1)
    made = stocked("sketch", "penguins", "--language", "zh", "--name", "chinese", "--workspace", "w", "--json").json
    assert made["language"] == made["provenance"]["language"] == "zh"
    assert "返回" in made["items"][0]["query_idea"] or "读入" in made["items"][0]["query_idea"]
    assert stocked("sketch", "trips", "--language", "fr", "--workspace", "w").code == 2


def test_a_model_that_refuses_or_costs_too_much_fails_in_plain_words(
    stocked: Command, monkeypatch: pytest.MonkeyPatch, serve: Serve
) -> None:
    model = serve([Refuse(401, "bad key"), Refuse(404, "no such model"), Say("I would rather not."), Say("No.")])
    command = ("sketch", "trips", "--author", "model", "--model", "m", "--workspace", "w", "--json")
    for budget, code in (("--budget-tokens", 1), ("--budget-cost", 2)):  # no price is known
        assert stocked(*command, budget, "10").code == code
    ended = stocked(*command, "--budget-tokens", "10").json["error"]
    topics = stocked("topics", "propose", "pandas", *command[4:], "--budget-tokens", "10").json["error"]
    assert "0 of 10 tokens are used" in ended["what"]
    assert "--budget-tokens" in ended["fix"]
    assert "0 of 10 tokens are used" in topics["what"]
    assert model.requests == []
    for code, says in ((3, "HTTP 401"), (3, "HTTP 404"), (1, "no usable sketch in 4 answers")):
        done = stocked(*command)
        assert (done.code, says in done.json["error"]["what"]) == (code, True), done.stdout
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    monkeypatch.setenv("BENCHWRIGHT_MODEL_RETRIES", "0")
    gone = stocked(*command, "--rng-seed", "9")  # the answers to the same request would come from the workspace
    assert (gone.code, "cannot be reached" in gone.json["error"]["what"]) == (3, True)


def test_roles_and_the_second_person_are_settings_of_the_workspace(stocked: Command) -> None:
    people = ("workspace", "people", "--workspace", "w", "--json")
    assert stocked(*people[:2], "lee", "--role", "annotator", *people[2:]).code == 1  # nobody would be maintainer
    stocked(*people[:2], "mei", "--role", "maintainer", *people[2:])
    done = stocked(*people[:2], "Lee", "--role", "annotator", *people[2:])
    assert done.json == {"mei": ["maintainer"], "lee": ["annotator"]}
    assert stocked("workspace", "review", "--second-person", "--workspace", "w", "--json").json == {
        "second_person": True
    }
    assert "a second person must accept" in stocked("accept", "good", "--by", "ann", "--workspace", "w").stderr
    made = stocked("restore", "good@1", "--workspace", "w", "--json").json
    assert (made["name"], made["number"]) == ("good", 1)  # it is the newest already


def test_cells_are_added_moved_and_deleted(stocked: Command, tmp_path: Path) -> None:
    (tmp_path / "new.py").write_text("1 + 1\n", encoding="utf-8")
    cell = ("--workspace", "w", "--json")
    made = stocked("cell", "add", "good", "--query", "What is two?", "--code", "new.py", "--after", "start", *cell)
    assert (made.json["number"], made.json["message"]) == (2, "added a problem first")
    assert stocked("cell", "move", "good", "1", "--after", "setup1", *cell).json["number"] == 3
    assert stocked("cell", "delete", "good", "1", *cell).json["message"] == "deleted 1"
    assert stocked("cell", "delete", "good", "nine", *cell).code == 2
