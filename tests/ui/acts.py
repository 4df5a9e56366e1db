"""What a person does on any page, what a worker does beside it, and what the page says then."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest
from streamlit.testing.v1.element_tree import Element

from authoring.store import autosaves, dry_runs, jobs, problemsets, revisions
from authoring.store.autosaves import Autosave
from authoring.store.dry_runs import DryRunProblem
from authoring.store.jobs import Job
from authoring.store.revisions import Revision
from authoring.store.workspace import Workspace
from evaluator.scoring import SCORING_VERSION
from evaluator.session import environment_id
from tests.ui.row_lists import row_texts

Open = Callable[..., AppTest]
MOST_STATEMENTS = 12  # of one interaction
OURS = "the fault is ours"
ROOT = Path(__file__).parents[2]
KINDS = {"title", "header", "subheader", "markdown", "caption", "text", "error", "warning", "info", "success", "code"}


def texts(app: AppTest) -> str:
    """Everything that a page says, joined."""
    shown = [str(each.value) for each in app._tree if isinstance(each, Element) and each.type in KINDS]
    return "\n".join([*shown, *row_texts(app)])


def said(app: AppTest) -> str:
    """All that a page says, as one reads it."""
    return texts(app).replace("\\", "")


def says(app: AppTest, *told: str) -> None:
    for each in told:
        assert each in said(app), each


def errors(app: AppTest) -> str:
    return "\n".join(str(each.value) for each in app.error).replace("\\", "")


def page_links(app: AppTest) -> dict[str, str]:
    """Label -> parameters of the links beside the menu."""
    return {str(each.proto.label): each.proto.query_string for each in app.get("page_link")}


def keys(app: AppTest) -> set[str]:
    """The keys of the buttons."""
    return {str(button.key) for button in app.button}


def boxes(app: AppTest) -> list[str]:
    """What the boxes that fold are called."""
    return [each.label for each in app.expander]


def press(app: AppTest, key: str) -> AppTest:
    app.button(key=key).click().run()
    assert not app.exception
    return app


def leave_and_return(app: AppTest, page: str) -> None:
    """Look at another page meanwhile."""
    app.switch_page("authoring/ui/pages/guide.py").run()
    app.switch_page(f"authoring/ui/pages/{page}.py").run()
    assert not app.exception


def claim(ws: Workspace, kind: str) -> Job:
    """Take the oldest waiting job of a kind, as a worker does."""
    job = jobs.claim(ws, owner="w", kinds=(kind,))
    assert job is not None
    return job


def finish(ws: Workspace, kind: str, result: Mapping[str, Any]) -> Job:
    job = claim(ws, kind)
    assert jobs.finish(ws, job.id, "w", result=dict(result))
    return job


def fail(ws: Workspace, kind: str, what: str = "it broke", **more: str) -> Job:
    job = claim(ws, kind)
    jobs.fail(ws, job.id, "w", error={"what": what, "where": "", "fix": "mend it", **more})
    return job


def payloads(ws: Workspace, kind: str) -> list[dict[str, Any]]:
    """What jobs of a kind were ordered with, the newest first."""
    return [dict(job.payload) for job in jobs.select(ws, kinds=(kind,))]


def configure_model(monkeypatch: pytest.MonkeyPatch, name: str = "m") -> None:
    """Configure a model that nobody asks."""
    told = {"BENCHWRIGHT_MODEL": name, "OPENAI_API_KEY": "sk-secret", "OPENAI_BASE_URL": "http://127.0.0.1:9/v1"}
    for variable, value in told.items():
        monkeypatch.setenv(variable, value)


def stream(text: str) -> dict[str, str]:
    return {"output_type": "stream", "name": "stdout", "text": text}


def shown_page(app: AppTest, page: str, parameters: Mapping[str, str | int]) -> AppTest:
    """Open a page of the app by its address, in one run of the script; it must not raise."""
    for name, value in parameters.items():
        app.query_params[name] = str(value)
    if page not in ("", "queue"):  # which is the first page, and has no name of its own
        app.switch_page(f"authoring/ui/pages/{page}.py")
    app.run()
    assert not app.exception
    return app


QUERY, CODE, SETTINGS = 0, 1, 2  # the text areas of the editor, one below the other


def warnings(app: AppTest) -> str:
    return " ".join(str(each.value) for each in app.warning).replace("\\", "")


def area(app: AppTest, label: str) -> Any:
    (found,) = [each for each in app.text_area if each.label == label]
    return found


def judge(ws: Workspace, revision_id: int, *problems: DryRunProblem, **more: Any) -> None:
    """Write a dry run of today; without problems, one in which the first two pass."""
    passing = [DryRunProblem(number, f"p{number}", 0.01, "CORRECT", "WRONG_OUTPUT") for number in (1, 2)]
    summary = {"scoring_version": SCORING_VERSION, **more.pop("summary", {})}
    here: dict[str, Any] = {"environment": environment_id(), "sandbox": "bwrap", "problems": problems or passing}
    dry_runs.save(ws, revision_id=revision_id, summary=summary, **here, **more)


def ordered(ws: Workspace, kind: str) -> dict[str, Any]:
    """What the one job of a kind was ordered with."""
    (payload,) = payloads(ws, kind)
    return payload


@dataclass(frozen=True)
class Desk:
    """The app, the workspace below it, and a draft that is worked on."""

    ws: Workspace
    draft: Revision
    open: Open  # a page by its name and parameters

    @property
    def number(self) -> int:
        """The draft's problemset."""
        return self.draft.problemset_id

    @property
    def text(self) -> str:
        return self.draft.text

    def editor(self, problem: str = "p1", *, tab: str = "") -> AppTest:
        where: dict[str, str | int] = {"set": self.number, **({"pid": problem} if problem else {})}
        return self.open_with({f"tabs:{self.number}": tab}, "editor", **where) if tab else self.open("editor", **where)

    def page(self) -> AppTest:
        """The page of the problemset."""
        return self.open("problemset", set=self.number)

    def open_with(self, state: Mapping[str, Any], page: str, **parameters: str | int) -> AppTest:
        """Open a page on which tabs and boxes stand as somebody left them."""
        app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120)
        for key, value in state.items():
            app.session_state[key] = value
        return shown_page(app, page, parameters)

    def save(self, app: AppTest) -> AppTest:
        """Press the editor's Save."""
        return press(app, f"save:{self.number}")

    def show(self, app: AppTest, tab: str) -> AppTest:
        """Open one of the editor's tabs."""
        app.session_state[f"tabs:{self.number}"] = tab
        app.run()
        assert not app.exception
        return app

    def head(self) -> Revision:
        return revisions.find(self.ws, problemsets.find(self.ws, self.number).head_revision_id)

    def change(self, text: str, author: str = "lee", *, base: Revision | None = None) -> Revision:
        """Save a revision, of the draft or of another base, as somebody else does."""
        base = base or self.draft
        return revisions.save(self.ws, base.problemset_id, text, base_revision_id=base.id, author=author)

    def keep(
        self, text: str, *, problem: str = "p1", field: str = "code", person: str = "mei", base: Revision | None = None
    ) -> None:
        """Leave text unsaved, as another tab does that knows what was unsaved before."""
        base = base or self.draft
        there = self.kept(person).get((problem, field)) if base.problemset_id == self.number else None
        told = {"problem": problem, "field": field, "base_revision_id": base.id, "writer": "another tab"}
        number = there.saved_no if there else None
        where: Any = {"person": person, "problemset_id": base.problemset_id, **told, "expected_saved_no": number}
        autosaves.save(self.ws, text=text, **where)

    def kept(self, person: str = "mei") -> dict[tuple[str, str], Autosave]:
        """What somebody has not saved, by problem and field."""
        found = autosaves.select(self.ws, person, self.number)
        return {(each.problem, each.field): each for each in found}

    def kept_texts(self) -> list[str]:
        return sorted(each.text for each in self.kept().values())
