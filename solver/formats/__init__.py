"""Readers of positions and collections."""
