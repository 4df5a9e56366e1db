"""Commands on one problemset: dry run, edits, comments, validators, decisions."""
