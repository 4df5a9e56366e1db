"""Names and wordings of the tasks that compare groups in more than one step."""

from authoring.templates.families import comparing
from authoring.templates.family import Family

FAMILIES = (
    Family(
        name="share_of_group",
        theme="deriving",
        knowledge_points=("group transform", "shares", "derived columns"),
        idea="The share of {number} in the total of its {group}",
        wordings=(
            "Add a column {new} to {frame}: {number} of the row divided by the sum of {number} over all rows with the "
            "same {group}. Do not round.",
            "How much does each row contribute to its {group}? Divide {number} by the total {number} of the rows with "
            "the same {group} and store the unrounded fraction in a new column {new} of {frame}.",
        ),
        propose=comparing.propose_group_share,
        build=comparing.build_group_share,
        limit=1,
    ),
    Family(
        name="several_statistics",
        theme="grouping",
        knowledge_points=("group and aggregate", "named aggregation", "several columns"),
        idea="Statistics of {columns} for each {group}",
        wordings=(
            "For each {group} in {frame}, compute {first}, and {second}. Return a DataFrame indexed by {group} in "
            "ascending order with these two columns, in this order and not rounded.",
            "Return a DataFrame with one row per {group} of {frame} (as the index, ascending) and two columns: "
            "{first}; and {second}. Do not round.",
        ),
        propose=comparing.propose_several,
        build=comparing.build_several,
    ),
    Family(
        name="large_groups",
        theme="grouping",
        knowledge_points=("filtering groups", "group and aggregate"),
        idea="The {how} {number} of every {group} with at least {least} rows",
        wordings=(
            "Only values of {group} that stand in at least {least} rows of {frame} are of interest. Return the {how} "
            "of {number} for each of them as a Series sorted by {group}, not rounded.",
            "Leave out every {group} that has fewer than {least} rows in {frame}. For the others, return the {how} of "
            "{number} as an unrounded Series indexed by {group} in ascending order.",
        ),
        propose=comparing.propose_large_groups,
        build=comparing.build_large_groups,
        limit=1,
    ),
    Family(
        name="widest_ranges",
        theme="grouping",
        knowledge_points=("group and aggregate", "own aggregation", "top-k"),
        idea="The {count} {group} in which {number} varies most",
        wordings=(
            "For each {group} in {frame}, take the difference between the largest and the smallest {number}. Return "
            "the {count} largest differences as a Series indexed by {group}, from largest to smallest, not rounded.",
            "In which {count} values of {group} does {number} of {frame} span the widest range (maximum minus "
            "minimum)? Return the unrounded ranges as a Series indexed by {group}, widest first.",
        ),
        propose=comparing.propose_ranges,
        build=comparing.build_ranges,
        limit=1,
    ),
    Family(
        name="weighted_groups",
        theme="grouping",
        knowledge_points=("weighted mean", "group and aggregate", "arithmetic of Series"),
        idea="The mean {number} of each {group}, weighted by {weight}",
        wordings=(
            "Compute the mean of {number} for each {group} in {frame}, weighted by {weight}: the sum of {number} times "
            "{weight}, divided by the sum of {weight}. Return an unrounded Series sorted by {group}.",
            "In the average of {number} per {group}, each row of {frame} shall count with its {weight} as the weight. "
            "Return these weighted means as a Series indexed by {group} in ascending order, not rounded.",
        ),
        propose=comparing.propose_weighted,
        build=comparing.build_weighted,
        limit=1,
    ),
    Family(
        name="difference_within",
        theme="grouping",
        knowledge_points=("comparison of groups", "alignment of Series", "group and aggregate"),
        idea="How {first} and {second} differ in {number} within each {rows}",
        wordings=(
            "Within each {rows} of {frame}, by how much does the {how} of {number} differ between rows whose {columns} "
            "is {first} and rows whose {columns} is {second}? Return a Series of the values for {first} minus those "
            "for {second}, indexed and sorted by {rows}, not rounded.",
            "For every {rows} in {frame}, subtract the {how} {number} of the rows with {columns} {second} from that of "
            "the rows with {columns} {first}. Return the differences as an unrounded Series sorted by {rows}.",
        ),
        propose=comparing.propose_side_by_side,
        build=comparing.build_side_by_side,
        limit=1,
    ),
)
