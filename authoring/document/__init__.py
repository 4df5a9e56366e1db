"""The text of a problemset as people and models edit it: cells that are found again, changed and put back."""
