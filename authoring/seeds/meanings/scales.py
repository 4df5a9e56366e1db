"""Scales that people order by: words whose order everybody knows, and bands of numbers."""

import re
from collections.abc import Iterable, Sequence
from typing import Final

_MONTHS: Final = (
    "january february march april may june july august september october november december",
    "jan feb mar apr may jun jul aug sep oct nov dec",
    "januar februar märz april mai juni juli august september oktober november dezember",
    "1月 2月 3月 4月 5月 6月 7月 8月 9月 10月 11月 12月",
    "一月 二月 三月 四月 五月 六月 七月 八月 九月 十月 十一月 十二月",
)
_WEEKDAYS: Final = (
    "monday tuesday wednesday thursday friday saturday sunday",
    "mon tue wed thu fri sat sun",
    "mon tues wed thur fri sat sun",
    "mon tues wed thurs fri sat sun",
    "montag dienstag mittwoch donnerstag freitag samstag sonntag",
    "mo di mi do fr sa so",
    "星期一 星期二 星期三 星期四 星期五 星期六 星期日",
    "周一 周二 周三 周四 周五 周六 周日",
)
_OTHER: Final = (
    "very low|low|medium|high|very high",
    "low|moderate|high|very high|extreme",
    "low|mid|high",
    "low|med|high",
    "lo|med|hi",
    "l|m|h",
    "low|average|high",
    "low|normal|high",
    "xxs|xs|s|m|l|xl|xxl|xxxl|3xl|4xl",
    "tiny|small|medium|large|extra large|huge",
    "small|medium|large|x-large|xx-large",
    "small|med|large",
    "short|medium|long",
    "short|medium|tall",
    "very poor|poor|fair|good|very good|excellent|outstanding",
    "bad|poor|average|good|great|excellent",
    "poor|below average|average|above average|good|excellent",
    "unacc|acc|good|vgood",
    "small|med|big",
    "low|med|high|vhigh",
    "fair|good|very good|premium|ideal",
    "po|fa|ta|gd|ex",
    "i1|si2|si1|vs2|vs1|vvs2|vvs1|if",
    "never|rarely|seldom|sometimes|occasionally|often|usually|frequently|always",
    "never|former|current",
    "strongly disagree|disagree|somewhat disagree|slightly disagree|neutral|undecided|neither agree nor disagree|"
    "slightly agree|somewhat agree|agree|strongly agree",
    "very dissatisfied|dissatisfied|somewhat dissatisfied|neutral|somewhat satisfied|satisfied|very satisfied",
    "very unlikely|unlikely|neutral|likely|very likely",
    "not at all|a little|slightly|somewhat|moderately|very|extremely",
    "none|little|some|lots",
    "none|some|marked",
    "none|mild|slight|moderate|severe|very severe|critical|extreme|fatal",
    "minor|moderate|major|critical|blocker",
    "trivial|minor|major|critical|blocker",
    "low|medium|high|urgent|critical",
    "low|normal|high|urgent",
    "not important|slightly important|moderately important|important|very important",
    "beginner|novice|intermediate|advanced|expert",
    "intern|trainee|junior|mid|senior|lead|principal|staff|manager|director|vp|executive",
    "asstprof|assocprof|prof",
    "assistant professor|associate professor|full professor|professor",
    "freshman|sophomore|junior|senior",
    "no formal education|preschool|primary|lower secondary|secondary|upper secondary|tertiary|college|university",
    "less than high school|some high school|high school|high school graduate|some college|associate's degree|"
    "associate degree|college graduate|bachelor's degree|bachelor degree|master's degree|master degree|doctorate|phd",
    "less than hs|< hs|hs|hs grad|some college|college grad|advanced degree|grad school",
    "lt high school|high school|junior college|bachelor|graduate",
    "high school|associate|associates|bachelor|bachelors|bachelor's|master|masters|master's|phd|doctorate",
    "preschool|1st-4th|5th-6th|7th-8th|9th|10th|11th|12th|hs-grad|some-college|assoc-voc|assoc-acdm|bachelors|masters|"
    "prof-school|doctorate",
    "illiterate|primary school|middle school|high school|university",
    "first|second|third|fourth|fifth",
    "1st|2nd|3rd|4th|5th|6th|7th|8th|crew",
    "iron|bronze|silver|gold|platinum|diamond",
    "basic|standard|plus|premium|enterprise",
    "free|basic|standard|pro|premium|enterprise",
    "economy|premium economy|business|first",
    "child|teenager|teen|adult|senior",
    "infant|child|adolescent|young adult|adult|middle aged|elderly",
    "young|middle|old",
    "morning|noon|afternoon|evening|night",
    "winter|spring|summer|autumn",
    "winter|spring|summer|fall",
    "before|during|after",
    "pre|post",
    "q1|q2|q3|q4",
    "low income|lower middle income|upper middle income|high income",
    "lower|working|middle|upper",
    "very easy|easy|medium|normal|hard|difficult|very hard|very difficult",
    "cold|cool|mild|warm|hot",
    "slow|medium|fast",
    "light|medium|dark",
    "light|medium|strong",
    "elementary|secondary|high",
    "too little|about right|too much",
    "decrease|no change|increase",
    "worse|same|better",
    "lc|vu|nt|en|cr|ew|ex",
    "g|pg|pg-13|r|nc-17",
    "negative|neutral|positive",
    "niedrig|mittel|hoch",
    "低|中|高",
    "差|一般|良|好|优",
    "不及格|及格|中|良|优",
    "小|中|大",
    "小学|初中|高中|大专|本科|硕士|博士",
    "very liberal|liberal|moderate|conservative|very conservative",
    "strong democrat|democrat|independent|republican|strong republican",
)
_SCALES: Final = (*(tuple(line.split()) for line in (*_MONTHS, *_WEEKDAYS)), *(tuple(one.split("|")) for one in _OTHER))
_DAYS_AND_MONTHS: Final = frozenset(word for line in (*_MONTHS, *_WEEKDAYS) for word in line.split())


def _fold(value: object) -> str:
    text = str(value).strip().lower().replace("_", " ").replace("’", "'")
    return re.sub(r"\s+", " ", text)


def ordered_levels(values: Sequence[object]) -> tuple[str, ...]:
    """Return text values from low to high when a known scale orders them all, otherwise nothing."""
    texts = [str(value) for value in values]
    if len(texts) < 2:
        return ()
    folded = {_fold(text): text for text in texts}
    if len(folded) != len(texts):
        return ()
    for scale in _SCALES:
        known = [folded[level] for level in scale if level in folded]
        if len(known) == len(texts) and (len(known) > 2 or _says_enough(folded, scale)):
            return tuple(known)
    return _bands(texts)


def _says_enough(folded: Iterable[str], scale: Sequence[str]) -> bool:
    """Return whether two values alone tell a scale: not letters, which may be anything."""
    return (all(len(one) > 2 for one in folded) and "negative" not in scale) or scale[0] in {"q1", "mo", "周一"}


def is_calendar(values: Sequence[object]) -> bool:
    """Return whether the values are names of weekdays or months."""
    return bool(values) and all(_fold(value) in _DAYS_AND_MONTHS for value in values)


_BAND: Final = re.compile(
    r"(?:ages?\s+)?(?P<below><=?|≤|under|below|less than|up to|0?-)?\s*[$€£]?(?P<low>\d[\d,.]*)\s*k?(?:\s*years?)?"
    r"(?:\s*(?:-|–|to|bis|~|_)\s*[$€£]?(?P<high>\d[\d,.]*)\s*k?)?"
    r"(?P<above>\s*\+|\s*and (?:over|above|older|more)|\s*or more)?"
    r"(?:\s*(?:years?|yrs?|lbs?|kg|g/day|g|min|minutes|hours|岁))?",
    re.I,
)
_OVER: Final = re.compile(r"(?P<above>>=?|≥|over|above|more than)\s*[$€£]?(?P<low>\d[\d,.]*)\s*k?.*", re.I)
_INTERVAL: Final = re.compile(r"[\[(]\s*(?P<low>-?[\d.]+|-inf)\s*,\s*(?P<high>-?[\d.]+|inf)\s*[\])]", re.I)


def _bands(texts: Sequence[str]) -> tuple[str, ...]:
    """Return bands such as 18-24, <18, 65+ by their lower end; at least one must be a real band."""
    keys, banded = {}, False
    for text in texts:
        key = _band_key(text.strip())
        if key is None:
            return ()
        keys[text] = key[:2]
        banded = banded or key[2]
    if not banded or len(set(keys.values())) != len(keys):
        return ()
    return tuple(sorted(texts, key=lambda text: keys[text]))


def _band_key(text: str) -> tuple[float, float, bool] | None:
    if (interval := _INTERVAL.fullmatch(text)) is not None:
        return float(interval["low"]), float(interval["high"]), True
    if (over := _OVER.fullmatch(text)) is not None and len(text) < 25:
        low = _number(over["low"])
        return None if low is None else (low, float("inf"), True)
    match = _BAND.fullmatch(text)
    low = _number(match["low"]) if match is not None else None
    if match is None or low is None:
        return None
    if match["below"]:
        return float("-inf"), low, True
    if match["above"]:
        return low, float("inf"), True
    high = _number(match["high"]) if match["high"] else low
    if high is None or high < low:
        return None
    return low, high, bool(match["high"])


def _number(text: str) -> float | None:
    try:
        return float(text.replace(",", "").rstrip("."))
    except ValueError:
        return None
