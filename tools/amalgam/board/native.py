# SPDX-License-Identifier: MIT
"""A guest of the ppc405 shape on the bare board, without us below it: what its virtual life is compared with."""

from __future__ import annotations

import struct
from pathlib import Path

from amalgam import artifacts
from amalgam.board.serial import SerialBoard
from amalgam.system.partition.model import Partition

SRAM = 0xFFF00000


def load_word(register: int, value: int) -> bytes:
    """lis and ori: the register gets the value."""
    return struct.pack(">II", 0x3C000000 | register << 21 | value >> 16, 0x60000000 | register << 21 | register << 16 | value & 0xFFFF)


def starter(domain: Partition) -> bytes:
    """An ELF file for the SRAM that sets r3 to r7 and jumps to the guest's entry, as our kernel enters it."""
    code = load_word(0, domain.start) + struct.pack(">I", 0x7C0903A6)  # mtctr r0
    code += b"".join(load_word(3 + i, value) for i, value in enumerate(domain.gpr))
    code += struct.pack(">II", 0x38000000, 0x4E800420)  # li r0,0; bctr
    header = b"\x7fELF\x01\x02\x01" + bytes(9) + struct.pack(">HHIIIIIHHHHHH", 2, 20, 1, SRAM, 52, 0, 0, 52, 32, 1, 0, 0, 0)
    segment = struct.pack(">IIIIIIII", 1, 84, SRAM, SRAM, len(code), len(code), 5, 4)
    return header + segment + code


class NativeBoard(SerialBoard):
    """The guest's console is `console`; gone after `with`."""

    def __init__(self, domain: Partition, memory: int, extra: list[str] | None = None):
        super().__init__(domain.name, lambda work: [*command(domain, memory, work), *(extra or [])])


def command(domain: Partition, memory: int, work: Path) -> list[str]:
    """The board with the domain's images where the domain has them; everything but the serial port."""
    stub = work / "starter.elf"
    stub.write_bytes(starter(domain))
    words = [*artifacts.ppc405_emulator(), "-M", "ref405ep", "-m", f"{memory >> 20}M", "-nodefaults", "-display", "none"]
    words += ["-monitor", "none", "-no-reboot", "-kernel", str(stub)]
    for index, segment in enumerate(domain.segments):
        path = work / f"segment-{index}.bin"
        path.write_bytes(segment.data)
        words += ["-device", f"loader,file={path},addr={segment.gpa:#x},force-raw=on"]
    return words
