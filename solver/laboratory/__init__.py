"""Experiments: what search techniques cost or save, in nodes and in games."""
