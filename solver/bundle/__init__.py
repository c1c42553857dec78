"""What PyInstaller reads about matesolve when it makes a bundle."""

from __future__ import annotations

from os.path import dirname


def hook_dirs() -> list[str]:
    """Return the folders of hooks; PyInstaller finds this by its entry point."""
    return [dirname(__file__)]  # noqa: PTH120
