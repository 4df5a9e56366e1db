"""The phrases that families put into their queries beside names, numbers and code."""

from collections.abc import Mapping
from typing import Final

from authoring.templates.phrases import Phrase, Said

# What the rows are
ROWS: Final = Phrase("rows", "rows")()

# Repairs
STRIP_SPACES: Final = Phrase("strip_spaces", "Take the spaces off both ends of its values.")()
LOWER_CASE: Final = Phrase("lower_case", "Write all its values in lower case.")()
STRIP_AND_LOWER: Final = Phrase(
    "strip_and_lower", "Take the spaces off both ends of its values and write them in lower case."
)()
DROP_SYMBOLS: Final = Phrase(
    "drop_symbols", ", dropping currency signs, percent signs, spaces and thousands separators"
)()
IS_KNOWN: Final = Phrase("is_known", "is known")()
ARE_KNOWN: Final = Phrase("are_known", "are all known")()
ARE_BOTH_KNOWN: Final = Phrase("are_both_known", "are both known")()

# What is computed
STATISTICS: Final[Mapping[str, Said]] = {
    "mean": Phrase("mean", "mean")(),
    "median": Phrase("median", "median")(),
    "sum": Phrase("total", "total")(),
}
LEVELS: Final[Mapping[str, Said]] = {
    "high": Phrase("level_high", "high")(),
    "low": Phrase("level_low", "low")(),
}

WITH_KNOWN: Final = Phrase("with_known", " with a known {column}")
ALL_OF_THEM: Final = Phrase("all_of_them", " without gaps in {columns}")
KNOWN_ROWS: Final = Phrase("known_rows", "how many {rows} have a known {number}")
BOTH_KNOWN: Final = Phrase("both_known", "the number of {rows} that have both values")
NUMBER_OF_ROWS: Final = Phrase("number_of_rows", "the number of {rows}")

# Loading
DATES_PARSED: Final = Phrase("dates_parsed", "Turn {columns} into dates.")
DATES_WRITTEN: Final = Phrase("dates_written", "The values of {column} are written like {example}, that is `{format}`.")
SEPARATED_BY: Final = Phrase("separated_by", "Its fields are separated by {separator}.")
SEPARATORS: Final[Mapping[str, Said]] = {
    ";": Phrase("semicolons", "semicolons")(),
    "\t": Phrase("tabs", "tabs")(),
    "|": Phrase("vertical_bars", "vertical bars")(),
}
OTHER_SEPARATOR: Final = Phrase("other_separator", "another character")
DECIMAL_COMMA: Final = Phrase("decimal_comma", "Its numbers have a decimal comma.")
ENCODED: Final = Phrase("encoded", "The file is encoded as {encoding}.")
RECORD_PER_LINE: Final = Phrase("record_per_line", "It holds one JSON record per line.")
READ_SHEET: Final = Phrase("read_sheet", "Read the sheet {sheet}.")
WHOLE_FILE_TYPES: Final = Phrase(
    "whole_file_types", "Pass `low_memory=False`, so that the type of each column is decided from the whole file."
)
INDEX_DROPPED: Final = Phrase("index_dropped", "Drop the index that the file brings.")
INDEX_KEPT: Final = Phrase("index_kept", "Make ordinary columns of the index that the file brings.")
TEXT_COLUMN_NAMES: Final = Phrase("text_column_names", "Turn all column names into text.")
LEAVE_OUT: Final = Phrase("leave_out", "Leave out {columns}.")
ALSO_READ: Final = Phrase("also_read", "We also need {file} as {frame}.")

# Missing values
WITHOUT_NOT_COUNTED: Final = Phrase("without_not_counted", "Rows without {columns} do not count.")
STAYS_MISSING: Final = Phrase("stays_missing", "Without {columns}, {new} stays missing.")
WITH_BOTH: Final = Phrase("with_both", ", using the {rows} that have both values")

SMALL_LEFT_OUT: Final = Phrase("small_left_out", "Leave out each {group} with fewer than {least} {rows}.")
KNOWN_FOR_SHARES: Final = Phrase(
    "known_for_shares", "Use only the rows in which {columns} are known, for the shares as well."
)
EACH_PAIR: Final = Phrase("each_pair", "Each uses the {rows} that have both values.")

ALL_COLUMNS: Final = Phrase("all_columns", "all columns")()

# Conventions
SAMPLE_DEVIATION: Final = Phrase("sample_deviation", "Take the sample standard deviation (`ddof=1`).")
EQUAL_SHARE_BEST: Final = Phrase("equal_share_best", "Equal values share the better rank (1, 2, 2, 4).")
EDGE_BELONGS_BELOW: Final = Phrase("edge_belongs_below", "A value on an edge belongs to the lower class.")
LINEAR_QUARTILES: Final = Phrase("linear_quartiles", "Quartiles are interpolated linearly, as pandas does by default.")

# Columns that are made
RATIOS: Final[Mapping[str, Phrase]] = {
    "share": Phrase("ratio_share", "{upper} as a fraction of {lower}"),
    "rate": Phrase("ratio_rate", "{upper} per {lower}"),
    "likeness": Phrase("ratio_likeness", "{upper} divided by {lower}"),
}
STANDINGS: Final[Mapping[str, Phrase]] = {
    "difference": Phrase(
        "standing_difference", "how far {number} lies above (or, negative, below) the mean of its {group}"
    ),
    "score": Phrase(
        "standing_score",
        "how many standard deviations {number} lies above (or, negative, below) the mean of its {group}, both taken "
        "within the {group}",
    ),
}
DATE_PARTS: Final[Mapping[str, Said]] = {
    "year": Phrase("part_year", "year")(),
    "month": Phrase("part_month", "month (1 to 12)")(),
    "weekday": Phrase("part_weekday", "weekday (as `Monday`, `Tuesday`, ...)")(),
    "hour": Phrase("part_hour", "hour (0 to 23)")(),
}
CLASS_UP_TO: Final = Phrase("class_up_to", "{label} up to {high}")
CLASS_BETWEEN: Final = Phrase("class_between", "{label} above that and up to {high}")
CLASS_ABOVE: Final = Phrase("class_above", "{label} above {low}")


def class_of(label: str, low: str | None, high: str | None) -> Said:
    """Return what belongs to one class of values, between two edges of which one may be open."""
    if low is None:
        return CLASS_UP_TO(label=label, high=high or "")
    return CLASS_ABOVE(label=label, low=low) if high is None else CLASS_BETWEEN(label=label, high=high)


# Time
PERIODS: Final[Mapping[str, Said]] = {
    "year": Phrase("period_year", "year")(),
    "quarter": Phrase("period_quarter", "quarter")(),
    "month": Phrase("period_month", "month")(),
    "week": Phrase("period_week", "week")(),
    "day": Phrase("period_day", "day")(),
    "hour": Phrase("period_hour", "hour")(),
}
WRITTEN_PERIODS: Final[Mapping[str, Phrase]] = {
    "month": Phrase("written_month", " (written like 2024-05)"),
    "quarter": Phrase("written_quarter", " (written like 2024Q2)"),
}
JUMPS: Final[Mapping[str, Said]] = {"rise": Phrase("rise", "rise")(), "fall": Phrase("fall", "fall")()}
CHANGES: Final[Mapping[str, Said]] = {
    "percent": Phrase("in_percent", "in percent")(),
    "difference": Phrase("as_difference", "as a plain difference")(),
}
EXTREMES: Final[Mapping[str, Said]] = {
    "max": Phrase("extreme_highest", "highest")(),
    "min": Phrase("extreme_lowest", "lowest")(),
}
PERIOD_OF: Final = Phrase("period_of", "{period} of {time}")
SIDES: Final[Mapping[str, Said]] = {"above": Phrase("side_above", "above")(), "below": Phrase("side_below", "below")()}

FIRST: Final = Phrase("first_quartile", "first")()
THIRD: Final = Phrase("third_quartile", "third")()

# Association
RANK_CORRELATION: Final[Mapping[str, Said]] = {
    "spearman": Phrase("spearman", "Spearman (rank)")(),
    "pearson": Phrase("pearson", "Pearson")(),
}
STRONGEST: Final = Phrase("strongest", "the column that comes first in {table}")

# Figures
BARS_DRAWN: Final[Mapping[str, Phrase]] = {
    "vertical": Phrase("bars_vertical", "one vertical bar for each {label}"),
    "horizontal": Phrase("bars_horizontal", "one horizontal bar for each {label}"),
}
BARS_OF_THE_TOP: Final[Mapping[str, Phrase]] = {
    "vertical": Phrase(
        "bars_of_the_top_vertical", "a vertical bar for each of the {count} {label} values with the highest {value}"
    ),
    "horizontal": Phrase(
        "bars_of_the_top_horizontal", "a horizontal bar for each of the {count} {label} values with the highest {value}"
    ),
}
BARS_ORDERED: Final[Mapping[str, Said]] = {
    "vertical": Phrase("bars_from_the_left", "in falling order from left to right")(),
    "horizontal": Phrase("bars_from_the_top", "in falling order from top to bottom")(),
}
NO_ERROR_BARS: Final = Phrase("no_error_bars", "Draw no error bars.")()
AS_TEXTS: Final = Phrase("as_texts", " (as evenly spaced text labels)")()
OF_ALL_ROWS: Final = Phrase("of_all_rows", "all {rows} of {frame}")
OF_THE_EXTREME_GROUP: Final = Phrase(
    "of_the_extreme_group", "the {rows} of {frame} whose {group} has the {which} {lead} in {table}"
)
COLOURED: Final = Phrase(
    "coloured", ", with a colour for each {group} and a legend that says which colour belongs to which"
)
LOGARITHMIC: Final = Phrase("logarithmic", ", and make the {axis} logarithmic")
AXES: Final[Mapping[str, Said]] = {"x": Phrase("axis_x", "x axis")(), "y": Phrase("axis_y", "y axis")()}
LOGARITHMIC_BOTH: Final = Phrase("logarithmic_both", ", and make both axes logarithmic")()
