"""Trees of code built by several threads at once."""

import ast
import gc
import sys
import threading
from collections.abc import Iterator

import pytest

from evaluator.language import syntax_tree

LINE = "rows_{0} = table[table['a'] > {0}].agg({{'b': ['mean', lambda s: s.max() - {0}]}})"
CODE = "\n".join(LINE.format(number) for number in range(40))


class Ring:
    """Garbage whose finalizer runs Python, where another thread may take over, also in the middle of a tree."""

    def __init__(self) -> None:
        self.itself = self

    def __del__(self) -> None:
        for _ in range(100):
            self.itself = self


@pytest.fixture
def frequent_switches() -> Iterator[None]:
    """Threads take turns every few microseconds, garbage is collected every few objects."""
    interval, thresholds = sys.getswitchinterval(), gc.get_threshold()
    sys.setswitchinterval(1e-6)
    gc.set_threshold(20)
    yield
    sys.setswitchinterval(interval)
    gc.set_threshold(*thresholds)


def test_threads_that_build_trees_at_once_all_get_theirs(frequent_switches: None) -> None:
    expected = ast.dump(ast.parse(CODE))
    trees: list[str] = []
    rings: list[Ring] = []
    faults: list[SystemError] = []

    def build() -> None:
        try:
            for _ in range(15):
                rings.extend(Ring() for _ in range(50))
                rings.clear()
                trees.append(ast.dump(syntax_tree(CODE)))
        except SystemError as fault:
            faults.append(fault)

    threads = [threading.Thread(target=build) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert faults == []
    assert trees == [expected] * 60


def test_a_clash_with_a_library_that_builds_a_tree_is_met_by_trying_again(monkeypatch: pytest.MonkeyPatch) -> None:
    real, clashes = ast.parse, iter([True, True])

    def parse(code: str) -> ast.Module:
        if next(clashes, False):
            raise SystemError("AST constructor recursion depth mismatch (before=69, after=62)")
        return real(code)

    monkeypatch.setattr(ast, "parse", parse)
    assert ast.dump(syntax_tree("1 + 1")) == ast.dump(real("1 + 1"))


def test_errors_are_those_of_the_parser() -> None:
    with pytest.raises(SyntaxError):
        syntax_tree("1 +")
