# SPDX-License-Identifier: MIT
"""A process that died leaves a core file that gdb opens, and a record that cannot be is refused with a sentence."""

from __future__ import annotations

import mmap
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml
from amalgam.artifacts.machines import MACHINES, USUAL, Machine
from amalgam.board.dead import Damaged, Memory, Reader, held
from amalgam.board.machine import machine_for
from amalgam.board.records import layout_of
from amalgam.build.kernel import build_kernel
from amalgam.build.programs import compile_program, toolchain
from amalgam.system.compile import compile_system
from amalgam.system.model import System
from test_cli import amalgam

PROGRAM = """
#include <amalgam/calls.h>
#include <pthread.h>
#include <unistd.h>
int answer = 42;
char *lazy, *large, *medium;
static __attribute__((noipa)) void hold(double x)
{
#if defined(__riscv)
    __asm__ volatile("fmv.d ft11, %0" ::"f"(x) : "ft11");
#else
    __asm__ volatile("movsd %0, %%xmm7; fldl %0" ::"m"(x) : "xmm7");
#endif
}
static __attribute__((noipa)) int inner(int *where) { int before = *where; return before + answer; }
static __attribute__((noipa)) int outer(unsigned long where) { return inner((int *)where) + 1; }
static __attribute__((noipa)) void doze(volatile int *here) { for (;;) { *here += 1; sleep(1000); } }
static void *other(void *unused) { volatile int here = 6; hold(-0.25); doze(&here); return unused; }
static void *done(void *unused) { return unused; }
int main(void)
{
    pthread_t t[2];
    pthread_create(&t[0], NULL, other, NULL);
    pthread_create(&t[1], NULL, done, NULL);
    pthread_join(t[1], NULL);
    usleep(100000);
    lazy = (char *)amalgam_map(NULL, 3 * 4096, AMALGAM_MAP_LAZY);
    lazy[4096] = 5;
    large = (char *)amalgam_map(NULL, 2 << 20, AMALGAM_MAP_LARGE);
    large[1 << 20] = 6;
#if defined(__riscv)
    medium = (char *)amalgam_map(NULL, 1 << 16, AMALGAM_MAP_64K);
    for (int i = 0; i < 16; i++)
        medium[i << 12] = 10 + i;
#endif
    answer = 4711;
    hold(1.5);
    return outer(0x40);
}
"""


def system_of(folder: Path, board: str, machine: Machine) -> Path:
    """A process that dies of PROGRAM's fault and would start again, and one that ends well, as a system file."""
    source = folder / "dies.c"
    source.write_text(PROGRAM, encoding="utf-8")
    tree = toolchain(lambda _text: None, machine)
    assert compile_program(["-O0", "-g", "-Wall", "-Werror", str(source), "-o", str(folder / "dies")], tree, machine) == 0
    domains: dict[str, dict[str, Any]] = {
        "dies": {"program": str(folder / "dies"), "arguments": ["dies", "young"], "threads": 3, "memory": "4M", "restart": ["fault"]},
        "hello": {"program": "build:hello.elf", "memory": "64K"},
    }
    system = {"system": "cores", "board": board, "memory": "128M", "domains": {}}
    system["domains"] = {name: {"kind": "process", "power": "board"} | domain for name, domain in domains.items()}
    path = folder / "cores.yaml"
    path.write_text(yaml.safe_dump(system, sort_keys=False), encoding="utf-8")
    return path


@dataclass
class Run:
    """What a run on the pc board left."""

    folder: Path
    memory: Memory
    kernel: Path
    system: System
    lines: list[str]


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory, boot_module: Any) -> Iterator[Run]:
    folder = tmp_path_factory.mktemp("cores")
    path = system_of(folder, "q35", USUAL)
    kernel = build_kernel("process", lambda _text: None)
    system, image = compile_system(path, lambda _text: None, folder / "cores.img", held)
    assert isinstance(system, System)
    with Memory(machine_for(system, image).memory) as memory:
        with boot_module(path, image=image, ram=memory.file) as board:
            assert board.wait(60) == 0
        yield Run(folder, memory, kernel, system, memory.write_cores(system, kernel, folder))


def gdb(tool: str, folder: Path, *commands: str) -> str:
    words = [word for line in commands for word in ("-ex", line)]
    done = subprocess.run(
        [tool, "-nx", "-batch", *words, folder / "dies", folder / "dies.core"], capture_output=True, text=True, check=True
    )
    return done.stdout + done.stderr


def test_a_page_that_was_never_accessed_is_not_there(run: Run) -> None:
    assert "$1 = 5" in gdb("gdb", run.folder, "p (int)lazy[4096]")
    for offset in (0, 8192):
        assert "Cannot access memory" in gdb("gdb", run.folder, f"p (int)lazy[{offset}]", "p answer")  # its status is the last one's


def test_the_processor_found_a_large_page_in_one_entry(run: Run) -> None:
    """The program wrote through it into the memory behind the entry's address; gdb sees that there."""
    with mmap.mmap(run.memory.file, run.memory.size, access=mmap.ACCESS_READ) as ram:
        reader = Reader(ram, run.memory.size, layout_of(run.kernel, run.kernel.stat().st_mtime_ns))
        leaves = [entry & ~(1 << 63) for entry in below(reader, third(reader)) if entry & 0x80]
        assert len(leaves) == 1 and leaves[0] & 7 == 7 and leaves[0] >> 12 & 511 == 0, leaves
        assert ram[(leaves[0] & ~0xFFF) + (1 << 20)] == 6
    assert "$1 = 6\n$2 = 0" in gdb("gdb", run.folder, "p (int)large[1 << 20]", "p (int)large[(2 << 20) - 1]")


def test_gdb_shows_why_where_and_who_called(run: Run) -> None:
    said = gdb("gdb", run.folder, "bt", "p answer", "p/x $rip - (unsigned long)inner < 64", "p $_siginfo._sifields._sigfault.si_addr")
    assert "Core was generated by `dies young'.\nProgram terminated with signal SIGSEGV" in said
    assert [line.split(" (")[0].split()[-1] for line in said.splitlines() if line.startswith("#")][1:] == ["inner", "outer", "main"], said
    assert "outer (where=64)" in said
    assert [line for line in said.splitlines() if line.startswith("$")] == ["$1 = 4711", "$2 = 0x1", "$3 = (void *) 0x40"], said


def test_gdb_shows_the_stack_of_a_thread_that_slept(run: Run) -> None:
    said = gdb("gdb", run.folder, "info threads", "thread 2", "frame function other", "p here")
    assert said.count("LWP") >= 2 and "LWP 3" not in said, said  # of three threads one had ended
    assert said.splitlines()[-1] == "$1 = 7", said


def test_gdb_shows_the_floating_point_registers_of_each_thread(run: Run) -> None:
    """Of the one that faulted, and of one whose core another thread's registers had when it ended."""
    said = gdb("gdb", run.folder, "p $xmm7.v2_double[0]", "p $st0", "p/x $fctrl", "thread 2", "p $xmm7.v2_double[0]", "p $st0")
    assert [line for line in said.splitlines() if line.startswith("$")] == [
        *("$1 = 1.5", "$2 = 1.5", "$3 = 0x37f"),
        *("$4 = -0.25", "$5 = -0.25"),
    ], said


def test_a_process_that_ended_well_has_no_core_file(run: Run) -> None:
    assert [path.name for path in run.folder.glob("*.core")] == ["dies.core"]
    assert run.lines == [f"gdb {run.folder}/dies {run.folder}/dies.core"]


def at(reader: Reader, member: str) -> int:
    """Where a member of the first process's record is in the file."""
    return reader.offset(reader.domain(0)["impl"] - reader.linear + reader.layout.members["process"][member][0], 8)


def put(reader: Reader, place: int, value: int) -> None:
    reader.ram[place : place + 8] = value.to_bytes(8, "little")


def first_thread(reader: Reader, member: str) -> int:
    return (
        int.from_bytes(reader.ram[at(reader, "thread") : at(reader, "thread") + 8], "little")
        + reader.layout.members["process_thread"][member][0]
    )


def root(reader: Reader) -> int:
    place = at(reader, "space") + reader.layout.members["space"]["level4"][0]
    return int.from_bytes(reader.ram[place : place + 8], "little")


def below(reader: Reader, table: int) -> list[int]:
    """The user's entries that are there of a table; `table`: the entry that names it, or the root."""
    words = memoryview(reader.page(table & ~0xFFF)).cast("Q")
    return [word for word in words if word & 5 == 5]


def third(reader: Reader) -> int:
    """The table of the first GiB: an entry is a large page's or names a table of pages."""
    return below(reader, below(reader, root(reader))[0])[0] & ~0xFFF


def many_large(reader: Reader) -> None:
    reader.ram[third(reader) : third(reader) + 4096] = (0x87).to_bytes(8, "little") * 512


def loop(reader: Reader) -> None:
    """Each entry of the second table is that table."""
    second = int.from_bytes(reader.ram[root(reader) + 8 : root(reader) + 16], "little") & ~0xFFF
    reader.ram[second : second + 4096] = (second | 7).to_bytes(8, "little") * 512


DAMAGES: dict[str, tuple[Callable[[Reader], None], str]] = {
    "another domain's": (lambda r: put(r, at(r, "domain"), 0x1234), "it is of another domain"),
    "too many threads": (lambda r: put(r, at(r, "n"), 65), "it has 65 threads"),
    "no threads": (lambda r: put(r, at(r, "n"), 0), "it has 0 threads"),
    "threads nowhere": (lambda r: put(r, at(r, "thread"), 1 << 40), "0x10000000000 is no address of the board's memory"),
    "threads across the end": (lambda r: put(r, at(r, "thread"), r.size - 8), "is no address of the board's memory"),
    "a thread of another number": (lambda r: put(r, first_thread(r, "number"), 9), "thread 0 says that it is 9"),
    "the thread had ended": (lambda r: put(r, first_thread(r, "state") - 2, 0), "thread 0, which faulted, had ended before"),
    "no tables": (lambda r: put(r, root(r) + 8, 0), "its tables show no page"),
    "a table nowhere": (lambda r: put(r, root(r) + 8, r.size | 7), "is no address of the board's memory"),
    "a page of 512 GiB": (lambda r: put(r, root(r) + 8, 0x87), "the entry for 0x8000000000 is no table's"),
    "large pages everywhere": (many_large, "its large pages are more than it has memory for"),
    "tables in a ring": (loop, "its tables are more than it has memory for"),
}


@pytest.mark.parametrize("what", DAMAGES)
def test_a_damaged_record_is_refused_with_the_reason(run: Run, what: str) -> None:
    damage, why = DAMAGES[what]
    with mmap.mmap(run.memory.file, run.memory.size, access=mmap.ACCESS_COPY) as ram:
        reader = Reader(ram, run.memory.size, layout_of(run.kernel, run.kernel.stat().st_mtime_ns))
        assert reader.core(0, run.system.domains[0]).pieces
        damage(reader)
        with pytest.raises(Damaged, match=why):
            reader.core(0, run.system.domains[0])


def test_a_reason_that_nobody_gave_is_refused(run: Run) -> None:
    with mmap.mmap(run.memory.file, run.memory.size, access=mmap.ACCESS_COPY) as ram:
        reader = Reader(ram, run.memory.size, layout_of(run.kernel, run.kernel.stat().st_mtime_ns))
        place = reader.offset(reader.image("domains") + reader.layout.members["domain"]["reason"][0], 8)
        put(reader, place, 0)
        with pytest.raises(Damaged, match="how it died is told as ''"):
            reader.core(0, run.system.domains[0])


@pytest.mark.usefixtures("one_board")
def test_run_writes_it_on_risc_v_and_says_what_to_type(tmp_path: Path) -> None:
    path = system_of(tmp_path, "virt", MACHINES["riscv64"])
    done = amalgam("run", str(path), "--core", str(tmp_path))
    assert f"core file written; to look at it:\n  gdb-multiarch {tmp_path}/dies {tmp_path}/dies.core\n" in done.stderr
    commands = (
        "bt",
        "p answer",
        "p $ft11.double",
        "p (int)medium[0]",
        "p (int)medium[7 << 12]",
        "p (int)medium[15 << 12]",
        "thread 2",
        "frame function other",
        "p here",
        "p $ft11.double",
    )
    said = gdb("gdb-multiarch", tmp_path, *commands)
    assert "signal SIGSEGV" in said and "outer (where=64)" in said
    assert [line for line in said.splitlines() if line.startswith("$")] == [
        *("$1 = 4711", "$2 = 1.5"),
        *("$3 = 10", "$4 = 17", "$5 = 25"),  # of a page of 64 KiB
        *("$6 = 7", "$7 = -0.25"),
    ], said


@pytest.mark.parametrize("system", ["ppc405", "tunnel", "attach"])
def test_core_is_refused_where_there_are_no_processes(system: str, tmp_path: Path) -> None:
    done = amalgam("run", system, "--core", str(tmp_path))
    assert done.returncode == 2 and "--core" in done.stderr and "next: leave" in done.stderr, done.stderr
