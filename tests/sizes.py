"""A test in two sizes: a sample for every run, and the whole for the slow suite."""

from __future__ import annotations

import pytest


def sized(name: str, few: int, many: int) -> pytest.MarkDecorator:
    """Run a test with `few` always and with `many` in the slow suite.

    Parameters
    ----------
    name : str
        The test's argument.
    few, many : int
        Its value: how many positions, records or rounds it tries, or every how many.
    """
    return pytest.mark.parametrize(
        name, [few, pytest.param(many, marks=pytest.mark.slow)]
    )
