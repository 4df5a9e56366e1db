"""A cassette that is too large to be read is refused, whether it is answered from or recorded into."""

from pathlib import Path

import pytest

from evaluator.errors import ContentError
from evaluator.models import cassette
from evaluator.models.cassette import Cassette


def test_recording_does_not_go_on_with_a_cassette_that_is_not_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its replies would be asked for and written once more."""
    kept = Cassette.recording(tmp_path, "m")
    kept.replies.keep("d", {"model": "m", "reply": {}})
    monkeypatch.setattr(cassette, "MAX_BYTES", 10)
    with pytest.raises(ContentError, match="more than"):
        Cassette.recording(tmp_path, "m")
    with pytest.raises(ContentError, match="more than"):
        Cassette.recorded(tmp_path)
