"""All that runs inside a sandbox: the worker, the codec, and the comparator with its validators."""
