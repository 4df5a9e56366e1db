"""The Runs page: runs, verdicts, attempts, charts, comparisons, and the list of jobs."""
