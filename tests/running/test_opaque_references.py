"""References whose values equal nothing are told to their authors, with what to do about them."""

from pathlib import Path

import pytest

from evaluator.diagnostics import Diagnostic
from evaluator.language import read_benchmark
from evaluator.running.checking.self_check import self_check

pytestmark = pytest.mark.kernel
TEXT = '''# %%
"""
query: Give the squares below ten.
"""

(n * n for n in range(4))

# %%
"""
query: Make a function `f` and an object `thing`.
validator:
  namespace_check:
    thing:
    f: {type_only: true}
"""

f = len
thing = object()

# %%
"""
query: Give a number.
"""

7
'''


def found(tmp_path: Path, rules: str) -> list[Diagnostic]:
    (tmp_path / "_manifest.yaml").write_text("name: demo\nversion: 1.0.0\n", encoding="utf-8")
    (tmp_path / "squares.py").write_text(TEXT, encoding="utf-8")
    sets = read_benchmark(tmp_path).sets
    checked = self_check(sets, rules={each.path: rules for each in sets}, cheat=False)
    return [each for each in checked.diagnostics if each.code != "low-information"]


def test_published_rules_warn_of_every_value_that_equals_nothing(tmp_path: Path) -> None:
    generator, thing = found(tmp_path, "published")
    for each in (generator, thing):
        assert (each.code, each.severity.value) == ("opaque-reference", "warning")
    assert "the result of problem 1 is an object of type builtins.generator" in generator.what
    assert "take items of it under 'probes'" in generator.fix
    assert (thing.line, "the variable 'thing' of problem 2" in thing.what) == (13, True)


def test_sound_rules_refuse_the_set_and_say_what_to_do(tmp_path: Path) -> None:
    refused, other = found(tmp_path, "sound")
    for each in (refused, other):
        assert (each.code, each.severity.value) == ("validator-does-not-fit", "error")
    assert "builtins.generator" in refused.what
    assert "probes" in refused.fix
