"""Problemsets from modules and topics, in the style of a notebook (arXiv:2407.10499, section 3.1)."""

from authoring.topics.drafting import make_topic_draft
from authoring.topics.proposing import ProposedTopics, propose_topics
from authoring.topics.topic import Topic, add_topics, find_topic, read_topics
from authoring.topics.topic_list import keep_topics, known_topics, save_topics_text, topics_file, topics_text

__all__ = [
    "ProposedTopics",
    "Topic",
    "add_topics",
    "find_topic",
    "keep_topics",
    "known_topics",
    "make_topic_draft",
    "propose_topics",
    "read_topics",
    "save_topics_text",
    "topics_file",
    "topics_text",
]
