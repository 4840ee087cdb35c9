# SPDX-License-Identifier: MIT
"""Linux' root does as he likes (linux/poke), first of all with the local APIC: no CPU starts without us beneath it, none that is given
hears of it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from amalgam.api import attach
from amalgam.system.compile import compile_system, locate
from amalgam.system.units import MIB
from linuxhost import Host

pytestmark = pytest.mark.beside

IMAGE = "/lib/amalgam/system.img"
POKE = "/lib/modules/amalgam-poke.ko"
COMMANDS = 0xFEE00300
INIT, START = 0x4500, 0x4607
FIXED, SMI, NMI, TO_ALL, TO_OTHERS, LOGICAL = 0x40F2, 0x200, 0x400, 2 << 18, 3 << 18, 1 << 11
"""0xf2 is KVM's notification of posted interrupts: Linux counts it, and without KVM nobody sends it."""
LOGICAL_NAMES = (
    f"for c in 0 1 2 3; do taskset $((1 << c)) insmod {POKE} apic=0xd0 value=$((1 << 24 + c)) || exit 1; rmmod amalgam_poke; done"
)
"""A bit for each CPU in its LDR, as Linux before 6.12 has it; later ones leave 0 there, but their root can write it."""


@pytest.fixture(scope="module")
def host(boot_linux: Any) -> Iterator[Host]:
    """Two of four CPUs and memory are given to a system of domains."""
    _system, image = compile_system(locate("attach"), lambda _text: None)
    with boot_linux(cores=4, memory=1536 * MIB, accel="tcg,thread=single", files={IMAGE[1:]: image}) as host:
        host.ok(f"{LOGICAL_NAMES}; amalgam load; amalgam attach; amalgam domain create {IMAGE}", 120)
        host.complaints(memory=True)
        yield host
        assert {d["restarts"] for d in host.json("domain list")} == {0}
        windows = host.ok("amalgam log rt").count("lat")
        host.ok(
            f"n=0; while [ $(amalgam log rt | grep -c lat) -le {windows} ]; do sleep 1; n=$((n + 1)); [ $n -lt 60 ] || exit 1; done", 400
        )
        host.ok("amalgam domain destroy", 120)
        assert host.ok("cat /sys/devices/system/cpu/online") == "0-3\n"
        host.ok("for c in 0 1 2 3; do taskset $((1 << c)) true || exit 1; done; amalgam detach; amalgam unload")


def poke(host: Host, parameters: str) -> str:
    """What a module's load printed into Linux' log."""
    before = len(host.ok("dmesg").splitlines())
    host.run(f"taskset 1 insmod {POKE} {parameters}; rmmod amalgam_poke", 60)
    return "\n".join(host.ok("dmesg").splitlines()[before:])


def hidden(host: Host) -> int:
    """An address that a domain has."""
    return int(host.ok("grep -l offline /sys/devices/system/memory/memory*/state | head -1 | tr -dc 0-9")) << 27


@pytest.mark.parametrize("cpu", [0, 1, 2, 3, 9], ids=["itself", "attached", "core 1", "core 0", "none"])
def test_no_cpu_can_be_started(host: Host, cpu: int) -> None:
    before = host.json("status")["refused_writes"]
    said = poke(host, f"look={hidden(host):#x} dest={cpu} icr={INIT:#x},{START:#x}")
    ignored = cpu in (0, 1)  # a CPU that runs does not hear a start-up interrupt
    assert "the started CPU did nothing" in said and f"{1 if ignored else 2} writes were refused" in said, said
    status = host.json("status")
    assert status["refused_writes"] == before + (1 if ignored else 2) and status["refused_at"] == COMMANDS
    assert host.ok("taskset 2 echo alive") == "alive\n"


@pytest.mark.parametrize("command", [FIXED, NMI, SMI, FIXED | LOGICAL | SMI, INIT | TO_ALL, SMI | TO_OTHERS, 0x7FC, 0x3FC])
def test_no_interrupt_reaches_a_given_cpu(host: Host, command: int) -> None:
    stray = host.json("status")["stray"]
    assert "1 writes were refused" in poke(host, f"dest=3 icr={command:#x}")
    assert host.json("status")["stray"] == stray


@pytest.mark.parametrize(
    ("dest", "command", "hear"),
    [
        (0, FIXED | TO_ALL, (0, 1)),
        (0, FIXED | TO_OTHERS, (1,)),
        (255, FIXED, (0, 1)),
        (255, FIXED | LOGICAL, (0, 1)),
        (1, FIXED, (1,)),
        (2, FIXED | LOGICAL, (1,)),
        (0xC, FIXED | LOGICAL, ()),
    ],
    ids=["all", "others", "broadcast", "logical broadcast", "one", "logical", "logical of given ones"],
)
def test_interrupts_for_linux_still_arrive(host: Host, dest: int, command: int, hear: tuple[int, ...]) -> None:
    status = host.json("status")
    calls = "awk '/PIN:/ { print $2, $3 }' /proc/interrupts"
    before = [int(n) for n in host.ok(calls).split()]
    assert "0 writes were refused" in poke(host, f"dest={dest} icr={command:#x}")
    after = host.json("status")
    assert (after["stray"], after["refused_writes"]) == (status["stray"], status["refused_writes"])
    now = [int(n) for n in host.ok(calls).split()]
    assert now == [count + (cpu in hear) for cpu, count in enumerate(before)] and len(now) == 2


def test_interrupt_messages_are_no_way_around(host: Host) -> None:
    """Behind the registers the emulator takes a store for a message, as from a device: here an INIT for CPU 1 and CPU 3."""
    for address in (0x1000, 0x3000, 0xFF000, 0x0):
        assert "1 writes were refused" in poke(host, f"apic={address:#x} value=0x500")


@pytest.mark.parametrize("vector", [0xFF, 0x20, 0xF7, 0x10, 0x11, 0x15, 0x1E], ids=hex)
def test_a_devices_interrupt_that_no_core_expects_is_ended_and_counted(host: Host, vector: int) -> None:
    """Each twice: a core that did not end the first one hears no second. 0x10 to 0x1f look like exceptions, some of them with an error code."""
    stray = host.json("status")["stray"]
    load = f"insmod {POKE} message={vector:#x}"
    host.ok("".join(f"{load} dest={core}; rmmod amalgam_poke; usleep 50000; " for core in (2, 3, 2, 3)))
    for _ in range(20):
        if (now := host.json("status")["stray"]) >= stray + 4:
            break
    assert now == stray + 4
    assert len(host.json("domain list")) == 2  # core 0 answers


def test_the_local_apic_stays_where_it_is(host: Host) -> None:
    for value in (0xFEC00900, 0xFEE00100, 0xFEE00D00):
        assert "refused" in poke(host, f"msr=0x1b value={value:#x}")
    assert "written" in poke(host, "msr=0x1b value=0xfee00900")  # as it is


def test_memory_stays_where_it_is(host: Host) -> None:
    """System management mode's registers, TOP_MEM, IORR, SYSCFG, HWCR, where PCI's configuration space is and where machine checks go. (The
    emulator has none of them: they read as 0.)"""
    for msr in (0xC0010111, 0xC0010113, 0xC0010116, 0xC001001A, 0xC0010016, 0xC0010010, 0xC0010015, 0xC0010058, 0xC0010022):
        assert "refused" in poke(host, f"msr={msr:#x} value=0x12345000")
        assert "written" in poke(host, f"msr={msr:#x} value=0")
    assert "written" in poke(host, "msr=0xc0010015 value=0x42040000")  # bits that Linux writes


def test_a_state_that_vmrun_refuses_is_no_way_out(host: Host) -> None:
    """EFER.TCE, which this processor does not have: a guest with it cannot be entered, and a CPU that was let go would be bare."""
    ones = f"holds {'f' * 16}"
    assert "refused" in poke(host, "msr=0xc0000080 value=0x9d01")
    assert ones in poke(host, f"address={hidden(host):#x}")
    assert "written" in poke(host, "msr=0xc0000080 value=0x1d01")  # as it is


CALLS = attach.load()
GIVE = CALLS["base"] + next(c["number"] for c in CALLS["calls"] if c["name"] == "mem_give")


@pytest.mark.parametrize(
    ("base", "size", "error"),
    [
        (0xFEC00000, 2 * MIB, -22),
        (0xFEE00000, 2 * MIB, -17),
        (0xE0000000, 256 * MIB, -22),
        (1 << 40, 2 * MIB, -22),
        (1534 * MIB, 4 * MIB, -22),
        (0, 2 * MIB, -17),
        (0x1000, 2 * MIB, -22),
        (16 * MIB, ~0 & 0xFFFFFFFFFFE00000, -22),
    ],
    ids=["I/O APIC", "local APIC", "PCI", "nothing", "half", "first page", "unaligned", "endless"],
)
def test_only_ram_can_be_given(host: Host, base: int, size: int, error: int) -> None:
    """Asked by root's own code, past the module's checks."""
    given = host.json("status")["given"]
    assert f"the answer is {error}\n" in poke(host, f"call={GIVE:#x} a={base:#x} b={size:#x}") + "\n"
    assert "the answer is -17\n" in poke(host, f"call={GIVE:#x} a={hidden(host):#x} b={2 * MIB:#x}") + "\n"
    assert host.json("status")["given"] == given


def test_linux_goes_on(host: Host) -> None:
    """With all kinds of work on both CPUs that it has."""
    exits = host.json("status")["exits"]
    with host.stress():
        host.ok("sleep 5")
    assert host.json("status")["exits"] > exits
    assert [line for line in host.complaints() if not re.search("amalgam_poke", line)] == []
