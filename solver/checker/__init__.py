"""The judge of certificates: python-chess's rules, and nothing of the solver.

It shares no code with the accused. What it takes for proved follows from the legal
moves that python-chess generates and from the format alone
(docs/reference/certificate-format.md).
"""

from solver.checker.check import Checked, check
from solver.checker.document import load, read

__all__ = ["Checked", "check", "load", "read"]
