"""Transcripts of the Qwen benchmark: what its program reads of them, faults included, and what a sound reading does."""

from evaluator.families.qwen.transcript import (
    MAX_PARTS,
    action_inputs,
    code_of,
    figure_links,
    joined_code,
    observations,
    shows_soundly,
)


def acted(*codes: str, observation: str = "ok") -> str:
    return "".join(
        f"\nThought: t\nAction: code_interpreter\nAction Input: {code}\nObservation: {observation}" for code in codes
    )


def test_the_first_action_alone_or_all_of_them() -> None:
    text = acted("a=1", "b=2")
    assert joined_code(action_inputs(text, first_only=True)) == "# concat\na=1\n"
    assert joined_code(action_inputs(text)) == "# concat\na=1\n# concat\nb=2\n"


def test_code_repeated_word_for_word_hides_what_follows_it() -> None:
    text = acted("a=1", "a=1", "b=2")
    assert action_inputs(text) == ("a=1",)
    assert action_inputs(text, sound=True) == ("a=1", "a=1", "b=2")


def test_what_is_an_action() -> None:
    for text, inputs in (
        ("", ()),
        ("The answer is 4.", ()),
        ("Action Input: x = 1", ()),  # no line end before it
        ("\nAction Input: x = 1", ("x = 1",)),  # no observation after it
        ("\nAction Input:\nObservation: ok", ()),  # nothing in it
    ):
        assert action_inputs(text) == inputs
        assert action_inputs(text, sound=True) == inputs


def test_the_code_of_an_action() -> None:
    for written, code in (
        ("```py\nx = 1\n```", "x = 1\n"),
        ("use `x = 1` here", "x = 1"),
        ('{"code": "x = 1"}', "x = 1"),
        ('{"other": 1}', '{"other": 1}'),
        ("x = 1", "x = 1"),
        ("```x = 1```", ""),  # a span of nothing between the first two marks
    ):
        assert code_of(written) == code


def test_two_links_on_one_line_become_one_as_published() -> None:
    text = "Observation: ![fig-001](a.png) ![fig-002](b.png)\n![fig-003](c.png)"
    assert figure_links(text, sound=False) == ("b.png", "c.png")
    assert figure_links("![fig-1](a(1).png)", sound=False) == ("a(1).png",)
    assert figure_links(text, sound=True) == ("a.png", "b.png", "c.png")


def test_a_figure_counts_in_an_observation_without_a_failure_before_it() -> None:
    good = "\nObservation: ![fig-001](a.png)\nThought: done"
    bad = "\nObservation: KeyError error: x ![fig-001](b.png)"
    assert shows_soundly(good, ("a.png",))
    assert not shows_soundly(bad, ("b.png",))
    assert shows_soundly(bad + good, ("b.png", "a.png"))
    assert list(observations(good + bad)) == ["![fig-001](a.png)", "KeyError error: x ![fig-001](b.png)"]


def test_hostile_transcripts_are_read_in_a_few_passes() -> None:
    assert len(action_inputs("\nAction Input: " + acted("x") * 3000, sound=True)) == MAX_PARTS
    assert len(figure_links("![fig-1](a)\n" * 3000, sound=False)) == MAX_PARTS
    assert figure_links("![fig-" * 100_000 + "](" * 100_000, sound=False) == ()
