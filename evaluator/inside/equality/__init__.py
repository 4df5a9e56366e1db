"""When two values are equal under the sound rules: one table of differences, and the comparison that finds them."""
