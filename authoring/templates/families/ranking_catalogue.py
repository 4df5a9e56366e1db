"""Names and wordings of the tasks that order rows and groups."""

from authoring.templates.families import ranking
from authoring.templates.family import Family

FAMILIES = (
    Family(
        name="sort_by_two",
        theme="sorting",
        knowledge_points=("sorting", "several sort keys"),
        idea="The first {count} rows by {group} and falling {number}",
        wordings=(
            "Sort the rows of {frame} by {group} in ascending order and, within equal {group}, by {number} from "
            "largest to smallest. Return the first {count} rows as a DataFrame with the columns {show}, indexed from "
            "0. Leave {frame} as it is.",
            "Order {frame} by two keys, {group} ascending and then {number} descending, and return the columns {show} "
            "of the first {count} rows, renumbered from 0. {frame} itself keeps its order.",
            "I want to see {show} of the {count} rows that come first when {frame} is sorted by {group} (ascending), "
            "rows of the same {group} by {number} (descending). Return a DataFrame with an index from 0 and do not "
            "change {frame}.",
        ),
        propose=ranking.propose_sorted,
        build=ranking.build_sorted,
    ),
    Family(
        name="nth_value",
        theme="sorting",
        knowledge_points=("sorting", "distinct values"),
        idea="The {place} {direction} value of {column}",
        wordings=(
            "What is the {place} {direction} distinct value of {column} in {frame}? Values that occur several times "
            "count once. Return one number.",
            "Leave out repeats of the same value in {column} of {frame}, and return the {place} {direction} of the "
            "values that remain.",
        ),
        propose=ranking.propose_nth,
        build=ranking.build_nth,
        limit=1,
    ),
    Family(
        name="top_per_group",
        theme="grouping",
        knowledge_points=("sorting", "group and aggregate", "top-k"),
        idea="The {count} rows with the largest {number} of each {group}",
        wordings=(
            "For each {group}, take the {count} rows of {frame} with the largest {number}. Return a DataFrame with the "
            "columns {group}, {label} and {number}, sorted by {group} in ascending order and, within a {group}, by "
            "{number} from largest to smallest, with an index that starts at 0.",
            "Which {count} rows of every {group} in {frame} have the highest {number}? Return {group}, {label} and "
            "{number} of these rows, ordered by {group} ascending and then {number} descending, numbered from 0.",
        ),
        propose=ranking.propose_top_each,
        build=ranking.build_top_each,
        limit=1,
    ),
    Family(
        name="filtered_leaders",
        theme="grouping",
        knowledge_points=("boolean filtering", "group and aggregate", "top-k"),
        idea="The {count} {group} with the highest {how} {target} where {column} is {sign}",
        wordings=(
            "Use only the rows of {frame} whose {column} is {sign}. Which {count} values of {group} have the highest "
            "{how} of {target} among them? Return a Series of these numbers indexed by {group}, from highest to "
            "lowest, not rounded.",
            "Among the rows of {frame} with {column} {sign}, compute the {how} of {target} for each {group} and return "
            "the {count} largest as a Series indexed by {group}, largest first, without rounding.",
        ),
        propose=ranking.propose_filtered_leaders,
        build=ranking.build_filtered_leaders,
    ),
    Family(
        name="best_partner",
        theme="grouping",
        knowledge_points=("two group columns", "unstacking", "label of the extreme value"),
        idea="For each {rows}, the {columns} with the highest {how} of {number}",
        wordings=(
            "For each {rows} in {frame}, which {columns} has the highest {how} of {number}? Return a Series indexed "
            "and sorted by {rows} whose values are those of {columns}.",
            "Compute the {how} of {number} for every combination of {rows} and {columns} in {frame}. Then return, "
            "for each {rows}, the value of {columns} for which it is largest, as a Series sorted by its index.",
        ),
        propose=ranking.propose_best_partner,
        build=ranking.build_best_partner,
        limit=1,
    ),
    Family(
        name="records",
        theme="windows",
        knowledge_points=("cumulative maximum", "shifting", "boolean filtering"),
        idea="Rows that set a new record of {column}",
        wordings=(
            "Go through {frame} in its present order. Which rows have a {column} greater than that of every row before "
            "them? The first row does not count. Return their columns {show} as a DataFrame with the original index.",
            "Return the rows of {frame} that set a new maximum of {column}: strictly greater than all earlier rows, in "
            "the present order and leaving out the first row. Show the columns {show} and keep the index.",
        ),
        propose=ranking.propose_records,
        build=ranking.build_records,
        limit=1,
    ),
)
