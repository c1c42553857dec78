"""A test in two sizes: a sample for every run, and the whole for the slow suite."""

from __future__ import annotations

import pytest


def sized(name: str, few: int, many: int) -> pytest.MarkDecorator:
    """Run a test with `few` as an argument, and with `many` in the slow suite."""
    return pytest.mark.parametrize(
        name, [few, pytest.param(many, marks=pytest.mark.slow)]
    )
