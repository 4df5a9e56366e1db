"""Names and wordings of the tasks about dates in several steps."""

from authoring.templates.families import date_steps
from authoring.templates.family import Family

FAMILIES = (
    Family(
        name="date_gaps",
        theme="dates",
        knowledge_points=("date differences", "distinct values"),
        idea="The days between consecutive values of {date}",
        wordings=(
            "Sort the distinct values of {date} in {frame} and take the number of days from each to the next. Return "
            "the mean and the maximum of these as a Series labelled `mean` and `max`, not rounded.",
            "How many days lie between one {date} and the next in {frame}, each date counted once? Return an unrounded "
            "Series with the labels `mean` and `max`.",
        ),
        propose=date_steps.propose_gaps,
        build=date_steps.build_gaps,
        limit=1,
    ),
    Family(
        name="by_quarter",
        theme="dates",
        knowledge_points=("time series", "calendar quarters"),
        idea="The {how} of {number} in each quarter",
        wordings=(
            "Compute the {how} of {number} in {frame} for every quarter of {date}. Return an unrounded Series in order "
            "of time, whose index holds the quarters as text such as {example}.",
            "What is the {how} of {number} in each calendar quarter, by {date} of {frame}? Return a Series, earliest "
            "quarter first and not rounded, indexed by text in the form {example} (year, Q, number of the quarter).",
        ),
        propose=date_steps.propose_quarters,
        build=date_steps.build_quarters,
    ),
    Family(
        name="days_since_start",
        theme="dates",
        knowledge_points=("date differences", "derived columns"),
        idea="Days since the first {date} in a column {new}",
        wordings=(
            "Add a column {new} to {frame} with the number of whole days from the earliest {date} in {frame} to the "
            "{date} of the row.",
            "How many full days after the earliest {date} of the table does each row of {frame} lie? Store the numbers "
            "in a new column {new}.",
        ),
        propose=date_steps.propose_since_first,
        build=date_steps.build_since_first,
        limit=1,
    ),
    Family(
        name="month_to_month",
        theme="dates",
        knowledge_points=("calendar months", "differences", "top-k"),
        idea="The {count} largest rises of the monthly mean of {number}",
        wordings=(
            "Take the mean of {number} in {frame} for every calendar month of {date}, and the change from each month "
            "to the next one that has rows. Return the {count} largest rises as an unrounded Series, largest first, "
            "indexed by the later month written like {example}.",
            "From which month to the next did the monthly mean of {number} in {frame} rise most? Months are those of "
            "{date}; months without rows are skipped. Return the {count} largest differences as a Series indexed by "
            "the later month as text (for example {example}), in descending order and not rounded.",
        ),
        propose=date_steps.propose_month_changes,
        build=date_steps.build_month_changes,
        limit=1,
    ),
    Family(
        name="best_month_of_year",
        theme="dates",
        knowledge_points=("date parts", "unstacking", "label of the extreme value"),
        idea="The month of each year with the highest mean {number}",
        wordings=(
            "For each year of {date} in {frame}, in which month was the mean of {number} highest? Return a dictionary "
            "that maps each year to the number of that month (1 to 12).",
            "Average {number} of {frame} by year and month of {date}. Return, as a dictionary from year to month "
            "number (1 to 12), the month with the largest average in every year.",
        ),
        propose=date_steps.propose_best_months,
        build=date_steps.build_best_months,
        limit=1,
    ),
    Family(
        name="weekend_difference",
        theme="dates",
        knowledge_points=("date parts", "comparison of groups", "boolean filtering"),
        idea="How weekends differ from other days in {number}",
        wordings=(
            "Compare weekends with other days in {frame}: subtract the {how} of {number} over the rows whose {date} is "
            "a Monday to Friday from that over the rows whose {date} is a Saturday or Sunday. Return one number, not "
            "rounded.",
            "By how much is the {how} of {number} in {frame} higher on weekends (Saturday and Sunday, by {date}) than "
            "on the other days? Return the difference, negative if it is lower, without rounding.",
        ),
        propose=date_steps.propose_weekends,
        build=date_steps.build_weekends,
        limit=1,
    ),
)
