"""Stated licences: known ones, those that mean an SPDX identifier, and those that a release cannot publish under."""

import pytest

from authoring.seeds.licences import SPDX, LicenceKind, licence_advice


@pytest.mark.parametrize(
    ("stated", "kind", "spdx"),
    [
        ("", LicenceKind.MISSING, ""),
        ("unknown", LicenceKind.MISSING, ""),
        ("CC-BY-4.0", LicenceKind.KNOWN, "CC-BY-4.0"),
        ("public domain (United States government work)", LicenceKind.KNOWN, ""),
        ("cc by 4.0", LicenceKind.NEAR, "CC-BY-4.0"),
        ("Creative Commons Attribution-ShareAlike 4.0 International License", LicenceKind.NEAR, "CC-BY-SA-4.0"),
        ("https://creativecommons.org/licenses/by/3.0/", LicenceKind.NEAR, "CC-BY-3.0"),
        ("odbl", LicenceKind.NEAR, "ODbL-1.0"),
        ("Apachee-2.0", LicenceKind.NEAR, "Apache-2.0"),
        ("Apache-1.0", LicenceKind.UNKNOWN, ""),
        ("CC-BY-5.0", LicenceKind.UNKNOWN, ""),
        ("CC-BY-NonCommercial-4.0", LicenceKind.NEAR, "CC-BY-NC-4.0"),
        ("MIT License", LicenceKind.NEAR, "MIT"),
        ("CC-BY-NC-4.0", LicenceKind.RESTRICTED, "CC-BY-NC-4.0"),
        ("All rights reserved", LicenceKind.FORBIDDEN, ""),
        ("may not be redistributed", LicenceKind.FORBIDDEN, ""),
        ("Redistribution is prohibited", LicenceKind.FORBIDDEN, ""),
        ("as our partners agreed", LicenceKind.UNKNOWN, ""),
    ],
)
def test_a_stated_licence_is_judged(stated: str, kind: LicenceKind, spdx: str) -> None:
    advice = licence_advice(stated)
    assert (advice.kind, advice.spdx) == (kind, spdx)
    assert bool(advice.text) == (kind is not LicenceKind.KNOWN)


def test_every_identifier_is_known_as_it_is_written() -> None:
    for name in SPDX:
        assert licence_advice(name).spdx == name
        assert licence_advice(name.lower()).spdx == name


@pytest.mark.parametrize(
    ("stated", "said"),
    [
        ("cc by 4.0", "the SPDX identifier is CC-BY-4.0"),
        ("CC BY", "the SPDX identifier may be CC-BY-4.0: no version is named"),
        ("GPL", "may be GPL-3.0-only: no version is named, nor is it said whether later versions hold too"),
        ("GPL 3.0 only", "the SPDX identifier is GPL-3.0-only"),
    ],
)
def test_what_a_stated_licence_leaves_open_is_told_as_a_guess(stated: str, said: str) -> None:
    assert licence_advice(stated).text.endswith(said)
