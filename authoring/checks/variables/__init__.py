"""Pages of the tables that a cell of a problemset leaves in its variables, beside what they were before it."""
