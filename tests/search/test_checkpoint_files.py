"""Files of checkpoints: what is damaged, foreign or forged is refused.

A bound that nobody proved would make a false proof, so one flipped bit is too much.
"""

from __future__ import annotations

import hmac
import json
import os
import secrets
import stat
import sys
import threading
import zlib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

from solver import Limits, Problem
from solver.errors import AllocationError, CheckpointError, InputError
from solver.search import checkpoints
from solver.search.checkpoints import FORMAT, Checkpoint
from solver.solving import Solver
from tests.processes import PATIENCE_S

if TYPE_CHECKING:
    from collections.abc import Callable

pytestmark = pytest.mark.usefixtures("kernel", "battle_kernel")

MATE = "8/3K4/3N4/3k1p2/3B1P2/2P1p3/4P3/8 w - - 0 1"
SELFMATE = "8/8/Q7/8/8/1q6/2Q5/K5kr w - - 0 1"
KEY = bytes(range(40))
TAIL = 36
"""Bytes of the checksum and the signature."""


class Parts(NamedTuple):
    """What a file has; `header` with its end of line."""

    header: bytes
    entries: bytes
    tail: bytes

    @classmethod
    def of(cls, data: bytes) -> Parts:
        end = data.index(b"\n") + 1
        return cls(data[:end], data[end:-TAIL], data[-TAIL:])

    def changed(self, **fields: Any) -> bytes:
        """Return the header with other fields; None removes one."""
        header = {**json.loads(self.header), **fields}
        kept = {name: value for name, value in header.items() if value is not None}
        return json.dumps(kept).encode() + b"\n"


def signed(body: bytes, key: bytes = KEY) -> bytes:
    """Return a file, by the description of its format."""
    body += zlib.crc32(body).to_bytes(4, "little")
    return body + hmac.new(key, body, "sha256").digest()


@pytest.fixture
def key(tmp_path: Path) -> Path:
    path = tmp_path / "key"
    path.touch(0o600)
    path.write_bytes(KEY)
    return path


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> tuple[bytes, bytes]:
    """Two valid files, one of a mate and one of a selfmate."""
    folder = tmp_path_factory.mktemp("valid")
    key = folder / "key"
    key.touch(0o600)
    key.write_bytes(KEY)
    found = []
    for fen, stipulation in ((MATE, None), (SELFMATE, "s#4")):
        solver = Solver(16)
        limits = Limits(nodes=20_000)
        solver.solve(Problem(fen, stipulation=stipulation), limits)
        assert 10 < solver.save(folder / "file", key).positions < 10_000
        found.append((folder / "file").read_bytes())
    return found[0], found[1]


def refused(path: Path, key: Path) -> str:
    """Load a file, which must be refused in one line that names it."""
    solver = Solver(1)
    with pytest.raises(CheckpointError) as caught:
        solver.load(path, key)
    message = str(caught.value)
    assert message.startswith(f"{path}: expected ")
    assert "\n" not in message
    with pytest.raises(InputError):
        solver.keep()
    return message.removeprefix(f"{path}: ")


def test_a_file_is_as_described(files: tuple[bytes, bytes]) -> None:
    for data in files:
        parts = Parts.of(data)
        assert signed(parts.header + parts.entries) == data
        header = json.loads(parts.header)
        assert [*header][:2] == ["matesolve", "format"]
        assert header["format"] == FORMAT
        assert (header["entries"] + header["numbers"]) * 16 == len(parts.entries)
        read = Checkpoint.parse(data, KEY, "file")
        assert b"".join(read.dump(KEY)) == data


# Damage and forgery


def flip_a_bit(random: Random, data: bytes, _other: bytes) -> bytes:
    place = random.randrange(len(data))
    changed = data[place] ^ 1 << random.randrange(8)
    return data[:place] + bytes([changed]) + data[place + 1 :]


def cut_or_append(random: Random, data: bytes, other: bytes) -> bytes:
    added = random.choice([b"\n", b"\0", other, data, random.randbytes(16)])
    return random.choice([data[: random.randrange(len(data))], data + added])


def splice(random: Random, data: bytes, other: bytes) -> bytes:
    """Take each part from one of two valid files."""
    chosen = [random.choice((data, other)) for _ in Parts._fields]
    return b"".join(Parts.of(file)[at] for at, file in enumerate(chosen))


def splice_entries(random: Random, data: bytes, other: bytes) -> bytes:
    """Put bounds of another file among those of this one, with a right checksum."""
    ours, theirs = Parts.of(data), Parts.of(other).entries
    place = 16 * random.randrange(len(ours.entries) // 16)
    source = 16 * random.randrange(len(theirs) // 16)
    entries = ours.entries[:place] + theirs[source : source + 16]
    body = signed(ours.header + entries + ours.entries[place + 16 :])
    return body[:-32] + data[-32:]


def sign_with_another_key(random: Random, data: bytes, _other: bytes) -> bytes:
    key = random.choice([random.randbytes(32), KEY[:-1], KEY + b"\1", b"", bytes(32)])
    return signed(data[:-TAIL], key)


def change_a_field(random: Random, data: bytes, _other: bytes) -> bytes:
    """Without the key: the signature is the old one, or one by another key."""
    parts = Parts.of(data)
    name = random.choice([*json.loads(parts.header)])
    value: object = random.choice([0, 1, -1, "", "#", "s#4", {}, [], None, 1e9, True])
    body = parts.changed(**{name: value}) + parts.entries
    changed = signed(body, random.randbytes(32))
    return changed[:-32] + random.choice([changed[-32:], data[-32:]])


def write_anything(random: Random, data: bytes, _other: bytes) -> bytes:
    start = random.choice([b"", b'{"matesolve": "checkpoint"', data[:60]])
    return start + random.randbytes(random.randrange(200))


DAMAGES: list[Callable[[Random, bytes, bytes], bytes]] = [
    *(flip_a_bit, cut_or_append, splice, splice_entries),
    *(sign_with_another_key, change_a_field, write_anything),
]


@pytest.mark.parametrize("damage", DAMAGES)
def test_whatever_is_not_whole_and_signed_is_refused(
    damage: Callable[[Random, bytes, bytes], bytes],
    files: tuple[bytes, bytes],
    tmp_path: Path,
    key: Path,
) -> None:
    random, path, tried = Random(damage.__name__), tmp_path / "file", 0
    for turn in range(160):
        data = damage(random, files[turn % 2], files[1 - turn % 2])
        if data in files:
            continue
        path.write_bytes(data)
        words = refused(path, key)
        assert words in {
            "expected a checkpoint of matesolve, found an empty file",
            "expected a checkpoint of matesolve, found another file",
            "expected a whole checkpoint, found a damaged one",
            "expected a checkpoint signed with your key, found another signature",
        }
        tried += 1
    assert tried > 100


def test_the_first_fault_of_a_file_is_named(
    files: tuple[bytes, bytes], tmp_path: Path, key: Path
) -> None:
    """A damaged file is not taken for a forged one."""
    path, checkpoint = tmp_path / "file", "expected a checkpoint of matesolve, found"
    for data, words in (
        (b"", f"{checkpoint} an empty file"),
        (b"SQLite format 3\0", f"{checkpoint} another file"),
        (b'{"matesolve": "certificate"}\n', f"{checkpoint} another file"),
        (b'{"matesolve": "checkpoint"' + b" " * 5000 + b"}\n", f"{checkpoint} another"),
        (b'{"matesolve": "checkpoint"}', f"{checkpoint} another file"),
        (files[0][:-1], "expected a whole checkpoint, found a damaged one"),
        (
            signed(files[0][:-TAIL], bytes(32)),
            "expected a checkpoint signed with your key, found another signature",
        ),
    ):
        path.write_bytes(data)
        assert refused(path, key).startswith(words)
    for path in (tmp_path / "missing", tmp_path):
        with pytest.raises(OSError, match=str(path)):
            Solver(1).load(path, key)
    if Path("/dev/zero").exists():
        assert refused(Path("/dev/zero"), key) == f"{checkpoint} a device"


# Files that the right key has signed


@pytest.mark.parametrize("fields", [{}, {"added": 1}, {"fen": None}])
def test_a_file_of_another_version_is_refused(
    fields: dict[str, Any], files: tuple[bytes, bytes], tmp_path: Path, key: Path
) -> None:
    parts, path = Parts.of(files[0]), tmp_path / "file"
    header = parts.changed(format=FORMAT + 1, **fields)
    path.write_bytes(signed(header + parts.entries))
    words = f"expected a checkpoint of format {FORMAT}, found one of another version"
    assert refused(path, key) == words


def test_bounds_that_contradict_each_other_are_refused(
    files: tuple[bytes, bytes], tmp_path: Path, key: Path
) -> None:
    """Such a file is signed, and was written by a program with a bug."""
    parts, path = Parts.of(files[0]), tmp_path / "file"
    check, data = parts.entries[:8], int.from_bytes(parts.entries[8:16], "little")
    for no_mate, mate in ((7, 7), (9, 3)):
        word = (data >> 16 << 16) | no_mate | mate << 8
        wrong = check + word.to_bytes(8, "little") + parts.entries[16:]
        path.write_bytes(signed(parts.header + wrong))
        words = "expected bounds, found some that contradict each other"
        assert refused(path, key) == words
    # Two files, each of which is right by itself.
    solver = Solver(1)
    for name, proved in (("one", 9 | 255 << 8), ("two", 9 << 8)):
        bound = check + ((data >> 16 << 16) | proved).to_bytes(8, "little")
        body = parts.changed(entries=1) + bound
        (tmp_path / name).write_bytes(signed(body))
    solver.load(tmp_path / "one", key)
    with pytest.raises(CheckpointError, match="two: expected bounds, found some"):
        solver.load(tmp_path / "two", key)
    for nodes in (20_000, 100_000):
        found = solver.solve(Problem(MATE), Limits(nodes=nodes))
        assert found.lower_bound <= 7


# Files that cannot be read or written


def test_a_save_that_fails_is_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is printed, and no error ends the thread that saves."""
    for name, value in (("FIRST_WAIT_S", 0.001), ("LOSS", 0), ("COST", 1)):
        monkeypatch.setattr(checkpoints, name, value)
    failures = [
        OSError(28, "No space left on device"),
        CheckpointError("key: expected a key that its owner alone can read"),
        InputError("solver: expected a search to save, found none"),
        AllocationError("expected memory"),
        MemoryError(),
    ]
    is_saved = threading.Event()

    def save() -> None:
        if failures:
            raise failures.pop()
        is_saved.set()

    with checkpoints.saving(save):
        assert is_saved.wait(PATIENCE_S)
    assert not failures


# The key


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the user's key is to be."""
    data = tmp_path / "data"
    monkeypatch.setattr("platformdirs.user_data_dir", lambda *_, **__: str(data))
    return data / "checkpoint.key"


def test_the_key_is_made_once_for_its_owner_alone(home: Path, tmp_path: Path) -> None:
    made = checkpoints.read_key()
    assert len(made) == 32
    assert home.read_bytes() == made
    if os.name == "posix":
        assert stat.S_IMODE(home.stat().st_mode) == 0o600
        assert stat.S_IMODE(home.parent.stat().st_mode) == 0o700
    assert checkpoints.read_key() == checkpoints.read_key(home) == made
    assert [*home.parent.iterdir()] == [home]
    home.unlink()
    assert checkpoints.read_key() != made
    missing = tmp_path / "missing.key"  # a key that is named is never made
    with pytest.raises(FileNotFoundError) as refused:
        checkpoints.read_key(missing)
    assert refused.value.filename == str(missing)
    assert not missing.exists()


def test_a_key_that_has_no_place_is_reported(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home.parent.write_text("a file in place of the folder")
    with pytest.raises(OSError, match=str(home.parent)):
        checkpoints.read_key()
    monkeypatch.setattr("platformdirs.user_data_dir", lambda *_, **__: "data")
    with pytest.raises(CheckpointError, match="expected a home directory, found none"):
        checkpoints.read_key()
    monkeypatch.undo()
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    if sys.platform == "linux":
        assert checkpoints.default_key() == tmp_path / "matesolve" / "checkpoint.key"


def test_a_key_that_is_short_or_that_others_can_use_is_refused(
    home: Path, key: Path
) -> None:
    checkpoints.read_key()
    for path, name in ((home, None), (key, key)):
        for mode in (0o640, 0o604, 0o601) if os.name == "posix" else ():
            path.chmod(mode)
            words = f"{path}: expected a key that its owner alone can read "
            words += f"\\(mode 0600\\), found {mode:04o}"
            with pytest.raises(CheckpointError, match=words):
                checkpoints.read_key(name)
        path.chmod(0o600)
        for size in (0, 31):
            path.write_bytes(KEY[:size])
            words = f"{path}: expected a key of at least 32 bytes, found {size}"
            with pytest.raises(CheckpointError, match=words):
                checkpoints.read_key(name)


def test_programs_that_make_the_key_at_once_share_it(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One makes it between two steps of the other, and then many at once do."""
    tokens = secrets.token_bytes
    inner: list[bytes] = []

    def be_overtaken(size: int) -> bytes:
        monkeypatch.setattr("secrets.token_bytes", tokens)
        inner.append(checkpoints.read_key())
        return tokens(size)

    monkeypatch.setattr("secrets.token_bytes", be_overtaken)
    assert [checkpoints.read_key()] == inner
    assert [*home.parent.iterdir()] == [home]

    start = threading.Barrier(8)

    def read(_: int) -> bytes:
        start.wait()
        return checkpoints.read_key()

    for _ in range(10):
        home.unlink()
        with ThreadPoolExecutor(8) as pool:
            assert [*pool.map(read, range(8))] == [home.read_bytes()] * 8
