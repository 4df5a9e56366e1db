"""The SQLite file below the store: its tables, how it is opened and brought up to date, names and blobs."""
