"""What the words of a query demand, in English and Chinese: reviewed wordings only, so that silence means nothing."""

import re
from collections.abc import Iterator
from enum import StrEnum
from typing import Final, NamedTuple

_NAME = r"`(?P<name>[^\W\d]\w{0,60})`(?! column)"
_TARGET = (
    r"(?:(?:a|an|the|new|single|pandas|global|variable|dataframe|frame|table|dict|dictionary|list|set|array) )*"
    r"(?:named |called )?"
)
_PROMISES: Final = (  # only wordings that cannot mean a column: a wrong complaint costs an answer of the model
    re.compile(
        rf"\b(?:load|read)\b[^.`]*(?:`[^`]*`[^.`]*){{1,2}}?\b(?:as|into|in) {_TARGET}(?:named |called )?{_NAME}", re.I
    ),
    re.compile(rf"\b(?:store|save)\b[^.`]*\b(?:as|in|into|under) {_TARGET}(?:named |called )?{_NAME}", re.I),
    re.compile(rf"\b(?:keep\b[^.`]*\bas|assign\b[^.`]*\bto) {_TARGET}(?:named |called )?{_NAME}", re.I),
    re.compile(rf"\b(?:variable|dataframe|dictionary|list|array|function) (?:named|called) {_NAME}", re.I),
)


def promised_names(query: str) -> tuple[str, ...]:
    """Return the variables that a query asks for by name, where its wording cannot mean a column."""
    names = [match["name"] for pattern in _PROMISES for match in pattern.finditer(" ".join(query.split()))]
    return tuple(dict.fromkeys(names))


def quoted_names(query: str) -> frozenset[str]:
    """Return what stands between single backticks."""
    return frozenset(re.findall(r"`([^`\n]+)`", query))


class Demand(StrEnum):
    """What a query can ask for beside its numbers."""

    RETURN = "return"
    PRINT = "print"
    FUNCTION = "function"
    CHANGE = "change"
    MISSING = "missing"
    DUPLICATES = "duplicates"
    TIES = "ties"
    FIRST = "first"
    RANK_CORRELATION = "rank-correlation"
    UNMATCHED = "unmatched"
    ANSWER = "answer"
    EXCERPT = "excerpt"
    PREVIEW = "preview"
    SAMPLE = "sample"
    PERCENT = "percent"
    SHARE = "share"
    EMPTY = "empty"


_CHANGES = (
    r"add(?:s|ed|ing)?|append|insert|replac\w*|fill\w*|drop\w*|remov\w*|renam\w*|convert\w*|turn\w*|chang\w*|updat\w*"
    r"|modif\w*|overwrit\w*|in[- ]place|cut|writ\w*|repair\w*|clean\w*|corrected|correct the|fix\w*|assign\w*|put"
    r"|strip\w*|set|normali[sz]\w*|standardi[sz]\w*|encod\w*|map|mapped|parse\w*|creat\w*|makes?|making|builds?|built|extend\w*"
    r"|deriv\w*|flag|mark|stor\w*|sav\w*|keep\w*|load\w*|read|call(?:ed)?|named|naming|delet\w*|merg\w*|join\w*|enrich\w*|interpolat\w*"
    r"|impute\w*|reset|sort|cast|transform\w*|new columns?|defin\w*|extract\w*"
)
_DEMANDS: Final = {
    Demand.RETURN: re.compile(r"(?<![\w-])return(?:ing)?\b(?! period| trip| flight| date| ticket)|返回", re.I),
    Demand.PRINT: re.compile(r"\bprint(?:ing)?\b(?! \w*(?:er|ed)\b)|打印", re.I),
    Demand.FUNCTION: re.compile(
        r"\b(?:write|define|create|implement|build|make)\b[^.]{0,40}?\bfunction\b|(?:编写|定义|实现|写)[^。]{0,20}函数",
        re.I,
    ),
    Demand.CHANGE: re.compile(
        rf"\b(?:{_CHANGES})\b|添加|新增|增加|加入|替换|填充|填补|删除|去掉|去除|重命名|转换|转为|修改|更新|改为|改成|排序|清洗"
        r"|写入|存|保存|设为|创建|新建|生成|读取|加载|命名|合并|命名为|记为",
        re.I,
    ),
    Demand.MISSING: re.compile(
        r"\b(?:ignor|skip|exclud|drop|remov|fill|disregard|omit|leav\w+ out|impute)\w*[^.;]{0,60}?"
        r"\b(?:missing|nan|nulls?)\b"
        r"|\b(?:missing|nan|nulls?)\b[^.;]{0,40}?\b(?:ignored|skipped|excluded|dropped|removed|left out|filled|omitted"
        r"|disregarded|do(?:es)? not count)\b"
        r"|(?:忽略|跳过|排除|删除|去掉|填充|剔除|不计)[^。；]{0,20}(?:缺失|空值)|(?:缺失|空)值?[^。；]{0,12}(?:忽略|跳过|排除|剔除|不计)",
        re.I,
    ),
    Demand.DUPLICATES: re.compile(
        r"\b(?:drop|remov|ignor|discard|eliminat|dedup|collaps)\w*[^.;]{0,40}?"
        r"\b(?:duplicat|repeat|identical|same row)\w*"
        r"|\bduplicat\w*[^.;]{0,40}?\b(?:dropped|removed|ignored|discarded|counted once)\b"
        r"|去重|(?:删除|去掉|去除|剔除)[^。；]{0,15}重复",
        re.I,
    ),
    Demand.TIES: re.compile(
        r"\bties?\b|\btied\b|\bequal(?:ly)?\b|\bsame (?:number|count|value|rank|total|mean|date|amount|score|share)"
        r"|\bshare the\b|\bdraws?\b|\bidentical\b|\bthen (?:by|in|alphabetic)|\bany (?:one )?of them\b|\bany order\b"
        r"|\bfirst (?:one )?(?:in|of|that|to)\b|\balphabetical|\bbreak\w*|\bdense\b"
        r"|\bthe (?:first|earliest|latest|earlier|later|last) (?:one|such|of)"
        r"|并列|相同|相等|同(?:值|分|数)|任意顺序|然后按|再按|字母顺序|先出现",
        re.I,
    ),
    Demand.FIRST: re.compile(r"\b(?:first|earliest|latest|last)\b|最早|最晚|首个|第一", re.I),
    Demand.RANK_CORRELATION: re.compile(r"\bspearman|\brank(?:s|ed)? correlation|秩相关|等级相关", re.I),
    Demand.UNMATCHED: re.compile(
        r"\b(?:stay|kept|even if|even those|no match|without a match|unmatched|not (?:occur|appear|stand)|every row of"
        r"|all rows of)\b|没有匹配|未匹配|保留(?:所有|全部)",
        re.I,
    ),
    Demand.ANSWER: re.compile(
        r"\?|？|\b(?:return|print|show|display|output|give|report|list|tell|what|which|who|how (?:many|much|often)|when"
        r"|where|compute|calculat\w*|find|count|determine|answer|result|value of the cell|get|look up|estimat\w*"
        r"|summari[sz]\w*|compar\w*|rank\w*|identif\w*|select|express)\b"
        r"|返回|多少|哪|求|给出|输出|显示|计算|打印|找出|统计|列出|是什么|何",
        re.I,
    ),
    Demand.EXCERPT: re.compile(
        r"\bfirst\b|\btop\b|\bhead\b|\blast\b|\btail\b|\blargest\b|\bsmallest\b|\bbiggest\b|\bmost\b|\bleast\b|\bfew\b"
        r"|\bpreview|\bhighest|\blowest|\bbest\b|\bworst\b|\blongest|\bshortest|\bearliest|\blatest|\bnewest|\boldest"
        r"|\bnearest|\bmax|\bmin|\bheaviest|\bfastest|\bslowest|前|最|头|尾|后",
        re.I,
    ),
    Demand.PREVIEW: re.compile(
        r"\bhead\b|\bpreview|\bexcerpt|\bfew (?:rows|lines|records)\b"
        r"|\b(?:first|last|top|some) (?:rows|lines|records)\b"
        r"|前几行|预览|头几行",
        re.I,
    ),
    Demand.SAMPLE: re.compile(r"\bsampl|\brandom|\bdraw|\bbootstrap|\bshuffl|抽|随机|打乱", re.I),
    Demand.PERCENT: re.compile(r"\bpercent(?:age)?s?\b(?! points?)|百分比|百分之几|百分数", re.I),
    Demand.SHARE: re.compile(
        r"\bshares?\b|\bfractions?\b|\bproportions?\b|\bfrom 0 to 1\b|\bbetween 0 and 1\b|\bratio"
        r"|比例|占比|小数|0 ?到 ?1",
        re.I,
    ),
    Demand.EMPTY: re.compile(
        r"\bempty\b|\bwhether\b|\bnone\b|\bif (?:any|there (?:is|are) (?:any|no))|为空|是否", re.I
    ),
}


def demands(query: str, demand: Demand) -> bool:
    """Return whether a query asks for something, by a wording that is known; quoted names and values are no words."""
    return _DEMANDS[demand].search(_without_quoted(query)) is not None


def _without_quoted(query: str) -> str:
    """Return a query with what stands between backticks blanked out, and as long as before."""
    return re.sub(r"`[^`\n]*`", lambda match: "`" + "_" * (len(match[0]) - 2) + "`", query)


_LISTED: Final = re.compile(
    r"(?: values?| entries| ones)?(?: (?:of|in|for))? (?P<names>`[^`\n]+`(?:(?:, | and | or |, and )`[^`\n]+`)*)"
)


def missing_names(query: str) -> frozenset[str]:
    """Return the quoted names of which a query says what becomes of missing values; all of them where that is open."""
    text = " ".join(query.split())
    found: set[str] = set()
    for match in _DEMANDS[Demand.MISSING].finditer(_without_quoted(text)):
        behind = _LISTED.match(text, match.end())
        found |= quoted_names(text[match.start() : match.end()]) | quoted_names(behind["names"] if behind else "")
    return frozenset(found) or quoted_names(query)


_WORDS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
_CHINESE = "零一二三四五六七八九十"
_NUMBER = r"(?P<number>-?\d[\d,]*(?:\.\d+)?)"


def numbers_in(query: str) -> frozenset[float]:
    """Return the numbers that a query names, in digits or words up to twelve."""
    found = {_number(text) for text in re.findall(r"(?<![\w.])-?\d[\d,]*(?:\.\d+)?", query)}
    found |= {float(number) for number, word in enumerate(_WORDS) if re.search(rf"\b{word}\b", query, re.I)}
    found |= {float(number) for number, sign in enumerate(_CHINESE) if f"{sign}个" in query or f"前{sign}" in query}
    found |= {12.0} if re.search(r"\bdozen\b", query, re.I) else set()
    found |= {2.0} if re.search(r"\b(?:both|pair|couple)\b", query, re.I) else set()
    return frozenset(found)


def _number(text: str) -> float:
    return float(text.replace(",", "").rstrip("."))


class Bound(NamedTuple):
    """A bound that a query names: which comparison chooses the rows that it means."""

    operator: str  # >=, >, <= or <
    number: float


_BOUNDS: Final = (
    (">=", re.compile(rf"\b(?:at least|no (?:fewer|less) than|not less than|from) (?:[€$£])?{_NUMBER}(?! to\b)", re.I)),
    (">=", re.compile(rf"(?<![\w.]){_NUMBER}(?: [\w%]+)? (?:or (?:more|above|higher|later|over))\b", re.I)),
    (">=", re.compile(rf"(?:至少|不少于|不低于|不小于){_NUMBER}|大于等于{_NUMBER.replace('number', 'other')}")),
    (
        ">",
        re.compile(
            rf"\b(?:more than|greater than|above|over|exceed\w*|larger than|higher than) (?:[€$£])?{_NUMBER}", re.I
        ),
    ),
    (">", re.compile(rf"(?<![不])(?:大于|超过|高于|多于){_NUMBER}")),
    ("<=", re.compile(rf"\b(?:at most|no more than|not more than|up to and including) (?:[€$£])?{_NUMBER}", re.I)),
    ("<=", re.compile(rf"(?<![\w.]){_NUMBER}(?: [\w%]+)? (?:or (?:less|fewer|below|lower|earlier))\b", re.I)),
    ("<=", re.compile(rf"(?:至多|不超过|不高于|不多于|不大于){_NUMBER}|小于等于{_NUMBER.replace('number', 'other')}")),
    ("<", re.compile(rf"\b(?:less than|fewer than|below|under|smaller than|lower than) (?:[€$£])?{_NUMBER}", re.I)),
    ("<", re.compile(rf"(?<![不])(?:小于|低于|少于){_NUMBER}")),
)
_NEGATED: Final = re.compile(r"\b(?:not|no|never|nor|neither|isn't|aren't)(?: \w+)?$|不$", re.I)


def bounds_in(query: str) -> tuple[Bound, ...]:
    """Return the bounds that a query names; a number with two meanings, or one that is negated, is left out."""
    text = " ".join(query.split())
    found: dict[float, set[str]] = {}
    for operator, match in _bound_matches(text):
        number = next(value for value in match.groupdict().values() if value)
        negated = _NEGATED.search(text[: match.start()].rstrip())
        found.setdefault(_number(number), set()).update({operator, "?"} if negated else {operator})
    return tuple(Bound(next(iter(operators)), number) for number, operators in found.items() if len(operators) == 1)


def _bound_matches(text: str) -> Iterator[tuple[str, re.Match[str]]]:
    for operator, pattern in _BOUNDS:
        for match in pattern.finditer(text):
            before = text[: match.start()].lower()
            if operator in (">", "<") and before.endswith(("no ", "not ")):
                continue  # "no more than 3" is a bound of its own
            yield operator, match


_STATISTICS: Final = {
    "mean": re.compile(r"\b(?:mean|average)s?\b(?! of the two)|平均|均值", re.I),
    "median": re.compile(r"\bmedians?\b|中位数", re.I),
    "max": re.compile(r"\bmaxim(?:um|a|al)\b|最大值", re.I),
    "min": re.compile(r"\bminim(?:um|a|al)\b|最小值", re.I),
    "quarter": re.compile(r"\bquarter(?:s|ly)?\b|季度", re.I),
    "month": re.compile(r"\bmonth(?:s|ly)?\b|月", re.I),
}


def named_statistics(query: str) -> frozenset[str]:
    """Return which statistics and periods a query names: mean, median, max, min, quarter, month."""
    return frozenset(name for name, pattern in _STATISTICS.items() if pattern.search(_without_quoted(query)))


_LOSSES = r"(?! \w*(?:loss|fall|drop|declin|decreas|deficit|negative|rank))"  # the largest of them is the least number
_DESCENDING: Final = re.compile(
    r"\bdescending\b"
    rf"|\b(?:largest|highest|biggest|heaviest|longest|greatest){_LOSSES}(?: [\w]+){{0,3}}? first\b"
    r"|\bmost \w+s first\b|\bmost (?:frequent|common)(?: \w+)? first\b"
    r"|\bfrom (?:high|large|highest|largest|most)\w* to\b|\bdecreasing (?:order|by)"
    r"|降序|从高到低|从大到小|由高到低|由大到小",
    re.I,
)
_ASCENDING: Final = re.compile(
    rf"\bascending\b|\b(?:smallest|lowest|fewest|least|shortest|lightest){_LOSSES}(?: [\w]+){{0,3}}? first\b"
    r"|\bfrom (?:low|small|lowest|smallest|few)\w* to\b|\bincreasing (?:order|by)"
    r"|升序|从低到高|从小到大|由低到高|由小到大",
    re.I,
)


def named_directions(query: str) -> frozenset[str]:
    """Return in which directions a query wants something sorted: `descending`, `ascending`, both or none."""
    found = (("descending", _DESCENDING), ("ascending", _ASCENDING))
    return frozenset(name for name, pattern in found if pattern.search(query))


_DDOF: Final = (
    (0, re.compile(r"\bddof ?= ?0\b|\bpopulation (?:standard deviation|variance|std)|总体标准差|总体方差", re.I)),
    (1, re.compile(r"\bddof ?= ?1\b|\bsample (?:standard deviation|variance|std)|样本标准差|样本方差", re.I)),
)


def named_ddof(query: str) -> int | None:
    """Return the ddof that a query names; None where it names none or both."""
    found = [ddof for ddof, pattern in _DDOF if pattern.search(query)]
    return found[0] if len(found) == 1 else None


_TOP: Final = re.compile(
    r"\b(?:top|first|last) (?P<one>\d+|two|three|four|five|six|seven|eight|nine|ten)\b"
    r"|\b(?P<two>\d+|two|three|four|five|six|seven|eight|nine|ten) (?:\w+ )?"
    r"(?:largest|smallest|highest|lowest|best|worst)\b"
    r"|(?:前|后)(?P<three>\d+|[一二三四五六七八九十])",
    re.I,
)


def top_counts(query: str) -> frozenset[int]:
    """Return how many of the best, first or last a query asks for."""
    return frozenset(
        int(number)
        for match in _TOP.finditer(query)
        if (number := _count(next(text for text in match.groupdict().values() if text))) is not None
    )


def _count(text: str) -> int | None:
    if text.isascii() and text.isdigit():
        return int(text)
    if text.lower() in _WORDS:
        return _WORDS.index(text.lower())
    return _CHINESE.index(text) if text in _CHINESE else None
