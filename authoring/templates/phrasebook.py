"""The phrases that families put into their queries: notes, closings, rules and the words for what is computed."""

from collections.abc import Mapping
from typing import Final

from authoring.templates.phrases import Phrase, Said

# What is computed
MEAN: Final = Phrase("mean", "mean")
MEDIAN: Final = Phrase("median", "median")
TOTAL: Final = Phrase("total", "total")
LARGEST_VALUE: Final = Phrase("largest_value", "largest value")
SMALLEST_VALUE: Final = Phrase("smallest_value", "smallest value")
MAXIMUM: Final = Phrase("maximum", "maximum")
MEASURES: Final[Mapping[str, Said]] = {
    "mean": MEAN(),
    "median": MEDIAN(),
    "sum": TOTAL(),
    "max": LARGEST_VALUE(),
    "min": SMALLEST_VALUE(),
}
PEAKS: Final[Mapping[str, Said]] = {**MEASURES, "max": MAXIMUM()}  # beside "highest"
DIRECTIONS: Final[Mapping[str, Said]] = {
    "largest": Phrase("largest", "largest")(),
    "smallest": Phrase("smallest", "smallest")(),
}
NTH_DIRECTIONS: Final[Mapping[str, Said]] = {  # beside an ordinal number
    "largest": Phrase("nth_largest", "largest")(),
    "smallest": Phrase("nth_smallest", "smallest")(),
}
SORTINGS: Final[Mapping[str, Said]] = {
    "largest": Phrase("from_largest", "from largest to smallest")(),
    "smallest": Phrase("from_smallest", "from smallest to largest")(),
}
DEVIATIONS: Final[Mapping[int, Said]] = {  # by ddof
    0: Phrase("population_deviation", "population standard deviation (`ddof=0`)")(),
    1: Phrase("sample_deviation", "sample standard deviation (`ddof=1`)")(),
}
ERRORS: Final[Mapping[str, Said]] = {
    "mean": Phrase("mean_error", "mean absolute error")(),
    "max": Phrase("largest_error", "largest absolute error")(),
}
STATED_MEASURE: Final = Phrase("stated_measure", "{label}, the {how} of {column}")
PERCENT: Final = Phrase("percent", "{number} %")
SMALL_NUMBERS: Final[Mapping[int, Said]] = {2: Phrase("two", "two")(), 3: Phrase("three", "three")()}

# Conditions and classes
SIGNS: Final[Mapping[str, Phrase]] = {
    ">": Phrase("greater_than", "greater than {value}"),
    "<": Phrase("less_than", "less than {value}"),
    ">=": Phrase("at_least", "at least {value}"),
    "<=": Phrase("at_most", "at most {value}"),
}
IS_GREATER: Final = Phrase("is_greater", "{column} is greater than {value}")
IS_AT_MOST: Final = Phrase("is_at_most", "{column} is at most {value}")
CLASS_UP_TO: Final = Phrase("class_up_to", "{label} up to and including {edge}")
CLASS_THEN_UP_TO: Final = Phrase("class_then_up_to", "{label} above that up to and including {edge}")
CLASS_ABOVE: Final = Phrase("class_above", "{label} above {edge}")
CLASS_RULE: Final = Phrase(
    "class_rule",
    "{low} for a number below {first}, {middle} from {first} up to and including {second}, {high} above that, and "
    '"unknown" for a missing value (NaN or None)',
)
CODE_FOR: Final = Phrase("code_for", "{number} for {value}")

# Dates
DATE_PARTS: Final[Mapping[str, Said]] = {
    "year": Phrase("part_year", "calendar year")(),
    "month": Phrase("part_month", "month number (1 to 12)")(),
    "weekday": Phrase("part_weekday", "English name of the weekday (`Monday`, ...)")(),
    "quarter": Phrase("part_quarter", "quarter (1 to 4)")(),
    "hour": Phrase("part_hour", "hour of the day (0 to 23)")(),
}
DATES_WRITTEN: Final = Phrase("dates_written", "The values are written as `{format}`.")
DATES_WRITTEN_LIKE: Final = Phrase("dates_written_like", "The values are written as `{format}`, for example {example}.")
FINAL_Z: Final = Phrase("final_z", "Treat the final `Z` as plain text: the result has no time zone.")
NO_EMPTY_MONTHS: Final = Phrase("no_empty_months", "Months without rows do not appear.")
NO_EMPTY_QUARTERS: Final = Phrase("no_empty_quarters", "Quarters without rows do not appear.")

# Missing values
IGNORE_MISSING: Final = Phrase("ignore_missing", "Ignore missing values of {columns}.")
MISSING_WITH: Final = Phrase("missing_with", "It is missing where {column} is.")
MISSING_STAY: Final = Phrase("missing_stay", "Missing values of {column} stay missing.")
MISSING_CHANGE: Final = Phrase("missing_change", "Where {column} is missing, so is the change.")
MISSING_NOT_COUNTED: Final = Phrase("missing_not_counted", "Missing values do not count.")
MISSING_OF_NOT_COUNTED: Final = Phrase("missing_of_not_counted", "Missing values of {column} do not count.")
MISSING_ARE_ROWS: Final = Phrase(
    "missing_are_rows", "Missing values of {column} count as rows, but not for the statistics."
)
MISSING_STAY_OUT: Final = Phrase(
    "missing_stay_out", "Missing values stay missing and do not count. ({column} has some.)"
)
ROWS_WITHOUT_NOT_COUNTED: Final = Phrase("rows_without_not_counted", "Rows without {column} do not count.")
ROWS_WITHOUT_MISSING: Final = Phrase("rows_without_missing", "Rows without {column} get a missing value.")
ROWS_WITHOUT_RANK: Final = Phrase("rows_without_rank", "Rows without {column} get no rank.")
ROWS_WITHOUT_LENGTH: Final = Phrase("rows_without_length", "Rows without {column} get a missing length.")
ROWS_WITHOUT_WORDS: Final = Phrase("rows_without_words", "Rows without {column} add no words.")
ROWS_WITHOUT_ZEROS: Final = Phrase("rows_without_zeros", "Rows without {column} have 0 in every column.")
ROWS_WITHOUT_LEFT_OUT: Final = Phrase("rows_without_left_out", "Leave out rows without {column}.")
ROWS_MISSING_LEFT_OUT: Final = Phrase("rows_missing_left_out", "Leave out rows in which {column} itself is missing.")
ROWS_MISSING_NOT_COUNTED: Final = Phrase(
    "rows_missing_not_counted", "Rows in which {column} is missing do not count at all."
)
BOTH_KNOWN: Final = Phrase("both_known", "Use the rows in which both are known.")
PAIRS_KNOWN: Final = Phrase("pairs_known", "For each pair, use the rows in which both values are known.")
OUTER_GAPS_STAY: Final = Phrase("outer_gaps_stay", "Gaps before the first or after the last known value stay.")
KNOWN_VALUES: Final = Phrase("known_values", "the known values of {column}")
ALL_VALUES: Final = Phrase("all_values", "the values of {column}")

# Types
NO_NUMBERS: Final = Phrase("no_numbers", "Values that are no numbers become missing.")
DROP_SYMBOLS: Final = Phrase(
    "drop_symbols",
    "Drop currency signs, percent signs, spaces and the commas between thousands; do not rescale anything.",
)
STILL_NO_NUMBERS: Final = Phrase("still_no_numbers", "What is no number even so becomes missing.")

# Loading
DEFAULT_SETTINGS: Final = Phrase("default_settings", "Use the default settings.")
SEPARATED_BY: Final = Phrase("separated_by", "Its fields are separated by {separator}.")
SEPARATORS: Final[Mapping[str, Said]] = {
    ";": Phrase("semicolons", "semicolons")(),
    "\t": Phrase("tabs", "tabs")(),
    "|": Phrase("vertical_bars", "vertical bars")(),
}
OTHER_SEPARATOR: Final = Phrase("other_separator", "another character")
DECIMAL_COMMA: Final = Phrase("decimal_comma", "Its numbers have a decimal comma.")
RECORD_PER_LINE: Final = Phrase("record_per_line", "It holds one JSON record per line.")
READ_SHEET: Final = Phrase("read_sheet", "Read the sheet {sheet}.")
WHOLE_FILE_TYPES: Final = Phrase(
    "whole_file_types", "Pass `low_memory=False`, so that the type of each column is decided from the whole file."
)
INDEX_DROPPED: Final = Phrase("index_dropped", "The index that the file brings is dropped.")
INDEX_KEPT: Final = Phrase("index_kept", "The index that the file brings becomes ordinary columns.")
TEXT_COLUMN_NAMES: Final = Phrase("text_column_names", "Turn all column names into text.")
LEAVE_OUT: Final = Phrase("leave_out", "Leave out {columns}.")

# Joining
NO_PARTNER: Final = Phrase("no_partner", "Rows without a partner do not count; groups without rows do not appear.")

# Order and windows
RANKS: Final[Mapping[str, Said]] = {  # by the method of Series.rank
    "min": Phrase("rank_min", 'rows with equal values all get the lowest rank of their group (`method="min"`)')(),
    "dense": Phrase("rank_dense", 'equal values share a rank and no rank is left out after them (`method="dense"`)')(),
    "average": Phrase("rank_average", 'rows with equal values get the mean of their ranks (`method="average"`)')(),
}
ROW_BEFORE: Final = Phrase("row_before", "the row before it")
ROWS_BEFORE: Final = Phrase("rows_before", "the row {lag} places before it")
FIRST_ROWS_NOT_COUNTED: Final = Phrase(
    "first_rows_not_counted", "The first {lag} rows have no such difference and do not count."
)
BEGINNINGS: Final[Mapping[int, Said]] = {
    0: Phrase("first_row", "the first row")(),
    1: Phrase("second_row", "the second row")(),
    2: Phrase("third_row", "the third row")(),
}
POSITION: Final = Phrase("position", "position {start}")

# What to return
HOW_MANY: Final = Phrase("how_many", "how many there are")
THEIR_NUMBER: Final = Phrase("their_number", "Return their number.")
THEIR_COLUMNS: Final = Phrase(
    "their_columns", "their columns {columns} as a DataFrame, in the original order and with the original index labels"
)
RETURN_COLUMNS: Final = Phrase(
    "return_columns", "Return their columns {columns} as a DataFrame with the original order and index."
)
LARGEST_OF_THESE: Final = Phrase("largest_of_these", "the largest of these values as a single number")
ALL_OF_THESE: Final = Phrase(
    "all_of_these", "all of them as a Series with the index of {frame}; the first {lacking} values are missing"
)
MEAN_OF_CALL: Final = Phrase("mean_of_call", "the mean of {call}, not rounded")
CALL: Final = Phrase("call", "{call}, a Series")

# Digests of what a problem stores
THEN_STATISTICS: Final = Phrase(
    "then_statistics",
    "Then return the minimum, mean and maximum of {column} as a Series labelled `min`, `mean` and `max`.",
)
THEN_EXTREMES: Final = Phrase(
    "then_extremes", "Then return the minimum and maximum of {column} as a Series labelled `min` and `max`."
)
THEN_ROWS: Final = Phrase("then_rows", "Then return the number of rows that {frame} has now.")
THEN_SHAPE: Final = Phrase("then_shape", "Then return the shape of {frame}.")
THEN_COLUMNS_LEFT: Final = Phrase(
    "then_columns_left", "Then return the list of the names of the columns that are left."
)
THEN_TEXT: Final = Phrase(
    "then_text", "Then return the number of distinct values and the longest length in {column} as a tuple."
)
THEN_WORDS: Final = Phrase(
    "then_words", "Then return the number of different words in {column} and the length of the longest, as a tuple."
)
THEN_VALUES: Final = Phrase(
    "then_values", "Then return the number of different values of {column} and the length of the longest, as a tuple."
)
THEN_SUM: Final = Phrase("then_sum", "Then return the sum of {column}.")
THEN_MEANS: Final = Phrase("then_means", "Then return the mean of each column of {frame} as a Series.")
THEN_DATES: Final = Phrase("then_dates", "Then return the earliest and the latest date as a tuple.")
THEN_KNOWN: Final = Phrase(
    "then_known", "Then return how many values of {columns} are known in {frame}, as a Series indexed by column."
)
THEN_KNOWN_BOTH: Final = Phrase(
    "then_known_both",
    "Then return how many values of each of the two columns are known in {frame}, as a Series by column.",
)


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
