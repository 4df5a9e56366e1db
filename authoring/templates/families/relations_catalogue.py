"""Names and wordings of the tasks about distributions and relations in several steps."""

from authoring.templates.families import relations
from authoring.templates.family import Family

FAMILIES = (
    Family(
        name="correlation_matrix",
        theme="statistics",
        knowledge_points=("correlation", "correlation matrix"),
        idea="How {columns} go together",
        wordings=(
            "Return the matrix of Pearson correlations between {columns} in {frame}: a DataFrame whose index and "
            "columns are these names in this order, not rounded.",
            "How closely do {columns} in {frame} go together? Return the unrounded Pearson correlation of each pair as "
            "a square DataFrame, rows and columns labelled by column name in the order given.",
        ),
        propose=relations.propose_matrix,
        build=relations.build_matrix,
        limit=1,
    ),
    Family(
        name="fitted_line",
        theme="statistics",
        knowledge_points=("linear regression", "least squares"),
        idea="A straight line through {x} and {y}",
        wordings=(
            "Fit a straight line by ordinary least squares that predicts {y} from {x} in {frame}. Return the tuple "
            "(slope, intercept) of two floats, not rounded.",
            "Which line describes {y} as a function of {x} in {frame} best, in the sense of least squares? Return its "
            "slope and its intercept as a tuple of floats without rounding.",
        ),
        propose=relations.propose_line,
        build=relations.build_line,
        limit=1,
    ),
    Family(
        name="trimmed_mean",
        theme="statistics",
        knowledge_points=("quantiles", "trimmed mean", "boolean filtering"),
        idea="The mean of {column} without its extreme values",
        wordings=(
            "Return the mean of those values of {column} in {frame} that lie between its {low} and its {high} "
            "quantile, both ends included (linear interpolation). Do not round.",
            "Leave out the extreme values of {column} in {frame}: keep values from the {low} quantile to the {high} "
            "quantile, both inclusive and with linear interpolation. What is the mean of the values kept? Return one "
            "number, not rounded.",
        ),
        propose=relations.propose_trimmed,
        build=relations.build_trimmed,
        limit=1,
    ),
    Family(
        name="outliers_by_group",
        theme="statistics",
        knowledge_points=("outliers", "quantiles", "group transform"),
        idea="Unusually large {number} within each {group}",
        wordings=(
            "Call a {number} unusually large if it is greater than Q3 + 1.5 IQR, where Q3 (third quartile) and IQR "
            "(third minus first quartile) are computed with linear interpolation over the rows of {frame} with the "
            "same {group}. Return a Series with the number of such rows for every {group}, 0 included, sorted by its "
            "index.",
            "For each {group} in {frame}, count the rows whose {number} lies above the upper box plot fence of that "
            "{group}: third quartile plus 1.5 times the interquartile range, quartiles with linear interpolation. "
            "Return the counts as a Series in ascending order of {group}, groups with none included as 0.",
        ),
        propose=relations.propose_group_outliers,
        build=relations.build_group_outliers,
        limit=1,
    ),
    Family(
        name="relative_spread",
        theme="statistics",
        knowledge_points=("coefficient of variation", "group and aggregate", "sorting"),
        idea="In which {group} {number} varies most for its size",
        wordings=(
            "For each {group} in {frame}, divide the sample standard deviation (`ddof=1`) of {number} by its mean. "
            "Return a Series indexed by {group}, from the largest ratio to the smallest, not rounded.",
            "Compute the coefficient of variation of {number} per {group} of {frame}, that is, sample standard "
            "deviation (`ddof=1`) over mean, and return an unrounded Series in descending order of value.",
        ),
        propose=relations.propose_variation,
        build=relations.build_variation,
        limit=1,
    ),
    Family(
        name="bootstrap_interval",
        theme="sampling",
        knowledge_points=("bootstrap", "fixed random state", "quantiles"),
        idea="A bootstrap interval for the {how} of {column}",
        wordings=(
            "Estimate how sure we can be of the {how} of {column} in {frame}. Take {known} in row order, say n "
            "of them, draw positions with `numpy.random.default_rng({state}).integers(0, n, size=(500, n))`, and "
            "compute the {how} of each of the 500 resamples. Return their 0.025 and 0.975 quantiles (linear "
            "interpolation) as a list of two floats, not rounded.",
            "Bootstrap the {how} of {column} in {frame} with 500 resamples: the positions (among {known}, n in "
            "number, in row order) come from `numpy.random.default_rng({state}).integers(0, n, size=(500, n))`, one "
            "resample per row. Return the list of the 0.025 and 0.975 quantiles (linear interpolation) of the 500 "
            "results, unrounded.",
        ),
        propose=relations.propose_resampling,
        build=relations.build_resampling,
        limit=1,
    ),
)
