"""After an edit, what it reaches is judged again and the rest is taken over; approvals fall only where they must."""

import json
from pathlib import Path

import pytest

from authoring.checks.acceptance import accept, send_back
from authoring.checks.dry_run.dry_running import dry_run
from authoring.cli.main import run_command_line
from authoring.revising.affected.dependence import Change
from authoring.revising.affected.rerunning import affected_by_edit, rerun
from authoring.revising.approvals import ApprovalStanding, approvals_of
from authoring.store import dry_runs, problemsets, revisions
from authoring.store.settings import set_setting
from authoring.store.statuses import Origin
from authoring.store.workspace import Workspace
from evaluator.errors import UsageError
from evaluator.session import Engine
from tests.revising.conftest import add_set, problem, save

SETUP = "# %%\nrows = [3, 1, 2]\n\n"
CLEAN = problem("clean", "Sort `rows` into `clean`.", "clean = sorted(rows)\nclean")
TOTAL = problem("total", "What is the sum of `clean`?", "total = sum(clean)\ntotal")
COUNT = problem("count", "How many rows are there?", "len(rows)")
TWICE = problem("twice", "Write `twice`, which doubles `total`.", "def twice():\n    return 2 * total\ntwice()")
USE = problem("use", "What does `twice` return?", "twice() + 1")
TEXT = SETUP + CLEAN + TOTAL + COUNT + TWICE + USE
SHORT = SETUP + CLEAN + TOTAL


def test_an_edit_is_judged_again_with_what_rests_on_it_and_nothing_else(ws: Workspace, engine: Engine) -> None:
    first = add_set(ws, TEXT)
    accept(ws, first.id, by="Bo", engine=engine)
    second = save(ws, first, TEXT.replace("sorted(rows)", "sorted(rows)[1:]"))
    done = rerun(ws, second.id, engine=engine)
    assert done.base == first
    assert done.taken_over == (3,)
    assert [each.cell.key for each in done.affected] == ["clean", "total", "twice", "use"]
    assert done.affected[1].reasons == ("reads `clean` from problem 1 (clean), whose code changed",)
    assert [(m.cell.key, m.before.outputs[-1]["data"]["text/plain"]) for m in done.moved][1] == ("total", "6")
    assert done.moved[1].after.outputs[-1]["data"]["text/plain"] == "5"
    whole = dry_run(ws, second.id, engine=engine)
    plain = [[(p.problem_id, p.reference_verdict, p.empty_verdict, p.outcome_digest) for p in run.problems] for run in
             (done.result.dry_run, whole.dry_run)]  # fmt: skip
    assert plain[0] == plain[1], "what was taken over is what judging everything comes to"
    kept = approvals_of(ws, second.id)
    assert (kept.numbers(ApprovalStanding.KEPT), kept.numbers(ApprovalStanding.WITHDRAWN)) == ([3], [1, 2, 4, 5])
    assert "its reference code changed" in kept.problems[0].reason
    assert "whose code changed" in kept.problems[1].reason


def test_an_edit_that_comes_to_the_same_withdraws_its_own_approval_only(ws: Workspace, engine: Engine) -> None:
    first = add_set(ws, SHORT)
    accept(ws, first.id, by="Bo", engine=engine)
    second = save(ws, first, SHORT.replace("clean = sorted(rows)", "clean = list(rows)\nclean.sort()"))
    before = approvals_of(ws, second.id)
    assert before.numbers(ApprovalStanding.UNKNOWN) == [2]
    done = rerun(ws, second.id, engine=engine)
    assert done.moved == ()
    assert approvals_of(ws, second.id).numbers(ApprovalStanding.WITHDRAWN) == [1]
    send_back(ws, second.id, by="Bo", reason="no")
    assert approvals_of(ws, second.id).problems == ()


def test_words_of_a_query_need_a_look_but_no_rerun(ws: Workspace, engine: Engine) -> None:
    first = add_set(ws, SHORT)
    accept(ws, first.id, by="Bo", engine=engine)
    changed = SHORT.replace("Sort `rows` into `clean`.", "Order `rows` as `clean`.")
    second = save(ws, first, changed.replace("id: total\n", "id: total\ntags: [x]\n"))
    older, newer, found = affected_by_edit(ws, second.id)
    assert (older, newer) == (first, second)
    assert [(each.cell.key, each.changes, each.must_rerun) for each in found] == [("clean", (Change.QUERY,), False)]
    assert rerun(ws, second.id, engine=engine).taken_over == (1, 2)
    approvals = approvals_of(ws, second.id)
    assert approvals.numbers(ApprovalStanding.WITHDRAWN) == [1]
    assert approvals.problems[0].reason == "its query changed"


def test_a_value_changed_under_another_name_reaches_its_readers(ws: Workspace, engine: Engine) -> None:
    text = SETUP + problem("alias", "Name it.", "alias = rows\nlen(alias)")
    text += problem("grow", "Append 4.", "alias += [4]\nalias") + COUNT
    first = add_set(ws, text)
    dry_run(ws, first.id, engine=engine)
    done = rerun(ws, save(ws, first, text.replace("[4]", "[4, 5]")).id, engine=engine)
    assert [each.cell.key for each in done.affected] == ["grow", "count"]
    assert "`rows` from problem 2 (grow)" in done.affected[1].reasons[0]
    assert done.taken_over == (1,)


def test_what_nobody_could_foresee_is_noticed_and_judged(ws: Workspace, engine: Engine) -> None:
    hidden = "# %%\ndef ticket():\n    ticket.n += 1\n    return ticket.n\nticket.n = 0\n\n"
    text = hidden + problem("one", "Take a ticket.", "ticket()") + problem("two", "Take the next.", "ticket()")
    first = add_set(ws, text)
    dry_run(ws, first.id, engine=engine)
    second = save(
        ws, first, text.replace("Take a ticket.", "Take two.").replace("\n\nticket()", "\n\nticket() + ticket()", 1)
    )
    done = rerun(ws, second.id, engine=engine)
    assert done.taken_over == ()
    assert "nothing it is seen to read" in done.affected[1].reasons[0]
    assert [row.reference_verdict for row in done.result.dry_run.problems] == ["CORRECT", "CORRECT"]


def test_moved_removed_and_new_problems_are_told_apart(ws: Workspace) -> None:
    first = add_set(ws, TEXT)
    second = save(ws, first, SETUP + COUNT + CLEAN + TOTAL + problem("new", "One?", "1") + USE)
    _, _, found = affected_by_edit(ws, second.id)
    assert [(each.cell.key, each.changes) for each in found] == [("new", (Change.ADDED,)), ("use", (Change.STATE,))]
    assert found[1].reasons == ("reads `twice`, which problem 4 (twice) made and nothing makes now",)


def test_the_first_revision_has_nothing_to_be_compared_with(ws: Workspace, engine: Engine) -> None:
    first = add_set(ws, SETUP + COUNT)
    with pytest.raises(UsageError, match="first revision"):
        affected_by_edit(ws, first.id)
    done = rerun(ws, first.id, engine=engine)
    assert done.base is None
    assert dry_runs.latest(ws, first.id) is not None


# as a person at a terminal sees it


SUMS = "# %%\nrows = [3, 1, 2]\n\n" + problem("clean", "Sort `rows` into `clean`.", "clean = sorted(rows)\nclean")
SUMS += problem("total", "What is the sum of `clean`?", "sum(clean)") + problem("count", "How many rows?", "len(rows)")


@pytest.mark.kernel
@pytest.mark.usefixtures("lent_engines")
def test_an_edit_is_listed_rerun_and_merged_with_a_later_one(
    workspace: Workspace, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def run(*words: str | Path) -> tuple[int, str]:
        capsys.readouterr()
        return run_command_line([*map(str, words), "--workspace", str(ws.root)]), capsys.readouterr().out

    ws = workspace
    set_setting(ws, "shipped_seeds", "loaded")  # the seeds are of no use here and take a second
    problemsets.create(ws, name="sums", text=SUMS, author="Ann", origin=Origin.PERSON)
    assert run("accept", "sums", "--by", "Bo")[0] == 0
    first = revisions.find(ws, "sums")
    revisions.save(ws, first.problemset_id, SUMS.replace("sorted(rows)", "rows[1:]"), base_revision_id=1, author="Cy")
    code, listed = run("affected", "sums")
    assert (code, "sums@1 to sums@2: 2 problems are affected" in listed) == (0, True)
    assert "reads `clean` from problem 1 (clean), whose code changed" in listed
    code, done = run("rerun", "sums")
    assert (code, "2 judged, 1 taken over" in done) == (0, True)
    assert "problem 2 (total) was CORRECT, is CORRECT\n  - 6\n  + 3\n" in done
    assert "approvals that Bo gave @1: kept by problem 3" in done
    mine = tmp_path / "mine.py"
    mine.write_text(SUMS.replace("sorted(rows)", "rows[2:]").replace("How many rows?", "Count the rows."))
    code, refused = run("merge", "sums", "--base", "1", "--mine", mine, "--save", "--by", "Ann", "--json")
    assert code == 1
    (conflict,) = json.loads(refused)["error"]["merge"]["conflicts"]
    assert (conflict["cell"], conflict["field"], conflict["mine"]) == ("clean", "code", "clean = rows[2:]\nclean")
    assert problemsets.find(ws, "sums").head_number == 2, "nothing was saved"
    _, shown = run("merge", "sums", "--base", "1", "--mine", mine)
    assert "clean: code\n  base:\n    clean = sorted(rows)\n    clean\n  theirs:" in shown
    _, saved = run("merge", "sums", "--base", "1", "--mine", mine, "--take", "theirs:clean", "--save", "--by", "Ann")
    assert saved == "saved as sums@3\n"
    merged = revisions.find(ws, "sums").text
    assert merged == SUMS.replace("sorted(rows)", "rows[1:]").replace("How many rows?", "Count the rows.")
    assert run("merge", "sums", "--base", "1", "--mine", mine, "--take", "theirs:nothing")[0] == 2
