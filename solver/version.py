"""The version of the program, as records and `--version` tell it."""

__version__ = "0.1.0"

SCHEMA = 1
"""Of JSON records: grows when a field changes its meaning or goes away, not when one is
added."""
