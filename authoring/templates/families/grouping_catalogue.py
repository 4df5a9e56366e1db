"""Names, wordings and difficulty of the grouping tasks."""

from authoring.templates.families import grouping
from authoring.templates.family import Family

FAMILIES = (
    Family(
        name="group_aggregate",
        theme="grouping",
        knowledge_points=("group and aggregate",),
        idea="The {how} of {number} for each {group}",
        wordings=(
            "What is the {how} of {number} for each {group} in {frame}? Return a Series indexed by {group} and sorted "
            "by its index. Do not round.",
            "Group {frame} by {group} and return the {how} of {number} in each group, as a Series sorted by {group}, "
            "without rounding.",
            "For every {group}, compute the {how} of {number} in {frame}. I want a Series with one entry per {group}, "
            "in ascending order of the index, not rounded.",
        ),
        propose=grouping.propose_aggregate,
        build=grouping.build_aggregate,
    ),
    Family(
        name="group_summary",
        theme="grouping",
        knowledge_points=("group and aggregate", "named aggregation"),
        idea="A summary of {number} by {group}, stored as {var}",
        wordings=(
            "Build a DataFrame {var} with one row per {group} of {frame}, indexed by {group} in ascending order. Its "
            "columns are {rows}, the number of rows; {average}, the mean of {number}; and {largest}, the largest "
            "{number}. Do not round.",
            "Summarise {number} by {group}: store as {var} a DataFrame whose index is {group}, sorted ascending, and "
            "whose columns are, in this order, {rows} (how many rows of {frame} the group has), {average} (mean of "
            "{number}, not rounded) and {largest} (maximum of {number}).",
        ),
        propose=grouping.propose_summary,
        build=grouping.build_summary,
        limit=1,
    ),
    Family(
        name="best_row_per_group",
        theme="grouping",
        knowledge_points=("group and aggregate", "row of the extreme value"),
        idea="The row with the {direction} {number} of each {group}",
        wordings=(
            "For each {group}, find the row of {frame} with the {direction} {number}. Return a DataFrame with the "
            "columns {group}, {label} and {number}, sorted by {group}, with an index that starts at 0.",
            "Which row of every {group} in {frame} has the {direction} {number}? Return {group}, {label} and "
            "{number} of these rows as a DataFrame, one row per {group}, in ascending order of {group} and numbered "
            "from 0.",
        ),
        propose=grouping.propose_best_row,
        build=grouping.build_best_row,
        limit=1,
    ),
    Family(
        name="crosstab",
        theme="pivoting",
        knowledge_points=("cross tabulation",),
        idea="How often {rows} and {columns} go together",
        wordings=(
            "Count how often each {rows} occurs together with each {columns} in {frame}. Return a DataFrame with the "
            "values of {rows} as its index and those of {columns} as its columns. Both axes are sorted ascending and "
            "named {rows} and {columns}; a combination that does not occur counts 0.",
            "Return a contingency table of {frame}: rows are the values of {rows}, columns the values of {columns} "
            "(both axes sorted ascending and named like that), cells the numbers of rows, 0 included.",
        ),
        propose=grouping.propose_crosstab,
        build=grouping.build_crosstab,
        limit=1,
    ),
    Family(
        name="pivot_table",
        theme="pivoting",
        knowledge_points=("pivot tables", "group and aggregate"),
        idea="The {how} of {number} by {rows} and {columns}",
        wordings=(
            "Make a table of the {how} of {number} in {frame}, with one row per {rows} and one column per {columns}, "
            "both axes sorted ascending and named {rows} and {columns}. Combinations that do not occur stay missing. "
            "Return the DataFrame, not rounded.",
            "Pivot {frame}: index {rows}, columns {columns}, cells the {how} of {number}. Sort both axes ascending "
            "and name them {rows} and {columns}, leave combinations without data missing, do not round, and return "
            "the table.",
        ),
        propose=grouping.propose_pivot,
        build=grouping.build_pivot,
        limit=1,
    ),
    Family(
        name="group_shares",
        theme="grouping",
        knowledge_points=("frequencies", "shares"),
        idea="The share of each {group}",
        wordings=(
            "What share of the rows of {frame} has each value of {group}? Return a Series of fractions between 0 and "
            "1, indexed by the values of {group} in ascending order, not rounded.",
            "Return the relative frequency (0 to 1, unrounded) of every value of {group} in {frame} as a Series "
            "sorted by its index.",
        ),
        propose=grouping.propose_shares,
        build=grouping.build_shares,
    ),
    Family(
        name="group_difference",
        theme="grouping",
        knowledge_points=("comparison of groups", "mean and median"),
        idea="How {first} and {second} differ in their {how} {number}",
        wordings=(
            "By how much does the {how} of {number} in {frame} differ between rows whose {group} is {first} and rows "
            "whose {group} is {second}? Return the value of {first} minus the value of {second}, not rounded.",
            "Compare two groups of {frame}: subtract the {how} {number} of the rows with {group} {second} from that "
            "of the rows with {group} {first}. Return the difference as a number, not rounded.",
        ),
        propose=grouping.propose_gap,
        build=grouping.build_gap,
    ),
    Family(
        name="leading_groups",
        theme="grouping",
        knowledge_points=("group and aggregate", "sorting", "top-k"),
        idea="The {count} {group} with the highest {how} of {number}",
        wordings=(
            "Which {count} values of {group} have the highest {how} of {number} in {frame}? Return a Series of these "
            "numbers indexed by {group}, from highest to lowest, not rounded.",
            "Compute the {how} of {number} per {group} in {frame} and return the {count} largest as a Series indexed "
            "by {group} and sorted in descending order, not rounded.",
        ),
        propose=grouping.propose_leaders,
        build=grouping.build_leaders,
    ),
)
