"""Check what a caller passed; an error names the argument, and what was found."""

from __future__ import annotations

import math
import operator
import reprlib
from collections.abc import Iterable
from numbers import Real
from typing import TypeVar

from solver.errors import InputError

Value = TypeVar("Value")


def whole(name: str, value: object, least: int, most: int) -> int:
    """Give a whole number, also one of numpy's, as an int.

    Raises
    ------
    InputError
        It is none, or not from `least` to `most`; True and False are none.
    """
    number = value if type(value) is int else _index(value)
    if number is None:
        raise refusal(name, f"a whole number from {least} to {most}", value)
    if not least <= number <= most:
        raise refusal(name, f"{least} to {most}", value)
    return number


def seconds(name: str, value: object, most: float) -> float:
    """Give a number of seconds, also one of numpy's, as a float.

    Raises
    ------
    InputError
        It is no number, not finite, negative, or more than `most`.
    """
    if isinstance(value, bool) or not isinstance(value, Real):
        raise refusal(name, "a number of seconds", value)
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if not 0 <= number <= most:  # nor is NaN
        raise refusal(name, f"0 to {math.floor(most)} seconds", value)
    return number


def instance(name: str, value: object, kind: type[Value], expected: str) -> Value:
    """Give what is of a type.

    Raises
    ------
    InputError
        It is of another.
    """
    if not isinstance(value, kind):
        raise refusal(name, expected, value)
    return value


def flag(name: str, value: object) -> bool:
    """Give True or False; anything else raises InputError."""
    return instance(name, value, bool, "True or False")


def texts(name: str, value: object, expected: str) -> tuple[str, ...]:
    """Give several strings as a tuple.

    Raises
    ------
    InputError
        It is a single string, or not all of it are strings.
    """
    if isinstance(value, str) or not isinstance(value, Iterable):
        raise refusal(name, expected, value)
    items = tuple(value)
    for item in items:
        if not isinstance(item, str):
            raise refusal(name, expected, item)
    return items


def refusal(name: str, expected: str, found: object) -> InputError:
    """Make the error that says what was expected of an argument, and what was found."""
    try:
        shown = " ".join(reprlib.repr(found).split())
    except ValueError:  # an int of more digits than Python writes
        shown = f"one of type {type(found).__name__}"
    return InputError(f"{name}: expected {expected}, found {shown}")


def _index(value: object) -> int | None:
    if isinstance(value, bool):
        return None
    try:
        return operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        return None
