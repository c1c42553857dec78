"""Certificates: proofs of answers that anybody can check.

`solver.checker` checks them without this package.
"""
