"""What a column of texts means: a flag, levels, a category, a name, a code, or free text."""

import re
from typing import Final

from authoring.seeds.meanings import word_lists as words
from authoring.seeds.meanings.column_facts import ColumnFacts
from authoring.seeds.meanings.scales import is_calendar, ordered_levels
from authoring.seeds.profile import ColumnRole
from authoring.seeds.semantics import ColumnMeaning, Meaning

LONG: Final = 60  # characters from which spaced text is free text
_ANSWERS: Final = (
    *(
        {"yes", "no"},
        {"y", "n"},
        {"true", "false"},
        {"t", "f"},
        {"ja", "nein"},
        {"是", "否"},
        {"oui", "non"},
        {"si", "no"},
    ),
    *({"on", "off"}, {"0", "1"}, {"present", "absent"}, {"pass", "fail"}, {"有", "无"}),
)
_CODELIKE: Final = re.compile(r"(?=.*\d)[\w.\-/#]{2,40}|[0-9a-fA-F]{8}-[0-9a-fA-F-]{27}|[A-Z]{2,4}")
_ADDRESS: Final = re.compile(r"https?://|www\.|[^@\s]+@[^@\s]+\.\w+$")
_CODE_HEADS: Final = words.IDENTIFYING | frozenset({"code", "abbr", "abb", "abbreviation", "iso", "fips", "zip"})
_GRADES: Final = ("f", "e", "d-", "d", "d+", "c-", "c", "c+", "b-", "b", "b+", "a-", "a", "a+")


def text_meaning(facts: ColumnFacts) -> ColumnMeaning:
    """Return what a column of texts means."""
    if facts.column.distinct <= 2 and (found := _flag(facts)) is not None:
        return found
    levels = _levels(facts)
    if levels:
        reason = "days or months in their order" if is_calendar(levels) else "its values are known levels"
        return facts.means(Meaning.ORDINAL, reason, levels=levels)
    if _is_free(facts):
        return facts.means(Meaning.TEXT, "long texts, or a name that says so")
    if _is_address(facts):
        return facts.means(Meaning.CODE if not facts.is_unique else Meaning.IDENTIFIER, "addresses of pages or mail")
    if facts.is_unique and facts.rows > 1:
        return _unique(facts)
    return _repeated(facts)


def _flag(facts: ColumnFacts) -> ColumnMeaning | None:
    values = {str(value).strip().lower() for value in facts.values}
    if len(values) == 2 and any(values == one for one in _ANSWERS):
        return facts.means(Meaning.FLAG, "yes and no")
    return None


def _levels(facts: ColumnFacts) -> tuple[str, ...]:
    if not facts.all_values or facts.column.distinct > 24 or facts.column.kinds:
        return ()
    if facts.name.has(frozenset({"grade", "sub"})) or "tier" in facts.name.stem_set:
        folded = {str(value).strip().lower(): str(value) for value in facts.all_values}
        if set(folded) <= set(_GRADES):
            return tuple(folded[one] for one in _GRADES if one in folded)
        if all(re.fullmatch(r"[a-h]\d?", one) for one in folded):  # credit grades: A1 is the best
            return tuple(folded[one] for one in sorted(folded, reverse=True))
    numbered = [re.match(r"(\d{1,2})[.):=\-] ?\D", str(value)) for value in facts.all_values]
    if facts.name.has(words.ORDINALS | frozenset({"health", "income"})) and all(numbered):
        return tuple(sorted(map(str, facts.all_values), key=lambda text: int(re.split(r"\D", text)[0])))
    return ordered_levels(facts.all_values)


def _is_free(facts: ColumnFacts) -> bool:
    column = facts.column
    if column.distinct <= 1 or (column.role is ColumnRole.CATEGORY and column.max_length < LONG):
        return False
    named = facts.name.has(words.FREE_TEXTS) and facts.name.head not in {"name", "id", "type", "code"}
    shown = [str(value) for value in facts.column.samples]
    usual = sum(map(len, shown)) / max(len(shown), 1)
    if facts.name.head in {"name", "title", "headline"} and usual < 2 * LONG:
        return False
    wordy = column.spaced > 0.6 and (usual >= LONG or sum(one.count(" ") for one in shown) >= 7 * max(len(shown), 1))
    return wordy or (named and column.spaced > 0.3)


def _is_address(facts: ColumnFacts) -> bool:
    shown = [str(value) for value in facts.column.samples]
    return bool(shown) and all(_ADDRESS.search(one) for one in shown)


def _looks_coded(facts: ColumnFacts) -> bool:
    shown = [str(value).strip() for value in facts.column.samples]
    return bool(shown) and facts.column.spaced < 0.05 and all(_CODELIKE.fullmatch(one) for one in shown)


def _unique(facts: ColumnFacts) -> ColumnMeaning:
    head = facts.name.words[-1] if facts.name.words else ""
    named = facts.name.has(words.NAMES | words.PLACES)
    numbered = head in words.IDENTIFYING - {"index", "rownames", "rowname"}
    coded = numbered or facts.name.has(words.CODES) or facts.name.has(frozenset({"编号"}))
    if (coded or _looks_coded(facts)) and not (named and not coded):
        return facts.means(Meaning.IDENTIFIER, "codes of which none repeats")
    if facts.rows <= 3 and not named:
        return facts.means(Meaning.CATEGORY, "texts of few rows")
    return facts.means(Meaning.LABEL, "names of which none repeats")


def _repeated(facts: ColumnFacts) -> ColumnMeaning:
    head = facts.name.words[-1] if facts.name.words else ""
    few = facts.column.role is ColumnRole.CATEGORY
    many = facts.column.distinct > 0.5 * facts.filled
    if not few and facts.name.has(words.PLACES) and head not in _CODE_HEADS:
        return facts.means(Meaning.PLACE, "names of many places, which repeat")
    coded = facts.name.has(words.CODES | frozenset({"id"})) or head in words.IDENTIFYING - {"index"}
    if coded and (not few or head in {"id", "uuid", "code", "no", "nr", "number", "key"}):
        return facts.means(Meaning.CODE, "its name says that the texts stand for something")
    if few:
        return facts.means(Meaning.CATEGORY, "few texts that divide the rows")
    if facts.name.has(words.NAMES) or many:
        code = _looks_coded(facts) and not facts.name.has(words.NAMES)
        meaning = Meaning.CODE if code else Meaning.LABEL
        return facts.means(meaning, "many texts, nearly as many as rows" if many else "names, which repeat")
    if _looks_coded(facts):
        return facts.means(Meaning.CODE, "many short texts with digits or capitals")
    return facts.means(
        Meaning.CATEGORY if facts.column.distinct <= 0.1 * facts.filled else Meaning.LABEL, "texts that repeat"
    )
