# SPDX-License-Identifier: MIT
"""A kernel that is unpacked beforehand: each part of it where GRUB and the kernel look. Its boots are tests/system/attach/test_attach_bochs.py's."""

from __future__ import annotations

import struct
import subprocess
from pathlib import Path

import pytest
from amalgam.artifacts.error import ArtifactError
from amalgam.attach.bzimage import GIB, PAGE, bzimage, in_front
from amalgam.errors import UserError
from capstone import CS_ARCH_X86, CS_MODE_32, CS_MODE_64, Cs

LOW = 16 << 20
PARTS = [(LOW, b"text", 0x1000), (LOW + 0x2000, b"data", 0x8000)]


def vmlinux(parts: list[tuple[int, bytes, int]], entry: int = LOW + 0x10) -> bytes:
    """An ELF file with these addresses, bytes and sizes in memory."""
    place = 64 + 56 * len(parts)
    out = b"\x7fELF\x02\x01\x01" + bytes(9) + struct.pack("<HHIQQQIHHHHHH", 2, 62, 1, entry, 64, 0, 0, 64, 56, len(parts), 64, 0, 0)
    for at, data, size in parts:
        out += struct.pack("<IIQQQQQQ", 1, 7, place, 0, at, len(data), size, 0)
        place += len(data)
    return out + b"".join(data for _, data, _ in parts)


def test_each_segment_lies_where_it_was_linked_to() -> None:
    made = bzimage(vmlinux(PARTS))
    base, body = struct.unpack_from("<Q", made, 0x258)[0], made[2 * 512 :]
    for at, data, _size in PARTS:
        assert body[at - base :].startswith(data)
    assert base + struct.unpack_from("<I", made, 0x260)[0] == LOW + 0xA000  # its BSS has room
    assert 16 * struct.unpack_from("<I", made, 0x1F4)[0] == len(body)
    assert made[0x234:0x236] == b"\x01\x3f"  # GRUB puts it there, or says that it cannot


def test_without_a_bss_all_that_the_file_has_is_there() -> None:
    """It fills the last 16 bytes, and GRUB makes room for those."""
    data = b"data" + bytes(4093)
    made = bzimage(vmlinux([*PARTS[:1], (LOW + 0x2000, data, len(data))]))
    base, room, body = struct.unpack_from("<Q", made, 0x258)[0], struct.unpack_from("<I", made, 0x260)[0], made[2 * 512 :]
    assert body[LOW + 0x2000 - base :].startswith(data)
    assert len(body) % 16 == 0 and len(body) <= room


@pytest.mark.parametrize("scratch, length", [(0, 0x2000), (9, 0x9001)])
def test_zeros_before_the_bss_are_in_the_file_and_those_from_there_on_are_not(tmp_path: Path, scratch: int, length: int) -> None:
    """Linux has both: .data_nosave, which nobody clears, and a section behind the BSS, for whose sake the file has that, too."""
    source, made, script = (tmp_path / name for name in ("vmlinux.s", "vmlinux.o", "vmlinux.ld"))
    source.write_text(f'.text; nop; .data; .byte 1; .skip 0xfff; .bss; .skip 0x7000; .section .scratch, "aw"; .byte {scratch}; .skip 99\n')
    script.write_text(
        "PHDRS { all PT_LOAD FLAGS(7); } SECTIONS { . = 0xffffffff81000000; .text : AT(0x1000000) { *(.text) } :all . = ALIGN(4096);"
        " .data : { *(.data) } . = ALIGN(4096); .bss : { *(.bss) } .scratch : { *(.scratch) } }\n"
    )
    subprocess.run(["as", "-o", made, source], check=True)
    subprocess.run(["ld", "-e", "0x1000000", "-T", script, "-o", tmp_path / "vmlinux", made], check=True)
    body = bzimage((tmp_path / "vmlinux").read_bytes())[2 * 512 + 3 * PAGE :]
    assert (body[0], body[0x1000], len(body)) == (0x90, 1, length + -length % 16)


def test_the_header_is_what_grub_goes_by() -> None:
    """Documentation/arch/x86/boot.rst; GRUB's loader/i386/linux.c refuses what is older than 2.03, and reads the last fields from 2.12 on."""
    made = bzimage(vmlinux(PARTS))
    assert made[0x1FE:0x206] == b"\x55\xaa\xeb" + bytes([0x26C - 0x202]) + b"HdrS"  # a jump to the header's end
    assert made[512 * (made[0x1F1] + 1) :].startswith(in_front(LOW - 3 * PAGE, LOW + 0x10))
    assert struct.unpack_from("<H", made, 0x206)[0] >= 0x20C
    assert made[0x211] & 1 and struct.unpack_from("<I", made, 0x214)[0] == 1 << 20
    assert struct.unpack_from("<I", made, 0x22C)[0] == 0x7FFFFFFF and struct.unpack_from("<I", made, 0x238)[0] >= 2047


def test_the_way_in_is_what_a_disassembler_reads() -> None:
    pages = in_front(0xFFD000, LOW + 0x10)
    far = pages.index(b"\xea") + 7
    read = [f"{i.mnemonic} {i.op_str}".strip() for i in Cs(CS_ARCH_X86, CS_MODE_32).disasm(pages[:far], 0xFFD000)]
    assert read[:2] == ["cli", "lgdt [0xffd900]"]
    assert read[2:5] == ["mov eax, cr4", "or eax, 0x20", "mov cr4, eax"]  # PAE
    assert read[5:7] == ["mov eax, 0xffe000", "mov cr3, eax"]
    assert read[7:11] == ["mov ecx, 0xc0000080", "rdmsr", "or eax, 0x100", "wrmsr"]  # EFER.LME
    assert read[11:] == ["mov eax, cr0", "or eax, 0x80000001", "mov cr0, eax", f"ljmp 0x10:0x{0xFFD000 + far:x}"]
    wide = [f"{i.mnemonic} {i.op_str}" for i in Cs(CS_ARCH_X86, CS_MODE_64).disasm(pages[far : far + 18], 0)]
    assert wide[0] == "mov eax, 0x18" and wide[-2:] == [f"mov eax, 0x{LOW + 0x10:x}", "jmp rax"]
    assert sorted(wide[1:-2]) == ["mov ds, eax", "mov es, eax", "mov ss, eax"]


def test_the_way_in_names_its_own_pages_and_the_kernel() -> None:
    base, entry = 0xFFD000, LOW + 0x10
    pages = in_front(base, entry)
    limit, gdt = struct.unpack_from("<HI", pages, struct.unpack_from("<I", pages, pages.index(b"\x0f\x01\x15") + 3)[0] - base)
    assert struct.unpack_from("<4Q", pages, gdt - base)[2:] == (0x00AF9B000000FFFF, 0x00CF93000000FFFF) and limit == 31
    (root,) = struct.unpack_from("<I", pages, pages.index(b"\x0f\x22\xd8") - 4)
    (table,) = struct.unpack_from("<Q", pages, root - base)
    assert table & (PAGE - 1) == 3
    assert struct.unpack_from("<4Q", pages, table - 3 - base) == tuple(i * GIB + 0x83 for i in range(4))  # present, writable, large


@pytest.mark.parametrize(
    "parts, entry",
    [
        ([(0, b"text", 9)], 0),
        ([(LOW, b"text", GIB + 1)], LOW),
        ([*PARTS, (4 * GIB - 9, b"text", 9)], LOW),  # room for both would be most of the host's
        ([(4 * GIB - 9, b"text", 10)], 4 * GIB - 9),
        (PARTS, LOW - 1),
        ([], 0),
        ([(LOW, b"text", 3)], LOW),
    ],
)
def test_a_kernel_without_such_a_place_is_refused(parts: list[tuple[int, bytes, int]], entry: int) -> None:
    with pytest.raises(UserError, match="no place"):
        bzimage(vmlinux(parts, entry))


def test_a_file_that_is_cut_off_is_refused() -> None:
    """Where the headers of its segments are whole, too: what lies behind the missing bytes would move."""
    whole = vmlinux(PARTS)
    for n in range(len(whole)):
        with pytest.raises(ArtifactError):
            bzimage(whole[:n])
