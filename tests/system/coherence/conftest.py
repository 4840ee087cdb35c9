# SPDX-License-Identifier: MIT
"""Bare programs of two cores under the coherence checker, by the instruction counter: every run is the same.

def test_something(checked):
    found = checked("rv64", "main", variant="NO_CLEAN")        # compiled once, run, read
    assert found.places() == [("unflushed", 96, "consume", "data-load", "produce", "data-store")]
"""

from __future__ import annotations

import functools
import re
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from amalgam import artifacts, paths
from amalgam.binary.codenames import Names
from amalgam.measure import coherence

PROGRAMS = Path(__file__).with_name("programs")
CFLAGS = [
    "-std=gnu11",
    "-O2",
    "-g",
    "-Wall",
    "-Wextra",
    "-Werror",
    "-ffreestanding",
    "-fno-pic",
    "-fno-stack-protector",
    "-fno-tree-loop-distribute-patterns",
    "-fno-asynchronous-unwind-tables",
    "-nostdlib",
    "-static",
    "-Wl,--build-id=none,--no-warn-rwx-segments",
]
RISCV = ["-mcmodel=medany", "-Wl,--section-start=.start=0x80000000,-Ttext=0x80000100"]
TARGETS = {
    "rv64": ["riscv64-unknown-elf-gcc", *RISCV, "-march=rv64imac_zicsr", "-mabi=lp64"],
    "rv32": ["riscv64-unknown-elf-gcc", *RISCV, "-march=rv32imac_zicsr", "-mabi=ilp32"],
    "i386": ["i686-linux-gnu-gcc", "-march=pentium", "-mgeneral-regs-only", "-no-pie", f"-Wl,-T,{PROGRAMS}/i386/board.ld"],
}
COMMON = ["-nodefaults", "-no-user-config", "-display", "none", "-icount", "shift=0,sleep=off"]
CACHED = {"rv64": "nc=80200000:80210000", "rv32": "nc=80200000:80210000", "i386": "nc=200000:210000"}
OWNED = {"rv64": "own=80180000:80181000:0:0", "rv32": "own=80180000:80181000:0:0", "i386": "own=180000:181000:0:0"}


@dataclass
class Checked:
    """What the checker found, with the names that the sources give their lines: `@data-load`."""

    found: coherence.Coherence
    names: Names
    text: str  # the checker's file

    def place(self, pc: int) -> tuple[str, str]:
        function, line = self.names.place(pc)
        file, _, number = line.partition(":")
        source = next(path for path in PROGRAMS.rglob(file)).read_text(encoding="utf-8").splitlines()[int(number) - 1]
        name = re.search(r"@([a-z0-9-]+)", source)
        return function.partition("+")[0], name[1] if name else line

    def places(self) -> list[tuple[str | int, ...]]:
        """Kind, times, function and line of the access, function and line of the other core's store."""
        return [(r.what, r.count, *self.place(r.pc), *(self.place(r.other_pc) if r.other_pc else ())) for r in self.found.reports]


@functools.cache
def enumerators(file: Path) -> list[str]:
    body = re.search(r"enum variant \{(.*?)\}", file.read_text(encoding="utf-8"), re.S)
    assert body
    return [name for name in re.split(r"[\s,]+", body[1]) if name]


def compiled(folder: Path, target: str, name: str) -> Path:
    out = folder / f"{target}-{name}.elf"
    if out.is_file():
        return out
    isa = "i386" if target == "i386" else "riscv"
    sources = [PROGRAMS / isa / f"{name}.c", *((PROGRAMS / isa / n for n in ("board.c", "start.S")) if isa == "i386" else ())]
    includes = [f"-I{paths.ROOT}/kernel/include", f"-I{paths.ROOT}/kernel/cache/{isa}-marker"]
    subprocess.run([*TARGETS[target], *CFLAGS, *includes, "-o", out, *sources], check=True)
    if isa == "i386":
        for section in (".rom", ".text"):
            words = ["i686-linux-gnu-objcopy", "-O", "binary", "-j", section, out, out.with_suffix(section)]
            subprocess.run(words, check=True)
    return out


def board(target: str, program: Path, variant: int, cores: int) -> list[str]:
    if target == "i386":
        words = ["qemu-system-i386", "-M", "pc", "-cpu", "pentium,mmx=off", "-m", "16M", "-bios", f"{program.with_suffix('.rom')}"]
        words += [
            "-device",
            f"loader,file={program.with_suffix('.text')},addr=0x100000,force-raw=on",
            "-device",
            "isa-debug-exit,iobase=0xf4",
        ]
        at = 0x9000
    else:
        words = [
            f"qemu-system-{target.replace('rv', 'riscv')}",
            "-M",
            "virt",
            "-m",
            "8M",
            "-bios",
            "none",
            "-device",
            f"loader,file={program}",
        ]
        at = 0x80100000
    return [*words, *COMMON, "-smp", str(cores), "-device", f"loader,addr={at:#x},data={variant},data-len=4"]


@pytest.fixture(scope="session")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("coherence")


@pytest.fixture
def checked(programs: Path, tmp_path: Path) -> Callable[..., Checked]:
    def run(
        target: str, name: str = "main", variant: str = "RIGHT", words: tuple[str, ...] = (), cores: int = 2, body: str = "body.h"
    ) -> Checked:
        program, out = compiled(programs, target, name), tmp_path / "coherence"
        out.unlink(missing_ok=True)
        number = enumerators(PROGRAMS / body).index(variant)
        options = words or (CACHED[target], OWNED[target])
        line = ("line=32",) if target == "i386" else ()
        # No turn (turns.py): such a board lives for a fraction of a second.
        done = subprocess.run(
            artifacts.counting([*board(target, program, number, cores), *coherence.options(out, *line, *options)]),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
        assert done.returncode == (1 if target == "i386" else 0), done.stderr  # isa-debug-exit makes 0 a 1
        return Checked(coherence.read(out), Names([program]), out.read_text(encoding="utf-8"))

    return run
