"""Speed, measured on demand: `python -m tests.benchmarks.kernel`."""
