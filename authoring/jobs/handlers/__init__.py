"""What each kind of job does; `@job` declares it beside its function."""
