"""The workspace: one SQLite file and the stored files beside it; import its modules: `from authoring.store import jobs`."""
