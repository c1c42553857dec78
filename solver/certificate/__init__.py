"""Certificates: what was found, written down so that anybody can prove it again.

The format stands in docs/reference/certificate-format.md, the judge in `solver.checker`. The same
prover gives people the play of a mate, as variations.
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
