"""The Problemset, Compare and Roundtable pages: a set as a whole, its checks, revisions and decisions."""
