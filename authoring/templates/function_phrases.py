"""What the functions that problems ask for do, and the models that they train, in words."""

from collections.abc import Mapping
from typing import Final

from authoring.templates.phrases import Phrase, Said

SERIES_DEEDS: Final[Mapping[str, Said]] = {  # of functions of a Series of numbers
    "rescale": Phrase("deed_rescale", "linearly maps the smallest value to 0 and the largest to 1")(),
    "centre": Phrase("deed_centre", "subtracts the median of the values from each value")(),
    "share_of_total": Phrase("deed_share_of_total", "divides each value by the sum of all values")(),
    "relative_to_max": Phrase("deed_relative_to_max", "divides each value by the largest value")(),
    "squared_distance": Phrase(
        "deed_squared_distance", "computes the squared distance of each value from the mean of the values"
    )(),
}
LIST_DEEDS: Final[Mapping[str, Said]] = {  # of functions of a list of numbers
    "largest_drop": Phrase(
        "deed_largest_drop",
        "returns the largest fall from one number to the next one in the list, as a positive number; 0 if no number is "
        "smaller than the one before it",
    )(),
    "count_turns": Phrase(
        "deed_count_turns",
        "counts the places at which the list turns: numbers that are greater than both neighbours or smaller than "
        "both; the first and the last number have one neighbour only and never count",
    )(),
    "longest_rise": Phrase(
        "deed_longest_rise",
        "returns how many numbers the longest strictly rising stretch of neighbours in the list has; 0 for an empty "
        "list",
    )(),
}
FILLERS: Final[Mapping[str, Said]] = {  # of white space
    "_": Phrase("underscore", "an underscore")(),
    "-": Phrase("hyphen", "a hyphen")(),
}
MODELS: Final[Mapping[str, Said]] = {
    "regression": Phrase(
        "model_regression", "a linear regression (`sklearn.linear_model.LinearRegression`, default settings)"
    )(),
    "tree": Phrase(
        "model_tree", "a decision tree (`sklearn.tree.DecisionTreeClassifier` with `max_depth=3` and `random_state=0`)"
    )(),
}
