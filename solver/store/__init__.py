"""What audits have found, in an SQLite file that people can query.

The schema stands in docs/store.md. A store is written in one transaction after the
other, so that it is consistent whatever ends the program.
"""

from solver.audit.store import Answered, Store
from solver.store.merging import merge

__all__ = ["Answered", "Store", "merge"]
