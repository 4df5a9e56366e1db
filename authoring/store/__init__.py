"""The workspace: one SQLite file and the stored files beside it. Its modules are imported one by one."""
