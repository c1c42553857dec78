"""Claims as tables name and order them."""

from __future__ import annotations

_APART = 1_000
"""More moves than any claim."""


def name_claim(claim: int | None, no_mate: int | None) -> tuple[int, str]:
    """Name a claim, behind the number that puts it in its place.

    Attackers' mates come first, then defenders', then no mate, then no claim.

    Parameters
    ----------
    claim : int or None
        Moves to mate, negative when the side to move is mated.
    no_mate : int or None
        In so many moves there is claimed to be none.
    """
    if claim is not None:
        return (claim if claim > 0 else _APART - claim), f"#{claim}"
    if no_mate is not None:
        return 2 * _APART + no_mate, f"no #{no_mate}"
    return 3 * _APART, "none"
