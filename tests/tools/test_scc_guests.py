# SPDX-License-Identifier: MIT
"""Systems with guests on an SCC: on which cores they run, and where a core's memory has the system image."""

from __future__ import annotations

import struct
from pathlib import Path

from amalgam.board.machine import machine_for
from amalgam.board.scc import INFO, SLICE, SYSTEM, SccMachine
from amalgam.system import image, layout
from amalgam.system.compile import compile_system
from amalgam.system.modules import PAGE

# A kernel for i386 with one segment, of which 16 bytes are in the file.
KERNEL = b"\x7fELF\x01\x01\x01" + bytes(9) + struct.pack("<HHIIIIIHHHHHH", 2, 3, 1, 0xC0100000, 52, 0, 0, 52, 32, 1, 0, 0, 0)
KERNEL += struct.pack("<IIIIIIII", 1, 84, 0xC0100000, 0x100000, 16, 128, 7, 4) + bytes(16)
SYSTEM_FILE = """\
system: guests
board: {board}
domains:
{domains}
"""


def made(folder: Path, board: str, *domains: str) -> tuple[SccMachine, bytes]:
    (folder / "elf").write_bytes(KERNEL)
    path = folder / "guests.yaml"
    path.write_text(SYSTEM_FILE.format(board=board, domains="\n".join(f"  {line}" for line in domains)), encoding="utf-8")
    system, written = compile_system(path, lambda _text: None, folder / "guests.img")
    machine = machine_for(system, written)
    assert isinstance(machine, SccMachine)
    (folder / "kernel").mkdir(exist_ok=True)
    machine.kernel = folder / "kernel" / "amalgam.elf"
    return machine, written.read_bytes()


def system_of(machine: SccMachine) -> tuple[int, int]:
    """Where struct scc_info says that the system image lies, and its size."""
    start = next(piece for piece in machine.pieces(0) if piece.at < INFO)
    found = struct.unpack_from("<2I", start.bytes(), INFO - start.at + 20)
    return int(found[0]), int(found[1])


def test_a_guests_record_names_its_cores(tmp_path: Path) -> None:
    _machine, data = made(tmp_path, "scc-linux", "a: {kernel: elf, memory: 8M, ues: [0, 33, 47]}")
    at = image.HEADER.unpack_from(data)[13] + layout.SYSTEM_TABLE.offset("sys_domain", "part")
    assert image.VM.unpack_from(data, at)[0] == 1 | 1 << 33 | 1 << 47


def test_what_is_before_the_image_is_one_piece_where_guests_are(tmp_path: Path) -> None:
    machine, data = made(tmp_path, "scc-linux", "a: {kernel: elf, memory: 8M, ues: [0]}")
    assert system_of(machine) == (SLICE - len(data), len(data))
    assert (SLICE - len(data)) % PAGE == 0
    assert next(piece for piece in machine.pieces(0) if piece.name == "system image").at == SLICE - len(data)


def test_the_image_lies_where_it_did_where_there_are_none(tmp_path: Path) -> None:
    machine, data = made(tmp_path, "scc", "a: {kind: task, task: jacobi}")
    assert system_of(machine) == (SYSTEM, len(data))
