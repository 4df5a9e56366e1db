# %% setup
import datetime
import numpy as np
import pandas as pd

events = pd.DataFrame(
    {
        "what": ["start", "stop", "start", "stop"],
        "at": pd.to_datetime(
            ["2024-03-01 08:00", "2024-03-01 17:30", "2024-03-02 09:15", "2024-03-02 16:45"], utc=True
        ),
        "read": [3, 8, 4, 9],
    }
)

# %% reference
"""
query: Answer the question.
"""
events[["what", "at"]]

# %% submission: PRESENTATION_ERROR/DTYPE_MISMATCH (published: PRESENTATION_ERROR/INDEX_MISMATCH) a column of instants in another zone
events[["what", "at"]].assign(at=events["at"].dt.tz_convert("Europe/Berlin"))

# %% reference
"""
query: Answer the question.
"""
events["at"].max()

# %% submission: PRESENTATION_ERROR/DTYPE_MISMATCH (published: CORRECT/UNCATEGORIZED) an instant told in another zone
events["at"].dt.tz_convert("Europe/Berlin").max()

# %% reference
"""
query: Answer the question.
"""
events["at"].dt.tz_localize(None).dt.normalize()

# %% submission: PRESENTATION_ERROR/DTYPE_MISMATCH (published: PRESENTATION_ERROR/INDEX_MISMATCH) dates for midnights
events["at"].dt.date
