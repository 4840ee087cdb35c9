# SPDX-License-Identifier: MIT
"""gdb helpers for the kernel, on its debug information; they only read memory.

./amalgam run debian --gdb                      (one terminal; it prints the line below)
gdb -x tools/gdb/amalgam.py build/pc/amalgam.elf -ex 'target remote 127.0.0.1:1234'
(gdb) hbreak core_start                         (hardware breakpoints work before paging is on)
(gdb) amalgam cpus | threads | domains | backtrace THREAD
"""

import sys
from pathlib import Path

import gdb

sys.path.insert(0, str(Path(__file__).resolve().parent))
from looking import enum_name, symbol

STACK_SIZE = 16384  # HAL_STACK_SIZE


def text(array):
    """A char array as a string."""
    return array.string(errors="replace") if array.type.code != gdb.TYPE_CODE_PTR or int(array) else ""


def container(pointer, type_name, member):
    """The structure that a list link is in."""
    kind = gdb.lookup_type(type_name)
    offset = next(field.bitpos // 8 for field in kind.fields() if field.name == member)
    return (pointer.cast(gdb.lookup_type("char").pointer()) - offset).cast(kind.pointer())


def all_cpus():
    """The records of the started cores."""
    return [symbol("cpus")[i].dereference() for i in range(int(symbol("n_cpus")))]


def all_threads():
    """Every thread that exists, in the order of creation."""
    head = symbol("all_threads").address
    link, found = head["next"], []
    while int(link) and int(link) != int(head):
        found.append(container(link, "struct thread", "all").dereference())
        link = link["next"]
    return found


class Amalgam(gdb.Command):
    """Look at the kernel: amalgam cpus | threads | domains | backtrace THREAD."""

    def __init__(self):
        super().__init__("amalgam", gdb.COMMAND_DATA, prefix=True)


class Cpus(gdb.Command):
    """Cores: what runs, the queues that are not empty, the frame."""

    def __init__(self):
        super().__init__("amalgam cpus", gdb.COMMAND_DATA)

    def invoke(self, _argument, _tty):
        for cpu in all_cpus():
            sched = cpu["sched"]
            running = sched["running"]
            runs = text(running["name"]) if int(running) else "nothing yet"
            print(
                f"cpu {int(cpu['id'])} {'online' if cpu['online'] else 'offline'}, apic id {int(cpu['arch']['apic_id'])}, runs {runs}, "
                f"resched {bool(sched['resched'])}"
            )
            for group in range(sched["group"].type.range()[1] + 1):
                bits = int(sched["group"][group]["map"])
                if bits:
                    ready = [priority for priority in range(32) if bits >> priority & 1]
                    print(f"  group {group}: ready at priorities {ready}")
            frame = sched["frame"]
            if int(frame["length"]):
                print(f"  frame {int(frame['length'])} ticks, {int(frame['n'])} segments, now in {int(frame['current'])}")


class Threads(gdb.Command):
    """All threads: core, priority, group, state, domain, saved stack pointer."""

    def __init__(self):
        super().__init__("amalgam threads", gdb.COMMAND_DATA)

    def invoke(self, _argument, _tty):
        for thread in all_threads():
            state = enum_name("thread_state", thread["state"], "THREAD_")
            domain = text(thread["domain"]["conf"]["name"]) if int(thread["domain"]) else "-"
            print(
                f"{int(thread.address):#018x} {text(thread['name']):15} cpu {int(thread['cpu'])} prio {int(thread['prio']):2} group {int(thread['group'])} "
                f"{state:8} domain {domain:15} sp {int(thread['ctx']['sp']):#x} switches {int(thread['turns']) >> 1}"
            )


class Domains(gdb.Command):
    """All domains: state, live threads, restarts, how the last run ended."""

    def __init__(self):
        super().__init__("amalgam domains", gdb.COMMAND_DATA)

    def invoke(self, _argument, _tty):
        for index in range(int(symbol("n_domains"))):
            domain = symbol("domains")[index]
            state = enum_name("domain_state", domain["state"], "DOMAIN_")
            end = enum_name("domain_end", domain["end"], "END_")
            print(
                f"{index:2} {text(domain['conf']['name']):15} {state:8} {int(domain['live'])} live, {int(domain['restarts'])} restarts, "
                f"end {end} {text(domain['reason'])}"
            )


class Backtrace(gdb.Command):
    """amalgam backtrace THREAD: where a thread that does not run waits (its address or name)."""

    def __init__(self):
        super().__init__("amalgam backtrace", gdb.COMMAND_STACK)

    def invoke(self, argument, _tty):
        wanted = argument.strip()
        thread = next((t for t in all_threads() if wanted in (text(t["name"]), hex(int(t.address)))), None)
        if thread is None:
            raise gdb.GdbError(f"no thread '{wanted}'; `amalgam threads` lists them")
        word = gdb.lookup_type("unsigned long")
        stack = int(thread["ctx"]["sp"])
        top = (stack | (STACK_SIZE - 1)) + 1
        for at in range(
            stack, min(stack + 1024, top), word.sizeof
        ):  # every word that points behind a call in the text: it may show a stale one
            address = int(gdb.Value(at).cast(word.pointer()).dereference())
            found = gdb.execute(f"info symbol {address:#x}", to_string=True)
            if ".text" in found:
                line = gdb.find_pc_line(address)
                where = f" at {line.symtab.filename}:{line.line}" if line.symtab else ""
                print(f"  {address:#x} {found.split(' in section')[0]}{where}")


for command in (Amalgam, Cpus, Threads, Domains, Backtrace):
    command()
