# SPDX-License-Identifier: MIT
"""gdb helpers for the ppc405 kernel, on its debug information; they only read memory. One gdb looks at one core.

gdb-multiarch -x tools/gdb/ppc405.py build/ppc405/amalgam.elf -ex 'target remote 127.0.0.1:1234'
(gdb) hbreak vm_exit
(gdb) amalgam core | vms | regs VM | tlb VM
"""

import sys
from pathlib import Path

import gdb

sys.path.insert(0, str(Path(__file__).resolve().parent))
from looking import Look, enum_name, symbol

SPRG = range(8)


def records():
    """Every VM that the partition table has: number, register page, record."""
    kind = symbol("vm_records").type
    for i in range(kind.range()[1] + 1):
        record = symbol("vm_records")[i]
        if int(record["vm"]["conf"]):
            yield i, record["regs"], record["vm"]


def one(argument):
    """The VM that a command's argument names by its number; without one, the current VM."""
    if not argument:
        current = symbol("core")["current"]
        if not int(current):
            raise gdb.GdbError("this core is idle: name a VM by its number")
        argument = str(int(current["id"]))
    for i, regs, vm in records():
        if argument == str(i):
            return regs, vm
    raise gdb.GdbError(f"no VM {argument}; `amalgam vms` lists them")


def name_of(vm):
    return vm["conf"]["name"].string(errors="replace")


def mode_of(msr):
    return ("problem" if msr & 0x4000 else "privileged") + f", IR={msr >> 5 & 1} DR={msr >> 4 & 1} EE={msr >> 15 & 1} CE={msr >> 17 & 1}"


class Amalgam(gdb.Command):
    """Look at the kernel: amalgam core | vms | regs VM | tlb VM."""

    def __init__(self):
        super().__init__("amalgam", gdb.COMMAND_DATA, prefix=True)


class Core(Look):
    """This core: who runs, when it looks again."""

    def __init__(self):
        super().__init__("amalgam core", gdb.COMMAND_DATA)

    def look(self, _argument):
        core = symbol("core")
        current = core["current"]
        runs = f"{int(current['id'])} {name_of(current)}" if int(current) else "nothing"
        print(f"core {int(core['id'])} runs {runs}; looks again at {int(core['window_due']):#010x} (time base)")


class Vms(Look):
    """Every VM: state, core, where it is, in which mode, what waits."""

    def __init__(self):
        super().__init__("amalgam vms", gdb.COMMAND_DATA)

    def look(self, _argument):
        for i, regs, vm in records():
            print(
                f"{i} {name_of(vm)}: {enum_name('vm_state', vm['state'], 'VM_')} on core {int(vm['core'])}, saved pc {int(vm['ctx']['pc']):#010x}, "
                f"{mode_of(int(regs['msr']))}, pending {int(vm['pending']):#x}"
            )


class Regs(Look):
    """Registers of a VM as of its last exit to C, and its virtual privileged registers."""

    def __init__(self):
        super().__init__("amalgam regs", gdb.COMMAND_DATA)

    def look(self, argument):
        regs, vm = one(argument)
        context = vm["ctx"]
        for row in range(0, 32, 8):
            print(f"r{row:<2} " + " ".join(f"{int(context['gpr'][row + i]):08x}" for i in range(8)))
        print(" ".join(f"{n} {int(context[n]):08x}" for n in ("pc", "cr", "lr", "ctr", "xer")))
        names = ("msr", "srr0", "srr1", "srr2", "srr3", "esr", "dear", "evpr", "pid", "zpr")
        print(" ".join(f"{n} {int(regs[n]):08x}" for n in names))
        print("sprg " + " ".join(f"{int(regs['sprg'][i]):08x}" for i in SPRG))


class Tlb(Look):
    """The virtual TLB of a VM: the valid entries."""

    def __init__(self):
        super().__init__("amalgam tlb", gdb.COMMAND_DATA)

    def look(self, argument):
        _, vm = one(argument)
        for i in range(64):
            hi, lo = int(vm["tlb_hi"][i]), int(vm["tlb_lo"][i])
            if hi & 0x40:
                size = 1 << 2 * (hi >> 7 & 7)
                rights = ("x" if lo & 0x200 else "-") + ("w" if lo & 0x100 else "-")
                print(
                    f"{i:2} {hi & ~0x3FF:08x} -> {lo & ~0x3FF:08x} {size:5} KiB tid {int(vm['tlb_tid'][i]):3} zone {lo >> 4 & 15:2} {rights}"
                )


for command in (Amalgam, Core, Vms, Regs, Tlb):
    command()
