"""The command line: parse, delegate, render."""
