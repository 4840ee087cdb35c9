# SPDX-License-Identifier: MIT
"""The machines that processes' programs are made for, and their compilers."""

from __future__ import annotations

from dataclasses import dataclass, replace


@dataclass(frozen=True)
class Machine:
    """One of them; `name` is also meson's name of the processor, and its folder in user/."""

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
    folder: str = ""  # its folder in user/, if it is another one
    bits: int = 64
    addends: bool = True  # in its relocations (RELA), not in what they change (REL)
    # Where the compiler has no library for these options: another one that has it, with the options that name it there.
    runtime: tuple[str, ...] = ()
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
            folder="riscv",
        ),
        # Linux' compiler links position-independent programs, which the one for bare machines does not; that one has the library.
        Machine(
            "riscv32",
            "riscv64-linux-gnu-",
            ("-march=rv32gc", "-mabi=ilp32d"),
            ("-Wl,-u,__call_exitprocs", "-Wl,-m,elf32lriscv"),
            243,
            3,
            "RISC-V with 32 bits",
            spare_relocations=True,
            folder="riscv",
            bits=32,
            runtime=("riscv64-unknown-elf-gcc", "-march=rv32imafdc", "-mabi=ilp32d"),
        ),
        # No P6 instruction is in a P54C, nor is a stack aligned to more than a word.
        Machine(
            "i386",
            "i686-linux-gnu-",
            ("-march=pentium", "-mpreferred-stack-boundary=2", "-fcf-protection=none"),
            ("-Wl,-z,nopack-relative-relocs", "-Wl,-u,__call_exitprocs"),
            3,
            8,
            "i386",
            family="x86",
            bits=32,
            addends=False,
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
# stdio without locked instructions, which nothing would make atomic on memory that is not coherent.
P54C_THREADS = replace(P54C, library=("-Db_pie=false", "-Datomic-ungetc=false"), own_lock=True)
