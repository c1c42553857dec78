"""The log of one search: the memory that the kernel writes, and its columns.

A column is a list with an entry for each node, in the order in which the search entered
them. docs/reference/trace.md describes the columns.
"""

from __future__ import annotations

import ctypes
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from solver.kernel.border.interface import new_search
from solver.kernel.border.memory import LogEnd, LoggedNode, LogKind, Search
from solver.kernel.border.parts import SEARCH
from solver.kernel.border.query import MOVES_TEXT_BYTES
from solver.kernel.build.loader import load_part

if TYPE_CHECKING:
    from collections.abc import Callable

    from solver.kernel.border.memory import Position

LOG_NODES = 100_000
"""The entries of a log. When it is full, it keeps the first part of the tree."""

INFINITE = (1 << 30) - 1
"""The kernel's infinite proof number."""

PASS = ("0000", "--")
"""A null move in UCI and SAN."""

Columns = dict[str, list[Any]]


class NodeLog:
    """The log of one search at a time.

    Parameters
    ----------
    search : Search
        The search that writes it.
    room : int
        Its entries.
    only_cuts : bool
        Leave out what is below a node without a cut by mate-distance pruning.
    """

    def __init__(
        self, search: Search, room: int = LOG_NODES, *, only_cuts: bool = False
    ) -> None:
        self._search = search
        self._memory = (LoggedNode * room)()
        search.log = ctypes.addressof(self._memory)
        search.log_room = room
        search.log_size = search.log_cuts = 0
        search.log_only_cuts = only_cuts

    @property
    def is_full(self) -> bool:
        """Whether nodes may be missing."""
        return bool(self._search.log_size >= self._search.log_room)

    def scored_nodes(self, position: Position, *, black: bool) -> Columns:
        """Return the columns of the laboratory's search.

        Parameters
        ----------
        position : Position
            The root.
        black : bool
            Whether Black is to move there.
        """
        nodes = self._nodes()
        is_open = nodes["end"] == LogEnd.OPEN
        scores: list[int | None] = nodes["score"].tolist()
        for index in np.flatnonzero(is_open):
            scores[index] = None
        return {
            **_common(nodes, position, black=black),
            "kind": _names(LogKind, nodes["kind"]),
            "alpha": nodes["given"][:, 0].tolist(),
            "beta": nodes["given"][:, 1].tolist(),
            "low": nodes["own"][:, 0].tolist(),
            "high": nodes["own"][:, 1].tolist(),
            "score": scores,
            "end": _names(LogEnd, nodes["end"]),
        }

    def numbered_nodes(
        self, position: Position, *, black: bool, attacking: bool
    ) -> Columns:
        """Return the columns of the df-pn search.

        Parameters
        ----------
        position : Position
            The root.
        black : bool
            Whether Black is to move there.
        attacking : bool
            Whether that side attacks.
        """
        nodes = self._nodes()
        # phi is the proof number where the attacker is to move, else the disproof
        # number.
        is_attacker = (nodes["ply"] % 2 == 0) == attacking
        is_visit = nodes["kind"] < LogKind.CHILD
        columns = {
            **_common(nodes, position, black=black),
            "kind": _names(LogKind, nodes["kind"]),
        }
        for name, pair, shown in (
            ("_limit", nodes["given"], is_visit),
            ("", nodes["own"], np.ones_like(is_visit)),
        ):
            for side, own in (("pn", is_attacker), ("dn", ~is_attacker)):
                numbers = np.where(own, pair[:, 0], pair[:, 1])
                is_shown = shown & (numbers < INFINITE)
                columns[side + name] = [
                    number if known else None
                    for number, known in zip(
                        numbers.tolist(), is_shown.tolist(), strict=True
                    )
                ]
        columns |= _endings(nodes, columns, self._search.nodes)
        return columns

    def _nodes(self) -> Any:
        """Return the entries as a structured array that shares their memory."""
        entries = np.frombuffer(
            memoryview(self._memory).cast("B"), np.dtype(LoggedNode)
        )
        return entries[: self._search.log_size]


def _common(nodes: Any, position: Position, *, black: bool) -> Columns:
    """Return the columns that all logs have."""
    plies, moves = nodes["ply"].tolist(), nodes["move"].tolist()
    is_update = (nodes["kind"] == LogKind.UPDATE).tolist()
    writer = MoveWriter()
    root = Place(writer, position, black=black)
    line = [root]
    names: list[tuple[str, str]] = []
    for ply, move, updates in zip(plies, moves, is_update, strict=True):
        if updates:  # the move is the best child's
            names.append(line[ply].names.get(move, ("", "")))
            continue
        del line[max(ply, 1) :]
        if ply:
            names.append(line[-1].names.get(move, PASS))
            line.append(line[-1].after(move))
        else:
            names.append(("", ""))
    return {
        "ply": plies,
        "uci": [uci for uci, _ in names],
        "san": [san for _, san in names],
        "depth": nodes["depth"].tolist(),
        "nodes": nodes["nodes"].tolist(),
    }


def _names(enum: type[LogKind | LogEnd], numbers: Any) -> list[str]:
    words = {member.value: member.name.lower().replace("_", "-") for member in enum}
    return [words[number] for number in numbers.tolist()]


def _endings(nodes: Any, columns: Columns, nodes_in_all: int) -> Columns:
    """Say how each visit ended, and what decided a node without children."""
    ends, decided_by = [], []
    kinds, plies = columns["kind"], [*columns["ply"], 0]
    before = [*columns["nodes"], nodes_in_all]
    for index, kind in enumerate(kinds):
        end = by = ""
        if kind not in {"child", "update"}:
            proof, disproof = columns["pn"][index], columns["dn"][index]
            is_open = nodes["end"][index] == LogEnd.OPEN
            if is_open or proof == disproof == 0:
                end = "stopped"
            else:
                ends_by_number = {proof: "proved", disproof: "disproved"}
                end = ends_by_number.get(0, "threshold")
                entered = before[index + 1] - before[index]
                by = "table" if entered <= 1 else "prover"
                if plies[index + 1] > plies[index] or kinds[index + 1 :][:1] == [
                    "update"
                ]:
                    by = "moves"
        ends.append(end)
        decided_by.append(by)
    return {"end": ends, "by": decided_by}


class MoveWriter:
    """Names the moves of a position, by the kernel."""

    def __init__(self) -> None:
        self.kernel = load_part(SEARCH).kernel
        self.search = new_search()
        self._text = ctypes.create_string_buffer(MOVES_TEXT_BYTES)
        self.search.text = ctypes.addressof(self._text)
        self.search.text_size = MOVES_TEXT_BYTES

    def names(self, position: Position, *, black: bool) -> dict[int, tuple[str, str]]:
        """Return each legal move in UCI and in SAN."""
        self.search.text_written = 0
        size = self.kernel.run("WRITE_MOVES", position, self.search, 0, black)
        names = self._text.raw[: self.search.text_written].decode().split()
        pairs = zip(names[::2], names[1::2], strict=True)
        return dict(zip(self.search.rows[0][:size], pairs, strict=True))


class Place:
    """A position of a line, whose moves are named when they are needed."""

    def __init__(
        self,
        writer: MoveWriter,
        position: Position | Callable[[], Position],
        *,
        black: bool,
    ) -> None:
        self._writer = writer
        self._position = position
        self._black = black

    @cached_property
    def position(self) -> Position:
        """The kernel's position."""
        return self._position() if callable(self._position) else self._position

    @cached_property
    def names(self) -> dict[int, tuple[str, str]]:
        """Its legal moves in UCI and SAN."""
        return self._writer.names(self.position, black=self._black)

    def after(self, move: int) -> Place:
        """Return the place after a legal move, or after a null move, 0."""
        writer = self._writer
        return Place(
            writer,
            lambda: writer.kernel.made(self.position, writer.search, move),
            black=not self._black,
        )

    def after_uci(self, uci: str) -> tuple[Place, str]:
        """Return the place after a legal move in UCI, and the move in SAN."""
        for move, (name, san) in self.names.items():
            if name == uci:
                return self.after(move), san
        raise ValueError(uci)
