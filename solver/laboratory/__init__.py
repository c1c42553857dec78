"""Experiments: what techniques of search cost or save, in nodes and in games."""
