"""Names, wordings and difficulty of the tasks that choose rows."""

from authoring.templates.families import filtering
from authoring.templates.family import Family

FAMILIES = (
    Family(
        name="filter_threshold",
        theme="filtering",
        knowledge_points=("boolean filtering", "column selection"),
        idea="Rows of {frame} with {column} {sign}",
        wordings=(
            "Select the rows of {frame} whose {column} is {sign} and return {wish}.",
            "Which rows of {frame} have a value of {column} that is {sign}? Return {wish}.",
        ),
        propose=filtering.propose_threshold,
        build=filtering.build_threshold,
    ),
    Family(
        name="store_subset",
        theme="filtering",
        knowledge_points=("boolean filtering", "membership"),
        idea="Keep the rows with {column} {values} as {var}",
        wordings=(
            "Store the rows of {frame} whose {column} is {values} as a new DataFrame {var} with a fresh index that "
            "starts at 0. Leave {frame} as it is.",
            "Make a DataFrame called {var} of those rows of {frame} in which {column} equals {values}. Number its "
            "rows from 0 and do not change {frame}.",
        ),
        propose=filtering.propose_subset,
        build=filtering.build_subset,
        limit=1,
    ),
    Family(
        name="filtered_mean",
        theme="filtering",
        knowledge_points=("boolean filtering", "combined conditions", "mean and median"),
        idea="The {how} {target} where {group} is {category} and {column} is {sign}",
        wordings=(
            "Consider the rows of {frame} where {group} is {category} and {column} is {sign}. What is the {how} of "
            "{target} over these rows? Return a single number, not rounded.",
            "Return the {how} of {target} in {frame} for rows that have {group} equal to {category} and, at the "
            "same time, {column} {sign}. Do not round.",
        ),
        propose=filtering.propose_filtered_mean,
        build=filtering.build_filtered_mean,
    ),
    Family(
        name="top_rows",
        theme="sorting",
        knowledge_points=("sorting", "top-k"),
        idea="The {count} rows with the {direction} {column}",
        wordings=(
            "Return the {count} rows of {frame} with the {direction} values of {column}, sorted {sorting}. Show only "
            "the columns {show}, in this order, with an index that starts at 0.",
            "Find the {count} rows of {frame} that have the {direction} {column}. Return a DataFrame of the columns "
            "{show}, ordered by {column} {sorting} and indexed from 0.",
        ),
        propose=filtering.propose_top,
        build=filtering.build_top,
    ),
    Family(
        name="count_either",
        theme="filtering",
        knowledge_points=("combined conditions", "group sizes"),
        idea="Rows per {group} where {first} or {second}",
        wordings=(
            "For each {group}, how many rows of {frame} meet at least one of two conditions: {first}, or {second}? "
            "Return a Series of counts indexed and sorted by {group}; leave out groups without such rows.",
            "Take the rows of {frame} where {first} or {second} (or both) and count them by {group}. Return the "
            "counts as a Series sorted by its index; groups with no such row do not appear.",
        ),
        propose=filtering.propose_two_conditions,
        build=filtering.build_two_conditions,
        limit=1,
    ),
)
