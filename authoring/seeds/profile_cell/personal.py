"""Fourth part of the profile cell: counts the values of a column that have the form of data about a person."""

import ipaddress
import re
from typing import Any

import numpy as np
import pandas as pd

MAX_LOOKED_AT = 50_000  # distinct values of one column; of more, values spread over all of them
MAX_TEXT = 2_000  # characters of one value
MIN_DIGITS = 1_000_000  # smaller numbers are no telephone numbers, ids or cards


def word_set(text: str) -> "frozenset[str]":
    """Return the words of a text."""
    return frozenset(text.split())


GIVEN_NAMES = word_set(
    "aaron abdul abigail adam adele adrian ahmed aisha alan albert alejandro alex alexander alexandra ali alice "
    "amanda amelia amina amy ana andre andrea andreas andrew angela anita ann anna anne annette anthony antonio "
    "arthur ashley barbara beatrice ben benjamin bernd bernhard betty brandon brenda brian bruno camila carl "
    "carla carlos carmen carol caroline catherine charles charlotte chen chloe chris christian christina "
    "christine christopher claire clara claudia claus cynthia daniel daniela david deborah denis dennis diana "
    "diego dieter dmitri donald donna dorothy edith eduardo edward eleanor elena elias elisabeth elizabeth ella "
    "ellen emil emily emma eric erika erik ernst ethan eva evelyn fatima felix fernando florian frank franz "
    "friedrich gabriel george gerald gerhard gloria grace greta gregory hannah hans harold harry hassan heather "
    "heidi heinz helen helena helga henri henry herbert hiroshi hugo ibrahim ingrid irene isabel isabella ivan "
    "jack jacob jakob james jan jane janet jason javier jean jeffrey jennifer jeremy jessica joan johan johann "
    "john jonas jonathan jorge jose josef joseph joshua joyce juan juana judith julia julian julie jun jurgen "
    "karen karin karl kathleen katherine kathrin keith kenneth kevin klaus kumar larry laura lea lena leo leon li "
    "linda lisa louis louise luca lucas lucia lucy luis luisa lukas maria marie mario mark markus martha martin "
    "martina mary matthew matthias maurice maximilian megan mei michael michelle miguel mohamed mohammed monica "
    "monika muhammad nancy natalia nathan nicholas nicolas nicole nina noah nora olga oliver olivia omar oscar "
    "otto pablo pamela patricia patrick paul paula pedro peter petra philip philipp pierre priya rachel ralph "
    "ravi rebecca renate ricardo richard robert roberto roger ronald rosa rose russell ruth ryan sabine samuel "
    "sandra sanjay sara sarah scott sean sebastian sergei sharon silvia simon sofia sophia sophie stefan stefanie "
    "stephanie stephen steven susan susanne teresa theodore theresa thomas timothy tobias tom tyler ursula ute "
    "uwe valentina vera victor victoria vincent virginia walter wei werner wilhelm william wolfgang xiao yan yuki "
    "yusuf zachary zoe"
)
CHINESE_SURNAMES = frozenset(
    "王李张刘陈杨黄赵周吴徐孙马朱胡郭何高林罗郑梁谢宋唐许韩冯邓曹彭曾肖田董袁潘于蒋蔡余杜叶程苏魏吕丁任沈姚卢姜崔钟谭陆汪范金石廖贾夏韦付方白邹孟熊秦邱江尹薛闫段雷侯龙史陶黎贺顾毛郝龚邵万钱严覃武戴莫孔向汤"
)
EMAIL = re.compile(r"(?<![\w.+-])([A-Za-z0-9][\w.+-]{0,63})@((?:[A-Za-z0-9-]{1,63}\.)+[A-Za-z]{2,24})(?![\w-])")
NO_PERSON = word_set(
    "info contact support help sales service office admin webmaster postmaster noreply no-reply hello press jobs "
    "team mail"
)
RESERVED = (".test", ".example", ".invalid", ".localhost", "example.com", "example.org", "example.net")  # RFC 2606
PHONE = re.compile(r"\+\d{1,3}[ .-]?(?:\(?\d{1,5}\)?[ .-]?){2,5}|\(\d{3}\) ?\d{3}[ .-]\d{4}|\d{3}[-.]\d{3}[-.]\d{4}")
DIGITS = re.compile(r"[+(]?\d[\d ()./-]{5,20}\d")
PHONE_NAME = re.compile(r"(?i)phone|mobile|(?:^|_)(?:tel|fax|cell|handy)(?:$|_|nr|no)|telefon|whatsapp|手机|电话")
BIRTH_NAME = re.compile(r"(?i)birth|(?:^|_)dob(?:$|_)|geburt|出生|生日")
PLACE_NAME = re.compile(r"(?i)(?:^|[^a-z])(?:lat|lon|lng|long)(?:$|[^a-z])|latitude|longitude|纬度|经度")
STREET = re.compile(
    r"(?i)\d{1,5}[a-z]?,? (?:[\w.'-]+ ){1,4}"
    r"(?:st|street|ave|avenue|rd|road|ln|lane|dr|drive|blvd|boulevard|ct|court|way|pl|place|terrace|close|crescent)\b\.?.*"
    r"|[\w.' -]{2,40}(?:stra(?:ß|ss)e|str\.|weg|gasse|allee|platz|ufer|damm) ?\d{1,4} ?[a-z]?(?:,.*)?"
    r"|(?:rue|avenue|calle|via|viale|carrer|rua) [\w.' -]{2,40},? \d{1,4}(?:,.*)?"
    r"|\d{1,4},? (?:rue|avenue|boulevard) [\w.' -]{2,40}"
    r"|.*[\u4e00-\u9fff](?:路|街|道|巷)\d{1,5}(?:号|弄).*"
)
IBAN_LENGTHS = {
    **{"AT": 20, "BE": 16, "BG": 22, "CH": 21, "CY": 28, "CZ": 24, "DE": 22, "DK": 18, "EE": 20, "ES": 24, "FI": 18},
    **{"FR": 27, "GB": 22, "GR": 27, "HR": 21, "HU": 28, "IE": 22, "IS": 26, "IT": 27, "LI": 21, "LT": 20, "LU": 20},
    **{"LV": 21, "MC": 27, "MT": 31, "NL": 18, "NO": 15, "PL": 28, "PT": 25, "RO": 24, "SE": 24, "SI": 19, "SK": 24},
    **{"TR": 26, "AE": 23, "SA": 24, "BR": 29},
}


def is_iban(text: str) -> bool:
    """Return whether a text is an IBAN: a known country, its length, and the checksum (ISO 7064, 97-10)."""
    plain = text.replace(" ", "").upper()
    if IBAN_LENGTHS.get(plain[:2]) != len(plain) or not re.fullmatch(r"[A-Z]{2}\d{2}[A-Z0-9]+", plain):
        return False
    return int("".join(str(int(sign, 36)) for sign in plain[4:] + plain[:4])) % 97 == 1


def is_card(text: str) -> bool:
    """Return whether a text is the number of a payment card: digits of a known issuer with Luhn's checksum."""
    digits = re.sub(r"[ -]", "", text)
    if not re.fullmatch(
        r"(?:4\d{12}(?:\d{3}){0,2}|5[1-5]\d{14}|2[2-7]\d{14}|3[47]\d{13}|6(?:011|5\d\d)\d{12}|62\d{14,17})", digits
    ):
        return False
    total = sum(int(d) for d in digits[-1::-2]) + sum(sum(divmod(2 * int(d), 10)) for d in digits[-2::-2])
    return total % 10 == 0 and len(set(digits)) > 2


def is_national_id(text: str) -> bool:
    """Return whether a text is a number of a person that a state gives, checked by its checksum or ranges."""
    plain = text.strip().upper()
    if re.fullmatch(r"(?!000|666|9)\d{3}-(?!00)\d{2}-(?!0000)\d{4}", plain):  # United States
        return True
    if re.fullmatch(r"\d{17}[\dX]", plain):  # China
        weights = (7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2)
        check = "10X98765432"[sum(w * int(d) for w, d in zip(weights, plain)) % 11]  # noqa: B905
        return check == plain[-1] and bool(
            re.fullmatch(r"(?:19|20)\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])", plain[6:14])
        )
    if re.fullmatch(r"\d{8}-?[A-Z]", plain):  # Spain
        return "TRWAGMYFPDXBNJZSQVHLCKE"[int(plain[:8]) % 23] == plain[-1]
    compact = plain.replace(" ", "")
    if re.fullmatch(r"[12]\d{2}(?:0[1-9]|1[0-2])\d{8}(?:\d{2})", compact):  # France
        return 97 - int(compact[:13]) % 97 == int(compact[13:])
    return bool(
        re.fullmatch(r"(?!BG|GB|NK|KN|TN|NT|ZZ)[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z] ?\d{2} ?\d{2} ?\d{2} ?[A-D]", plain)
    )


def is_address(text: str) -> bool:
    """Return whether a text is an address of the public internet."""
    if text.count(".") != 3 and text.count(":") < 2:
        return False
    try:
        return ipaddress.ip_address(text).is_global
    except ValueError:
        return False


def is_email_of_person(text: str) -> bool:
    """Return whether a text holds an e-mail address that may be a person's."""
    return any(
        found[0].lower() not in NO_PERSON and not f"@{found[1].lower()}".endswith(RESERVED)
        for found in EMAIL.findall(text)
    )


def is_person(text: str) -> bool:
    """Return whether a text has the form of a person's name and holds a common given name."""
    if 2 <= len(text) <= 4 and all("\u4e00" <= sign <= "\u9fff" for sign in text):
        return text[0] in CHINESE_SURNAMES
    words = re.findall(r"[^\W\d_]+", text)
    return (
        1 <= len(words) <= 5
        and bool(re.fullmatch(r"[^\d@/:;]{2,60}", text))
        and all(word[0].isupper() for word in words if len(word) > 3)
        and any(word.lower() in GIVEN_NAMES for word in words)
    )


def forms_of(text: str) -> "list[str]":
    """Return the forms of data about persons that a value has."""
    found = []
    if "@" in text and is_email_of_person(text):
        found.append("email")
    if len(text) > 200:
        return found
    digits = sum(sign.isdigit() for sign in text)
    if 7 <= digits <= 15 and DIGITS.fullmatch(text):
        found.append("phone" if PHONE.fullmatch(text) else "digits")
    if digits >= 8:
        found += [
            name
            for name, holds in (("iban", is_iban), ("card", is_card), ("national-id", is_national_id))
            if holds(text)
        ]
    if digits == 6 and is_national_id(text):
        found.append("national-id")
    if is_address(text):
        found.append("ip")
    if digits and STREET.fullmatch(text):
        found.append("street")
    if not digits and is_person(text):
        found.append("person")
    return found


def masked(text: str) -> str:
    """Return the shape of a value: its first sign and its punctuation, other letters and digits as stars."""
    return "".join("*" if place and sign.isalnum() else sign for place, sign in enumerate(text[:24]))


def texts_of(values: pd.Series) -> pd.Series:
    """Return the values that may be about a person as texts with the number of their rows; empty for other columns."""
    none = pd.Series([], dtype="int64")
    if pd.api.types.is_bool_dtype(values.dtype) or pd.api.types.is_datetime64_any_dtype(values.dtype):
        return none
    if pd.api.types.is_numeric_dtype(values.dtype):
        finite = values[np.isfinite(values.astype(float))]
        if finite.empty or finite.min() < 0 or finite.max() < MIN_DIGITS or (finite % 1 != 0).any():
            return none
        return finite.astype("int64").astype(str).value_counts(sort=False) if finite.max() < 2**63 else none
    return values[[isinstance(one, str) for one in values]].astype(str).value_counts(sort=False)


def named_forms(name: str, values: pd.Series) -> "list[dict[str, Any]]":
    """Return the forms that a column's name tells: days of birth, and degrees of more than three decimals."""
    form = "birth" if BIRTH_NAME.search(name) else "place" if PLACE_NAME.search(name) else ""
    is_fraction = pd.api.types.is_float_dtype(values.dtype)
    if not form or values.empty or (form == "place") != is_fraction:
        return []
    rows = int((values.round(3) != values).sum()) if is_fraction else len(values)
    return [{"form": form, "rows": rows, "looked_at": len(values), "shape": ""}] if rows else []


def personal_forms(name: str, values: pd.Series) -> "list[dict[str, Any]]":
    """Return how many rows of a column hold values of each form, with the shape of one of them.

    Plain digits count as a telephone number only where the column's name says so.
    """
    filled = values.dropna()
    counts = texts_of(filled)
    if len(counts) > MAX_LOOKED_AT:
        counts = counts.iloc[np.linspace(0, len(counts) - 1, MAX_LOOKED_AT).astype(int)]
    rows: dict[str, int] = {}
    shapes: dict[str, str] = {}
    for text, count in counts.items():
        short_text = str(text)[:MAX_TEXT].strip()
        for form in forms_of(short_text):
            if form == "digits" and not PHONE_NAME.search(name):
                continue
            rows[form] = rows.get(form, 0) + int(count)
            at = EMAIL.search(short_text) if form == "email" else None
            shapes.setdefault(form, plain_shape(masked(at.group() if at else short_text)))
    looked_at = int(counts.sum())
    found = [{"form": form, "rows": rows[form], "looked_at": looked_at, "shape": shapes[form]} for form in sorted(rows)]
    return [*found, *named_forms(name, filled)]


def plain_shape(text: str) -> str:
    """Return a shape that can be printed."""
    return "".join(sign if sign.isprintable() else "*" for sign in text).encode("utf-8", "replace").decode("utf-8")
