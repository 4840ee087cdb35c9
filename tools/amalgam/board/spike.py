# SPDX-License-Identifier: MIT
"""The boards of RISC-V on Spike, the reference model, instead of QEMU: a second opinion (docs/testing.md).

Spike's serial port is its standard input and output. It has no option for a disk, a debugger of ours or a plugin.
"""

from __future__ import annotations

import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from amalgam import artifacts, paths, proc
from amalgam.board.board import Board
from amalgam.board.line import Line
from amalgam.board.manycore import Manycore
from amalgam.board.virt import VirtMachine
from amalgam.system.clusters import model
from amalgam.system.units import MIB

EXTENSIONS = "imafdc_zicntr_zihpm_sstc_svnapot"  # A and D bits are software's: Spike has Svadu, and is not told to use it
FIRMWARE = Path("/usr/lib/riscv64-linux-gnu/opensbi/generic/fw_jump.elf")
DEVICES = {"sswi": 0x2F00000, "finisher": 0x100000}  # where QEMU's machine has them
LEAST_MEMORY = 256 * MIB
QUIET = 0.05  # seconds for which a board has said nothing when it is typed to
BUSY = 2.0  # and how long one that says much all the time is waited for


def on_line(line: Path, words: Sequence[str]) -> list[str]:
    """A command whose standard input and output are the pipes of a serial line."""
    return ["sh", "-c", 'line=$0; exec "$@" <"$line.in" >"$line.out"', str(line), *words]


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


class SpikeLine(Line):
    """What is typed to such a board in the moment in which it ends to speak makes it silent for good (docs/boards.md)."""

    _said = 0.0

    def pieces(self, process: subprocess.Popen[bytes], silent: Callable[[], None] | None = None) -> Iterator[bytes]:
        for data in super().pieces(process, silent):
            self._said = time.monotonic()
            yield data

    def send(self, data: bytes) -> None:
        end = time.monotonic() + BUSY
        while (now := time.monotonic()) < min(end, self._said + QUIET):
            time.sleep(min(end, self._said + QUIET) - now)
        super().send(data)


class SpikeBoard(Board):
    LINE = SpikeLine


class SpikeVirt(VirtMachine):
    """The board `virt` under OpenSBI."""

    def board(self, domains: Sequence[str] = (), keep: Path | None = None) -> Board:
        assert self.image
        words = [str(artifacts.spike_program()), f"-p{self.cores}", f"-m{max(self.memory, LEAST_MEMORY) // MIB}", f"--isa=rv64{EXTENSIONS}"]
        words += [f"--kernel={flat(self.kernel)}", f"--initrd={self.image}", "--bootargs=tagged", str(FIRMWARE)]
        return SpikeBoard(lambda line, _log: on_line(line, words), domains, keep)


class SpikeManycore(Manycore):
    """The boards of clusters with our firmware."""

    def board(self, domains: Sequence[str] = (), keep: Path | None = None) -> Board:
        bits = 32 if "riscv32" in self.emulator else 64
        words = [str(artifacts.spike_program()), f"-p{self.harts}", f"-m{model.RAM:#x}:{self.memory:#x}", f"--isa=rv{bits}{EXTENSIONS}"]
        words += [f"--extlib={artifacts.spike_devices()}", *(f"--device={name},{at:#x}" for name, at in DEVICES.items())]
        words.append(str(elf_of(self.image, model.RAM, bits)))
        board = Board(lambda line, _log: on_line(line, words), self.names, keep)
        self.name_places(board)
        return board
