"""Experiments: what techniques of search cost or save, counted in nodes."""
