"""The version of the program, as records and `--version` tell it."""

__version__ = "0.1.0"
