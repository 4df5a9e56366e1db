"""The score board of CIBench: means by module, set and category, and the row of the leaderboard (arXiv:2407.10499)."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from evaluator.families.boards import Score, grouped, mean, weighted
from evaluator.families.cibench.benchmark_folder import GENERATION, TEMPLATE, TEMPLATE_CN

METRICS: Final = ("tool", "executable", "numeric", "text", "visual")
GENERAL: Final = "general"  # of notebooks without step types, instead of numeric and text
OF_TAG: Final[Mapping[str, str]] = {"num": "numeric", "text": "text", "vis": "visual", "general": GENERAL}
_OUTPUT: Final = ("numeric", "text", "visual")  # what categories and the leaderboard's mean pool
CATEGORIES: Final[Mapping[str, tuple[str, ...]]] = {
    "data manipulation": ("pandas",),
    "visualization": ("matplotlib", "seaborn"),
    "modeling": ("pytorch", "sklearn", "tensorflow", "lightgbm"),
    "NLP": ("nltk",),
    "image processing": ("opencv",),
    "mathematics": ("scipy",),
}
_PUBLISHED: Final[Mapping[str, Mapping[str, tuple[int, int, int, int]]]] = {  # module -> all, num, text, vis
    GENERATION: {
        "matplotlib": (175, 2, 1, 156),
        "pandas": (200, 45, 45, 38),
        "pytorch": (69, 0, 8, 11),
        "seaborn": (130, 0, 2, 106),
        "opencv": (177, 21, 6, 106),
        "scipy": (161, 94, 14, 49),
    },
    TEMPLATE: {
        "lightgbm": (30, 15, 0, 0),
        "matplotlib": (42, 0, 0, 36),
        "nltk": (70, 30, 20, 10),
        "opencv": (60, 10, 0, 40),
        "pandas": (60, 40, 0, 10),
        "pytorch": (28, 0, 0, 0),
        "scipy": (60, 40, 0, 0),
        "seaborn": (42, 0, 0, 35),
        "sklearn": (42, 6, 0, 18),
        "tensorflow": (36, 6, 0, 12),
    },
}
LEADERBOARD: Final = ("Tool", "Exe", "Num", "Text", "Vis")
_COLUMN: Final = dict(zip(METRICS, LEADERBOARD, strict=True))
_LETTER: Final = {"end-to-end": "E", "oracle": "O", "oracle-as-run": "O", "oracle-from-truth": "O"}


@dataclass(frozen=True)
class ScoredStep:
    """One step of one notebook, scored."""

    set_name: str
    module: str
    tag: str
    scores: Mapping[str, float | None]  # metric -> fraction; None: not graded
    language: str = "en"


@dataclass(frozen=True)
class CibenchBoard:
    """What the steps of a run come to."""

    mode: str
    rules: str
    every: Mapping[str, Score]  # metric -> score, all steps pooled
    modules: Mapping[str, Mapping[str, Score]]
    sets: Mapping[str, Mapping[str, Score]]
    categories: Mapping[str, Score]
    leaderboard: Mapping[str, Score]
    weights: str = "counted"  # or "published"

    def to_json(self) -> dict[str, Any]:
        """Return plain JSON values; values are fractions."""
        return {
            "family": "cibench",
            "rules": self.rules,
            "mode": self.mode,
            "weights": self.weights,
            "all": _json(self.every),
            "modules": {name: _json(scores) for name, scores in self.modules.items()},
            "sets": {name: _json(scores) for name, scores in self.sets.items()},
            "categories": _json(self.categories),
            "leaderboard": _json(self.leaderboard),
        }


def _json(scores: Mapping[str, Score]) -> dict[str, Any]:
    return {name: score.to_json() for name, score in scores.items()}


def board_of(steps: Sequence[ScoredStep], *, mode: str, rules: str, published_weights: bool = False) -> CibenchBoard:
    """Bring scored steps together.

    Args:
        steps: Of one run; each metric counts the steps that have it.
        mode: end-to-end, or one of the readings of oracle.
        rules: published | sound.
        published_weights: Modules count in their set as the published harness weighs them; else by their steps.
    """
    by_module = grouped(steps, lambda step: (step.set_name, step.module))
    names = _module_names(by_module)
    modules = {key: _means(group) for key, group in by_module.items()}
    weights = {key: _weights(key, group, published_weights) for key, group in by_module.items()}
    sets = {}
    for set_name in dict.fromkeys(step.set_name for step in steps):
        of_set = [key for key in modules if key[0] == set_name]
        lacking = _lacking(set_name, [module for _, module in of_set]) if published_weights else ()
        sets[set_name] = _set_scores([modules[key] for key in of_set], [weights[key] for key in of_set], lacking)
    english = [step for step in steps if step.language == "en"]
    return CibenchBoard(
        mode,
        rules,
        _means(steps),
        {names[key]: scores for key, scores in modules.items()},
        sets,
        _categories(english, modules, weights),
        leaderboard_row({mode: _means(english)} if mode in _LETTER else {}),
        "published" if published_weights else "counted",
    )


def _module_names(keys: Iterable[tuple[str, str]]) -> dict[tuple[str, str], str]:
    """Return a module's own name where it stands in one set alone, else with its set."""
    every = list(keys)
    modules = [module for _, module in every]
    return {key: key[1] if modules.count(key[1]) == 1 else f"{key[0]}/{key[1]}" for key in every}


def _means(steps: Sequence[ScoredStep]) -> dict[str, Score]:
    metrics = [*METRICS, *([GENERAL] if any(GENERAL in step.scores for step in steps) else [])]
    return {metric: mean(step.scores[metric] for step in steps if metric in step.scores) for metric in metrics}


def _weights(key: tuple[str, str], steps: Sequence[ScoredStep], published: bool) -> dict[str, float]:
    counted = {metric: float(sum(metric in step.scores for step in steps)) for metric in (*METRICS, GENERAL)}
    set_name = TEMPLATE if key[0] == TEMPLATE_CN else key[0]
    known = _PUBLISHED.get(set_name, {}).get(key[1]) if published else None
    if known is None:
        return counted
    every, numeric, text, visual = map(float, known)
    return {"tool": every, "executable": every, "numeric": numeric, "text": text, "visual": visual}


def _lacking(set_name: str, modules: Sequence[str]) -> tuple[str, ...]:
    """Return the metrics that lack a module of a set which the published weights count."""
    wanted = _PUBLISHED.get(TEMPLATE if set_name == TEMPLATE_CN else set_name, {})
    missing = [weights for module, weights in wanted.items() if module not in modules]
    of_metric = {"tool": 0, "executable": 0, "numeric": 1, "text": 2, "visual": 3}
    return tuple(metric for metric, place in of_metric.items() if any(weights[place] for weights in missing))


def _set_scores(
    modules: Sequence[Mapping[str, Score]], weights: Sequence[Mapping[str, float]], lacking: Sequence[str]
) -> dict[str, Score]:
    found = {}
    for metric in dict.fromkeys(metric for scores in modules for metric in scores):
        pairs = zip(modules, weights, strict=True)
        score = weighted((scores.get(metric, Score(None, 0)), each.get(metric, 0.0)) for scores, each in pairs)
        found[metric] = Score(None, score.n, score.not_graded) if metric in lacking else score
    return found


def _categories(
    steps: Sequence[ScoredStep],
    modules: Mapping[tuple[str, str], Mapping[str, Score]],
    weights: Mapping[tuple[str, str], Mapping[str, float]],
) -> dict[str, Score]:
    """Return one number per category over the English sets: numeric, text and visual scores, pooled by weight."""
    english = dict.fromkeys((step.set_name, step.module) for step in steps)
    return {
        name: weighted(
            (modules[key][metric], weights[key].get(metric, 0.0))
            for key in english
            if key[1] in members
            for metric in _OUTPUT
        )
        for name, members in CATEGORIES.items()
    }


def column_of(metric: str, mode: str) -> str:
    """Return what a metric is called on the leaderboard in a mode, such as E-Num; its own name where it has no column.

    E is end-to-end, O is oracle; another mode has no letter.
    """
    column = _COLUMN.get(metric, metric)
    return f"{_LETTER[mode]}-{column}" if mode in _LETTER and metric in _COLUMN else column


def rows_together(first: Mapping[str, Any], second: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return two rows of the leaderboard, as JSON, as one: of an agent's runs in both modes.

    None where both hold the same column: they ran in the same mode. `Avg` is the plain mean of Num, Text and Vis.
    """
    row: dict[str, Any] = {}
    for column in (f"{letter}-{name}" for letter in "EO" for name in LEADERBOARD):
        sides = [side[column] for side in (first, second) if side.get(column, {}).get("n")]
        if len(sides) > 1:
            return None
        row[column] = sides[0] if sides else {"value": None, "n": 0}
    values = [row[f"{letter}-{column}"]["value"] for letter in "EO" for column in ("Num", "Text", "Vis")]
    known = [value for value in values if value is not None]
    row["Avg"] = {"value": sum(known) / len(values) if len(known) == len(values) else None, "n": len(known)}
    return row


def leaderboard_row(modes: Mapping[str, Mapping[str, Score]]) -> dict[str, Score]:
    """Return the columns of the public leaderboard, from the pooled English steps of each mode.

    `Avg` is the plain mean of the six columns Num, Text and Vis of both modes; None while one of them is missing.
    """
    row = {f"{letter}-{column}": Score(None, 0) for letter in "EO" for column in LEADERBOARD}
    for mode, scores in modes.items():
        for metric, column in _COLUMN.items():
            row[f"{_LETTER[mode]}-{column}"] = scores[metric]
    pooled = [row[f"{letter}-{column}"] for letter in "EO" for column in ("Num", "Text", "Vis")]
    values = [score.value for score in pooled if score.value is not None]
    average = sum(values) / len(pooled) if len(values) == len(pooled) else None
    return {**row, "Avg": Score(average, len(values))}
