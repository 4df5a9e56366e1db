"""Runs the catalogue and prints a table: `python -m tests.attacks.table [ID ...]`; exit code 1 unless all hold."""

import argparse
import sys
import tempfile
from pathlib import Path

from evaluator.reporting import text_table
from tests.attacks.arena import Arena, Fought, backends
from tests.attacks.catalogue import Attack, catalogue

_HEADERS = ("id", "attack", "ending", "credit", "verdict", "seconds", "contained")


def main(arguments: list[str]) -> int:
    """Run the attacks whose ids begin with one of the arguments; without arguments, all."""
    parser = argparse.ArgumentParser(prog="tests.attacks.table", description=__doc__)
    parser.add_argument("ids", nargs="*", help="such as CMP or ESC-11")
    chosen = tuple(parser.parse_args(arguments).ids)
    attacks = [attack for attack in catalogue() if not chosen or attack.id.startswith(chosen)]
    found = backends()
    if not found or not attacks:
        print("there is no sandbox to attack" if attacks else "no attack is called so", file=sys.stderr)
        return 1
    return max(_run(backend, attacks) for backend in found)


def _run(backend: str, attacks: list[Attack]) -> int:
    print(f"backend: {backend}")
    fights = []
    with tempfile.TemporaryDirectory() as inputs, Arena(backend, Path(inputs)) as arena:
        for attack in attacks:
            fights.append(arena.fight(attack))
            if sys.stderr.isatty():
                print(f"\r{len(fights)} of {len(attacks)}", end="\r", file=sys.stderr)
    print(text_table(_HEADERS, [_row(fight) for fight in fights], numbers_from=5))
    lost = [fight for fight in fights if fight.faults]
    for fight in lost:
        print(f"{fight.attack.id}: " + f"\n{fight.attack.id}: ".join(fight.faults))
    print(f"{len(fights) - len(lost)} of {len(fights)} attacks are contained")
    return 1 if lost else 0


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
