"""Problems as Popeye's input, and its solutions as plain nested data, compared.

This shares no code with `solver.output.popeye_text`. `parse` returns one dictionary for
each problem of an output:

    {"ending": "finished", "play": {"": PLAY}}

`play` has one entry for each twin, under its label, or one under the empty label. PLAY
has `set` ({move: {move: NODE}}), `first` ({move: NODE}), `after` (NODE) and `lines`
([line]) where they are not empty. A NODE is what follows a move of the attacker: its
`mark`, `threats` ({move: NODE}), `zugzwang`, `check` (of "after" alone), `defences` and
`refutations` ({move: {move: NODE}}). A move is written without spaces and number.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

import chess

from solver.problem import Stipulation

if TYPE_CHECKING:
    from collections.abc import Iterable

TO_POPEYE = str.maketrans("Nn", "Ss")


class Entry(NamedTuple):
    """A problem; its FEN has four fields, the rest is as in Popeye's input."""

    name: str
    fen: str
    stipulation: str
    options: str


def as_input(entries: Iterable[Entry]) -> str:
    """Return an input file with all problems."""
    return (
        "BeginProblem\n"
        + "NextProblem\n".join(_record(entry) for entry in entries)
        + "EndProblem\n"
    )


def _record(entry: Entry) -> str:
    """Return the lines of a problem; castling and en passant become options."""
    board = chess.Board(f"{entry.fen} 0 1")
    options = ["NoBoard", *entry.options.split()]
    white_begins = Stipulation.parse(entry.stipulation).white_begins
    if board.turn != white_begins ^ ("PostKeyPlay" in options):
        options.append("HalfDuplex")
    rights = board.castling_rights
    board.castling_rights = chess.BB_CORNERS
    lost = chess.SquareSet(board.clean_castling_rights() & ~rights)
    if lost:
        options.append(f"NoCastling {''.join(map(chess.square_name, lost))}")
    if (end := board.ep_square) is not None:
        back = 8 if chess.square_rank(end) == 2 else -8
        way = (end - back, end, end + back)
        options.append(f"EnPassant {''.join(map(chess.square_name, way))}")
    return (
        f"Forsyth {board.board_fen().translate(TO_POPEYE)}\n"
        f"Stipulation {entry.stipulation}\nOption {' '.join(options)}\n"
    )


Tree = dict[str, Any]

_ENDING = re.compile(
    r"(?:solution (?P<finished>finished)\.|(?P<partial>Partial) solution"
    r"|solving (?P<interrupted>interrupted)\.)"
    r"(?: *Time = (?P<time>[0-9.:]+) (?:h:m:|m:)?s)?"
)
_TWIN = re.compile(r"\+?(?P<label>[a-y]|z[0-9]*)\) ?(?P<changes>.*)")
_HELP = re.compile(r"  1\.")
_BATTLE = re.compile(
    r"(?P<indent> {3}| {6}| {10,})(?P<number>[0-9]+)\.(?P<dots>\.\.)?"
    r"(?P<move>[^ ]+(?: ep\.)?(?: [-+#=])?)(?: (?P<mark>\?!\?|[!?]))?"
    r"(?: (?P<after>threat:|zugzwang\.))?"
)


def parse(text: str) -> list[Tree]:
    """Return the problems of an output; lines that are not play are ignored.

    Raises
    ------
    ValueError
        A line looks like play, but is not understood; or the last problem has no end.
    """
    problems = []
    reader = _Reader()
    for line in text.splitlines():
        if found := _ENDING.fullmatch(line.strip()):
            ending = next(
                name
                for name in ("finished", "partial", "interrupted")
                if found[name] is not None
            )
            problem: Tree = {"ending": ending, "play": reader.finish()}
            if found["time"] is not None:
                problem["time_s"] = _seconds(found["time"])
            problems.append(problem)
            reader = _Reader()
        else:
            reader.read(line.rstrip())
    if any(reader.finish().values()):
        msg = "the output has no last line"
        raise ValueError(msg)
    return problems


def _seconds(clock: str) -> float:
    seconds = 0.0
    for part in clock.split(":"):
        seconds = 60 * seconds + float(part)
    return seconds


class _Reader:
    """Reads the lines of one problem."""

    def __init__(self) -> None:
        self._play: dict[str, Tree] = {}
        self._label = ""
        self._open: list[tuple[int, Tree]] = []
        """Depth and children of the moves that lead to the next line."""

        self._last = ""

    def finish(self) -> dict[str, Tree]:
        for twin in self._play.values():
            if "lines" in twin:
                twin["lines"].sort()
        return self._play or {"": {}}

    def read(self, line: str) -> None:
        if found := _TWIN.fullmatch(line):
            self._begin(found["label"])
        elif not line.strip():
            self._open.clear()
        elif line.strip() == "refutes.":
            self._refute()
        elif line in (" threat:", " zugzwang.", " +"):
            node: Tree = {}
            self._twin()["after"] = node
            self._open = [(2, node)]
            if line != " threat:":
                node["check" if line == " +" else "zugzwang"] = True
        elif _HELP.match(line):
            words = re.sub(r" (?=[-+#=]( |$)|ep\.)", "", line).split()
            self._twin().setdefault("lines", []).append(" ".join(words))
        elif found := _BATTLE.fullmatch(line):
            self._move(found)
        elif re.match(r" +[0-9]+\.", line):
            msg = f"not understood: {line!r}"
            raise ValueError(msg)

    def _twin(self) -> Tree:
        return self._play.setdefault(self._label, {})

    def _begin(self, label: str) -> None:
        self._label = label
        self._twin()
        self._open.clear()

    def _move(self, found: re.Match[str]) -> None:
        number = int(found["number"])
        move = found["move"].replace(" ", "")
        is_defence = bool(found["dots"])
        depth = 2 * number + is_defence
        while self._open and self._open[-1][0] >= depth:
            self._open.pop()
        if self._open:
            above, parent = self._open[-1]
            if is_defence:
                is_refuting = depth == 3 and found["mark"]
                kind = "refutations" if is_refuting else "defences"
                siblings = parent.setdefault(kind, {})
            elif above == depth - 1:
                siblings = parent
            else:
                siblings = parent.setdefault("threats", {})
        else:
            siblings = self._twin().setdefault("set" if is_defence else "first", {})
        if move in siblings:
            msg = f"found twice: {found[0]!r}"
            raise ValueError(msg)
        node: Tree = {}
        siblings[move] = node
        self._last = move
        if found["mark"] and not is_defence:
            node["mark"] = found["mark"]
        if found["after"] == "zugzwang.":
            node["zugzwang"] = True
        self._open.append((depth, node))

    def _refute(self) -> None:
        """Make the last move, which stands above `refutes.`, a refutation."""
        twin = self._twin()
        if "after" not in twin:  # no threat was looked for
            twin["after"] = {"defences": twin.pop("set")}
        root = twin["after"]
        reply = root["defences"].pop(self._last)
        root.setdefault("refutations", {})[self._last] = reply
        self._open = [(2, root)]


def difference(ours: Any, theirs: Any, path: str = "") -> str:
    """Return where two trees differ first, and how; empty if they are equal."""
    if ours == theirs:
        return ""
    if isinstance(ours, dict) and isinstance(theirs, dict):
        for key in sorted({*ours, *theirs}):
            if ours.get(key) != theirs.get(key):
                if key in ours and key in theirs:
                    return difference(ours[key], theirs[key], f"{path} / {key}")
                which = "ours" if key in ours else "theirs"
                return f"{path} / {key}: only in {which}"
    if isinstance(ours, list) and isinstance(theirs, list):
        more = [line for line in ours if line not in theirs]
        fewer = [line for line in theirs if line not in ours]
        if more or fewer:
            return f"{path}: only ours {more[:3]}, only theirs {fewer[:3]}"
    return f"{path}: ours {ours!r}, theirs {theirs!r}"
