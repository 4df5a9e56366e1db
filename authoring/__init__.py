"""Makes benchmarks: idea seeds, sketches, drafts, revisions, checks, releases, the app and the command line."""
