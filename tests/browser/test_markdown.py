"""The preview of a query shows code and maths as they were written, and no colours, icons and emoji of Streamlit's."""

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from authoring.store import problemsets
from authoring.store.statuses import Origin

pytestmark = [pytest.mark.browser, pytest.mark.deep]

QUERY = """
Sum `x[a:b]`, :red[never] :smile: :material/home:

    d[:n]  # indented

```python
e[k:v]
```

with $f:X \\to Y$ and

$$
g:Y \\to Z
$$

- point

      h[:m]
"""


def test_code_and_maths_of_a_query_are_shown_as_written(
    served: Any, open_tab: Callable[..., Page], settled: Callable[[Page], None]
) -> None:
    indented = QUERY.replace("\n", "\n  ")
    text = f'# %%\n"""\nquery: |\n  {indented}\nid: sums\n"""\n3\n'
    draft = problemsets.create(served.workspace, name="sums", text=text, author="template", origin=Origin.TEMPLATE)
    page = open_tab()
    page.goto(f"/editor?set={draft.problemset_id}&pid=sums")
    settled(page)
    page.get_by_role("button", name="More").click()
    page.get_by_text("Preview of the query").click()
    dialog = page.get_by_role("dialog")
    expect(dialog.locator("code")).to_have_text(["x[a:b]", "d[:n]  # indented", "e[k:v]", "h[:m]"])
    expect(dialog.locator("annotation")).to_have_text(["f:X \\to Y", "g:Y \\to Z"])
    expect(dialog.get_by_text(":red[never] :smile: :material/home:")).to_be_visible()
