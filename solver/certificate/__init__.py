"""Certificates: proofs of answers that can be checked without trusting the solver.

`solver.checker` checks them without this package.
"""
