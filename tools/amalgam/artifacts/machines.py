# SPDX-License-Identifier: MIT
"""The machines that processes' programs are made for, and their compilers."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Machine:
    """One of them; `name` is also its folder in user/ and meson's name of the processor."""

    name: str
    prefix: str  # of compiler and binutils
    code: tuple[str, ...]  # for everything that is compiled
    link: tuple[str, ...]  # and linked
    elf: int  # e_machine
    relative: int  # the type of a relative relocation
    title: str
    # The linker (2.40) reserves a relocation for each access to a thread-local variable, leaves it R_RISCV_NONE, and says that code is relocated.
    spare_relocations: bool = False

    def tool(self, name: str) -> str:
        return self.prefix + name


MACHINES = {
    machine.name: machine
    for machine in (
        Machine("x86_64", "", ("-fcf-protection=none",), ("-Wl,-z,nopack-relative-relocs",), 62, 8, "x86-64"),
        # exit() names __call_exitprocs weakly, and a weak name that is nowhere would be a relocation with a symbol.
        Machine(
            "riscv64",
            "riscv64-linux-gnu-",
            ("-march=rv64gc", "-mabi=lp64d"),
            ("-Wl,-u,__call_exitprocs",),
            243,
            3,
            "RISC-V",
            spare_relocations=True,
        ),
    )
}
USUAL = MACHINES["x86_64"]
