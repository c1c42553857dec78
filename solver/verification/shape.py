"""Values as JSON gives them, taken for what they should be or refused."""

from __future__ import annotations

from typing import Any

from solver.errors import CertificateError

_SHOWN_CHARACTERS = 40

_MOST = (1 << 63) - 1
"""Python does not write numbers of any length, so none may grow beyond its limit."""


def shown(value: object) -> str:
    """Show what was found: the beginning of it, on one line of ASCII."""
    match value:
        case list():
            return f"an array of {len(value)}"
        case dict():
            return f"an object of {len(value)}"
        case int() if abs(value) > _MOST:
            return f"a number of {value.bit_length()} bits"
    text = ascii(value[: _SHOWN_CHARACTERS + 1] if isinstance(value, str) else value)
    return text if len(text) <= _SHOWN_CHARACTERS else text[:_SHOWN_CHARACTERS] + "..."


def as_object(value: object, where: str) -> dict[str, Any]:
    """Take a JSON object.

    Raises
    ------
    CertificateError
        It is something else, as in the other functions of this module.
    """
    if not isinstance(value, dict):
        msg = f"{where}: expected an object, found {shown(value)}"
        raise CertificateError(msg)
    return value


def as_array(value: object, where: str, size: int | None = None) -> list[Any]:
    """Take a JSON array, of so many elements if that is told."""
    if not isinstance(value, list) or size not in {None, len(value)}:
        told = "" if size is None else f" of {size}"
        msg = f"{where}: expected an array{told}, found {shown(value)}"
        raise CertificateError(msg)
    return value


def as_text(value: object, where: str) -> str:
    """Take a string."""
    if not isinstance(value, str):
        msg = f"{where}: expected a string, found {shown(value)}"
        raise CertificateError(msg)
    return value


def as_number(value: object, where: str, least: int) -> int:
    """Take a whole number from `least` to 2^63 - 1; Python's True is none."""
    if type(value) is not int or value < least:
        msg = f"{where}: expected a whole number from {least} up, found {shown(value)}"
        raise CertificateError(msg)
    if value > _MOST:
        msg = f"{where}: expected a number of at most 63 bits, found {shown(value)}"
        raise CertificateError(msg)
    return value


def require_names(
    table: dict[str, Any], where: str, needed: set[str], optional: set[str]
) -> None:
    """Refuse an object that lacks a name, or has one that nothing checks."""
    if missing := sorted(needed - table.keys()):
        msg = f"{where}: expected {missing[0]!r}, found none"
        raise CertificateError(msg)
    if extra := sorted(table.keys() - needed - optional):
        expected = ", ".join(sorted(needed | optional))
        msg = f"{where}: expected only {expected}, found {shown(extra[0])}"
        raise CertificateError(msg)
