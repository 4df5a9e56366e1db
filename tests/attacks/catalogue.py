"""Reading the attack catalogue: `tests/attacks/<group>/<id>.py`, one attack a file, a YAML header above its cells."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any, Final

import yaml

from evaluator.scoring import Verdict
from evaluator.session import Ending, Isolation
from tests.attacks.grounds import BACKENDS, Ground, Policy, grounds

ROOT: Final = Path(__file__).parent
GROUPS: Final = ("cmp", "leak", "esc", "har", "fig")
TURNS: Final = 3
"""After so many rotations every attack was fought on every ground."""
NEXT_TRIAL: Final = "# %%\n"
"""A line that ends a cell: what follows is submitted in a trial of its own, after the one before it."""
_ENDINGS: Final = frozenset(Ending) - {Ending.ENGINE_ERROR}  # our own failure is allowed in no row
_PLACES: Final = frozenset((*BACKENDS, *Isolation, *Policy))
_OVERRIDDEN: Final = frozenset(("ending", "limit_s", "memory_mb"))  # what it may earn never depends on the ground


@dataclass(frozen=True)
class Attack:
    """One row of the catalogue."""

    id: str
    title: str
    ending: tuple[Ending, ...]  # how its cells may end
    credit: str  # none: neither correct nor right in another form; form: not correct; honest: right and wrong stay so
    cells: tuple[str, ...]
    problem: str = "number"  # a key of `problems.PROBLEMS`
    right: Verdict = Verdict.CORRECT  # with credit honest: of the attack followed by the right answer
    limit_s: float = 8.0  # wall time of a cell
    memory_mb: float | None = None
    takes_processes: bool = False  # all that its user may have, which others lack where those of a user count together
    overrides: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)  # by backend, engine or policy
    policies: tuple[Policy, ...] = tuple(Policy)  # under which it has to be contained; docs/dseal.md names the others

    def is_fought_on(self, ground: Ground) -> bool:
        """Whether it has to be contained there."""
        return ground.policy in self.policies

    def on(self, ground: Ground) -> "Attack":
        """Return what is expected on a ground."""
        changed: dict[str, Any] = {}
        for part in ground.parts:
            changed |= self.overrides.get(part, {})
        if "ending" in changed:
            changed["ending"] = _endings(changed["ending"])
        return replace(self, **changed)


@cache
def catalogue() -> tuple[Attack, ...]:
    """Return every attack, in the order of groups and numbers."""
    return tuple(read_attack(path) for group in GROUPS for path in sorted((ROOT / group).glob("*.py")))


def read_attack(path: Path) -> Attack:
    """Read one file; its name and folder must be those of its id."""
    text = path.read_text(encoding="utf-8")
    opening, header, source = text.split('"""\n', 2)
    assert opening == "", f"{path} does not begin with its header"
    fields = yaml.load(header, Loader=yaml.CSafeLoader)
    fields["ending"] = _endings(fields["ending"])
    fields["policies"] = tuple(Policy(name) for name in fields.get("policies", Policy))
    fields["right"] = Verdict(fields.get("right", Verdict.CORRECT))
    attack = Attack(cells=tuple(source.split(NEXT_TRIAL)), **fields)
    assert (path.parent.name, path.stem) == (attack.id.split("-")[0].lower(), attack.id), path
    assert attack.credit in ("none", "form", "honest"), path
    assert all(cell.strip() for cell in attack.cells), path
    assert set(attack.overrides) <= _PLACES, path
    assert all(set(changed) <= _OVERRIDDEN for changed in attack.overrides.values()), path
    return attack


def grounds_of(attack: Attack, rotation: int) -> list[Ground]:
    """Return where an attack is fought in full: in each sandbox on its first ground, and in turns on the others.

    Where processes of all tests count together, no attack takes all of them.
    """
    seen: set[str] = set()
    found = []
    for place, ground in enumerate(grounds()):
        is_first, is_its_turn = ground.backend not in seen, (_numbers()[attack.id] + place + rotation) % TURNS == 0
        seen.add(ground.backend)
        takes_all = attack.takes_processes and ground.backend == "landlock"
        if attack.is_fought_on(ground) and (is_first or is_its_turn) and not takes_all:
            found.append(ground)
    return found


@cache
def _numbers() -> Mapping[str, int]:
    return {attack.id: number for number, attack in enumerate(catalogue())}


def _endings(names: list[str]) -> tuple[Ending, ...]:
    endings = tuple(Ending(name) for name in names)
    assert endings
    assert set(endings) <= _ENDINGS
    return endings
