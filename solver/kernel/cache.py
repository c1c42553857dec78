"""The folder for compiled code: private to the user, with checked content.

The stored code is machine code, and loading it means running it. So the folder and the
file must belong to the user, nobody else may write to them, and the file carries a
checksum.
"""

from __future__ import annotations

import hashlib
import json
import os
import stat
import tempfile
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from solver.errors import CacheError

if TYPE_CHECKING:
    from collections.abc import Iterator

DIRECTORY_VARIABLE = "MATESOLVE_CACHE_DIR"
FALLBACK_VARIABLE = "MATESOLVE_COMPILER"
FALLBACK = "numba"

MAGIC = b"matesolve kernel 1\n"
CHECKSUM_BYTES = 32


@dataclass(frozen=True, slots=True)
class StoredKernel:
    """Object code and the names that linking it needs.

    Attributes
    ----------
    symbol : str
        The function to call.
    undefined : tuple of str
        Symbols that the object code names but the kernel never calls.
    code : bytes
        An object file for this machine.
    """

    symbol: str
    undefined: tuple[str, ...]
    code: bytes


def candidate_directories() -> list[Path]:
    """Return the folders to try, best first.

    A folder named by MATESOLVE_CACHE_DIR is the only candidate. There may be no
    candidate: an account without a home directory on a read-only system has none.
    """
    named = os.environ.get(DIRECTORY_VARIABLE)
    if named:
        return [Path(named)]
    candidates = []
    # Without a home directory, platformdirs raises or returns a relative path.
    with suppress(RuntimeError):
        if (user_cache := _user_cache()).is_absolute():
            candidates.append(user_cache)
    with suppress(FileNotFoundError):  # no folder for temporary files exists
        candidates.append(_temporary_directory())
    return candidates


def private_directories() -> Iterator[Path]:
    """Yield the existing folders whose content can be trusted, best first.

    Kernels stored there can be loaded even if the folder is read-only.
    """
    for directory in candidate_directories():
        try:
            require_private(directory)
        except (OSError, CacheError):
            continue
        if directory.is_dir():
            yield directory


def open_directory() -> Path:
    """Find or create the folder for compiled code.

    Raises
    ------
    CacheError
        No candidate can be used; the message gives the reason for each.
    """
    reasons = []
    for directory in candidate_directories():
        try:
            directory.mkdir(mode=0o700, parents=True, exist_ok=True)
            require_private(directory)
            require_writable(directory)
        except OSError as error:
            reasons.append(f"{directory}: {error.strerror}")
        except CacheError as error:
            reasons.append(str(error))
        else:
            return directory
    raise CacheError("; ".join(reasons) or "no home and no temporary folder is known")


def describe(directory: Path) -> str:
    """Describe in a few words whether the folder can be used; change nothing."""
    try:
        require_private(directory)
    except FileNotFoundError:
        return "not there yet"
    except OSError as error:
        return f"not used: {error.strerror}"
    except CacheError as error:
        return f"not used: {error}"
    stored = f"{len(list(directory.glob('kernel-*')))} stored"
    try:
        require_writable(directory)
    except OSError as error:
        return f"{stored}, none can be added: {error.strerror}"
    return stored


def require_private(path: Path) -> None:
    """Check that a path belongs to the user and that nobody else can write to it.

    Raises
    ------
    OSError
        The path does not exist or cannot be examined.
    CacheError
        The path is a link, has another owner, or is writable by others.
    """
    status = path.lstat()
    if stat.S_ISLNK(status.st_mode):
        msg = f"{path}: expected a folder or file of its own, found a symbolic link"
        raise CacheError(msg)
    if os.name != "posix":  # elsewhere, a user's profile is private
        return
    if status.st_uid != os.geteuid():
        msg = f"{path}: expected it to belong to the user, found another owner"
        raise CacheError(msg)
    if status.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        mode = stat.S_IMODE(status.st_mode)
        msg = f"{path}: expected it to be writable by the user alone, found {mode:04o}"
        raise CacheError(msg)


def require_writable(directory: Path) -> None:
    """Check that a file can be created in a folder; raise OSError if not."""
    with tempfile.TemporaryFile(dir=directory):
        pass


def write_kernel(path: Path, kernel: StoredKernel) -> None:
    """Store a kernel; other processes see the old file or the new one, never a part.

    Raises
    ------
    OSError
        The file cannot be written; an old file is kept.
    """
    from solver.files import write_private

    header = json.dumps({"symbol": kernel.symbol, "undefined": kernel.undefined})
    payload = header.encode() + b"\n" + kernel.code
    write_private(path, MAGIC + hashlib.sha256(payload).digest() + payload)


def read_kernel(path: Path) -> StoredKernel:
    """Read a stored kernel.

    Raises
    ------
    OSError
        The file does not exist or cannot be read.
    CacheError
        The file is damaged, or is not private to the user.
    """
    require_private(path)
    content = path.read_bytes()
    start = len(MAGIC) + CHECKSUM_BYTES
    payload = content[start:]
    checksum = content[len(MAGIC) : start]
    if content[: len(MAGIC)] != MAGIC or hashlib.sha256(payload).digest() != checksum:
        msg = f"{path}: expected a stored kernel, found a damaged file"
        raise CacheError(msg)
    header, code = payload.split(b"\n", 1)
    fields = json.loads(header)
    return StoredKernel(fields["symbol"], tuple(fields["undefined"]), code)


def holds_numba_entry(directory: Path) -> bool:
    """Return whether numba has cached the entry, which contains all other functions."""
    return any(directory.glob("**/entry.*.nbc"))


def _user_cache() -> Path:
    from platformdirs import user_cache_path

    return user_cache_path("matesolve", appauthor=False)


def _temporary_directory() -> Path:
    user = os.geteuid() if os.name == "posix" else os.environ.get("USERNAME", "user")
    return Path(tempfile.gettempdir()) / f"matesolve-{user}"
