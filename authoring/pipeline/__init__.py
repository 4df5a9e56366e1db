"""The way from a seed to an accepted problemset: sketch, draft, dry run, decision."""
