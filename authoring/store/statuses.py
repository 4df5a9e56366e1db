"""Every status that a row may have: the words that stand in the database, in JSON and in addresses of pages."""

from enum import StrEnum
from typing import Final


class JobState(StrEnum):
    """How far a job is."""

    QUEUED = "queued"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"
    INTERRUPTED = "interrupted"  # its worker died or was stopped; it can be resumed


LIVE_STATES: Final = (JobState.QUEUED, JobState.RUNNING)


class ProblemsetStatus(StrEnum):
    """What reviewers made of a problemset's newest revision."""

    DRAFT = "draft"
    SUBMITTED = "submitted"
    ACCEPTED = "accepted"
    SENT_BACK = "sent_back"


class ReviewDecision(StrEnum):
    """What a reviewer decided on a revision."""

    ACCEPTED = "accepted"
    SENT_BACK = "sent_back"


class Origin(StrEnum):
    """Who wrote a revision."""

    MODEL = "model"
    TEMPLATE = "template"
    PERSON = "person"
    IMPORT = "import"


class CommentKind(StrEnum):
    """What a comment is about."""

    REPETITIVE = "repetitive"
    OFF_THE_DATA = "off_the_data"
    AMBIGUOUS = "ambiguous"
    WRONG_SOLUTION = "wrong_solution"
    WRONG_VALIDATOR = "wrong_validator"
    OTHER = "other"

    @classmethod
    def stored(cls, word: str) -> "CommentKind":
        """Return the kind that a row holds; a word that is none, such as one written by hand, stands for `other`."""
        return cls(word) if word in list(cls) else cls.OTHER


class SuggestionStatus(StrEnum):
    """What became of a suggested change of a problem."""

    OPEN = "open"
    ACCEPTED = "accepted"
    CHANGED = "changed"  # accepted with words of the reviewer's own
    REFUSED = "refused"


class AmendmentStatus(StrEnum):
    """What became of a proposed amendment of the guide."""

    PROPOSED = "proposed"
    ACCEPTED = "accepted"
    CHANGED = "changed"  # accepted with words of the maintainer's own
    REFUSED = "refused"


class BootstrapState(StrEnum):
    """How far one problemset of a plan is."""

    PLANNED = "planned"
    SKETCHED = "sketched"
    DRAFTED = "drafted"
    ACCEPTED = "accepted"
    KEPT = "kept"
    DROPPED = "dropped"
