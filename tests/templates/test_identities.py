"""What two problems must differ in, within a set and between the sets of a seed."""

import json

import pytest

from authoring.seeds import SHIPPED_SEEDS_DIR, Profile
from authoring.store.drafting.sketches import SketchItem
from authoring.templates import sketch_from_profile, sketch_identities
from authoring.templates.identities import identity, item_identities
from evaluator.errors import ContentError

SEEDS = sorted(card.parent.name for card in SHIPPED_SEEDS_DIR.glob("*/seed.yaml"))


def shipped_profile(name: str) -> Profile:
    cached = json.loads((SHIPPED_SEEDS_DIR / name / "profile.json").read_text(encoding="utf-8"))
    return Profile.from_json(cached["profile"])


def avoid_all(profile: Profile, known: set[str]) -> None:
    """Sketch until nothing new is left."""
    for rng_seed in range(20):
        known.update(sketch_identities(sketch_from_profile(profile, rng_seed=rng_seed, avoid=known)))


@pytest.mark.parametrize("name", ["gapminder", "nyc-flights"])
def test_sketches_that_avoid_each_other_share_no_problem_but_the_preparation(name: str) -> None:
    profile, known = shipped_profile(name), set[str]()
    for rng_seed in range(3):
        keys = sketch_identities(sketch_from_profile(profile, rng_seed=rng_seed, avoid=known))
        assert known.isdisjoint(keys)
        assert len(set(keys)) == len(keys)
        known.update(keys)


def test_a_seed_that_has_nothing_new_is_refused_in_plain_words() -> None:
    profile, known = shipped_profile("mauna-loa-co2"), set[str]()
    with pytest.raises(ContentError, match="that other sketches of it do not hold"):
        avoid_all(profile, known)


def test_a_variable_stands_for_what_it_holds_whatever_it_is_called() -> None:
    def sketch(frame: str, part: str) -> list[SketchItem]:
        return [
            SketchItem(1, "", family="load_table", slots={"table": 0, "var": frame}),
            SketchItem(
                2, "", family="store_subset", slots={"frame": frame, "column": "g", "values": ["a"], "var": part}
            ),
            SketchItem(3, "", family="quantiles", slots={"frame": part, "column": "x", "levels": [0.5]}),
        ]

    assert item_identities(sketch("df", "subset")) == item_identities(sketch("data", "chosen"))
    assert len(sketch_identities(sketch("df", "subset"))) == 2
    assert item_identities(sketch("df", "subset"))[2] != identity("quantiles", {"frame": "df", "column": "x"})
