"""Speed, measured on demand: `python -m benchmarks.kernel`."""
