# SPDX-License-Identifier: MIT
"""The machines that processes' programs are made for, and their compilers."""

from __future__ import annotations

from dataclasses import dataclass, replace


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
    family: str = ""  # meson's name of the processor, if it is another one
    library: tuple[str, ...] = ()  # options of the C library that differ (picolibc.py)
    own_lock: bool = True  # the C library's lock is user/lib's: programs have threads

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
# The SCC's cores, whose programs run in kernel space, with one thread each and at the place where they are loaded: code without PIC
# that the kernel relocates. The linker warns of that; no P6 instruction is in a P54C.
P54C = Machine(
    "i386",
    "i686-linux-gnu-",
    ("-march=pentium", "-mpreferred-stack-boundary=2", "-fcf-protection=none", "-fno-pie", "-fomit-frame-pointer"),
    ("-Wl,-z,notext", "-Wl,-u,__call_exitprocs"),
    3,
    8,
    "the P54C",
    family="x86",
    library=("-Db_pie=false", "-Dthread-local-storage=false"),
    own_lock=False,
)
# The same for programs of OpenMP, which have many threads: errno is a thread's, and the C library's lock is user/openmp's.
P54C_THREADS = replace(P54C, library=("-Db_pie=false",), own_lock=True)
