"""Checkpoints: the bounds of a search that took the most effort, in a signed file.

A search that begins with the bounds of an earlier one proves only what is left. Bounds
belong to positions, not to questions, so nothing else is kept, and the files of several
runs can be merged.

A forged bound would make a false proof. So a file carries an HMAC (RFC 2104) by a key
that only its user can read, and any other file is refused. docs/reference/checkpoint.md
describes the format, and what is promised.
"""

from __future__ import annotations

import functools
import hmac
import json
import os
import secrets
import stat
import threading
import time
import zlib
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from solver.errors import CheckpointError, MatesolveError
from solver.files import make_folder, open_whole
from solver.problem import MATE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from solver.problem import Problem, Restriction

FORMAT = 1
"""Of the file, and of the hash keys in it; a change of either raises it."""

ENTRY_BYTES = 16
NUMBERS_SHARE = 4
"""Proof numbers take at most this part of the room."""

KEY_BYTES = 32
CRC_BYTES = 4
DIGEST = "sha256"
DIGEST_BYTES = 32
MOST_HEADER_BYTES = 4096
"""Of the header, and more than all but the bounds takes."""


FIRST_WAIT_S = 2.0
MOST_WAIT_S = 600.0
LOSS = 0.02
"""A running search is saved after 2 seconds, and then after 2% of the time that it has
taken, 10 minutes at most: a kill loses no more, unless saving costs too much."""

COST = 0.01
"""Saving takes at most this part of a core's time; to wait for a disk takes none."""


@dataclass(frozen=True)
class Checkpoint:
    """What is proved of positions, and what the search for it has cost.

    Attributes
    ----------
    fen : str
        The position that was searched: the first four fields of its FEN.
    stipulation : str
        What was searched for. All direct mates have `#`, because a bound answers each
        of their lengths.
    restriction : dict
        The conditions of the attacker's restriction; empty: none.
    searches : int
        How many searches the bounds come from.
    nodes : int
        Their nodes.
    time_s : float
        Their seconds.
    entries, numbers : bytes
        16 bytes for each bound, and for the proof numbers of each node, which say where
        to search; `solver.kernel.mate.transposition` has the layout.
    """

    fen: str
    stipulation: str
    restriction: dict[str, object]
    searches: int = 0
    nodes: int = 0
    time_s: float = 0.0
    entries: bytes = field(default=b"", repr=False)
    numbers: bytes = field(default=b"", repr=False)

    @classmethod
    def about(cls, problem: Problem, restriction: Restriction | None) -> Checkpoint:
        """Return one without bounds, about a problem whose FEN has been read."""
        conditions = {} if restriction is None else asdict(restriction)
        return cls(
            " ".join(problem.fen.split()[:4]),
            _stipulation(problem),
            {name: value for name, value in conditions.items() if value},
        )

    def fits(self, problem: Problem) -> bool:
        """Return whether the search for this problem can begin with the bounds."""
        return self.stipulation == _stipulation(problem)

    @property
    def positions(self) -> int:
        """How many bounds it has."""
        return len(self.entries) // ENTRY_BYTES

    def require_about(
        self, wanted: Checkpoint, path: str | os.PathLike[str], *names: str
    ) -> None:
        """Raise CheckpointError if these fields are not as wanted; `path` has it."""
        for name in names:
            expected, found = getattr(wanted, name), getattr(self, name)
            if expected != found:
                needed = f"a checkpoint with {name} {expected or 'none'}"
                refuse_file(path, needed, found or "none")

    def merged(self, other: Checkpoint) -> Checkpoint:
        """Return one with the bounds and the costs of both."""
        return replace(
            self,
            searches=self.searches + other.searches,
            nodes=self.nodes + other.nodes,
            time_s=self.time_s + other.time_s,
            entries=self.entries + other.entries,
            numbers=self.numbers + other.numbers,
        )

    def dump(self, key: bytes) -> list[bytes]:
        """Return the parts of the file, signed with a key."""
        header = {
            "matesolve": "checkpoint",
            "format": FORMAT,
            **vars(self),
            "entries": self.positions,
            "numbers": len(self.numbers) // ENTRY_BYTES,
        }
        line = json.dumps(header).encode("ascii") + b"\n"
        parts = [line, self.entries, self.numbers]
        crc = functools.reduce(lambda crc, part: zlib.crc32(part, crc), parts, 0)
        parts.append(crc.to_bytes(CRC_BYTES, "little"))
        return [*parts, _sign(parts, key)]

    @classmethod
    def parse(cls, data: bytes, key: bytes, path: str | os.PathLike[str]) -> Checkpoint:
        """Read a file; `path` is its name for messages.

        Raises
        ------
        CheckpointError
            It is no checkpoint, is damaged, or was signed with another key.
        """
        view = memoryview(data)
        end = data.find(b"\n", 0, MOST_HEADER_BYTES) + 1
        if not data.startswith(b'{"matesolve": "checkpoint"') or not end:
            found = "an empty file" if not data else "another file"
            refuse_file(path, "a checkpoint of matesolve", found)
        body, crc = view[: -CRC_BYTES - DIGEST_BYTES], view[-CRC_BYTES - DIGEST_BYTES :]
        if zlib.crc32(body) != int.from_bytes(crc[:CRC_BYTES], "little"):
            refuse_file(path, "a whole checkpoint", "a damaged one")
        signature = _sign([view[:-DIGEST_BYTES]], key)
        if not hmac.compare_digest(signature, view[-DIGEST_BYTES:]):
            refuse_file(path, "a checkpoint signed with your key", "another signature")
        header = json.loads(data[:end])  # as this program wrote it, or another version
        if header.pop("format") != FORMAT:
            expected = f"a checkpoint of format {FORMAT}"
            refuse_file(path, expected, "one of another version")
        del header["matesolve"]
        middle = end + ENTRY_BYTES * header["entries"]
        header |= {"entries": bytes(body[end:middle]), "numbers": bytes(body[middle:])}
        return cls(**header)


def _sign(parts: list[Any], key: bytes) -> bytes:
    signature = hmac.new(key, digestmod=DIGEST)
    for part in parts:
        signature.update(part)
    return signature.digest()


def refuse_file(path: str | os.PathLike[str], expected: str, found: object) -> NoReturn:
    """Raise CheckpointError, which names the file."""
    msg = f"{os.fspath(path)}: expected {expected}, found {found}"
    raise CheckpointError(msg)


def _stipulation(problem: Problem) -> str:
    asked = problem.stipulation.beside_claim
    return "#" if asked == MATE else str(asked)


# Files


def read_checkpoint(path: str | os.PathLike[str], key: bytes) -> Checkpoint:
    """Read a checkpoint; see `Checkpoint.parse`.

    Raises
    ------
    CheckpointError
        See `Checkpoint.parse`.
    OSError
        It cannot be read; the error names it.
    """
    file = Path(path)
    if file.exists() and not (file.is_file() or file.is_dir()):
        refuse_file(path, "a checkpoint of matesolve", "a device")  # some never end
    return Checkpoint.parse(file.read_bytes(), key, path)


def write_checkpoint(
    path: str | os.PathLike[str], checkpoint: Checkpoint, key: bytes
) -> None:
    """Write a checkpoint, which replaces an older one as a whole.

    Raises
    ------
    OSError
        It cannot be written; the error names it.
    """
    with open_whole(path) as file:
        for part in checkpoint.dump(key):
            file.write(part)
        file.flush()
        os.fsync(file.fileno())  # days of work outlive a power cut


def default_key() -> Path:
    """Return where the user's key is.

    Raises
    ------
    CheckpointError
        The user has no home directory.
    """
    from platformdirs import user_data_dir

    folder = Path(user_data_dir("matesolve", appauthor=False))
    if not folder.is_absolute():
        msg = "the key of checkpoints: expected a home directory, found none"
        raise CheckpointError(msg)
    return folder / "checkpoint.key"


def read_key(path: str | os.PathLike[str] | None = None) -> bytes:
    """Read the key that signs checkpoints; the user's own is made when it is missing.

    Parameters
    ----------
    path : str, PathLike or None
        A file that its owner alone can read; None: `default_key`.

    Raises
    ------
    CheckpointError
        Other users can read the key, or it is too short.
    OSError
        It cannot be read or made; the error names it.
    """
    file = default_key() if path is None else Path(path)
    if path is None and not file.exists():
        try:
            _make_key(file)
        except OSError as error:
            reason = f"the key of checkpoints cannot be made: {error.strerror}"
            raise OSError(error.errno, reason, str(file)) from None
    mode = stat.S_IMODE(file.stat().st_mode)
    if os.name == "posix" and mode & (stat.S_IRWXG | stat.S_IRWXO):
        refuse_file(
            file, "a key that its owner alone can read (mode 0600)", f"{mode:04o}"
        )
    key = file.read_bytes()
    if len(key) < KEY_BYTES:
        refuse_file(file, f"a key of at least {KEY_BYTES} bytes", len(key))
    return key


def _make_key(file: Path) -> None:
    """Make the user's key, whole, unless another program has just made it."""
    import tempfile

    make_folder(file.parent, 0o700)
    number, name = tempfile.mkstemp(dir=file.parent, prefix=f".{file.name}.")
    try:
        with os.fdopen(number, "wb") as made:
            made.write(secrets.token_bytes(KEY_BYTES))
        try:
            Path(file).hardlink_to(name)
        except FileExistsError:
            pass
        except OSError:  # a file system without hard links
            Path(name).replace(file)
    finally:
        Path(name).unlink(missing_ok=True)


@contextmanager
def saving(save: Callable[[], object]) -> Iterator[None]:
    """Save the search in the block now and then, from another thread.

    Parameters
    ----------
    save : callable
        Writes the file. Its errors are left to its last call, after the block.
    """
    ended = threading.Event()

    def save_often() -> None:
        began, cost_s = time.monotonic(), 0.0
        while True:
            wait_s = (time.monotonic() - began) * LOSS
            wait_s = min(max(wait_s, FIRST_WAIT_S), MOST_WAIT_S)
            if ended.wait(max(wait_s, cost_s / COST)):
                return
            started = time.thread_time()
            # Such as a full disk, which may have room later, or no search yet.
            with suppress(OSError, MemoryError, MatesolveError):
                save()
            cost_s = time.thread_time() - started

    thread = threading.Thread(target=save_often, daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()
