"""Experiments: agents x benchmarks x policies in one file, forecast, run, resumed, and brought into one table."""
