"""The two other published systems: how their files are read and written, scored, and brought together on boards."""
