"""Read the mates that an engine claims in a log of matetrack's `matecheck.py`.

- With `--logFile` the log has everything sent to each engine, and its answers. The
  claim is the last score before `bestmove`, if it is a mate, with its line. Bounds do
  not count, nor do lines other than the first.
- The output of `matecheck.py` names the claims that differ from its file, and those
  with faulty lines; these lines are not read.

All other lines are skipped.
"""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import chess

from solver.errors import InputError
from solver.formats.claims import Draft
from solver.formats.streams import Lines, Records, decode, read_each
from solver.position_text import GivenPosition

if TYPE_CHECKING:
    from collections.abc import Iterator

    from solver.formats.summary import FileSummary
    from solver.problem import Problem

_SPOKEN = re.compile(r"DEBUG:chess\.engine:(<\w+ \(pid=[0-9]+\)>): (?:<<|>>) (.*)")
"""An engine's name in the log, and what it was sent or answered."""

_PRINTED = re.compile(
    r'(?:Found|Only found) (?:invalid )?mate #(\S+).*? for FEN "([^"]{1,100})"'
)
_SUMMARY = "Total FENs:"
"""Also printed where no claim is."""

_BOUNDS = {"lowerbound", "upperbound"}


class _Score(NamedTuple):
    position: str
    mate: str
    line: str = ""


def read_matecheck(lines: Lines, summary: FileSummary) -> Records:
    """Read the claims of a log; see `read_each`."""
    return read_each(_find_scores(lines), summary.name, partial(_parse, summary))


def _find_scores(lines: Lines) -> Iterator[tuple[int, _Score]]:
    """Yield each claim with the number of its line."""
    positions: dict[str, str] = {}
    last: dict[str, tuple[int, _Score]] = {}
    is_log = False
    for number, raw in lines:
        text = decode(raw).strip()
        printed, spoken = _PRINTED.match(text), _SPOKEN.match(text)
        is_log |= bool(printed or spoken) or text.startswith(_SUMMARY)
        if printed:
            yield number, _Score(printed[2], printed[1])
        elif spoken:
            engine, said = spoken.groups()
            words = said.split()
            match words[:1]:
                case ["position"]:
                    positions[engine] = said.split(maxsplit=1)[-1].removeprefix("fen ")
                    last.pop(engine, None)
                case ["info"] if "score" in words and engine in positions:
                    if _is_exact(words):
                        mate = "".join(_after("mate", words)[:1])
                        line = " ".join(_after("pv", words))
                        last[engine] = number, _Score(positions[engine], mate, line)
                case ["bestmove"] if engine in last:
                    at, score = last.pop(engine)
                    if score.mate.strip("-0"):
                        yield at, score
    if not is_log:
        msg = "expected a log of matecheck.py, found none of its lines"
        raise InputError(msg)


def _is_exact(words: list[str]) -> bool:
    """Return whether `info` has the score of the first line, and not only a bound."""
    secondary = "multipv" in words and _after("multipv", words)[:1] != ["1"]
    return not (secondary or words[1] == "string" or _BOUNDS & set(words))


def _after(name: str, words: list[str]) -> list[str]:
    """Return the words after a name, if it is there."""
    return words[words.index(name) + 1 :] if name in words else []


def _parse(summary: FileSummary, score: _Score, source: str) -> Problem:
    fen = chess.STARTING_FEN if score.position == "startpos" else score.position
    draft = Draft(GivenPosition(fen), summary)
    draft.read_mate("mate", score.mate)
    draft.read_line("pv", score.line)
    return draft.problem("", source)
