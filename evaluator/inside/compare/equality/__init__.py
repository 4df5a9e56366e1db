"""When two values are equal: the table of equality and its rules, by kind of value."""
