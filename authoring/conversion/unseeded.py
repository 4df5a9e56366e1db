"""Which calls of code draw random numbers that nothing fixes."""

import ast
import re
from collections.abc import Iterator
from typing import Final

from evaluator.language import parse_code

_MODULE_DRAWS: Final = re.compile(r"^(?:np|numpy)\.random\.(?!seed|default_rng|RandomState|Generator|SeedSequence)\w+$")
_GLOBAL_DRAWS: Final = re.compile(
    r"^random\.(?:random|randint|randrange|choices?|sample|shuffle|uniform|gauss|normalvariate|betavariate)$"
)
_SEEDS: Final = re.compile(r"^(?:(?:np|numpy)\.random|random)\.seed$")
_NEEDS_STATE: Final = frozenset(
    {"train_test_split", "KFold", "StratifiedKFold", "ShuffleSplit", "KMeans", "MiniBatchKMeans", "SGDClassifier"}
    | {"RandomForestClassifier", "RandomForestRegressor", "ExtraTreesClassifier", "DecisionTreeClassifier", "TSNE"}
    | {
        "DecisionTreeRegressor",
        "GradientBoostingClassifier",
        "GradientBoostingRegressor",
        "MLPClassifier",
        "MLPRegressor",
    }
    | {"make_blobs", "make_classification", "make_regression", "make_moons", "make_circles", "IsolationForest"}
)
_STATES: Final = frozenset({"random_state", "seed", "rng"})


def sets_seed(code: str) -> bool:
    """Return whether code seeds a global generator."""
    return any(_SEEDS.match(name) for _, name in _calls(code))


def unseeded_draws(code: str, *, is_seeded: bool = False) -> list[str]:
    """Return the names of calls that draw at random with nothing that fixes what, each once, in order.

    Args:
        code: What is looked at.
        is_seeded: A global generator was seeded before, which fixes the draws from it.
    """
    seeded = is_seeded or sets_seed(code)
    return list(dict.fromkeys(name for call, name in _calls(code) if _draws(call, name, seeded)))


def _draws(call: ast.Call, name: str, seeded: bool) -> bool:
    last = name.rsplit(".", 1)[-1]
    has_state = any(k.arg in _STATES and not _is_none(k.value) for k in call.keywords)
    if _MODULE_DRAWS.match(name) or _GLOBAL_DRAWS.match(name):
        return not seeded
    if last in ("default_rng", "RandomState"):
        return not call.args and not call.keywords
    if last == "sample" and not name.startswith("random.") and "." in name:
        return not has_state and not seeded and not _is_of_generator(name)
    if last in _NEEDS_STATE:
        takes_shuffle = any(k.arg == "shuffle" and getattr(k.value, "value", None) is False for k in call.keywords)
        is_fold = last in ("KFold", "StratifiedKFold") and not any(k.arg == "shuffle" for k in call.keywords)
        return not (has_state or takes_shuffle or is_fold or seeded)
    return False


def _is_of_generator(name: str) -> bool:
    return name.split(".", 1)[0] in ("rng", "generator", "gen")


def _is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def _calls(code: str) -> Iterator[tuple[ast.Call, str]]:
    tree = parse_code(code).tree
    for node in ast.walk(tree) if tree is not None else ():
        if isinstance(node, ast.Call):
            yield node, _dotted(node.func)


def _dotted(func: ast.expr) -> str:
    """Return a called name with its dots; what stands before a method of some value is `value`."""
    parts: list[str] = []
    while isinstance(func, ast.Attribute):
        parts.append(func.attr)
        func = func.value
    parts.append(func.id if isinstance(func, ast.Name) else "value")
    return ".".join(reversed(parts))
