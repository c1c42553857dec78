"""What a client may set, and what it is set to."""

from __future__ import annotations

import re
from dataclasses import dataclass

from solver.errors import InputError
from solver.formats.wording import quote
from solver.problem import DEFAULT_HASH_MIB, MAX_HASH_MIB, MAX_THREADS

HASH = "Hash"
THREADS = "Threads"
MULTI_PV = "MultiPV"
CLEAR_HASH = "Clear Hash"

_SET = re.compile(r"name\s+(.+?)(?:\s+value(?:\s+(.*))?)?", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Spin:
    """An option whose value is a whole number."""

    default: int
    least: int
    most: int

    @property
    def declaration(self) -> str:
        """What stands behind the name when the option is declared."""
        return f"type spin default {self.default} min {self.least} max {self.most}"

    def read(self, value: str) -> int:
        """Read what the client sets."""
        number = int(value) if re.fullmatch(r"[+-]?[0-9]{1,18}", value) else None
        if number is None or not self.least <= number <= self.most:
            msg = (
                f"expected a whole number from {self.least} to {self.most}, "
                f"found {quote(value)}"
            )
            raise InputError(msg)
        return number


@dataclass(frozen=True, slots=True)
class Check:
    """An option that is on (1) or off (0)."""

    default: int = 0

    @property
    def declaration(self) -> str:
        """What stands behind the name when the option is declared."""
        return f"type check default {'true' if self.default else 'false'}"

    def read(self, value: str) -> int:
        """Read what the client sets."""
        if value.lower() not in {"true", "false"}:
            msg = f"expected true or false, found {quote(value)}"
            raise InputError(msg)
        return int(value.lower() == "true")


@dataclass(frozen=True, slots=True)
class Button:
    """An option without a value: something to be done."""

    default = 0
    declaration = "type button"

    def read(self, value: str) -> int:
        """Refuse a value."""
        if value:
            msg = f"expected no value, found {quote(value)}"
            raise InputError(msg)
        return self.default


Option = Spin | Check | Button

OPTIONS: dict[str, Option] = {
    HASH: Spin(DEFAULT_HASH_MIB, 1, MAX_HASH_MIB),
    THREADS: Spin(1, 1, MAX_THREADS),
    MULTI_PV: Spin(1, 1, 218),
    CLEAR_HASH: Button(),
    # Analysis and play are one to a solver, and it thinks when it is told to; clients
    # want to set these all the same.
    "UCI_AnalyseMode": Check(),
    "Ponder": Check(),
}


class Options:
    """The options with their values, by the names in `OPTIONS`."""

    def __init__(self) -> None:
        self._values = {name: option.default for name, option in OPTIONS.items()}

    def __getitem__(self, name: str) -> int:
        return self._values[name]

    def set(self, text: str) -> str:
        """Do what stands behind `setoption`; give the name of the option.

        Raises
        ------
        InputError
            There is no such option, or it takes no such value.
        """
        match = _SET.fullmatch(text.strip())
        if match is None:
            msg = f"setoption: expected name NAME value VALUE, found {quote(text)}"
            raise InputError(msg)
        asked, value = match[1], (match[2] or "").strip()
        for name, option in OPTIONS.items():
            if name.lower() == " ".join(asked.lower().split()):
                try:
                    self._values[name] = option.read(value)
                except InputError as error:
                    msg = f"option {name}: {error}"
                    raise InputError(msg) from None
                return name
        msg = f"expected one of the options {', '.join(OPTIONS)}, found {quote(asked)}"
        raise InputError(msg)


def declarations() -> list[str]:
    """List the lines that tell a client which options there are."""
    return [
        f"option name {name} {option.declaration}" for name, option in OPTIONS.items()
    ]
