"""What the editor still knows after a change and after a save, before a new dry run tells it anew."""

from collections.abc import Callable

from streamlit.testing.v1 import AppTest

from authoring.store.revisions import Revision
from authoring.store.workspace import Workspace
from tests.ui.test_verdicts import executed, finish

Open = Callable[..., AppTest]
PASSES, FAILS, UNKNOWN = ":green[:material/check:]", ":red[:material/close:]", ":gray[:material/remove:]"


def signs(app: AppTest, draft: Revision) -> list[str]:
    """The sign of each problem in the row of numbers, without the setup cell."""
    options = app.button_group(key=f"rail:{draft.problemset_id}").proto.options
    return [option.content.split(" ", 1)[1] for option in options][1:]


def first_failing(app: AppTest) -> list[str]:
    labels = [link.proto.label for link in app.main.get("page_link")]
    return [label for label in labels if label.startswith("First failing")]


def test_a_save_keeps_the_signs_of_unchanged_problems_and_a_repair_is_not_led_to(
    open_page: Open, draft: Revision, workspace: Workspace
) -> None:
    app = open_page("editor", set=draft.problemset_id, pid="p2")
    assert (signs(app, draft), first_failing(app)) == ([PASSES, FAILS], ["First failing: 2"])
    app.text_area[1].set_value('sales["units"].max()').run()
    app.button(key=f"run:{draft.problemset_id}:p2").click().run()
    finish(workspace, executed(1, None), {**executed(2, "CORRECT"), "empty": {"verdict": "WRONG_OUTPUT"}})
    app.run()
    assert not app.exception
    assert first_failing(app) == []
    app.button(key=f"save:{draft.problemset_id}").click().run()
    assert signs(app, draft) == [PASSES, PASSES]
    app.text_area[1].set_value('sales["units"].min()').run()
    app.button(key=f"save:{draft.problemset_id}").click().run()
    assert signs(app, draft) == [PASSES, UNKNOWN]  # what an earlier revision showed of another text tells nothing
    assert not app.exception
