"""Certificates: what was found, written down so that anybody can prove it again.

See docs/reference/certificate-format.md for the format; `solver.checker` checks it.
"""

from solver.certificate.build import Certification, certify, certify_last
from solver.certificate.document import Certificate
from solver.certificate.prover import (
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
