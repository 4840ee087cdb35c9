# SPDX-License-Identifier: MIT
"""A kernel in a cluster: the one that runs above OpenSBI on the board `virt` runs there unchanged, as the firmware's calls are the same; the
clusters' own says where it faulted."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest
from amalgam.build.kernel import build_kernel
from elftools.elf.elffile import ELFFile
from manycores import KERNELS

pytestmark = pytest.mark.beside


def test_each_cluster_has_a_kernel_with_all_its_harts(running) -> None:
    layout = {"io": {"kind": "io"}, "compute": {"count": 4}}
    with running({"system": "kernels", "board": "manycore", "kernel": "shape:virt", "clusters": layout}) as board:
        for number, name in enumerate(board.names):
            board[name].expect(r"^Amalgam, 4 cores, \d+ MiB free, loaded by SBI")
            board[name].expect(f"^kernel {number} of 5")


def broken(kernel: Path, function: str, target: Path) -> int:
    """A copy of a kernel whose `function` begins with an instruction that no hart has; the function's address."""
    data = bytearray(kernel.read_bytes())
    with kernel.open("rb") as file:
        elf = ELFFile(file)
        address = next(s["st_value"] for s in elf.get_section_by_name(".symtab").iter_symbols() if s.name.partition(".")[0] == function)
        struct.pack_into("<H", data, next(elf.address_offsets(address)), 0)
    target.write_bytes(data)
    return address


def loaded(kernel: Path) -> bytes:
    """What of a linked kernel goes into memory."""
    with kernel.open("rb") as file:
        return b"".join(segment.data() for segment in ELFFile(file).iter_segments("PT_LOAD"))


@pytest.mark.parametrize("board_name", KERNELS)
def test_a_fault_in_a_kernel_without_names_is_shown_with_them(running, tmp_path: Path, board_name: str) -> None:
    """CONFIG_NO_NAMES: the kernel prints addresses, and the host, which knows the kernel's file, the functions."""
    kernel = tmp_path / "broken.elf"
    built = build_kernel(KERNELS[board_name].partition(":")[2], lambda _text: None)
    address = broken(built, "monitor", kernel)
    assert b"thread_begin" not in loaded(built)
    with running({"system": "broken", "board": board_name, "kernel": str(kernel), "clusters": {"io": {"kind": "io"}}}) as board:
        board["io"].expect(r"^PANIC: illegal instruction\r*$", 20)
        board["io"].expect(rf"^  0*{address:x} monitor\+0x0\r*\n(  [0-9a-f]+ \w+\+0x[0-9a-f]+\r*\n)*  [0-9a-f]+ thread_begin\+0x", 20)
