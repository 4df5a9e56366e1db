"""Experiments: agents x benchmarks x policies in one file, checked, forecast, run, and read as one table."""
