# The public names of `__init__.py`, for type checkers and editors.

from solver.columns.accepted import accepted as accepted
from solver.columns.generate import generate as generate
from solver.columns.grade import grade as grade
from solver.columns.grade import grade_many as grade_many
from solver.columns.grade_table import Grade as Grade
from solver.columns.grade_table import GradeStatus as GradeStatus
from solver.columns.grade_table import GradeTable as GradeTable
from solver.columns.solve_many import MateRow as MateRow
from solver.columns.solve_many import MateTable as MateTable
from solver.columns.solve_many import solve_many as solve_many
from solver.errors import FenError as FenError
from solver.errors import InputError as InputError
from solver.errors import MatesolveError as MatesolveError
from solver.play.builder import variations as variations
from solver.play.record import Variations as Variations
from solver.problem import Claim as Claim
from solver.problem import Limits as Limits
from solver.problem import Problem as Problem
from solver.problem import Restriction as Restriction
from solver.problem import Stipulation as Stipulation
from solver.search.threads import Control as Control
from solver.solution import Solution as Solution
from solver.solution import Stats as Stats
from solver.solution import Status as Status
from solver.solution import StoppedBy as StoppedBy
from solver.solving import Solver as Solver
from solver.solving import solve as solve

__all__: list[str]
__version__: str
