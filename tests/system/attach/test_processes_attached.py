# SPDX-License-Identifier: MIT
"""Processes on CPUs that a running Linux gives: nothing that reaches such a core shows in a program, nothing of Linux's is left there, and
Linux gets its CPU back."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from typing import Any

import pytest
from amalgam.system.compile import compile_system
from amalgam.system.units import MIB
from linuxhost import Host

pytestmark = pytest.mark.beside

SYSTEM = "lib/amalgam/processes.img"
POKE = "/lib/modules/amalgam-poke.ko"
CORE = 3  # the CPU that becomes core 1
NMI = 0x400
SYSTEM_TEXT = """
system: processes
board: attached
cores: 2
memory: 96M
domains:
  hello: {kind: process, program: build:hello.elf, arguments: [hello, there], memory: 64K, cores: [1]}
  steady: {kind: process, program: build:steady.elf, memory: 128K, cores: [1], threads: 2}
  base: {kind: process, program: build:steady.elf, arguments: [steady, base], memory: 64K, cores: [1], autostart: false}
  hostile: {kind: process, program: build:hostile.elf, arguments: [hostile, "3000"], memory: 256K, threads: 16, cores: [1], autostart: false}
  deadly: {kind: process, program: build:hostile.elf, arguments: [hostile, "3000", deadly], memory: 256K, threads: 16, cores: [1], autostart: false}
  caller: {kind: process, program: build:spin.elf, arguments: [spin, calls], memory: 64K, cores: [1], priority: 12, autostart: false}
  loud: {kind: process, program: build:spin.elf, arguments: [spin, calls, "5000"], memory: 64K, cores: [1], autostart: false}
  asker: {kind: process, program: build:tunnel.elf, arguments: [tunnel, ping, "0", "40", "64", "10"], memory: 64K, cores: [1], autostart: false}
  rt: {boot: pvh, kernel: build:rt.elf, cmdline: "mode=window report=500", memory: 16M, cores: [1], hypercalls: true, devices: [{type: uart}]}
channels:
  - {name: out, between: [asker, host], size: 8K}
frames:
  - {core: 1, length: 10ms, windows: [{domain: rt, start: 0, length: 1ms}, {domain: shared, start: 1ms, length: 9ms}]}
"""
CREATE = f"amalgam domain create /{SYSTEM} --cpus 2,{CORE}"
CALLS = "amalgam-stress 2"  # Linux's own system calls, page faults, signals, registers


@pytest.fixture(scope="module")
def host(boot_linux: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Host]:
    """The processes run; afterwards all is given back."""
    source = tmp_path_factory.mktemp("system") / "processes.yaml"
    source.write_text(SYSTEM_TEXT)
    _system, image = compile_system(source, lambda _text: None)
    with boot_linux(cores=4, memory=1536 * MIB, accel="tcg,thread=single", files={SYSTEM: image}) as host:
        host.ok(f"amalgam load; amalgam attach; {CREATE}", 120)
        yield host


def wait_for(host: Host, domain: str, says: str, times: int = 1) -> str:
    """What a domain has said, once that has the words so often."""
    end = time.monotonic() + 240
    while len(re.findall(says, log := host.ok(f"amalgam log {domain}"))) < times:
        assert time.monotonic() < end, log
        host.ok("sleep 0.3")
    return log


def goes_on(host: Host) -> None:
    """The program counts further, and was never begun again."""
    before = len(re.findall("turns", host.ok("amalgam log steady")))
    log = wait_for(host, "steady", r"steady: \d+ turns", before + 2)
    assert "wrong" not in log
    state = {d["name"]: d for d in host.json("domain list")}["steady"]
    assert (state["state"], state["restarts"]) == ("running", 0), state


def test_a_process_prints_and_ends(host: Host) -> None:
    assert "argv[1] = there" in wait_for(host, "hello", "pi is about 3.14")
    state = {d["name"]: d for d in host.json("domain list")}["hello"]
    assert (state["kind"], state["state"]) == ("process", "stopped") and "exit status 0" in state["end"], state
    goes_on(host)
    wait_for(host, "rt", "lat")  # a guest on the same core


@pytest.mark.parametrize("vector", [0xFF, 0x20, 0x80, 0xEF, 0xF0, 0xF2, 0x10, 0x11, 0x12, 0x15, 0x1E, NMI], ids=hex)
def test_what_no_core_expects_does_not_show_in_a_program(host: Host, vector: int) -> None:
    """Twenty of each, most of which come when the program runs. From 0x10 to 0x1f they look like exceptions."""
    stray = host.json("status")["stray"]
    host.ok(f"for i in $(seq 20); do insmod {POKE} message={vector:#x} dest={CORE}; rmmod amalgam_poke; usleep 7000; done")
    for _ in range(20):
        if (now := host.json("status")["stray"]) >= stray + 20:
            break
    assert now == stray + 20
    goes_on(host)


def test_nothing_of_linux_is_left_for_a_program(host: Host) -> None:
    """TSC_AUX is Linux's number of the CPU; CR4 lets Linux's programs set GS."""
    assert re.findall(r"processor (\d+)", wait_for(host, "steady", "processor"))[-1] == "0"
    host.ok("amalgam domain start base")
    for _ in range(60):
        end = {d["name"]: d for d in host.json("domain list")}["base"]["end"]
        if end:
            break
        host.ok("sleep 0.3")
    assert "invalid opcode" in end, end


def test_a_hostile_process_harms_nobody(host: Host) -> None:
    """Also when an NMI or an interrupt that looks like an exception comes, be it between SYSCALL and the kernel's stack."""
    refused, stray = host.json("status")["refused_writes"], host.json("status")["stray"]
    sends = "".join(f"insmod {POKE} message={vector:#x} dest={CORE}; rmmod amalgam_poke; " for vector in (NMI, 0x11, 0x1E))
    host.ok("amalgam domain start hostile")
    host.ok(f"for i in $(seq 20); do {sends} done")
    wait_for(host, "hostile", "hostile: done")
    for _ in range(6):
        host.run("amalgam domain start deadly; usleep 500000; amalgam domain stop deadly")
    host.ok(f"for i in $(seq 5); do {sends} done")
    goes_on(host)
    status = host.json("status")
    assert (status["refused_writes"], status["stray"]) == (refused, stray + 75)
    assert not re.search("FAULT|PANIC", host.ok("amalgam log"))


def test_an_nmi_on_the_way_into_the_kernel_or_out_of_it_harms_nobody(host: Host) -> None:
    """A program that does nothing but call: for an instruction or two of each turn the kernel has the program's GS, and
    the program looks at it."""
    host.ok("amalgam domain start caller")
    wait_for(host, "caller", "spin: begins")
    host.ok(f"for i in $(seq 100); do insmod {POKE} message={NMI:#x} dest={CORE}; rmmod amalgam_poke; done", 240)
    assert {d["name"]: d for d in host.json("domain list")}["caller"]["state"] == "running"
    host.ok("amalgam domain stop caller")
    goes_on(host)
    assert not re.search("FAULT|PANIC", host.ok("amalgam log"))


def test_a_process_talks_to_a_program_of_linux(host: Host) -> None:
    """By memory that both see, rings both ways."""
    host.ok("amalgam-ways pong out >/tmp/pong.log 2>&1 & echo $! >/tmp/pong.pid; amalgam domain start asker")
    log = wait_for(host, "asker", "tunnel: .* after")
    rang = re.search(r"tunnel: right after 40 rounds, (\d+) of them answered by a ring", log)
    assert rang and int(rang[1]) > 20, log  # a slow host may be slower than the program's patience of a second
    host.ok("kill $(cat /tmp/pong.pid); while kill -0 $(cat /tmp/pong.pid) 2>/dev/null; do usleep 50000; done")


def test_what_a_domain_prints_does_not_push_out_what_the_kernel_has_said(host: Host) -> None:
    """The module keeps 256 KiB of all sources; this domain prints 315 KiB."""
    said = "\n".join(host.ok("amalgam log").splitlines()[-50:])  # lists among them, in which this domain never ran
    assert "never ran" in said
    host.ok("amalgam domain start loud")
    wait_for(host, "loud", "spin: begins")
    host.ok("amalgam domain stop loud")
    assert said in host.ok("amalgam log")


def test_a_cpu_that_was_given_twice_runs_processes_twice_and_linux_again(host: Host) -> None:
    host.ok("amalgam domain destroy", 120)
    assert host.ok("cat /sys/devices/system/cpu/online") == "0-3\n"
    on_it = f"taskset {1 << CORE:#x}"
    assert "all right" in host.ok(f"{on_it} {CALLS}", 300)
    host.ok(CREATE, 120)
    wait_for(host, "hello", "pi is about 3.14")
    goes_on(host)
    host.ok("amalgam domain destroy", 120)
    free = re.findall(r"system: destroyed; (\d+) KiB free", host.ok("amalgam log"))
    assert len(free) == 2 and free[0] == free[1], free
    assert "all right" in host.ok(f"{on_it} {CALLS}", 300)
    host.ok("amalgam detach")
    assert "all right" in host.ok(f"{on_it} {CALLS}", 300)
    host.ok("amalgam unload")
    assert [line for line in host.complaints(memory=True) if not re.search("amalgam_poke", line)] == []
