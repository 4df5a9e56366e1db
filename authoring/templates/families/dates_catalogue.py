"""Names, wordings and difficulty of the tasks about dates."""

from authoring.templates.families import dates
from authoring.templates.family import Family

FAMILIES = (
    Family(
        name="parse_dates",
        theme="dates",
        knowledge_points=("date parsing", "type conversion"),
        idea="Turn {column} into dates",
        wordings=(
            "Convert column {column} of {frame} to pandas datetimes, in {frame} itself.",
            "The dates in {column} of {frame} are not datetimes yet. Parse them and keep the result in that column.",
        ),
        propose=dates.propose_parse,
        build=dates.build_parse,
        limit=2,
    ),
    Family(
        name="date_part_counts",
        theme="dates",
        knowledge_points=("date parts", "frequencies"),
        idea="Rows by {part} of {date}",
        wordings=(
            "Count the rows of {frame} by the {part} of {date}. Return a dictionary that maps each one that occurs to "
            "its number of rows.",
            "How are the rows of {frame} spread over the {part} of {date}? Return a dictionary with the number of rows "
            "for each that occurs.",
        ),
        propose=dates.propose_counts,
        build=dates.build_counts,
        limit=1,
    ),
    Family(
        name="date_part_aggregate",
        theme="dates",
        knowledge_points=("date parts", "group and aggregate"),
        idea="The {how} of {number} by {part} of {date}",
        wordings=(
            "What is the {how} of {number} in {frame} for each {part} of {date}? Return a dictionary that maps each "
            "one that occurs to its number, not rounded.",
            "Group {frame} by the {part} of {date} and return the {how} of {number} in each group, not rounded, as a "
            "dictionary with the groups as keys.",
        ),
        propose=dates.propose_part_mean,
        build=dates.build_part_mean,
    ),
    Family(
        name="by_month",
        theme="dates",
        knowledge_points=("time series", "calendar months"),
        idea="The {how} of {number} in each calendar month",
        wordings=(
            "Compute the {how} of {number} in {frame} for every calendar month of {date}. Return an unrounded Series "
            "in order of time, whose index holds the months as text such as {example} (year, dash, two digits).",
            "What is the {how} of {number} in each month of each year, by {date} of {frame}? Return a Series indexed "
            "by month written like {example}, earliest month first, not rounded.",
        ),
        propose=dates.propose_months,
        build=dates.build_months,
    ),
    Family(
        name="since_year",
        theme="dates",
        knowledge_points=("date parts", "boolean filtering", "mean and median"),
        idea="The {how} of {number} from {year} on",
        wordings=(
            "What is the {how} of {number} in {frame} over the rows whose {date} lies in {year} or later? Return one "
            "number, not rounded.",
            "Using only rows of {frame} with {date} from 1 January {year} on, return the {how} of {number} without "
            "rounding.",
        ),
        propose=dates.propose_since,
        build=dates.build_since,
        limit=1,
    ),
    Family(
        name="largest_changes",
        theme="dates",
        knowledge_points=("time series", "differences", "top-k"),
        idea="The {count} largest rises of {number} from one {date} to the next",
        wordings=(
            "Order {frame} by {date} and take the change of {number} from each row to the next. Return the {count} "
            "largest rises as a Series indexed by the later {date}, from largest to smallest. Leave {frame} as it is.",
            "When did {number} rise most from one {date} to the next? With {frame} sorted by {date}, return the "
            "{count} largest differences to the row before, largest first, as a Series indexed by {date}. Do not "
            "change {frame}.",
        ),
        propose=dates.propose_change,
        build=dates.build_change,
        limit=1,
    ),
)
