"""Commands on benchmarks and runs: check, run, report, compare, import, export, release."""
