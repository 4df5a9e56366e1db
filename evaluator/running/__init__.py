"""Runs agents on benchmarks, keeps records, resumes."""
