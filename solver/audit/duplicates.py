"""Records of collections that pose the same problem as an earlier one."""

from __future__ import annotations

import ctypes
from array import array
from collections import Counter, defaultdict
from functools import lru_cache
from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple

from solver.audit.results import split_source
from solver.errors import FormatError
from solver.kernel.border import interface, parts
from solver.kernel.border.query_struct import (
    BLACK,
    FIRST_SHIFT,
    FORM_WORDS,
    MIRRORED,
)
from solver.kernel.build.loader import load_part
from solver.position_text import FORM_BYTES, FORM_END, problem_forms
from solver.problem import Stipulation
from solver.stipulations import rank_claim

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from solver.audit.results import AuditResult
    from solver.problem import Problem

BATCH = 512
"""How many positions one call of compiled code reads."""

SAME = "the same position"
COUNTERS = "with other counters"
RELATIONS = {
    0: COUNTERS,
    MIRRORED: "mirrored",
    BLACK: "with colours exchanged",
    MIRRORED | BLACK: "mirrored with colours exchanged",
}
"""How a position differs from another one with the same form."""

OTHER_CLAIM = "another claim"
OTHER_MOVES = "other first moves"

_FLIPPED = str.maketrans("12345678", "87654321")
_MIRRORED = str.maketrans("abcdefgh", "hgfedcba")


class Duplicate(NamedTuple):
    """A record of a group of duplicates.

    Attributes
    ----------
    source : str
        `file:line`.
    id : str
        Its name; empty if that is only the source.
    claim : str
        What it claims, such as `#3`, `no #2` or `none`.
    relation : str or None
        SAME, or what differs between its position and that of the group's first record,
        a value of RELATIONS; None for the first record.
    differs : str or None
        OTHER_CLAIM or OTHER_MOVES, if it claims something else than the first record.
    """

    source: str
    id: str
    claim: str
    relation: str | None
    differs: str | None

    @property
    def words(self) -> str:
        """How it differs from the first record."""
        differs = self.differs and f"with {self.differs}"
        return ", ".join(filter(None, (self.relation, differs)))


class DuplicateCounts:
    """Counts of duplicates.

    Attributes
    ----------
    groups : int
        How many groups there are.
    """

    def __init__(self) -> None:
        self.groups = self._records = 0
        self._differences = Counter[str | None]()

    def add(self, differences: Sequence[str | None]) -> None:
        """Count a group; `differences` has `Duplicate.differs` of all but the first."""
        self.groups += 1
        self._records += len(differences)
        self._differences.update(differences)

    def __str__(self) -> str:
        are = "record repeats" if self._records == 1 else "records repeat"
        words = [
            f"{self._differences[word]:,} with {word}"
            for word in (OTHER_CLAIM, OTHER_MOVES)
            if self._differences[word]
        ]
        rest = f" ({', '.join(words)})" if words else ""
        return f"{self._records:,} {are} an earlier position{rest}"


class _Texts(dict[str, int]):
    """Numbers of texts, of which there are few; `all` has the texts."""

    def __init__(self) -> None:
        self.all: list[str] = []

    def __missing__(self, text: str) -> int:
        self.all.append(text)
        return self.setdefault(text, len(self))


class Duplicates:
    """Finds records with the same problem; holds about 80 bytes for each record.

    Two positions pose the same problem if they are the same, have other counters or an
    en passant square that no pawn can use, are mirrored and have no castling rights, or
    have exchanged colours. Records with the same `file:line`, such as twins, are no
    duplicates of each other.
    """

    def __init__(self) -> None:
        self._forms, self._fens = bytearray(), array("q")
        self._waiting: list[tuple[str, ...]] = []
        self._files, self._lines, self._claims = array("I"), array("q"), array("I")
        self._file_names, self._claim_names = _Texts(), _Texts()
        self._texts, self._ends = bytearray(), array("Q", [0])

    @property
    def count(self) -> int:
        """How many records were added."""
        return len(self._fens) + len(self._waiting)

    def note(
        self, records: Iterable[Problem | FormatError]
    ) -> Iterator[Problem | FormatError]:
        """Yield records, and add those that can be read."""
        for record in records:
            if not isinstance(record, FormatError):
                self.add(record)
            yield record

    def add(self, problem: Problem) -> None:
        """Add a record."""
        claim, moves = problem.claim, ""
        mate = solutions = None
        if claim:
            mate, solutions = claim.mate, claim.solutions
            moves = " ".join(claim.keys or claim.line[:1])
        text = _write_claim(problem.stipulation, mate, problem.no_mate, solutions)
        self._add(problem.source, problem.id, problem.fen, text, moves)

    def add_result(self, result: AuditResult) -> None:
        """Add the record of a result; do nothing if it is unreadable."""
        source, id_, fen = result.source, result.id, result.fen
        if fen is None:
            return
        claimed = result.claim, result.nomate, result.claimed_solutions
        moves = result.claimed_keys or result.claimed_line.partition(" ")[0]
        text = _write_claim(result.stipulation, *claimed)
        self._add(source, id_, fen, text, moves)

    def _add(self, *record: str) -> None:
        """Add the source, name, FEN, claim and first moves of a record."""
        self._waiting.append(record)
        if len(self._waiting) == BATCH:
            self._read()

    def _read(self) -> None:
        """Read the records that wait."""
        if not self._waiting:
            return
        sources, names, fens, claims, moves = zip(*self._waiting, strict=True)
        self._waiting.clear()
        files, lines = zip(*map(split_source, sources), strict=True)
        self._files.extend(map(self._file_names.__getitem__, files))
        self._lines.extend(lines)
        self._claims.extend(map(self._claim_names.__getitem__, claims))
        self._fens.extend(map(hash, fens))
        self._forms += problem_forms(fens)
        texts = [
            f"{'' if source.endswith(name) else name}\n{move}".encode(
                errors="surrogatepass"
            )
            for source, name, move in zip(sources, names, moves, strict=True)
        ]
        end = self._ends.pop()
        self._ends.extend(accumulate(map(len, texts), initial=end))
        self._texts += b"".join(texts)

    def _text(self, index: int) -> tuple[str, frozenset[str]]:
        """Return the name of a record, and its first moves as its form has them."""
        name, _, moves = (
            self._raw(index).decode(errors="surrogatepass").rpartition("\n")
        )
        return name, _in_form(moves.split(), self._marks(index))

    def _raw(self, index: int) -> bytearray:
        return self._texts[self._ends[index] : self._ends[index + 1]]

    def _marks(self, index: int) -> int:
        """Return whether a position was MIRRORED for its form, and is BLACK's."""
        return self._forms[FORM_BYTES * index + FORM_END] & (MIRRORED | BLACK)

    def _find(self) -> list[list[int]]:
        """Return the records of each group, in the order of files and lines."""
        self._read()
        if not (count := len(self._fens)):
            return []
        buckets = 1 << (count // 4).bit_length()
        table = ctypes.create_string_buffer(64 * buckets)
        forms = (ctypes.c_uint64 * (FORM_WORDS * count)).from_buffer(self._forms)
        search = interface.new_search(
            text=ctypes.addressof(forms),
            text_size=len(self._forms),
            table=ctypes.addressof(table),
            buckets=buckets,
        )
        load_part(parts.SEARCH).kernel.find_first_forms(search, count)
        found = defaultdict[int, list[int]](list)
        marks = memoryview(self._forms).cast("Q")[FORM_WORDS - 1 :: FORM_WORDS]
        for index, word in enumerate(marks):
            first = word >> FIRST_SHIFT
            if first != index:
                found[first].append(index)
        groups = [[first, *found[first]] for first in sorted(found)]
        for group in groups:
            group.sort(key=self._place)
        return [group for group in groups if not self._is_one(group)]

    def _place(self, index: int) -> tuple[int, int]:
        return self._files[index], self._lines[index]

    def _is_one(self, group: Sequence[int]) -> bool:
        """Return whether all records of a sorted group have the same `file:line`."""
        first, last = self._place(group[0]), self._place(group[-1])
        return first == last and last[1] > 0

    def _source(self, index: int) -> str:
        file, line = self._file_names.all[self._files[index]], self._lines[index]
        return f"{file}:{line}" if line else file

    def counts(self) -> DuplicateCounts:
        """Count the groups, without a description of each record."""
        counts = DuplicateCounts()
        for first, others in self._groups():
            counts.add([self._differs(first, one) for one in others])
        return counts

    def groups(self) -> Iterator[list[Duplicate]]:
        """Yield each group of duplicates, with the record that comes first in front."""
        for first, others in self._groups():
            yield [self._describe(first, one) for one in (first, *others)]

    def _groups(self) -> Iterator[tuple[int, list[int]]]:
        """Yield the first record of each group, and its duplicates."""
        for first, *others in self._find():
            yield first, [one for one in others if not self._is_one((first, one))]

    def _differs(self, first: int, index: int) -> str | None:
        """Return how a record's claim differs from that of its group's first one."""
        if self._claims[index] != self._claims[first]:
            return OTHER_CLAIM
        raw, other = self._raw(index), self._raw(first)
        if raw.endswith(b"\n") or (
            raw == other and self._marks(first) == self._marks(index)
        ):  # no moves, or the same ones
            return None
        same = self._text(index)[1] == self._text(first)[1]
        return None if same else OTHER_MOVES

    def _describe(self, first: int, index: int) -> Duplicate:
        relation = differs = None
        if index != first:
            relation = RELATIONS[self._marks(first) ^ self._marks(index)]
            if self._fens[first] == self._fens[index]:
                relation = SAME
            differs = self._differs(first, index)
        claim = self._claim_names.all[self._claims[index]]
        name, _ = self._text(index)
        return Duplicate(self._source(index), name, claim, relation, differs)

    def sentences(self) -> dict[str, str]:
        """Return what to say of each record of a group, by its source."""
        said = {}
        for first, *others in self.groups():
            more = f" and {len(others) - 1:,} more" if len(others) > 1 else ""
            said[first.source] = f"repeated by {others[0].source}{more}"
            for one in others:
                said[one.source] = f"repeats {first.source}: {one.words}"
        return said

    def dropped(self) -> dict[str, str]:
        """Return the sources that only repeat others, each with the source to keep.

        A record repeats an earlier one that poses the same problem, claims the same,
        and has the same first moves; these may be missing in the later record. All
        records of a dropped source repeat records of others.
        """
        repeats: dict[int, int] = {}
        for group in self._find():
            firsts: dict[tuple[int, frozenset[str] | None], int] = {}
            for index in group:
                claim, (_, moves) = self._claims[index], self._text(index)
                like = firsts.setdefault((claim, None), index)
                alike = firsts.setdefault((claim, moves), index)
                first = alike if moves else like
                if first != index and not self._is_one((first, index)):
                    repeats[index] = first
        places = {*map(self._place, repeats)}
        for index, place in enumerate(zip(self._files, self._lines, strict=True)):
            if place in places and index not in repeats:
                places.remove(place)
        return {
            self._source(index): self._source(first)
            for index, first in repeats.items()
            if self._place(index) in places
        }


@lru_cache
def _write_claim(
    stipulation: Stipulation | str | None,
    mate: int | None,
    no_mate: int | None,
    solutions: int | None,
) -> str:
    """Return a claim in words; claims with the same words are the same."""
    if not isinstance(stipulation, Stipulation):
        stipulation = Stipulation.from_record(stipulation)
    words = [rank_claim(stipulation, mate, no_mate)[1]]
    if mate and no_mate is not None:
        words.append(f"no #{no_mate}")
    if solutions is not None:
        words.append(f"{solutions:,} solution{'s' * (solutions != 1)}")
    return ", ".join(words)


def _in_form(moves: Iterable[str], marks: int) -> frozenset[str]:
    """Return moves in UCI notation, mirrored as their position is."""
    if marks & BLACK:
        moves = [move.translate(_FLIPPED) for move in moves]
    if marks & MIRRORED:
        moves = [move[:4].translate(_MIRRORED) + move[4:] for move in moves]
    return frozenset(moves)
