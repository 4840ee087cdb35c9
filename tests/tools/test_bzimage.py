# SPDX-License-Identifier: MIT
"""A kernel that is unpacked beforehand: each part of it where GRUB and the kernel look. Its boots are tests/system/attach/test_attach_bochs.py's."""

from __future__ import annotations

import struct

import pytest
from amalgam.attach.bzimage import GIB, PAGE, bzimage, in_front
from amalgam.errors import UserError

LOW = 16 << 20
PARTS = [(LOW, b"text", 0x1000), (LOW + 0x2000, b"data", 0x8000)]


def vmlinux(parts: list[tuple[int, bytes, int]], entry: int = LOW + 0x10) -> bytes:
    """An ELF file with these addresses, bytes and sizes in memory."""
    begin = 64 + 56 * len(parts)
    out = b"\x7fELF\x02\x01\x01" + bytes(9) + struct.pack("<HHIQQQIHHHHHH", 2, 62, 1, entry, 64, 0, 0, 64, 56, len(parts), 64, 0, 0)
    for i, (at, data, size) in enumerate(parts):
        out += struct.pack("<IIQQQQQQ", 1, 7, begin + 4 * i, 0, at, len(data), size, 0)
    return out + b"".join(data for _, data, _ in parts)


def test_each_segment_lies_where_it_was_linked_to() -> None:
    made = bzimage(vmlinux(PARTS))
    base, body = struct.unpack_from("<Q", made, 0x258)[0], made[2 * 512 :]
    for at, data, _size in PARTS:
        assert body[at - base :].startswith(data)
    assert base + struct.unpack_from("<I", made, 0x260)[0] == LOW + 0xA000  # its BSS has room
    assert 16 * struct.unpack_from("<I", made, 0x1F4)[0] == len(body)
    assert made[0x234:0x236] == b"\x01\x3f"  # GRUB puts it there, or says that it cannot


def test_the_way_in_names_its_own_pages_and_the_kernel() -> None:
    base, entry = 0xFFD000, LOW + 0x10
    pages = in_front(base, entry)
    limit, gdt = struct.unpack_from("<HI", pages, struct.unpack_from("<I", pages, pages.index(b"\x0f\x01\x15") + 3)[0] - base)
    assert struct.unpack_from("<4Q", pages, gdt - base)[2:] == (0x00AF9B000000FFFF, 0x00CF93000000FFFF) and limit == 31
    (root,) = struct.unpack_from("<I", pages, pages.index(b"\x0f\x22\xd8") - 4)
    (table,) = struct.unpack_from("<Q", pages, root - base)
    assert table & (PAGE - 1) == 3
    assert [at & ~0xFFF for at in struct.unpack_from("<4Q", pages, table - 3 - base)] == [i * GIB for i in range(4)]
    far = pages.index(b"\xea")
    assert struct.unpack_from("<IH", pages, far + 1) == (base + far + 7, 0x10)
    assert pages[far + 7 :].startswith(b"\xb8\x18\0\0\0") and struct.pack("<I", entry) + b"\xff\xe0" in pages[far:]


@pytest.mark.parametrize("parts, entry", [([(0, b"text", 9)], 0), ([(LOW, b"text", 4 * GIB)], LOW), (PARTS, LOW - 1), ([], 0)])
def test_a_kernel_without_such_a_place_is_refused(parts: list[tuple[int, bytes, int]], entry: int) -> None:
    with pytest.raises(UserError, match="no place"):
        bzimage(vmlinux(parts, entry))
