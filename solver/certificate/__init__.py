"""Certificates: proofs of answers that anybody can check.

`solver.checker` checks them without this package.
"""

from solver.certificate.build import Certificate, Certification, certify, certify_last
from solver.certificate.proving import (
    Budget,
    BuildingLimits,
    BuildingStoppedError,
    Prover,
    TooLargeError,
    WorkspaceProver,
)

__all__ = [
    "Budget",
    "BuildingLimits",
    "BuildingStoppedError",
    "Certificate",
    "Certification",
    "Prover",
    "TooLargeError",
    "WorkspaceProver",
    "certify",
    "certify_last",
]
