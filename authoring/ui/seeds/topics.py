"""Topics of Python modules on the screen: proposed by a model, edited as a file, drafted in the style of a notebook."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

import streamlit as st

from authoring.store.drafting.seeds import Seed
from authoring.store.people import Role
from authoring.store.workspace import Workspace
from authoring.ui import state
from authoring.ui.boundary import ANYONE, show_error, writes
from authoring.ui.drawing.markup import cell_text
from authoring.ui.inputs.refusals import draw_refusal, told_at
from authoring.ui.inputs.typed_text import is_shown, keep, sent, typed_line, unsent
from authoring.ui.jobs import order
from authoring.ui.seeds.author_options import author_options_of, draw_author_options, draw_name, name_of
from authoring.ui.seeds.order_results import draw_made_job
from authoring.ui.shell.auth import current_user
from authoring.ui.widgets import PAGE_SIZE, draw_empty, draw_pager
from authoring.ui.wording import label
from authoring.ui.workplace import workspace
from evaluator.errors import ContentError

if TYPE_CHECKING:
    from authoring.drafting.topics.topic import Topic

PROPOSE: Final = "topics:propose"
DRAFT: Final = "topics:draft"
EDIT: Final = "topics:text"


def draw_topics(ws: Workspace, seeds: Sequence[Seed]) -> None:
    """Draw the topics of the workspace, and the ways to more of them and from one to a problemset."""
    from authoring.drafting.topics.topic import known_topics, topics_text

    st.caption(
        "Sets in the style of a notebook begin with Python modules: a model proposes topics of them, people edit the "
        "list, and a model writes 10 to 15 steps on one topic."
    )
    _draw_propose_form()
    draw_made_job(ws, PROPOSE)
    text = topics_text(ws)
    topics: Sequence[Topic] = ()
    try:
        topics = known_topics(ws)
    except ContentError as error:
        show_error(error)
    if topics:
        _draw_draft_form(topics, seeds)
        draw_made_job(ws, DRAFT)
        _draw_list(topics)
    elif not text:
        draw_empty("There is no topic yet", "Name modules above and let a model propose topics, or write them below.")
    with st.expander("Edit the topics as a file", icon=":material/edit:", expanded=bool(text) and not topics):
        _draw_editor(text)


def _draw_propose_form() -> None:
    with st.container(horizontal=True, vertical_alignment="bottom"):
        typed_line(
            "Modules", f"{PROPOSE}:modules", placeholder="pandas scipy.stats", width=280,
            help="As they are imported, with spaces between them.",
        )  # fmt: skip
        st.number_input("Topics at most", 1, 50, 20, key=f"{PROPOSE}:count", width=140, on_change="ignore")
        st.number_input("Random seed", 0, 2**31 - 1, key=f"{PROPOSE}:rng_seed", width=140, on_change="ignore")
        draw_author_options(PROPOSE, examples=False)
        st.button("Propose topics", key=f"{PROPOSE}:send", icon=":material/lightbulb:", on_click=propose)
    draw_refusal(PROPOSE)


@writes(Role.MAINTAINER)
def propose() -> None:
    """Order topics of a model."""
    with told_at(PROPOSE):
        _order_topics()


def _order_topics() -> None:
    modules = str(state.widget_value(f"{PROPOSE}:modules") or "").replace(",", " ").split()
    if not modules:
        raise ContentError("no module is named", where="Modules", fix="name one as it is imported, such as pandas")
    wishes = author_options_of(PROPOSE)
    wishes.pop("examples")
    order(
        "topics",
        {
            "modules": modules,
            "count": int(state.widget_value(f"{PROPOSE}:count") or 20),
            "rng_seed": int(state.widget_value(f"{PROPOSE}:rng_seed") or 0),
            **wishes,
        },
        key=PROPOSE,
    )


def _draw_draft_form(topics: "Sequence[Topic]", seeds: Sequence[Seed]) -> None:
    with st.container(horizontal=True, vertical_alignment="bottom"):
        titles = {number: f"{number}. {label(topic.title, limit=80)}" for number, topic in enumerate(topics, 1)}
        st.selectbox(
            "Topic", list(titles), format_func=titles.__getitem__, key=f"{DRAFT}:topic", width=320, on_change="ignore"
        )
        st.selectbox(
            "Data", [seed.name for seed in seeds], index=None, placeholder="the code makes its own",
            key=f"{DRAFT}:seed", width=220, on_change="ignore",
        )  # fmt: skip
        draw_name(DRAFT, "as the topic")
        st.number_input("Random seed", 0, 2**31 - 1, key=f"{DRAFT}:rng_seed", width=140, on_change="ignore")
        draw_author_options(DRAFT, examples=False)
        st.button(
            "Draft on the topic", key=f"{DRAFT}:send", type="primary", icon=":material/edit_document:", on_click=draft
        )
    draw_refusal(DRAFT)


@writes(Role.MAINTAINER)
def draft() -> None:
    """Order a problemset on the chosen topic."""
    with told_at(DRAFT):
        _order_draft()


def _order_draft() -> None:
    from authoring.drafting.topics.topic import find_topic, known_topics

    topic = find_topic(known_topics(workspace()), str(state.widget_value(f"{DRAFT}:topic") or 1))
    wishes = author_options_of(DRAFT)
    wishes.pop("examples")
    order(
        "topic_draft",
        {
            "title": topic.title,
            "modules": list(topic.modules),
            "description": topic.description,
            "seed": state.widget_value(f"{DRAFT}:seed"),
            "name": name_of(DRAFT),
            "rng_seed": int(state.widget_value(f"{DRAFT}:rng_seed") or 0),
            "created_by": current_user(),
            **wishes,
        },
        key=DRAFT,
    )


def _draw_list(topics: "Sequence[Topic]") -> None:
    slot = st.container(border=True, gap="xsmall")
    offset = draw_pager(len(topics), key="topics:page")
    for number, topic in enumerate(topics[offset : offset + PAGE_SIZE], offset + 1):
        with slot:
            st.markdown(f"{number}. **{label(topic.title)}** · {label(', '.join(topic.modules))}")
            points = f" Knowledge points: {', '.join(topic.knowledge_points)}." if topic.knowledge_points else ""
            if topic.description or points:
                st.caption(label(f"{topic.description}{points}".strip(), limit=600))


def _draw_editor(text: str) -> None:
    kept = unsent(EDIT)
    if not isinstance(kept, dict):  # nothing was typed: the newest shows
        state.put_widget_value(EDIT, text)
        state.remember(EDIT, text)
    elif not is_shown(EDIT):
        state.put_widget_value(EDIT, str(kept.get("text")))
        state.remember(EDIT, str(kept.get("base")))
    base = state.recall(EDIT)
    if base != text:
        st.warning(
            "**The topics were changed while you edited them.** Below is the newest text; put what you want of it into "
            "yours, then save over it.",
            icon=":material/call_split:",
        )
        st.code(cell_text(text), language="yaml", wrap_lines=True)
    st.text_area(
        "Topics (YAML)", key=EDIT, height=320, on_change=keep_text,
        placeholder="topics:\n  - title: Joins of two tables\n    modules: [pandas]",
        help="A list 'topics:' with 'title' and 'modules' of each; 'description' and 'knowledge_points' if you like.",
    )  # fmt: skip
    st.button(
        "Save the topics" if base == text else "Save over the newest",
        key=f"{EDIT}:save:{base == text}",
        icon=":material/save:",
        on_click=save_topics,
        args=(text,),
    )
    draw_refusal(EDIT)


@writes(ANYONE)
def keep_text() -> None:
    """Keep what was typed, with the text that the person began from."""
    text, base = str(state.widget_value(EDIT) or ""), str(state.recall(EDIT) or "")
    keep(EDIT, None if text == base else {"text": text, "base": base})


@writes(Role.MAINTAINER)
def save_topics(base: str) -> None:
    """Make what was typed the workspace's topics; refused when the file is no longer the one that was shown."""
    with told_at(EDIT):
        _save(base)


def _save(base: str) -> None:
    from authoring.drafting.topics.topic import save_topics_text, topics_text

    ws = workspace()
    save_topics_text(ws, str(state.widget_value(EDIT) or ""), base=base)
    sent(EDIT, shown=topics_text(ws))
    state.flash("success", "the topics are saved")
