"""What a stated licence of data is worth: an SPDX identifier, something near to one, or words that forbid a release."""

import re
from difflib import get_close_matches
from enum import StrEnum
from typing import Final, NamedTuple

SPDX: Final = (
    *("CC0-1.0", "CC-BY-4.0", "CC-BY-SA-4.0", "CC-BY-NC-4.0", "CC-BY-NC-SA-4.0", "CC-BY-ND-4.0", "CC-BY-NC-ND-4.0"),
    *("CC-BY-3.0", "CC-BY-SA-3.0", "CC-BY-NC-3.0", "CC-BY-NC-SA-3.0", "CC-BY-ND-3.0", "CC-BY-NC-ND-3.0"),
    *("CC-BY-2.0", "CC-BY-SA-2.0", "CC-PDDC", "ODbL-1.0", "ODC-By-1.0", "PDDL-1.0", "C-UDA-1.0"),
    *("CDLA-Permissive-2.0", "CDLA-Permissive-1.0", "CDLA-Sharing-1.0", "OGL-UK-3.0", "OGL-UK-2.0", "OGL-Canada-2.0"),
    *("etalab-2.0", "DL-DE-BY-2.0", "DL-DE-ZERO-2.0", "NLOD-2.0", "NLOD-1.0"),
    *("MIT", "Apache-2.0", "BSD-3-Clause", "BSD-2-Clause", "ISC", "Unlicense", "MPL-2.0"),
    *("GPL-3.0-only", "GPL-3.0-or-later", "GPL-2.0-only", "GPL-2.0-or-later", "LGPL-3.0-only", "AGPL-3.0-only"),
)
"""Identifiers of https://spdx.org/licenses/ that data are published under; of one licence the newest first."""
USUAL: Final = ("CC0-1.0", "CC-BY-4.0", "CC-BY-SA-4.0", "ODbL-1.0", "PDDL-1.0", "CDLA-Permissive-2.0", "MIT")
_NO_PERMISSION: Final = re.compile(
    r"\b(proprietary|all rights reserved|confidential|internal use|under nda|non-?redistributable"
    r"|(?:no|not|without|never)\b.{0,20}\b(?:redistribut|distribut|shar|publish|publication)\w*"
    r"|(?:redistribut|distribut|shar|publish|publication)\w*\b.{0,20}\b(?:prohibited|forbidden|not allowed))",
    re.IGNORECASE,
)
_NO_ANSWER: Final = frozenset({"unknown", "none", "notknown", "na", "notstated", "other", "custom", "tbd"})
_CREATIVE_COMMONS: Final = re.compile(r"creativecommons\.org/licenses/(by[a-z-]*)/(\d\.\d)", re.IGNORECASE)
_SHORT: Final = (
    ("creative commons", "cc"),
    ("attribution", "by"),
    ("share alike", "sa"),
    ("sharealike", "sa"),
    ("non commercial", "nc"),
    ("noncommercial", "nc"),
    ("no derivatives", "nd"),
    ("noderivatives", "nd"),
)
_LEAST: Final = 4  # letters and digits of what is taken for another spelling


class LicenceKind(StrEnum):
    """What a stated licence is."""

    MISSING = "missing"
    KNOWN = "known"
    NEAR = "near"  # an SPDX identifier is meant and written in another way
    UNKNOWN = "unknown"
    RESTRICTED = "restricted"  # a release may hold the data, under a condition
    FORBIDDEN = "forbidden"  # a release would publish the data, which it does not allow


class LicenceAdvice(NamedTuple):
    """What is to be said about a stated licence."""

    kind: LicenceKind
    text: str = ""
    spdx: str = ""  # the identifier that is meant


def licence_advice(stated: str) -> LicenceAdvice:
    """Return what a stated licence means for a release, which publishes the data with it."""
    text = " ".join(stated.split())
    if not text or _plain(text) in _NO_ANSWER:
        what = "the licence is not known: a release publishes the data, and its card will say that nobody found out"
        return LicenceAdvice(LicenceKind.MISSING, what)
    if _NO_PERMISSION.search(text):
        return LicenceAdvice(
            LicenceKind.FORBIDDEN, "the licence forbids passing the data on, and a release would publish them"
        )
    if text.casefold().startswith("public domain"):
        return LicenceAdvice(LicenceKind.KNOWN)
    meant = _meant(text)
    if not meant:
        what = (
            "the licence is no SPDX identifier that is known here: whoever uses a release cannot tell what they may do"
        )
        return LicenceAdvice(LicenceKind.UNKNOWN, what)
    if meant != text:
        return LicenceAdvice(LicenceKind.NEAR, _near_words(text, meant), meant)
    if "-ND" in meant:
        what = "the licence allows unchanged copies only: let no problem publish changed data"
        return LicenceAdvice(LicenceKind.RESTRICTED, what, meant)
    if "-NC" in meant:
        return LicenceAdvice(
            LicenceKind.RESTRICTED, "the licence binds whoever uses a release to non-commercial purposes", meant
        )
    return LicenceAdvice(LicenceKind.KNOWN, "", meant)


def _near_words(text: str, meant: str) -> str:
    """Return what is said of an identifier that is written otherwise: what the text leaves open is told as a guess."""
    left_open = []
    if _digits(meant) and not _digits(text):
        left_open.append("no version is named")
    if meant.endswith("-only") and "only" not in text.casefold():
        left_open.append(
            "nor is it said whether later versions hold too" if left_open else "later versions may hold too"
        )
    if not left_open:
        return f"the SPDX identifier is {meant}"
    return f"the SPDX identifier may be {meant}: {', '.join(left_open)}"


def _meant(text: str) -> str:
    """Return the identifier that a text means; empty: none."""
    if (address := _CREATIVE_COMMONS.search(text)) is not None:
        text = f"cc {address[1]} {address[2]}"
    spelled = text.casefold().replace("-", " ")
    for word, short in _SHORT:
        spelled = spelled.replace(word, short)
    wanted = _plain(re.sub(r"\b(the|licen[cs]e|version|v|international|unported|public|generic)\b", " ", spelled))
    names = {_plain(name): name for name in SPDX}
    for name in SPDX:  # without a version the newest is meant
        names.setdefault(_plain(re.sub(r"-\d\.\d.*$", "", name)), name)
        names.setdefault(_plain(name.replace(".0", "")), name)
    if wanted in names:
        return names[wanted]
    if len(wanted) < _LEAST:
        return ""
    same_version = [name for name in names if _digits(name) == _digits(wanted)]
    near = get_close_matches(wanted, same_version, n=1, cutoff=0.85)
    return names[near[0]] if near else ""


def _digits(text: str) -> str:
    return re.sub(r"\D", "", text)


def _plain(text: str) -> str:
    return re.sub(r"[^a-z0-9]", "", re.sub(r"(?<=\d)\.0\b", "0", text.casefold()))
