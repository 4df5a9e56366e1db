"""Which columns of a seed look like data about persons: by forms of values, names of columns, and neighbours."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Final

from authoring.seeds.inputs import materialise_inputs
from authoring.seeds.meanings.column_names import ColumnName
from authoring.seeds.profile import PROFILE_VERSION, ColumnProfile, ColumnRole, PersonalForm, Profile, TableProfile
from authoring.seeds.profiling import build_profile
from authoring.store.drafting.confirmations import (
    Confirmation,
    Said,
    confirm_column,
    list_confirmations,
    profiles_of_sets,
    withdraw_confirmation,
)
from authoring.store.drafting.seeds import find_seed, save_profile
from evaluator.errors import UsageError
from evaluator.registry import nearest_name

if TYPE_CHECKING:
    from authoring.store.drafting.seeds import Seed
    from authoring.store.workspace import Workspace
    from evaluator.session import Engine


class PersonalKind(StrEnum):
    """What a column seems to hold."""

    NAME = "names of persons beside contact data"
    EMAIL = "e-mail addresses"
    PHONE = "telephone numbers"
    STREET = "street addresses"
    NATIONAL_ID = "national ids"
    IBAN = "bank accounts (IBAN)"
    CARD = "payment cards"
    BIRTH = "dates of birth beside names"
    IP = "internet addresses (IP)"
    PLACE = "precise places of persons"


FIXES: Final = {
    PersonalKind.NAME: "drop the column, or put numbered pseudonyms in its place",
    PersonalKind.EMAIL: "drop the column, or keep only what follows the @",
    PersonalKind.PHONE: "drop the column, or keep only the country or area code",
    PersonalKind.STREET: "drop the column, or keep only the town or the first digits of the postcode",
    PersonalKind.NATIONAL_ID: "drop the column, or put numbered pseudonyms in its place",
    PersonalKind.IBAN: "drop the column, or keep only the country and the bank",
    PersonalKind.CARD: "drop the column, or keep only the issuer",
    PersonalKind.BIRTH: "keep only the year, or drop the names",
    PersonalKind.IP: "drop the column, or cut the last numbers off (192.0.2.0)",
    PersonalKind.PLACE: "round to one decimal, or drop the columns",
}


@dataclass(frozen=True)
class PersonalFinding:
    """One column that looks like data about persons; no value is in it, only the shape of one."""

    file: str
    column: str
    kind: PersonalKind
    rows: int  # that hold such values; all that are not missing where the name of the column tells
    shape: str = ""
    confirmed: Confirmation | None = None  # by a person, or by the mark that the seed is synthetic

    @property
    def what(self) -> str:
        """What was found, in words."""
        rows = "1 row" if self.rows == 1 else f"{self.rows:,} rows"
        return f"column {self.column!r} of {self.file} seems to hold {self.kind} ({rows})"

    @property
    def fix(self) -> str:
        """How to mend it."""
        return f"{FIXES[self.kind]}; or confirm that it is public or made up"

    def to_json(self) -> dict[str, Any]:
        """Return plain JSON values."""
        signed = self.confirmed
        return {
            **{"file": self.file, "column": self.column, "kind": self.kind.value, "rows": self.rows},
            **{"shape": self.shape, "what": self.what, "fix": self.fix},
            "confirmed": None
            if signed is None
            else {"as": signed.said, "by": signed.created_by, "reason": signed.reason},
        }


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


MOST: Final = 0.5  # share of the values that have the form
_PERSON_COLUMNS: Final = _words(
    "firstname lastname surname forename givenname familyname fullname realname maidenname vorname nachname "
    "familienname nom prenom apellido apellidos nombre personname customername patientname employeename "
    "contactname clientname studentname membername 姓名 名字 联系人"
)
_NAME: Final = _words("client contact customer employee name names owner patient person 名字 姓名")
_PERSONS: Final = _words(
    "person user customer client patient employee member driver rider passenger student teacher resident contact "
    "owner respondent participant subscriber visitor home household residence device phone kunde patientin "
    "mitarbeiter 用户 客户 患者 员工 学生 会员 司机"
)
_PLACES: Final = _words(
    "restaurant store shop station school university college hospital clinic pharmacy hotel building property "
    "listing house business company firm organisation organization facility venue airport park museum library "
    "branch site supplier vendor merchant incident crime landmark stop sensor office theatre theater bar cafe"
)
_HOME: Final = _words("home private residence residential wohnadresse 住址 家庭住址")
_VERSION: Final = _words("build release version")
_CONTACT: Final = frozenset(
    {
        PersonalKind.EMAIL,
        PersonalKind.PHONE,
        PersonalKind.STREET,
        PersonalKind.NATIONAL_ID,
        PersonalKind.IBAN,
        PersonalKind.CARD,
    }
    | {PersonalKind.BIRTH, PersonalKind.PLACE}
)


def personal_findings(
    profile: Profile, confirmations: Sequence[Confirmation] = (), *, is_synthetic: bool = False
) -> tuple[PersonalFinding, ...]:
    """Return the columns of a seed that look like data about persons, in the order of its tables and columns.

    Args:
        profile: Of the seed's tables; one of version 3 or older tells nothing about values.
        confirmations: What people confirmed of its columns.
        is_synthetic: Whether the seed is marked as made by a program, which answers for all of them.
    """
    signed = {(each.file, each.column): each for each in confirmations}
    if is_synthetic:
        mark = Confirmation("", "", Said.SYNTHETIC, "the seed is marked as synthetic", "", "")
        signed = {(table.file, column.name): mark for table in profile.tables for column in table.columns} | signed
    found = {}
    for table in profile.tables:
        for one in _of_table(table):
            found[one.file, one.column, one.kind] = replace(one, confirmed=signed.get((one.file, one.column)))
    return tuple(found.values())


def _of_table(table: TableProfile) -> Iterator[PersonalFinding]:
    names = {column.name: ColumnName(column.name) for column in table.columns}
    persons = [column for column in table.columns if _holds_names(column, names[column.name])]
    about_persons = bool(persons) or any(name.has(_PERSONS) for name in names.values())
    about_places = ColumnName(table.file.rsplit(".", 1)[0]).has(_PLACES) or any(n.has(_PLACES) for n in names.values())
    found = [
        PersonalFinding(table.file, column.name, kind, rows, shape)
        for column in table.columns
        for kind, rows, shape in _of_column(
            column,
            names[column.name],
            about_persons=about_persons,
            about_places=about_places and not persons,
        )
    ]
    if persons:
        found += [
            PersonalFinding(table.file, column.name, PersonalKind.BIRTH, table.rows - column.missing)
            for column in table.columns
            if column.role is ColumnRole.DATE and column.days > 1 and _form(column, "birth") is not None
        ]
    if any(one.kind in _CONTACT for one in found):
        for column in persons:
            form = _form(column, "person")
            told = _is_told_by_name(names[column.name])
            rows = table.rows - column.missing if form is None or told else form.rows
            found.append(PersonalFinding(table.file, column.name, PersonalKind.NAME, rows, form.shape if form else ""))
    places = {column.name: position for position, column in enumerate(table.columns)}
    yield from sorted(found, key=lambda one: places[one.column])


def _of_column(
    column: ColumnProfile, name: ColumnName, *, about_persons: bool, about_places: bool
) -> Iterator[tuple[PersonalKind, int, str]]:
    email, iban = _form(column, "email"), _form(column, "iban")
    if email is not None:
        yield PersonalKind.EMAIL, email.rows, email.shape
    if iban is not None:
        yield PersonalKind.IBAN, iban.rows, iban.shape
    for form, kind in (("card", PersonalKind.CARD), ("national-id", PersonalKind.NATIONAL_ID)):
        if (mostly := _mostly(column, form)) is not None:
            yield kind, mostly.rows, mostly.shape
    phone = _mostly(column, "phone", "digits")
    if phone is not None and not about_places:
        yield PersonalKind.PHONE, phone.rows, phone.shape
    street = _mostly(column, "street")
    if street is not None and (not about_places or name.has(_HOME)):
        yield PersonalKind.STREET, street.rows, street.shape
    address = _mostly(column, "ip")
    if address is not None and not name.has(_VERSION):
        yield PersonalKind.IP, address.rows, address.shape
    place = _mostly(column, "place")
    if place is not None and about_persons and not about_places and column.distinct > 1:
        yield PersonalKind.PLACE, place.rows, ""


def _holds_names(column: ColumnProfile, name: ColumnName) -> bool:
    """Whether a column names persons: by its own name, or by a usual word and values that hold given names."""
    if column.role not in (ColumnRole.TEXT, ColumnRole.ID, ColumnRole.CATEGORY):
        return False
    form = _form(column, "person")
    share = form.rows / form.looked_at if form is not None and form.looked_at else 0.0
    if _is_told_by_name(name):
        return share > 0 or column.distinct > 1
    return bool(share >= 0.25 and (name.has(_NAME) or share >= MOST))


def _is_told_by_name(name: ColumnName) -> bool:
    """Return whether a column's name alone says that it names persons."""
    return "".join(name.words) in _PERSON_COLUMNS


def _form(column: ColumnProfile, form: str) -> PersonalForm | None:
    return next((one for one in column.personal if one.form == form), None)


def _mostly(column: ColumnProfile, *forms: str) -> PersonalForm | None:
    """Return the form (with the rows of all of `forms`) if most of the values have one of them."""
    held = [one for one in column.personal if one.form in forms]
    rows = sum(one.rows for one in held)
    return replace(held[0], rows=rows) if held and rows >= MOST * max(1, held[0].looked_at) else None


def seed_findings(ws: "Workspace", seed: "Seed") -> tuple[PersonalFinding, ...]:
    """Return the findings of a stored seed with what was confirmed; none while it has no readable profile."""
    if not seed.profile:
        return ()
    signed = list_confirmations(ws, seed.id).get(seed.id, ())
    return personal_findings(Profile.from_json(seed.profile), signed, is_synthetic=seed.synthetic)


def is_older(seed: "Seed") -> bool:
    """Return whether a seed was profiled by a version that counted no values about persons."""
    return seed.profile is not None and int(seed.profile.get("version") or 0) < PROFILE_VERSION


def look_again(ws: "Workspace", seed: "Seed", engine: "Engine") -> "Seed":
    """Profile a seed anew where an earlier version did, which counted no such values; return it as it is stored then.

    Raises:
        ContentError: If its files cannot be read any more.
    """
    from evaluator.session import scratch_folder

    if not is_older(seed):
        return seed
    with scratch_folder() as folder:
        inputs = materialise_inputs(ws, seed.id, folder / "inputs")
        profile = build_profile(engine, [inputs / file.name for file in seed.files])
    save_profile(ws, seed.id, profile.to_json())
    return find_seed(ws, seed.id)


def unconfirmed_by_problemset(ws: "Workspace") -> dict[int, tuple[str, tuple[PersonalFinding, ...]]]:
    """Return problemset -> its seed's name and what nobody has confirmed of it; only where there is something."""
    rows = profiles_of_sets(ws)
    if not rows:
        return {}
    signed, of_seed = list_confirmations(ws), {}
    for row in rows.values():
        if row.id not in of_seed:
            profile = Profile.from_json(json.loads(row.profile))
            found = personal_findings(profile, signed.get(row.id, ()), is_synthetic=row.is_synthetic)
            of_seed[row.id] = tuple(one for one in found if one.confirmed is None)
    return {problemset: (row.name, of_seed[row.id]) for problemset, row in rows.items() if of_seed[row.id]}


def confirm(
    ws: "Workspace", seed: "Seed", column: str, said: Said | None, *, file: str = "", reason: str = "", by: str = ""
) -> PersonalFinding:
    """Confirm one column of a seed, or withdraw that, and return its finding as it was.

    Args:
        ws: The workspace.
        seed: The seed.
        column: Its name.
        said: Why it may stay; None: it may not, what was confirmed is withdrawn.
        file: The table, where several have such a column.
        reason: In the words of the person.
        by: Who confirms it.

    Raises:
        UsageError: If there is no finding about such a column, or about several.
    """
    found = seed_findings(ws, seed)
    named = [one for one in found if one.column == column and file in ("", one.file)]
    where = f"seed {seed.name!r}"
    if not named:
        near = nearest_name(column, [one.column for one in found])
        shown = near or ", ".join(dict.fromkeys(one.column for one in found)) or "nothing: there is no finding"
        raise UsageError(f"nothing was found about a column {column!r}", where=where, fix=f"confirm {shown}")
    if len({one.file for one in named}) > 1:
        files = ", ".join(sorted({one.file for one in named}))
        raise UsageError(f"several tables have a column {column!r}", where=where, fix=f"name one with --table: {files}")
    if said is None:
        withdraw_confirmation(ws, seed.id, named[0].file, column)
    else:
        confirm_column(ws, seed.id, named[0].file, column, said=said, reason=reason, created_by=by)
    return named[0]
