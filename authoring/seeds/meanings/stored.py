"""What the tables of a stored seed mean: rules, what came with the data, and what people corrected, in this order."""

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from authoring.seeds.meanings.findings import SemanticsFinding, check_semantics, refuse_errors
from authoring.seeds.meanings.rules import infer_semantics
from authoring.seeds.meanings.statement_text import parse_statement, read_statement, statement_to_text
from authoring.seeds.meanings.statements import Statement, combined, difference, with_statement, without_columns
from authoring.seeds.profile import Profile
from authoring.seeds.semantics import Origin, Semantics
from authoring.store.drafting.seed_semantics import Layer, StoredSemantics, find_semantics, save_semantics
from authoring.store.drafting.seeds import Seed
from authoring.store.workspace import Workspace
from evaluator.errors import ContentError
from evaluator.installation import HOME

SEMANTICS_NAME: Final = "semantics.yaml"  # beside a seed's card
SHIPPED_BY: Final = "benchwright"  # who adds the seeds that come with the program


class KnownSemantics(NamedTuple):
    """What a seed's tables mean, and what is odd about it."""

    semantics: Semantics
    findings: tuple[SemanticsFinding, ...]
    proposal: StoredSemantics | None  # a model's, not accepted yet


def seed_semantics(ws: Workspace, seed: Seed) -> Semantics:
    """Return what the tables of a seed mean: what the rules say, below what its card and then people state.

    Raises:
        ContentError: If the seed has no profile, or it cannot be read.
    """
    return _on_top(seed, seed_profile_of(seed), find_semantics(ws, seed.id))


def known_semantics(ws: Workspace, seed: Seed) -> KnownSemantics:
    """Return what the tables of a seed mean with what is odd about it, for screens.

    Raises:
        ContentError: If the seed has no profile, or it cannot be read.
    """
    profile, stored = seed_profile_of(seed), find_semantics(ws, seed.id)
    semantics = _on_top(seed, profile, stored)
    return KnownSemantics(semantics, check_semantics(semantics, profile), stored.get(Layer.PROPOSAL))


def seed_profile_of(seed: Seed) -> Profile:
    """Return the profile of a seed.

    Raises:
        ContentError: If it has none, or it cannot be read.
    """
    if seed.profile is None:
        raise ContentError(f"seed {seed.name!r} has no profile", where=f"seed {seed.id}", fix="add the seed again")
    return Profile.from_json(seed.profile)


def _on_top(seed: Seed, profile: Profile, stored: Mapping[Layer, StoredSemantics]) -> Semantics:
    semantics = infer_semantics(profile, title=seed.title, description=seed.description)
    card = stored[Layer.CARD].text if Layer.CARD in stored else _shipped_text(seed)
    own = stored[Layer.PERSON].text if Layer.PERSON in stored else ""
    for text in filter(None, (card, own)):
        semantics = with_statement(semantics, _read(text, profile))
    return semantics


def _shipped_text(seed: Seed) -> str:
    """Return what comes with a shipped seed that was added before its meanings came with it."""
    path = HOME / "seeds" / seed.name / SEMANTICS_NAME
    return path.read_text(encoding="utf-8") if seed.created_by == SHIPPED_BY and path.is_file() else ""


def _read(text: str, profile: Profile) -> Statement:
    """Return what is stored; it was read strictly before, so that what does not fit any more is left out."""
    return read_statement(text, profile=profile)[0]


def state_semantics(
    ws: Workspace, seed: Seed, statement: Statement, *, created_by: str = ""
) -> tuple[SemanticsFinding, ...]:
    """Store what a person states of a seed, on top of what people stated before, and return what is odd about it.

    Raises:
        ContentError: If something of it cannot be, such as a text that is called a measure; nothing is stored then.
    """
    profile = seed_profile_of(seed)
    findings: list[SemanticsFinding] = []

    def change(text: str) -> str:
        whole = combined(_read(text, profile), statement) if text else statement
        semantics = with_statement(_below_people(ws, seed, profile), whole)
        findings.extend(check_semantics(semantics, profile))
        refuse_errors(findings, where=f"seed {seed.name!r}")
        return statement_to_text(whole) if not whole.is_empty else ""

    save_semantics(ws, seed.id, Layer.PERSON, change, created_by=created_by)
    return tuple(findings)


def _below_people(ws: Workspace, seed: Seed, profile: Profile) -> Semantics:
    card = find_semantics(ws, seed.id).get(Layer.CARD)
    return _on_top(seed, profile, {} if card is None else {Layer.CARD: card})


def state_change(ws: Workspace, seed: Seed, after: Semantics, *, created_by: str = "") -> tuple[SemanticsFinding, ...]:
    """Store what a person changed of a seed's semantics as they were shown, and return what is odd about it.

    Raises:
        ContentError: As `state_semantics`.
    """
    return state_semantics(ws, seed, difference(seed_semantics(ws, seed), after), created_by=created_by)


def reset_semantics(ws: Workspace, seed: Seed) -> None:
    """Forget what people stated of a seed, and what a model proposed."""
    for layer in (Layer.PERSON, Layer.PROPOSAL):
        save_semantics(ws, seed.id, layer, lambda _text: "")


def keep_proposal(
    ws: Workspace, seed: Seed, statement: Statement, *, provenance: Mapping[str, Any], created_by: str = ""
) -> None:
    """Store what a model proposes in place of an earlier proposal; it counts once a person accepts it."""
    text = statement_to_text(statement)
    save_semantics(ws, seed.id, Layer.PROPOSAL, lambda _text: text, provenance=provenance, created_by=created_by)


def proposed_change(ws: Workspace, seed: Seed) -> Statement:
    """Return what accepting the proposal would change: not what people stated themselves, nor what is so already.

    Raises:
        ContentError: If there is no proposal.
    """
    profile, stored = seed_profile_of(seed), find_semantics(ws, seed.id)
    if Layer.PROPOSAL not in stored:
        fix = f"benchwright seed semantics {seed.name} --propose"
        raise ContentError("no model has proposed anything", where=f"seed {seed.name!r}", fix=fix)
    now = _on_top(seed, profile, stored)
    proposal = _read(stored[Layer.PROPOSAL].text, profile)
    own = _read(stored[Layer.PERSON].text, profile) if Layer.PERSON in stored else Statement()
    wanted = with_statement(now, without_columns(proposal, own, origin=Origin.PERSON))
    return difference(now, wanted, origin=Origin.MODEL)


def accept_proposal(ws: Workspace, seed: Seed, *, accepted_by: str = "") -> tuple[SemanticsFinding, ...]:
    """Make a model's proposal count, save where people stated something themselves, and return what is odd about it.

    Raises:
        ContentError: If there is no proposal, or something of it cannot be.
    """
    found = state_semantics(ws, seed, proposed_change(ws, seed), created_by=accepted_by)
    drop_proposal(ws, seed)
    return found


def drop_proposal(ws: Workspace, seed: Seed) -> None:
    """Forget what a model proposed."""
    save_semantics(ws, seed.id, Layer.PROPOSAL, lambda _text: "")


def check_card_text(text: str, profile: Profile, *, where: str) -> None:
    """Refuse a `semantics.yaml` that cannot be read, or states what cannot be.

    Raises:
        ContentError: What is wrong with it.
    """
    statement = parse_statement(text, profile=profile, where=where)
    semantics = with_statement(infer_semantics(profile), statement)
    refuse_errors(check_semantics(semantics, profile), where=where)
