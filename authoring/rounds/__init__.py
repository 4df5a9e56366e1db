"""The outer loop as a plan: which seeds are drafted in which round, by whom, and what becomes of the drafts."""
