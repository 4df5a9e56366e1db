"""What of the text above an answer is the question, and what introduces the notebook or a part of it."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from authoring.conversion.exercise_books.question_markdown import TextSection, plain_markdown

_DIGITS: Final = r"\d{1,3}(?:\.\d{1,2})*(?:\.?[a-z]\b)?"
_WORD_NUMBER: Final = re.compile(
    rf"^\W{{0,3}}(?:(?P<part>part|section|chapter|lesson|unit|module|day|week|teil|kapitel)"
    rf"|step|exercise|exercice|ex|question|qn|q|task|problem|assignment|challenge|drill|todo|aufgabe|übung|frage|练习|问题|题目|第)"
    rf"[\s.#:-]{{0,2}}(?:{_DIGITS}|[ivx]{{1,4}}\b)(?:题|步|部分)?\)?\s*[.):\-–—|]*\s*",
    re.IGNORECASE,
)
_BARE_NUMBER: Final = re.compile(
    r"^\W{0,3}(?:\(?\d{1,3}(?:\.\d{1,2})*(?:\.?[a-z]\b)?\s*(?:[.):]|\)\.?|\s[-–—]\s)\)?\s+|\d{1,2}\.\d{1,2}\s+(?=[A-ZÄÖÜ]))(?=\S)"
)
_LETTER: Final = re.compile(r"^\W{0,3}\(?[a-h]\)\s+(?=\S)")
_STATES: Final = re.compile(
    r"^(?:here|this|these|those|that|it|we|you|notes?|notice|similarly|there|but|table of contents|as you|in the same"
    r"|the \w+ (?:can|are|is|was|were))\b|^in (?:general|summary|addition)\b",
    re.IGNORECASE,
)
_LABEL: Final = re.compile(r"^(?:exercise|task|question|problem|q|aufgabe|frage)\s*:\s*", re.IGNORECASE)
_INTRODUCES: Final = re.compile(
    r"^(?:introduction|intro|about|overview|background|preface|abstract|motivation|context|(?:the )?data(?:set)?"
    r"|data (?:description|dictionary|set)|description|prerequisites?|requirements?|instructions?|objectives?|goals?"
    r"|agenda|table of contents|contents|outline|acknowledge?ments?|credits?|references?|resources?|source|licen[cs]e"
    r"|author|notes?|getting started|welcome|how to use|learning objectives|einleitung|einführung|简介|介绍|数据)\b\W*"
    r"(?:\w+\W*){0,3}$",
    re.IGNORECASE,
)
_ALWAYS_INTRODUCES: Final = re.compile(
    r"^(?:introduction|intro|about|overview|background|preface|abstract|motivation|acknowledge?ments?|credits?"
    r"|references?|licen[cs]e|authors?|table of contents|outline|agenda)\b\W*(?:\w+\W*){0,3}$",
    re.IGNORECASE,
)
_THANKS: Final = re.compile(
    r"^(?:special )?(?:thanks|credits?|acknowledge)\b"
    r"|^(?:check out|watch|click|see also|source|created by|author|licen[cs]e|copyright|©|welcome)\b"
    r"|^(?:this (?:time|notebook|exercise|tutorial|lab|data)|in this (?:notebook|exercise|tutorial|lab|section|part))\b"
    r"|^the (?:following )?exercises?\b",
    re.IGNORECASE,
)
_VERBS: Final = (
    r"(?:import|load|read|open|fetch|download|get|use|take|find|look|see|show|display|print|list|present|give|tell|report"
    r"|return|create|make|build|generate|define|write|implement|complete|add|append|insert|assign|store|save|set|put|name"
    r"|call|compute|calculate|determine|count|sum|average|measure|estimate|discover|identify|detect|extract|obtain"
    r"|retrieve|select|choose|pick|filter|keep|limit|restrict|drop|delete|remove|discard|exclude|clean|fix|correct"
    r"|repair|handle|treat|replace|rename|change|convert|transform|turn|cast|encode|map|apply|fill|impute|interpolate"
    r"|normali[sz]e|standardi[sz]e|scale|sort|order|rank|arrange|reverse|group|aggregate|summari[sz]e|pivot|reshape|melt"
    r"|stack|unstack|merge|join|combine|concat\w*|compare|check|test|verify|validate|confirm|examine|inspect|explore"
    r"|analy[sz]e|investigate|describe|explain|interpret|plot|draw|graph|visuali[sz]e|chart|sample|shuffle|split|divide"
    r"|multiply|subtract|round|bin|cut|resample|shift|roll|train|fit|predict|evaluate|score|run|perform|do|slice|index"
    r"|reset|subset|parse|format|reindex|update|modify|answer|solve|collapse|flatten|iterate|loop|access|ensure|carry"
    r"|lowercase|capitali[sz]e|lade|lies|berechne|finde|zeige|erstelle|sortiere|gruppiere|bestimme|gib|zähle)"
)
_VERB: Final = re.compile(rf"\b{_VERBS}\b", re.IGNORECASE)
_ASKS: Final = re.compile(
    r"^(?:(?:please|now|then|next|finally|first|also|again|bonus|let'?s|let us|try to"
    r"|you (?:should|must|(?:need|have) to))\b\W*){0,3}"
    r"(?:what|which|how|who|whose|where|when|why|is|are|was|were|does|do|did|can|could|has|have|should|there (?:is|are)"
    rf"|consider|suppose|assume|given|wie|was|welche\w*|{_VERBS})\b",
    re.IGNORECASE,
)
_LEADS_TO_ORDER: Final = re.compile(
    r"^(?:for|by|using|in|with|without|after|before|from|on|at|to|based)\b", re.IGNORECASE
)
_CHINESE_ASK: Final = re.compile(
    r"[？]|请|计算|找出|导入|读取|加载|统计|显示|输出|绘制|创建|多少|哪|什么|如何|排序|筛选|删除"
)
_IN_WORDS: Final = re.compile(
    r"\b(?:explain|discuss|interpret|comment on|in your own words|your (?:answer|observations?)|write your)\b",
    re.IGNORECASE,
)
STARTING_WORDS: Final = "consider|suppose|assume|given|take|start|let"  # with which a question gives its data
_LONGEST_SENTENCE: Final = 400
_SENTENCE: Final = re.compile(r"(?<=[.!?:;])\s+|\n+")
_BULLET: Final = re.compile(r"^\s*(?:[-*+•]|\d{1,2}[.)])\s+")


@dataclass(frozen=True)
class Question:
    """What the text above an answer says."""

    query: str  # empty: nothing is asked
    told: str = ""  # what introduces, describes or explains before it
    is_numbered: bool = False
    passed_over: tuple[str, ...] = ()  # earlier questions that no code answers


def tells(text: str) -> bool:
    """Return whether a text asks for something: a question, or a sentence that begins like an order."""
    if "?" in text or _CHINESE_ASK.search(text):
        return True
    sentences = (_BULLET.sub("", part.strip())[:_LONGEST_SENTENCE] for part in _SENTENCE.split(text))
    return any(_is_order(part) and not _THANKS.match(part) for part in sentences)


def _is_order(sentence: str) -> bool:
    leads = _LEADS_TO_ORDER.match(sentence)
    return bool(_ASKS.match(sentence) or (leads and _VERB.search(sentence)))


def without_number(text: str) -> str:
    """Return a text without the number that an exercise sheet gives it: `Step 3.`, `Exercise 1.2`, `Q7)`, `4.`."""
    found = _WORD_NUMBER.match(text) or _BARE_NUMBER.match(text) or _LETTER.match(text) or _LABEL.match(text)
    rest = text[found.end() :] if found is not None else text
    return rest if rest.strip() else text


def number_kind(text: str) -> str:
    """Return whether a text is numbered as a `question` or as a `part` of the sheet; empty: it is not."""
    found = _WORD_NUMBER.match(text)
    if found is not None:
        return "part" if found["part"] else "question"
    return "question" if _BARE_NUMBER.match(text) or _LETTER.match(text) else ""


def only_states(text: str) -> bool:
    """Return whether a text tells something and asks for nothing, as a lecture does above the code that shows it."""
    return not tells(text) and bool(_STATES.search(text.strip()))


def query_of(markdown: str) -> str:
    """Return a question as a query: without heading marks, bold type, and its number in the notebook."""
    return _joined(plain_markdown(markdown).sections) or markdown.strip()


def question_of(sections: Sequence[TextSection], *, question_level: int) -> Question:
    """Return what the sections above an answer ask, and what of them only introduces.

    Where questions are numbered, the question begins at the first number. Else titles, introductions and headings of
    parts are taken off its beginning as long as something is left.

    Args:
        sections: Of all Markdown cells between two answers.
        question_level: The level of headings that questions have in this notebook; 0: they have none.
    """
    asked = list(sections)
    numbered = [place for place, each in enumerate(asked) if _is_numbered(each, question_level)]
    if numbered:
        start = _last_of_steps(asked, numbered)
        told, passed = asked[: numbered[0]], _between(asked, [place for place in numbered if place < start], start)
        query = _joined(asked[start:])
        return Question(query, _joined(told), is_numbered=True, passed_over=tuple(map(_joined, passed)))
    told = []
    while asked and _introduces(asked[0], asked[1:], question_level):
        told.append(asked.pop(0))
    while len(asked) > 1 and _is_aside(asked[-1], asked[:-1]):
        told.append(asked.pop())
    return Question(_joined(asked), _joined(told))


def _last_of_steps(asked: Sequence[TextSection], numbered: Sequence[int]) -> int:
    """Return where the question begins: steps that only lead to the last one belong to it, whole questions do not."""
    start = len(numbered) - 1
    while start > 0 and not _stands_alone(_joined(asked[numbered[start - 1] : numbered[start]])):
        start -= 1
    return numbered[start]


def _stands_alone(text: str) -> bool:
    return "?" in text or "？" in text or bool(_IN_WORDS.search(text))


def _between(asked: Sequence[TextSection], places: Sequence[int], end: int) -> list[Sequence[TextSection]]:
    ends = [*places[1:], end]
    return [asked[first:last] for first, last in zip(places, ends, strict=False)]


def level_of_questions(sections: Sequence[TextSection]) -> int:
    """Return the level of headings that most questions of a notebook have; 0: they have none."""
    numbered = [each.level for each in sections if number_kind(each.heading) == "question" and each.level]
    asking = numbered or [each.level for each in sections if each.level and tells(each.heading)]
    return max(set(asking), key=lambda level: (asking.count(level), level)) if asking else 0


def _is_numbered(section: TextSection, question_level: int) -> bool:
    """Return whether a section is a numbered question; `# Ex1 - Filtering` above `### Step 1.` is a title."""
    first = section.heading or section.body
    if number_kind(first) != "question":
        return False
    is_title = bool(section.level) and section.level < question_level and not tells(without_number(first))
    return not is_title


def _introduces(section: TextSection, rest: Sequence[TextSection], question_level: int) -> bool:
    heading = without_number(section.heading)
    if _INTRODUCES.match(heading) and not tells(section.body):
        return True
    if _ALWAYS_INTRODUCES.match(heading) and "?" not in section.body:
        return True
    is_above = bool(section.level) and (section.level == 1 or section.level < question_level)
    if is_above and not tells(heading) and (not section.body or not _asks_below_title(section.body)):
        return bool(rest) or section.level == 1
    if not rest:
        return bool(_THANKS.match(section.text)) and not tells(section.text)
    if section.level and not section.body and not tells(heading):
        return section.level < (rest[0].level or 7)
    return not tells(section.text) and any(tells(each.text) for each in rest)


def _asks_below_title(body: str) -> bool:
    """Return whether the text below a title asks by itself, and does not only tell where the sheet comes from."""
    sentences = [_BULLET.sub("", part.strip()) for part in _SENTENCE.split(body) if part.strip()]
    return any(tells(part) for part in sentences if not _THANKS.match(part))


def _is_aside(section: TextSection, before: Sequence[TextSection]) -> bool:
    """Return whether a last section only thanks or names a source."""
    return bool(_THANKS.match(section.text)) and any(tells(each.text) for each in before)


def _joined(sections: Sequence[TextSection]) -> str:
    """Return sections as one text; what stands under one heading stays together."""
    parts = []
    for section in sections:
        heading = without_number(section.heading) if section.heading else ""
        body = section.body if section.heading else without_number(section.body)
        parts.append("\n".join(part for part in (heading.strip(), body.strip("\n")) if part.strip()))
    gap = "\n" if all("\n" not in part for part in parts) else "\n\n"
    return re.sub(r"\n{3,}", "\n\n", gap.join(part for part in parts if part)).strip()
