"""Files that are damaged, too large or made to harm are refused in one line."""

from __future__ import annotations

import gzip
import io
import json
import re
from typing import TYPE_CHECKING

import pytest

from solver.checker import check, load, mate_proof, read
from solver.errors import CertificateError, ForgeryError
from tests.checker.documents import ROOK_MATE, changed
from tests.cpu_time import spending_less_than

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

TEXT = json.dumps(ROOK_MATE)
ZIPPED = gzip.compress(TEXT.encode())

DAMAGED = {
    "nothing": (b"", "expected JSON, found none: "),
    "a cut": (TEXT[:-1].encode(), "expected JSON, found none: "),
    "other text": (b"1. e4 e5", "expected JSON, found none: "),
    "other bytes": (b"\xff\xfe" + TEXT.encode("utf-16"), "expected UTF-8, found other"),
    "NaN": (b'{"certificate":NaN}', "expected whole numbers only, found 'NaN'"),
    "infinity": (b'{"certificate":-Infinity}', "expected whole numbers only, found "),
    "a fraction": (b'{"certificate":1.0}', "expected whole numbers only, found '1.0'"),
    "a vast number": (b'{"certificate":' + b"9" * 9999 + b"}", "expected JSON, found"),
    "deep nesting": (b"[" * 200_000, "expected a flat list of nodes, found "),
    "a cut in gzip": (ZIPPED[:-12], "expected intact gzip data, found damage: "),
    "a cut in gzip's head": (ZIPPED[:5], "expected intact gzip data, found damage: "),
    "a flipped bit in gzip": (
        ZIPPED[:50] + bytes([ZIPPED[50] ^ 4]) + ZIPPED[51:],
        "expected intact gzip data, found damage: ",
    ),
    "data after gzip": (ZIPPED + b"more", "expected intact gzip data, found damage: "),
}


@pytest.mark.parametrize("name", DAMAGED)
def test_a_damaged_file_is_refused(name: str, tmp_path: Path) -> None:
    data, message = DAMAGED[name]
    path = tmp_path / "proof.json"
    path.write_bytes(data)
    with pytest.raises(CertificateError, match=re.escape(message)) as refused:
        read(path)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("data", [TEXT.encode(), ZIPPED])
def test_gzip_is_recognised_by_its_first_bytes(data: bytes) -> None:
    assert load(io.BytesIO(data)) == ROOK_MATE


@pytest.mark.parametrize("repeated", ['"h1g1": 1', '"h1g1": 2'])
def test_a_repeated_reply_is_refused(repeated: str) -> None:
    text = TEXT.replace('{"h1g1": 1}', '{"h1g1": 1, ' + repeated + "}")
    with pytest.raises(ForgeryError, match=r"once, found 'h1g1' repeated$"):
        load(io.BytesIO(text.encode()))


def test_a_repeated_move_of_a_refutation_is_refused() -> None:
    text = TEXT.replace('"g3g2": null', '"g3g2": null, "g3g2": null')
    with pytest.raises(ForgeryError, match=r"once, found 'g3g2' repeated$"):
        load(io.BytesIO(text.encode()))


def repeated_name(count: int) -> bytes:
    """An object with many names, of which only the last is repeated."""
    names = [f'"{number}":0' for number in range(count)]
    return f"{{{','.join([*names, names[-1]])}}}".encode()


HOSTILE = {
    "deep arrays": "[" * 10**5,
    "deep objects": '{"a":' * 10**5,
    "a long number": json.dumps(ROOK_MATE).replace(": 1,", f": {'9' * 10**6},", 1),
    # In quadratic time, a minute.
    "a repeated name": repeated_name(80_000).decode(),
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE.keys())
def test_a_hostile_file_is_refused_at_once_and_in_one_line(text: str) -> None:
    with (
        spending_less_than(cpu_s=5),  # a tenth of a second
        pytest.raises((CertificateError, ForgeryError)) as refused,
    ):
        load(io.BytesIO(text.encode()))
    assert str(refused.value).isprintable()
    assert len(str(refused.value)) < 300


@pytest.mark.parametrize("depth", range(900, 1000, 3))
def test_nesting_near_the_recursion_limit_is_refused(depth: int) -> None:
    deep = "[" * depth + "]" * depth
    text = json.dumps(changed(ROOK_MATE, "mate", "moves", to="deep"))
    with pytest.raises(CertificateError):
        check(load(io.BytesIO(text.replace('"deep"', deep).encode())))


@pytest.mark.parametrize("compress", [bytes, gzip.compress])
def test_a_file_that_is_too_large_is_refused(
    compress: Callable[[bytes], bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mate_proof, "MAX_BYTES", 1000)
    load(io.BytesIO(compress(b"1" + b" " * 999)))
    with pytest.raises(CertificateError, match="expected at most 1,000 bytes"):
        load(io.BytesIO(compress(b"1" + b" " * 1000)))
