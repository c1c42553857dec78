"""One problem, from the question to its solution."""
