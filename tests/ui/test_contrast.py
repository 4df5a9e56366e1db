"""Colours that people must read or tell apart: WCAG AA in both themes, without a browser."""

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

from authoring.ui.wording import verdict_chip
from evaluator.reporting.verdict_marks import VERDICTS, mark_of
from evaluator.scoring import Verdict

ROOT = Path(__file__).parents[2]
THEME: dict[str, Any] = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text(encoding="utf-8"))["theme"]
CAPTIONS = 0.6  # how much of the text's colour Streamlit gives to captions, hints and placeholders
MARKED = 0.15  # the strongest tint of the code editor, and of the changed words of a changed line together
TEXT, GRAPHIC = 4.5, 3.0
ON_CODE = ("codeTextColor", "greenTextColor", "orangeTextColor", "blueTextColor", "grayTextColor", "linkColor")


def channels(colour: str) -> list[int]:
    return [int(colour[place : place + 2], 16) for place in (1, 3, 5)]


def mixed(front: str, back: str, share: float) -> str:
    pairs = zip(channels(front), channels(back), strict=True)
    return "#" + "".join(f"{round(one * share + other * (1 - share)):02x}" for one, other in pairs)


def luminance(colour: str) -> float:
    shares = [value / 255 for value in channels(colour)]
    red, green, blue = (s / 12.92 if s <= 0.04045 else ((s + 0.055) / 1.055) ** 2.4 for s in shares)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def test_contrast_is_counted_as_the_guidelines_do() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_captions_and_hints_can_be_read_on_every_background(scheme: str) -> None:
    theme = THEME[scheme]
    backgrounds = {theme["backgroundColor"], theme["secondaryBackgroundColor"], theme["sidebar"]["backgroundColor"]}
    found = {each: contrast(mixed(theme["textColor"], each, CAPTIONS), each) for each in backgrounds}
    assert min(found.values()) >= TEXT, found


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_code_can_be_read_where_it_is_selected_found_or_changed(scheme: str) -> None:
    theme = THEME[scheme]
    tints = [theme[f"{name}TextColor"] for name in ("blue", "orange", "green", "red")]
    backgrounds = [mixed(tint, theme["codeBackgroundColor"], MARKED) for tint in tints]
    found = {(name, each): contrast(theme[name], each) for name in ON_CODE for each in backgrounds}
    assert min(found.values()) >= TEXT, found


def test_the_code_editor_uses_no_stronger_tint() -> None:
    script = (ROOT / "authoring" / "ui" / "frontend" / "index.js").read_text(encoding="utf-8")
    tints = [int(each) for each in re.findall(r"background(?:Color)?: mixed\(\"\w+\", (\d+)\)", script)]
    assert len(tints) >= 9
    assert max(tints) <= 100 * MARKED or tints.count(20) == 1  # a pressed button of the search bar holds no code
    assert sorted(tints)[-2] <= 100 * MARKED


def test_every_verdict_has_an_icon_a_sign_and_a_colour_of_its_own() -> None:
    assert set(VERDICTS) == set(Verdict)
    marks = [mark_of(verdict) for verdict in VERDICTS]
    assert len({mark.sign for mark in marks}) == len({mark.colour for mark in marks}) == len(VERDICTS)
    chips = [verdict_chip(verdict) for verdict in (*VERDICTS, "none")]
    assert len({chip.icon for chip in chips}) == len(chips)
    assert mark_of("MADE_UP") == mark_of("UNKNOWN")


@pytest.mark.parametrize("verdict", VERDICTS)
def test_a_mark_can_be_seen_on_both_pages_and_white_text_on_it_read(verdict: str) -> None:
    colour = mark_of(verdict).colour
    assert contrast(colour, "#ffffff") >= TEXT
    assert contrast(colour, THEME["dark"]["backgroundColor"]) >= GRAPHIC
