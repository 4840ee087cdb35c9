# SPDX-License-Identifier: MIT
"""What a kernel image is: the ways in that it offers, what is wrong with it as far as the file tells, the memory that it needs."""

from __future__ import annotations

import bz2
import lzma
import struct
import zlib
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

from amalgam.system.model import Boot
from amalgam.system.units import MIB

LOOK = 64 * 1024  # what is read of a file to recognise it
EM_386, EM_X86_64 = 3, 62
MACHINES = {
    2: "SPARC", EM_386: "i386", 8: "MIPS", 20: "PowerPC", 21: "64-bit PowerPC", 22: "S/390", 40: "ARM", EM_X86_64: "x86-64",
    183: "AArch64", 243: "RISC-V", 258: "LoongArch",
}  # fmt: skip
ELF_TYPES = {1: "an object file", 3: "a shared object", 4: "a core dump"}  # 2, executable, is what a kernel is
PT_LOAD = 1
COMPRESSED = "a file compressed by "
UNPACK = {"gzip": "gunzip -k", "xz": "unxz -k", "bzip2": "bunzip2 -k", "zstd": "unzstd"}  # boot loaders do it, so kernels come like that
SIGNS: tuple[tuple[int, bytes, str], ...] = (
    (56, b"ARM\x64", "a Linux Image for AArch64"),
    (56, b"RSC\x05", "a Linux Image for RISC-V"),
    (36, b"\x18\x28\x6f\x01", "a Linux zImage for ARM"),
    (0, b"\x1f\x8b", f"{COMPRESSED}gzip"),
    (0, b"\xfd7zXZ\0", f"{COMPRESSED}xz"),
    (0, b"BZh", f"{COMPRESSED}bzip2"),
    (0, b"\x28\xb5\x2f\xfd", f"{COMPRESSED}zstd"),
    (0, b"07070", "an initrd (a cpio archive)"),
    (0, b"\x27\x05\x19\x56", "a U-Boot image"),
    (0, b"\xd0\x0d\xfe\xed", "a device tree"),
    (0, b"QFI\xfb", "a disk image (qcow2)"),
    (0x8001, b"CD001", "a CD image"),
    (0, b"hsqs", "a file system (squashfs)"),
    (0, b"PK\x03\x04", "a zip archive"),
    (0, b"!<arch>", "an archive of object files"),
    (0, b"MZ", "an EFI or Windows program"),
    (510, b"\x55\xaa", "a boot sector or a disk image"),
)


@dataclass
class KernelImage:
    """A file, as a kernel."""

    what: str
    ways: list[Boot] = field(default_factory=list)
    wrong: str = ""  # why it cannot start though it offers a way in
    base: int = 0  # where it runs, and how much it needs from there; 0: not known
    room: int = 0
    is_elf: bool = False

    def unpacking(self, name: str) -> str:
        """The command that unpacks a compressed file `name`; else nothing."""
        return f"{UNPACK[self.what.removeprefix(COMPRESSED)]} {name}" if self.what.startswith(COMPRESSED) else ""

    def least(self) -> int:
        """The memory, from address 0, that it needs before any initrd."""
        return self.base + self.room


def examine(path: Path, whole: bool = True) -> KernelImage:
    """Look at a file; `whole`: also unpack what can be unpacked here."""
    stat = path.stat()
    return _examine(path, stat.st_size, stat.st_mtime_ns, whole)


@lru_cache(maxsize=64)
def _examine(path: Path, size: int, _when: int, whole: bool) -> KernelImage:
    with path.open("rb") as file:
        head = file.read(LOOK)
        if head[0x202:0x206] == b"HdrS":
            return bzimage(head, size, path if whole else None)
        image = elf(head, size, file) if head[:4] == b"\x7fELF" else KernelImage(described(head))
    if not image.wrong or image.ways:
        image.ways += multiboot_ways(head)
    image.is_elf = head.startswith(b"\x7fELF")
    if image.ways and not image.is_elf:
        image.what = "a file with a Multiboot header"
    elif image.is_elf and not image.ways and not image.wrong:
        image.what += " without a PVH note or a Multiboot header"
    return image


def described(head: bytes) -> str:
    """What a file is that no kernel of ours is."""
    for at, sign, what in SIGNS:
        if head[at : at + len(sign)] == sign:
            return what
    try:
        text = head[:4096].decode("utf-8", errors="strict" if len(head) < 4096 else "ignore")
    except UnicodeDecodeError:
        text = "\0"
    if all(c.isprintable() or c in "\t\r\n\f" for c in text):
        return "a text file"
    return "of no format that is known here"


# --- bzImage (Documentation/arch/x86/boot.rst) ---------------------------------------------------------------------------------


def bzimage(head: bytes, size: int, path: Path | None) -> KernelImage:
    """By its setup header. What boot.rst calls the payload is tried, if it is compressed by what Python has."""
    if size <= 0x264:
        return KernelImage("the beginning of a bzImage", wrong=f"it ends after {size} bytes, within its header")
    (version,) = struct.unpack_from("<H", head, 0x206)
    (flags,) = struct.unpack_from("<H", head, 0x236)
    protocol = f"boot protocol {version >> 8}.{version & 0xFF:02}"
    if version < 0x020C or not flags & 1:
        return KernelImage(f"a bzImage without a 64-bit entry ({protocol}): a 32-bit Linux, or one of before 2012")
    image = KernelImage(f"a bzImage ({protocol})", [Boot.LINUX64])
    start = ((head[0x1F1] or 4) + 1) * 512
    (paragraphs,) = struct.unpack_from("<I", head, 0x1F4)
    payload_at, payload_size = struct.unpack_from("<II", head, 0x248)
    image.base, image.room = struct.unpack_from("<QI", head, 0x258)
    image.room = max(image.room, size - start)
    wanted = start + max(paragraphs * 16 - 15, payload_at + payload_size)  # rounded up: the last 16 bytes need not be there
    if size < wanted:
        image.wrong = f"it is cut off: {size} of at least {wanted} bytes"
    elif path and payload_size:
        with path.open("rb") as file:
            file.seek(start + payload_at)
            image.wrong = damage_of(file.read(payload_size))
    return image


MOST = 2048 * MIB  # that a payload may unpack to; more than any kernel can be
PIECE = MIB


def damage_of(payload: bytes) -> str:
    """What its unpacker will stumble over; nothing if it cannot be tried."""
    makers: tuple[tuple[bytes, str, Callable[[], object]], ...] = (
        (b"\x1f\x8b", "gzip", lambda: zlib.decompressobj(31)),
        (b"\xfd7zXZ\0", "xz", lambda: lzma.LZMADecompressor(lzma.FORMAT_XZ)),
        (b"\x5d\0\0", "lzma", lambda: lzma.LZMADecompressor(lzma.FORMAT_ALONE)),
        (b"BZh", "bzip2", bz2.BZ2Decompressor),
    )
    for sign, name, make in makers:
        if payload.startswith(sign):
            return "" if unpacks(make(), payload) else f"its payload is damaged: {name} cannot unpack it"
    return ""


def unpacks(unpacker, payload: bytes) -> bool:
    """Whether a stream ends, and ends well; in pieces, which are thrown away."""
    done, data = 0, payload
    try:
        while not unpacker.eof:
            piece = unpacker.decompress(data, PIECE)
            data = getattr(unpacker, "unconsumed_tail", b"")
            done += len(piece)
            if done > MOST or (not piece and not data and getattr(unpacker, "needs_input", True) and not unpacker.eof):
                return False
    except (OSError, EOFError, zlib.error, lzma.LZMAError):
        return False
    return True


# --- ELF, Multiboot ----------------------------------------------------------------------------------------------------------


def elf(head: bytes, size: int, file) -> KernelImage:
    """By its headers; kernel/vm/load/elf.c has the same rules and one more place to look at each."""
    if len(head) < 64 or head[4] not in (1, 2) or head[5] not in (1, 2):
        return KernelImage("a damaged ELF file", wrong="its header is cut off or has nonsense in it")
    order, wide = "<" if head[5] == 1 else ">", head[4] == 2
    kind, machine = struct.unpack_from(order + "HH", head, 16)
    name = MACHINES.get(machine, f"machine {machine}")
    if machine not in (EM_386, EM_X86_64) or order == ">":
        return KernelImage(f"an ELF file for {name}", wrong="the guest is an x86 PC")
    image = KernelImage(f"{ELF_TYPES[kind]} for {name}" if kind in ELF_TYPES else f"an ELF file for {name}")
    word = "Q" if wide else "I"
    at = struct.unpack_from("<" + word, head, 32 if wide else 28)[0]
    stride, count = struct.unpack_from("<HH", head, 54 if wide else 42)
    if at + stride * count > size or (count and stride < (56 if wide else 32)):
        image.wrong = "its program headers are cut off or malformed"
        return image
    file.seek(at)
    headers = file.read(stride * count)
    segments = [segment(headers, i * stride, wide) for i in range(count)]
    if has_pvh_note(Path(file.name)):
        image.ways.append(Boot.PVH)
    check_segments(image, [s for s in segments if s[0] == PT_LOAD and s[4]], size)
    return image


def segment(headers: bytes, at: int, wide: bool) -> tuple[int, int, int, int, int]:
    """Type, offset, physical address, size in the file, size in memory."""
    if wide:
        kind, _, offset, _, paddr, filesz, memsz = struct.unpack_from("<IIQQQQQ", headers, at)
    else:
        kind, offset, _, paddr, filesz, memsz = struct.unpack_from("<IIIIII", headers, at)
    return kind, offset, paddr, filesz, memsz


def check_segments(image: KernelImage, loads: list[tuple[int, int, int, int, int]], size: int) -> None:
    """What cannot be loaded; and where it ends in memory."""
    before = 0
    for _, offset, paddr, filesz, memsz in sorted(loads, key=lambda s: s[2]):
        if offset + filesz > size:
            image.wrong = image.wrong or f"it is cut off: its segment at {paddr:#x} ends at byte {offset + filesz} of {size}"
        if memsz < filesz:
            image.wrong = image.wrong or f"its segment at {paddr:#x} is larger in the file than in memory"
        if paddr < before:
            image.wrong = image.wrong or f"its segment at {paddr:#x} overlaps the one that ends at {before:#x}"
        before = max(before, paddr + memsz)
    image.room = before


def has_pvh_note(path: Path) -> bool:
    from elftools.elf.elffile import ELFFile
    from elftools.elf.segments import NoteSegment

    from amalgam.binary.damage import DAMAGE

    with path.open("rb") as file:
        try:
            for segment in ELFFile(file).iter_segments():
                if isinstance(segment, NoteSegment) and any(
                    note["n_name"] == "Xen" and int(note["n_type"]) == 18
                    for note in segment.iter_notes()
                    if isinstance(note["n_type"], int)
                ):
                    return True
        except DAMAGE:
            return False
    return False


def multiboot_ways(head: bytes) -> list[Boot]:
    """The versions whose header is there."""
    ways = []
    if any(magic_sums(head[:8192], at, 0x1BADB002, 3) for at in range(0, min(len(head), 8192) - 11, 4)):
        ways.append(Boot.MULTIBOOT1)
    if any(magic_sums(head[:32768], at, 0xE85250D6, 4) for at in range(0, min(len(head), 32768) - 15, 8)):
        ways.append(Boot.MULTIBOOT2)
    return ways


def magic_sums(data: bytes, at: int, magic: int, words: int) -> bool:
    """A multiboot header: the magic, and fields that add up to zero."""
    if data[at : at + 4] != magic.to_bytes(4, "little"):
        return False
    return sum(struct.unpack_from(f"<{words}I", data, at)) & 0xFFFFFFFF == 0
