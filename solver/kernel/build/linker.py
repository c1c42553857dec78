"""The linker: an object file of LLVM's becomes an image, which is loaded by copying it.

An image is code and constants that find each other by their distance, so it works at
any page of memory. The kernel calls no library and writes to no memory but its
caller's, so there is no more to link; `link` refuses other object files. The names here
are those of the ELF format and of its supplements for x86-64 and AArch64.

A process that loads compiled code does not import this module.
"""

from __future__ import annotations

from struct import Struct
from typing import TYPE_CHECKING, NamedTuple

from solver.kernel.border import interface
from solver.kernel.build import cache

if TYPE_CHECKING:
    from collections.abc import Callable

HEADER = Struct("<16s2HI3QI6H")
SECTION = Struct("<2I4Q2I2Q")
SYMBOL_ENTRY = Struct("<I2BH2Q")
RELOCATION = Struct("<Q2Iq")
WORD = Struct("<I")

IDENTITY = b"\x7fELF\2\1\1"
"""64 bits, little-endian, version 1."""
RELOCATABLE = 1
X86_64, AARCH64 = 62, 183

PROGBITS, SYMBOLS, RELOCATIONS = 1, 2, 4
"""Kinds of sections."""
WRITE, ALLOCATE = 1, 2
"""Flags of a section."""

UNWINDING = ".eh_frame"
"""The section for C++'s exceptions. The kernel raises none."""

PAGE_BITS = 12
"""An image begins at a page of 4 KiB. AArch64's code counts in these, even where the
system's pages are larger."""


class Section(NamedTuple):
    """A section header."""

    name: int
    kind: int
    flags: int
    address: int
    offset: int
    size: int
    link: int
    info: int
    alignment: int
    entry_bytes: int


def link(code: bytes, symbol: str) -> bytes:
    """Return an object file as an image with one C function.

    Parameters
    ----------
    code : bytes
        An ELF object file of position-independent code, with the small code model.
    symbol : str
        The name of the C function.

    Returns
    -------
    bytes
        `ENTRY`, and then the image.

    Raises
    ------
    KernelError
        The object file has data to write to, an absolute address, or a symbol from
        elsewhere; or it does not have the function.
    """
    # 1. The sections, as bytes.
    header = HEADER.unpack_from(code)
    identity, kind, machine, *_, at, _, _, _, _, _, count, names_at = header
    if not identity.startswith(IDENTITY) or kind != RELOCATABLE:
        msg = "object code: expected a relocatable ELF file of 64 bits, found another"
        raise interface.KernelError(msg)
    headers = SECTION.iter_unpack(code[at : at + count * SECTION.size])
    sections = [Section._make(header) for header in headers]
    bodies = [code[each.offset : each.offset + each.size] for each in sections]

    # 2. Code and constants get their places.
    texts = bodies[names_at]
    image = bytearray()
    places: dict[int, int] = {}
    for index, section in enumerate(sections):
        name = texts[section.name : texts.index(b"\0", section.name)].decode()
        if not section.flags & ALLOCATE or not section.size or name == UNWINDING:
            continue
        if section.flags & WRITE or section.kind != PROGBITS:
            msg = f"object code: expected code and constants, found section {name}"
            raise interface.KernelError(msg)
        image += bytes(-len(image) % section.alignment)
        places[index] = len(image)
        image += bodies[index]

    # 3. So each symbol has one, unless it is from elsewhere.
    (table,) = [each for each in sections if each.kind == SYMBOLS]
    texts = bodies[table.link]
    names: list[str] = []
    symbols: list[int | None] = []
    for at, _, _, owner, value, _ in SYMBOL_ENTRY.iter_unpack(
        bodies[sections.index(table)]
    ):
        names.append(texts[at : texts.index(b"\0", at)].decode())
        symbols.append(places[owner] + value if owner in places else None)
    entry = symbols[names.index(symbol)] if symbol in names else None
    if entry is None:
        msg = f"object code: expected the function {symbol}, found none"
        raise interface.KernelError(msg)

    # 4. Write the distances.
    for section, body in zip(sections, bodies, strict=True):
        if section.kind != RELOCATIONS or section.info not in places:
            continue
        for offset, number, index, addend in RELOCATION.iter_unpack(body):
            target = symbols[index]
            if target is None:
                msg = (
                    f"object code: expected its own symbols only, found {names[index]}"
                )
                raise interface.KernelError(msg)
            if (machine, number) not in PATCHES:
                msg = f"object code: expected distances, found relocation {number}"
                raise interface.KernelError(msg)
            place = places[section.info] + offset
            (word,) = WORD.unpack_from(image, place)
            word |= PATCHES[machine, number](target + addend, place)
            WORD.pack_into(image, place, word)
    return cache.ENTRY.pack(entry) + bytes(image)


# What a relocation adds to the word at `place`, so that it leads to `target`


def _distance(target: int, place: int) -> int:
    return target - place & 0xFFFF_FFFF


def _branch(target: int, place: int) -> int:
    """Return the distance of a call or jump, in instructions."""
    return (target - place >> 2) & 0x03FF_FFFF


def _pages(target: int, place: int) -> int:
    """Return the distance in pages; the low two of its 21 bits have their own field."""
    pages = (target >> PAGE_BITS) - (place >> PAGE_BITS)
    return (pages & 3) << 29 | (pages >> 2 & 0x7_FFFF) << 5


def _in_page(shift: int) -> Callable[[int, int], int]:
    """Make a function that returns the offset in a page, in units of `1 << shift`."""

    def offset(target: int, _place: int) -> int:
        return (target & (1 << PAGE_BITS) - 1) >> shift << 10

    return offset


PATCHES: dict[tuple[int, int], Callable[[int, int], int]] = {
    (X86_64, 2): _distance,  # PC32
    (X86_64, 4): _distance,  # PLT32
    (AARCH64, 261): _distance,  # PREL32
    (AARCH64, 275): _pages,  # ADR_PREL_PG_HI21
    (AARCH64, 277): _in_page(0),  # ADD_ABS_LO12_NC
    (AARCH64, 278): _in_page(0),  # LDST8_ABS_LO12_NC
    (AARCH64, 282): _branch,  # JUMP26
    (AARCH64, 283): _branch,  # CALL26
    (AARCH64, 284): _in_page(1),  # LDST16_ABS_LO12_NC
    (AARCH64, 285): _in_page(2),  # LDST32_ABS_LO12_NC
    (AARCH64, 286): _in_page(3),  # LDST64_ABS_LO12_NC
    (AARCH64, 299): _in_page(4),  # LDST128_ABS_LO12_NC
}
"""By machine and number; all write to a word of 32 bits. LLVM uses these for the code
models that `solver.kernel.build.cache.target_machine` chooses."""
