"""Where compiled code is kept: a folder that is the user's alone, checked content.

What is stored is native code, and loading it is running it. So the folder must belong
to the user, and nobody else may write to it; a file says what it holds and carries a
checksum; it comes into being whole, by renaming.
"""

from __future__ import annotations

import hashlib
import json
import os
import stat
import sys
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
    """Object code and what is needed to link it.

    Attributes
    ----------
    symbol : str
        The function to call.
    undefined : tuple of str
        Symbols that the object names but the kernel never reaches.
    code : bytes
        An object file for this machine.
    """

    symbol: str
    undefined: tuple[str, ...]
    code: bytes


def candidate_directories() -> list[Path]:
    """List the folders to try, best first.

    A folder that the user names is the only candidate. There may be none: a user that
    the system does not know has no home, and a system may be read-only throughout.
    """
    named = os.environ.get(DIRECTORY_VARIABLE)
    if named:
        return [Path(named)]
    candidates = []
    with suppress(RuntimeError):  # no home is known
        candidates.append(_user_cache() / "matesolve")
    with suppress(FileNotFoundError):  # no temporary file can be made anywhere
        candidates.append(_temporary_directory())
    return candidates


def private_directories() -> Iterator[Path]:
    """Give the folders whose content can be trusted, best first; change nothing.

    What is stored there can be loaded, even where nothing can be added.
    """
    for directory in candidate_directories():
        try:
            require_private(directory)
        except (OSError, CacheError):
            continue
        if directory.is_dir():
            yield directory


def open_directory() -> Path:
    """Find or make the folder to store compiled code in.

    Raises
    ------
    CacheError
        No candidate can be used; the message says why for each.
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
    """Tell in a few words whether the folder can serve; change nothing."""
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
    """Refuse a path that another user owns, or that others can write to."""
    status = path.lstat()
    if stat.S_ISLNK(status.st_mode):
        msg = f"{path}: expected a folder or file of its own, found a symbolic link"
        raise CacheError(msg)
    if os.name != "posix":  # elsewhere, a profile's folders are its user's
        return
    if status.st_uid != os.geteuid():
        msg = f"{path}: expected it to belong to the user, found another owner"
        raise CacheError(msg)
    if status.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        mode = stat.S_IMODE(status.st_mode)
        msg = f"{path}: expected it to be writable by the user alone, found {mode:04o}"
        raise CacheError(msg)


def require_writable(directory: Path) -> None:
    """Refuse a folder in which no file can be made."""
    with tempfile.TemporaryFile(dir=directory):
        pass


def write_kernel(path: Path, kernel: StoredKernel) -> None:
    """Store a kernel; other processes see the old file or the new, never a part."""
    header = json.dumps({"symbol": kernel.symbol, "undefined": kernel.undefined})
    payload = header.encode() + b"\n" + kernel.code
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=path.stem)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(MAGIC + hashlib.sha256(payload).digest() + payload)
        Path(name).replace(path)
    except OSError:
        Path(name).unlink(missing_ok=True)
        raise


def read_kernel(path: Path) -> StoredKernel:
    """Read a stored kernel.

    Raises
    ------
    OSError
        There is none, or it cannot be read.
    CacheError
        It is damaged, or not the user's own.
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
    """Tell whether numba has cached what C calls, which holds all other functions."""
    return any(directory.glob("**/entry.*.nbc"))


def _user_cache() -> Path:
    if sys.platform == "win32":
        local = os.environ.get("LOCALAPPDATA")
        return Path(local) if local else Path.home() / "AppData" / "Local"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches"
    named = os.environ.get("XDG_CACHE_HOME")
    return Path(named) if named else Path.home() / ".cache"


def _temporary_directory() -> Path:
    user = os.geteuid() if os.name == "posix" else os.environ.get("USERNAME", "user")
    return Path(tempfile.gettempdir()) / f"matesolve-{user}"
