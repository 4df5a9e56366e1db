"""What a person does on the pages of a problemset, what others do beside it, and what a page says then."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from streamlit.testing.v1 import AppTest

from authoring.store import autosaves, dry_runs, problemsets, revisions
from authoring.store.autosaves import Autosave
from authoring.store.dry_runs import DryRunProblem, DryRunSample
from authoring.store.revisions import Revision
from authoring.store.workspace import Workspace
from evaluator.scoring import SCORING_VERSION
from evaluator.session import environment_id
from tests.ui.acts import Open, payloads, press
from tests.ui.conftest import ROOT, shown_page

QUERY, CODE, SETTINGS = 0, 1, 2  # the text areas of the editor, one below the other


def warnings(app: AppTest) -> str:
    return " ".join(str(each.value) for each in app.warning).replace("\\", "")


def press_labelled(app: AppTest, label: str) -> AppTest:
    """Press the first button whose label begins so."""
    next(each for each in app.button if each.label.startswith(label)).click().run()
    assert not app.exception
    return app


def area(app: AppTest, label: str) -> Any:
    (found,) = [each for each in app.text_area if each.label == label]
    return found


def judge(
    ws: Workspace,
    revision_id: int,
    *problems: DryRunProblem,
    summary: Mapping[str, Any] | None = None,
    samples: Sequence[DryRunSample] = (),
) -> None:
    """Write a dry run of today; without problems, one in which the first two pass."""
    passing = [DryRunProblem(number, f"p{number}", 0.01, "CORRECT", "WRONG_OUTPUT") for number in (1, 2)]
    dry_runs.save(
        ws,
        revision_id=revision_id,
        environment=environment_id(),
        sandbox="bwrap",
        problems=problems or passing,
        summary={"scoring_version": SCORING_VERSION, **(summary or {})},
        samples=samples,
    )


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
        self,
        text: str,
        *,
        problem: str = "p1",
        field: str = "code",
        person: str = "mei",
        writer: str = "another tab",
        base: Revision | None = None,
    ) -> None:
        """Leave text unsaved, as another tab does that knows what was unsaved before."""
        base = base or self.draft
        there = self.kept(person).get((problem, field)) if base.problemset_id == self.number else None
        autosaves.save(
            self.ws,
            person=person,
            problemset_id=base.problemset_id,
            problem=problem,
            field=field,
            text=text,
            base_revision_id=base.id,
            writer=writer,
            expected_saved_no=there.saved_no if there else None,
        )

    def kept(self, person: str = "mei") -> dict[tuple[str, str], Autosave]:
        """What somebody has not saved, by problem and field."""
        found = autosaves.select(self.ws, person, self.number)
        return {(each.problem, each.field): each for each in found}

    def kept_texts(self) -> list[str]:
        return sorted(each.text for each in self.kept().values())
