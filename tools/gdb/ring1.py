# SPDX-License-Identifier: MIT
"""gdb helpers for guests in ring 1 of a Pentium, on the kernel's debug information; they only read memory.

gdb -x tools/gdb/ring1.py build/i586-linux/amalgam.elf -ex 'target remote 127.0.0.1:1234'
(gdb) amalgam guests
(gdb) amalgam guest registers NAME | memory NAME ADDRESS [BYTES] | x/FORMAT NAME ADDRESS | step
(gdb) hbreak *ADDRESS if $in_guest("NAME")      (an address of the guest's)

While a core is in a guest, gdb sees the shadow tables: those of the guest's pages that were used of late, and nothing of the kernel.
So the kernel's memory is read by its physical addresses here, and a guest's by the guest's own tables, which may be anything.
"""

import re
import sys
from pathlib import Path

import gdb

sys.path.insert(0, str(Path(__file__).resolve().parent))
from examine586 import examine, word
from looking import Look, enum_name, physical, symbol
from tables586 import NowhereError, host_of, pieces, translate

MOST_BYTES = 4096  # of one look at a guest's memory
MOST_STEPS = 20000  # instructions of the kernel between two of a guest
INTERRUPTS = 0x200
FLAG, CR2 = 0, 2  # words of the shared page (kernel/api/para.yaml)
GENERAL = ("eax", "ebx", "ecx", "edx", "esi", "edi", "ebp", "esp", "eip", "eflags", "cs", "ss", "ds", "es", "fs", "gs")


def register(name):
    """A register of the core that gdb looks at, whatever frame is chosen."""
    return int(gdb.newest_frame().read_register(name)) & 0xFFFFFFFF


def guests():
    """(name, state, virtual CPU) of each guest. In physical()."""
    for i in range(int(symbol("n_domains"))):
        domain = symbol("domains")[i]
        if not int(domain["impl"]) or enum_name("sys_kind", domain["conf"]["kind"], "SYS_KIND_") != "vm":
            continue
        vm = domain["impl"].cast(gdb.lookup_type("struct vm").pointer())
        if int(vm["n_vcpus"]) and int(vm["vcpu"][0]):
            name, how = domain["conf"]["name"].string(errors="replace"), enum_name("domain_state", domain["state"], "DOMAIN_")
            yield name, how, vm["vcpu"][0].dereference()


def one(name):
    """A guest's virtual CPU. In physical()."""
    found = next((vcpu for guest, _, vcpu in guests() if guest == name), None)
    if found is None:
        raise gdb.GdbError(f"no guest '{name}'; `amalgam guests` lists them")
    return found


def is_here(vcpu):
    """Whether the core that gdb looks at is in this guest: its registers are the guest's, not those that were saved."""
    return register("cs") & 3 and register("cr3") == int(vcpu["hal"]["shadow"]["root"])


def core_in(vcpu):
    """The core that is in this guest, as gdb's thread, or None. gdb looks at the same core as before."""
    chosen = gdb.selected_thread()
    try:
        for thread in gdb.selected_inferior().threads():
            thread.switch()
            if is_here(vcpu):
                return thread
        return None
    finally:
        chosen.switch()


def state(vcpu):
    """(how, registers by name) of a guest: a core's, or those with which it left, which it cannot change while it is in no core."""
    thread, chosen = core_in(vcpu), gdb.selected_thread()
    if thread is None:
        regs = vcpu["hal"]["regs"]
        return "left at", {name: int(regs[name]) & (0xFFFF if len(name) == 2 else 0xFFFFFFFF) for name in GENERAL}
    try:
        thread.switch()
        return "is at" if thread.num == chosen.num else f"thread {thread.num} is at", {name: register(name) for name in GENERAL}
    finally:
        chosen.switch()


def place(vcpu, how, now):
    """One line: where a guest is."""
    on = int(vcpu["hal"]["shared"][FLAG]) & INTERRUPTS
    return f"{how} {now['cs']:#x}:{now['eip']:#010x}, ring {now['cs'] & 3}, interrupts {'on' if on else 'off'}"


def tables(vcpu):
    """What a guest's addresses lead by: ranges of its memory, its registers. In physical()."""
    hal = vcpu["hal"]
    memory = hal["memory"]
    ranges = [tuple(int(memory["range"][i][part]) for part in ("gpa", "size", "at")) for i in range(int(memory["n"]))]
    return ranges, tuple(int(hal[name]) for name in ("cr0", "cr3", "cr4"))


class Amalgam(gdb.Command):
    """Look at guests: amalgam guests | guest registers | guest memory | guest step."""

    def __init__(self):
        super().__init__("amalgam", gdb.COMMAND_DATA, prefix=True)


class Guests(Look):
    """Guests: state, core, where each is (in this core, or in another one: gdb's thread) or left."""

    def __init__(self):
        super().__init__("amalgam guests", gdb.COMMAND_DATA)

    def look(self, _argument):
        for name, domain, vcpu in guests():
            print(f"{name}: {domain}, core {int(vcpu['core'])}, {place(vcpu, *state(vcpu))}")


class Guest(gdb.Command):
    """Look at one guest: amalgam guest registers NAME | memory NAME ADDRESS [BYTES] | x/FORMAT NAME ADDRESS | step."""

    def __init__(self):
        super().__init__("amalgam guest", gdb.COMMAND_DATA, prefix=True)


class Registers(Look):
    """amalgam guest registers NAME: a guest's registers, also its control registers and tables, as it has set them."""

    def __init__(self):
        super().__init__("amalgam guest registers", gdb.COMMAND_DATA)

    def look(self, argument):
        vcpu = one(argument.strip())
        (how, now), hal = state(vcpu), vcpu["hal"]
        print(place(vcpu, how, now))
        for row in (GENERAL[:8], GENERAL[8:]):
            print(" ".join(f"{name} {now[name]:08x}" for name in row))
        controls = {name: int(hal[name]) for name in ("cr0", "cr3", "cr4")} | {"cr2": int(hal["shared"][CR2])}
        print(" ".join(f"{name} {controls[name]:08x}" for name in sorted(controls)))
        print(" ".join(f"{name} {int(hal[name]):08x}" for name in ("gdt", "gdt_limit", "idt", "idt_limit", "lines")))


class Memory(gdb.Command):
    """amalgam guest memory NAME ADDRESS [BYTES]: a guest's memory by its own tables, 64 bytes unless told."""

    def __init__(self):
        super().__init__("amalgam guest memory", gdb.COMMAND_DATA)

    def invoke(self, argument, _tty):
        words = gdb.string_to_argv(argument)
        if len(words) not in (2, 3):
            raise gdb.GdbError("amalgam guest memory NAME ADDRESS [BYTES]")
        address, n = int(gdb.parse_and_eval(words[1])) & 0xFFFFFFFF, int(gdb.parse_and_eval(words[2])) if words[2:] else 64
        if not 0 < n <= MOST_BYTES:
            raise gdb.GdbError(f"{n} bytes: 1 to {MOST_BYTES}")
        with physical():
            ranges, registers = tables(one(words[0]))
            for va, length in pieces(address, n):
                self.page(ranges, registers, va, length)

    def page(self, ranges, registers, va, length):
        """What lies within one page of a guest's."""
        try:
            gpa, rights = translate(word, ranges, registers, va)
            at = host_of(ranges, gpa, f"{va:#x}")
        except NowhereError as error:
            print(f"{va:#010x}: {error}")
            return
        data = gdb.selected_inferior().read_memory(at, length).tobytes()
        print(f"{va:#010x}: at {gpa:#x} of the guest's memory, {at:#x} of the board's; {rights}")
        for i in range(0, length, 16):
            row = data[i : i + 16]
            print(f"  {va + i:08x}  {row.hex(' '):47}  {''.join(chr(b) if 32 <= b < 127 else '.' for b in row)}")


class Examine(gdb.Command):
    """amalgam guest x/FORMAT NAME ADDRESS: as gdb's x, by a guest's own tables. FORMAT: a count, then i, s, or one of xduotc and a size of bhw."""

    def __init__(self):
        super().__init__("amalgam guest x", gdb.COMMAND_DATA)

    def invoke(self, argument, _tty):
        found = re.fullmatch(r"(?:/(\d*)(i|s|[xduotcbhw]{0,2})\s+)?([^/\s]\S*)\s+(.+)", argument)
        if not found:
            raise gdb.GdbError("amalgam guest x/FORMAT NAME ADDRESS")
        count, letters = int(found[1] or 1), found[2] or ""
        address = int(gdb.parse_and_eval(found[4])) & 0xFFFFFFFF
        if not 0 < count <= MOST_BYTES // 4:
            raise gdb.GdbError(f"{count} times: 1 to {MOST_BYTES // 4}")
        with physical():
            by = tables(one(found[3]))
        try:
            examine(by, address, count, letters)
        except NowhereError as error:
            raise gdb.GdbError(f"{address:#x}: {error}") from error


class Step(gdb.Command):
    """amalgam guest step: one instruction of the guest in which the core is, with all that the kernel does for it."""

    def __init__(self):
        super().__init__("amalgam guest step", gdb.COMMAND_RUNNING)

    def invoke(self, _argument, _tty):
        with physical():
            name, vcpu = next(((name, vcpu) for name, _, vcpu in guests() if is_here(vcpu)), (None, None))
        if vcpu is None:
            raise gdb.GdbError("this core is in no guest; `amalgam guests` says where they are")
        for before in range(MOST_STEPS):
            gdb.execute("stepi", to_string=True)
            with physical():
                if is_here(vcpu):
                    kernels = f", the kernel did {before} instructions before" if before else ""
                    print(f"{name}: {register('cs'):#x}:{register('eip'):#010x}{kernels}")
                    return
        raise gdb.GdbError(f"{name} has not gone on in {MOST_STEPS} instructions of the kernel")


class InGuest(gdb.Function):
    """$in_guest("NAME"): whether the core that gdb looks at is in that guest."""

    def __init__(self):
        super().__init__("in_guest")

    def invoke(self, name):
        with physical():
            return bool(is_here(one(name.string())))


try:
    gdb.execute("help amalgam", to_string=True)  # amalgam.py may be loaded, too
except gdb.error:
    Amalgam()
for command in (Guests, Guest, Registers, Memory, Examine, Step, InGuest):
    command()
