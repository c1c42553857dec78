"""Certificates: what was found, written down so that anybody can prove it again.

The format stands in docs/certificates.md, the judge in `solver.checker`. The same
prover gives people the play of a mate, as variations.
"""

from solver.certificate.build import Certification, certify
from solver.certificate.document import Certificate
from solver.certificate.latest import certify_last
from solver.certificate.limits import Budget, BuildingLimits, TooLargeError
from solver.certificate.prover import BuildingStoppedError, Prover, WorkspaceProver
from solver.certificate.variation_tree import build_variations

__all__ = [
    "Budget",
    "BuildingLimits",
    "BuildingStoppedError",
    "Certificate",
    "Certification",
    "Prover",
    "TooLargeError",
    "WorkspaceProver",
    "build_variations",
    "certify",
    "certify_last",
]
