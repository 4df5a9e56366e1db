"""Names, wordings and difficulty of the cleaning tasks."""

from authoring.templates.families import cleaning
from authoring.templates.family import Family

FAMILIES = (
    Family(
        name="count_missing",
        theme="missing values",
        knowledge_points=("missing values", "boolean sums"),
        idea="Missing values per column of {frame}",
        wordings=(
            "How many values are missing in each column of {frame}? Return a Series indexed by column name, "
            "restricted to columns with at least one missing value and sorted by column name.",
            "For every column of {frame} that has missing values, count them. Return the counts as a Series whose "
            "index holds the column names in ascending order.",
        ),
        propose=cleaning.propose_missing_counts,
        build=cleaning.build_missing_counts,
        limit=1,
    ),
    Family(
        name="drop_missing",
        theme="missing values",
        knowledge_points=("missing values", "dropping rows"),
        idea="Drop rows without {columns}",
        wordings=(
            "Remove from {frame} every row in which a value of {columns} is missing, renumber the rows from 0, "
            "and store the result in {frame} again.",
            "We only need rows with known {columns}. Drop all others from {frame}, give the remaining rows a fresh "
            "index starting at 0, and keep the result under the name {frame}.",
        ),
        propose=cleaning.propose_drop_missing,
        build=cleaning.build_drop_missing,
        limit=1,
    ),
    Family(
        name="fill_missing",
        theme="missing values",
        knowledge_points=("missing values", "imputation"),
        idea="Fill the gaps of {column} with its {how}",
        wordings=(
            "Replace the missing values of {column} in {frame} by the {how} of that column. Change {frame} itself.",
            "Fill the gaps in column {column} of {frame} with the column's {how}, keeping the name {frame}.",
        ),
        propose=cleaning.propose_fill,
        build=cleaning.build_fill,
        limit=1,
    ),
    Family(
        name="fill_by_group",
        theme="missing values",
        knowledge_points=("missing values", "imputation", "group transform"),
        idea="Fill the gaps of {column} with the median of each {group}",
        wordings=(
            "Fill the missing values of {column} in {frame} with the median {column} of the rows that have the same "
            "value of {group}. Change {frame} itself.",
            "In {frame}, a missing {column} shall become the median of its group: the median of {column} over all rows "
            "with the same value of {group}. Update column {column} of {frame}.",
        ),
        propose=cleaning.propose_fill_by_group,
        build=cleaning.build_fill_by_group,
        limit=1,
    ),
    Family(
        name="drop_duplicates",
        theme="duplicates",
        knowledge_points=("duplicates",),
        idea="Remove repeated rows of {frame}",
        wordings=(
            "Some rows of {frame} occur more than once. Keep the first of each, drop the repeats, renumber the rows "
            "from 0, and store the result in {frame}.",
            "Remove all rows of {frame} that are exact copies of an earlier row, reset the index so that it starts "
            "at 0 (without keeping the old one), and assign the result back to {frame}.",
        ),
        propose=cleaning.propose_duplicates,
        build=cleaning.build_duplicates,
        limit=1,
    ),
    Family(
        name="strip_spaces",
        theme="text cleaning",
        knowledge_points=("strings", "whitespace"),
        idea="Strip the values of {column}",
        wordings=(
            "Some values of {column} in {frame} begin or end with spaces. Remove this leading and trailing white "
            "space in {frame} itself; leave missing values missing.",
            "Clean column {column} of {frame}: strip white space from both ends of every value, in place. Missing "
            "values stay missing.",
        ),
        propose=cleaning.propose_strip,
        build=cleaning.build_strip,
        limit=2,
    ),
    Family(
        name="lower_case",
        theme="text cleaning",
        knowledge_points=("strings", "letter case"),
        idea="Write {column} in lower case",
        wordings=(
            "Column {column} of {frame} writes the same thing in different letter cases. Turn all its values into "
            "lower case, in {frame} itself.",
            "Convert every value of {column} in {frame} to lower case and keep the result in that column.",
        ),
        propose=cleaning.propose_case,
        build=cleaning.build_case,
        limit=1,
    ),
    Family(
        name="to_number",
        theme="types",
        knowledge_points=("type conversion", "numbers stored as text"),
        idea="Turn {column} into numbers",
        wordings=(
            "Column {column} of {frame} holds numbers as text. Convert it to floats (`float64`) in {frame} itself.",
            "Turn {column} in {frame} from text into floats (`float64`), keeping the column's name and place.",
        ),
        propose=cleaning.propose_to_number,
        build=cleaning.build_to_number,
        limit=2,
    ),
    Family(
        name="drop_useless_columns",
        theme="selection",
        knowledge_points=("column selection", "distinct values"),
        idea="Drop columns of {frame} that hold at most one value",
        wordings=(
            "Drop every column of {frame} that has at most one distinct value, missing values not counted as a "
            "value, and store the result in {frame}. Keep the order of the other columns.",
            "Some columns of {frame} tell us nothing: all their known values are equal, or none is known. Remove "
            "these columns and assign the rest, in the same order, to {frame}.",
        ),
        propose=cleaning.propose_drop_columns,
        build=cleaning.build_drop_columns,
        limit=1,
    ),
    Family(
        name="fill_category",
        theme="missing values",
        knowledge_points=("missing values", "categories"),
        idea="Mark missing {column} as {value}",
        wordings=(
            "In {frame}, write {value} wherever {column} is missing. Change {frame} itself.",
            "Replace missing values of {column} in {frame} by the text {value} and keep the result in that column.",
        ),
        propose=cleaning.propose_fill_text,
        build=cleaning.build_fill_text,
        limit=1,
    ),
)
