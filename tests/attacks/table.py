"""Runs the catalogue and prints a table for each ground: `python -m tests.attacks.table [ID ...] [--backend NAME] ...`.

Exit code 1 unless every attack is contained on every ground.
"""

import argparse
import sys
import tempfile
from itertools import groupby
from pathlib import Path

from evaluator.reporting import text_table
from evaluator.session import Isolation
from tests.attacks.arena import Arena, Fought
from tests.attacks.catalogue import Attack, catalogue
from tests.attacks.grounds import BACKENDS, Ground, Policy, grounds

_HEADERS = ("id", "attack", "ending", "credit", "verdict", "seconds", "contained")


def main(arguments: list[str]) -> int:
    """Run the attacks whose ids begin with one of the arguments; without arguments, all."""
    asked = _parser().parse_args(arguments)
    attacks = [attack for attack in catalogue() if not asked.ids or attack.id.startswith(tuple(asked.ids))]
    chosen = [ground for ground in grounds() if _is_asked(ground, asked)]
    if not chosen or not attacks:
        print("no such ground is to be had here" if attacks else "no attack is called so", file=sys.stderr)
        return 1
    lost = 0
    for (backend, engine), there in groupby(chosen, key=lambda ground: (ground.backend, ground.engine)):
        with tempfile.TemporaryDirectory() as inputs, Arena(backend, engine, Path(inputs)) as arena:
            lost += sum(_run(arena, ground, [one for one in attacks if one.is_fought_on(ground)]) for ground in there)
    if len(chosen) > 1:
        print(f"{len(attacks)} attacks on {len(chosen)} grounds: {lost or 'none'} not contained")
    return 1 if lost else 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="tests.attacks.table", description=__doc__)
    parser.add_argument("ids", nargs="*", help="such as CMP or ESC-11")
    parser.add_argument("--backend", choices=BACKENDS, help="only in this sandbox")
    parser.add_argument("--engine", choices=[*map(str, Isolation)], help="only on sessions of this kind")
    parser.add_argument("--policy", choices=[*map(str, Policy)], help="only where this is what submissions start from")
    return parser


def _is_asked(ground: Ground, asked: argparse.Namespace) -> bool:
    return all(
        wanted in (None, part)
        for wanted, part in zip((asked.backend, asked.engine, asked.policy), ground.parts, strict=True)
    )


def _run(arena: Arena, ground: Ground, attacks: list[Attack]) -> int:
    """Run attacks on one ground, print how they went, and return how many are not contained."""
    print(f"ground: {ground}", flush=True)
    fights = []
    for attack in attacks:
        fights.append(arena.fight(attack, ground))
        if sys.stderr.isatty():
            print(f"\r{len(fights)} of {len(attacks)}", end="\r", file=sys.stderr)
    print(text_table(_HEADERS, [_row(fight) for fight in fights], numbers_from=5))
    lost = [fight for fight in fights if fight.faults]
    for fight in lost:
        print(f"{fight.attack.id}: " + f"\n{fight.attack.id}: ".join(fight.faults))
    print(f"{len(fights) - len(lost)} of {len(fights)} attacks are contained", flush=True)
    return len(lost)


def _row(fight: Fought) -> tuple[str, ...]:
    attack = fight.attack
    return (
        attack.id,
        attack.title[:60],
        " ".join(dict.fromkeys(fight.endings)),
        attack.credit,
        " ".join(dict.fromkeys(fight.verdicts)),
        f"{fight.seconds:.2f}",
        "no" if fight.faults else "yes",
    )


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
