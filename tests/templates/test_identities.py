"""What two problems must differ in, within a set and between the sets of a seed."""

import json

import pytest

from authoring.seeds import SHIPPED_SEEDS_DIR, Profile
from authoring.seeds.meanings import infer_semantics
from authoring.seeds.semantics import Semantics
from authoring.store.drafting.sketches import SketchItem
from authoring.templates import FAMILIES, sketch_from_profile, sketch_identities
from authoring.templates.identities import SAME_IN_EVERY_SET, identity, item_identities
from evaluator.errors import ContentError

SEEDS = sorted(card.parent.name for card in SHIPPED_SEEDS_DIR.glob("*/seed.yaml"))


def shipped_profile(name: str) -> tuple[Profile, Semantics]:
    cached = json.loads((SHIPPED_SEEDS_DIR / name / "profile.json").read_text(encoding="utf-8"))
    profile = Profile.from_json(cached["profile"])
    return profile, infer_semantics(profile)


def avoid_all(profile: Profile, known: set[str]) -> None:
    """Sketch until nothing new is left."""
    for rng_seed in range(20):
        known.update(sketch_identities(sketch_from_profile(profile, rng_seed=rng_seed, avoid=known)))


@pytest.mark.parametrize("name", ["gapminder", "nyc-flights"])
def test_sketches_that_avoid_each_other_share_no_problem_but_the_preparation(name: str) -> None:
    profile, semantics = shipped_profile(name)
    known = set[str]()
    for rng_seed in range(3):
        items = sketch_from_profile(profile, rng_seed=rng_seed, semantics=semantics, avoid=known)
        keys = sketch_identities(items)
        assert known.isdisjoint(keys)
        assert len(set(keys)) == len(keys)
        assert len(keys) >= len(items) - sum(FAMILIES[item.family].theme in SAME_IN_EVERY_SET for item in items)
        known.update(keys)


def test_a_seed_that_has_nothing_new_is_refused_in_plain_words() -> None:
    profile, _ = shipped_profile("mauna-loa-co2")
    with pytest.raises(ContentError, match="that other sketches of it do not hold"):
        avoid_all(profile, set())


def test_a_variable_stands_for_what_it_holds_whatever_it_is_called() -> None:
    def sketch(table: str, order: int) -> list[SketchItem]:
        return [
            SketchItem(1, "", family="load_tables", slots={"table": 0, "var": "df", "others": {}}),
            SketchItem(2, "", family="group_table", slots={"frame": "df", "group": "g", "number": "x", "var": table}),
            SketchItem(3, "", family="inside_leader", slots={"table": table, "second": "h", "wording": order}),
        ]

    assert item_identities(sketch("by_g", 0)) == item_identities(sketch("groups", 1))
    assert len(sketch_identities(sketch("by_g", 0))) == 2
    assert item_identities(sketch("by_g", 0))[2] != identity("inside_leader", {"table": "by_g", "second": "h"})
