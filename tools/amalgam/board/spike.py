# SPDX-License-Identifier: MIT
"""The boards of RISC-V on Spike, the reference model, instead of QEMU: a second opinion (docs/testing.md).

Spike's serial port is its standard input and output. It has no option for a disk, a debugger of ours or a plugin.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from amalgam import artifacts, paths, proc
from amalgam.board.board import Board
from amalgam.board.manycore import Manycore
from amalgam.board.virt import VirtMachine
from amalgam.system.clusters import model
from amalgam.system.partition.devicetree import dtc
from amalgam.system.units import MIB

EXTENSIONS = "imafdc_zicntr_zihpm_sstc_svnapot"  # A and D bits are software's: Spike has Svadu, and is not told to use it
FIRMWARE = Path("/usr/lib/riscv64-linux-gnu/opensbi/generic/fw_jump.elf")
DEVICES = {"sswi": 0x2F00000, "finisher": 0x100000}  # where QEMU's machine has them
LEAST_MEMORY = 256 * MIB


def on_line(line: Path, words: Sequence[str]) -> list[str]:
    """A command whose standard input and output are the pipes of a serial line."""
    return ["sh", "-c", 'line=$0; exec "$@" <"$line.in" >"$line.out"', str(line), *words]


def on_bus(*names: str) -> list[str]:
    """Words for devices of ours."""
    return [f"--extlib={artifacts.spike_devices()}", *(f"--device={name},{DEVICES[name]:#x}" for name in names)]


def flat(kernel: Path) -> Path:
    """What of a linked kernel goes into memory, as one piece."""
    target = paths.BUILD / "spike" / f"{kernel.parent.name}.bin"
    target.parent.mkdir(parents=True, exist_ok=True)
    objcopy = proc.need("riscv64-linux-gnu-objcopy", "gcc-riscv64-linux-gnu")
    proc.run([objcopy, "-O", "binary", kernel, target], "making a flat kernel")
    return target


def elf_of(image: Path, address: int, bits: int) -> Path:
    """An ELF file that puts `image` at `address` and begins there. Spike loads nothing else."""
    target = paths.BUILD / "spike" / f"{image.stem}-{bits}.elf"
    target.parent.mkdir(parents=True, exist_ok=True)
    words = [proc.need("riscv64-linux-gnu-ld", "gcc-riscv64-linux-gnu"), "-m", f"elf{bits}lriscv", "--nmagic", "--format=binary", image]
    proc.run([*words, f"-Tdata={address:#x}", f"--entry={address:#x}", "-o", target], "making an image for Spike")
    return target


def tree(words: Sequence[str], image: Path) -> Path:
    """The device tree that Spike makes for such a board, and the doorbells in it: it makes no node for a device that is added."""
    text = proc.run([*words, "--dump-dts", FIRMWARE], "asking Spike for its device tree")
    intc = re.findall(r'"riscv,cpu-intc";\s*phandle = <(\w+)>', text)
    node = f'compatible = "riscv,aclint-sswi"; reg = <0 {DEVICES["sswi"]:#x} 0 0x4000>;'
    text += (
        f"/ {{ soc {{ sswi@{DEVICES['sswi']:x} {{ {node} interrupts-extended = <{' '.join(f'{hart} 1' for hart in intc)}>; }}; }}; }};\n"
    )
    return dtc(text, None, "dtb", paths.BUILD / "spike" / f"{image.stem}.dtb")


class SpikeVirt(VirtMachine):
    """The board `virt` under OpenSBI. Harts ring each other by a device: where the firmware does it, Spike's external interrupt stays pending now
    and then for good (docs/boards.md)."""

    def board(self, domains: Sequence[str] = (), keep: Path | None = None) -> Board:
        assert self.image
        words = [str(artifacts.spike_program()), f"-p{self.cores}", f"-m{max(self.memory, LEAST_MEMORY) // MIB}", f"--isa=rv64{EXTENSIONS}"]
        words += [f"--kernel={flat(self.kernel)}", f"--initrd={self.image}", "--bootargs=tagged"]
        words += [*on_bus("sswi"), f"--dtb={tree(words, self.image)}", str(FIRMWARE)]
        return Board(lambda line, _log: on_line(line, words), domains, keep)


class SpikeManycore(Manycore):
    """The boards of clusters with our firmware."""

    def board(self, domains: Sequence[str] = (), keep: Path | None = None) -> Board:
        bits = 32 if "riscv32" in self.emulator else 64
        words = [str(artifacts.spike_program()), f"-p{self.harts}", f"-m{model.RAM:#x}:{self.memory:#x}", f"--isa=rv{bits}{EXTENSIONS}"]
        words += on_bus(*DEVICES)
        words.append(str(elf_of(self.image, model.RAM, bits)))
        board = Board(lambda line, _log: on_line(line, words), self.names, keep)
        self.name_places(board)
        return board
