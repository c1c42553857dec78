"""Slow, obvious answers that share no code with the solver that they check."""
