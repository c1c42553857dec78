"""Certificates: what was found, written down so that anybody can prove it again.

The format stands in docs/certificates.md, the judge in `solver.verification`.
"""

from solver.certificate.certification import Certification, certify
from solver.certificate.document import Certificate
from solver.certificate.latest import certify_last
from solver.certificate.limits import Budget, BuildingLimits, TooLargeError
from solver.certificate.prover import BuildingStoppedError, Prover, WorkspaceProver

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
