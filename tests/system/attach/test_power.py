# SPDX-License-Identifier: MIT
"""Linux's root makes the machine sleep, or start again: neither shows what a domain's memory held."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from amalgam.system.compile import compile_system
from amalgam.system.units import MIB
from linuxhost import Host

SYSTEM = Path(__file__).with_name("secret.yaml")
IMAGE = "/lib/amalgam/secret.img"
PORTS = "/lib/modules/amalgam-ports.ko"
WORD, CONTROL, PAGES = 0x5EC4E75EC4E75EC4, 0x5EC4E75EC4E75EC5, 1024
CONTROL_BYTES = "".join(f"\\{byte:03o}" for byte in CONTROL.to_bytes(8, "little"))
PM1, S3, S4 = 0x604, 0x2401, 0x2801  # this board's PM1a control register, and what makes it sleep


class Machine:
    """A board that starts again with what its memory holds; one of two CPUs and some memory belong to a domain that writes the word into
    so many pages, again and again."""

    def __init__(self, host: Host):
        self.host = host

    def domain(self) -> Host:
        """There is that domain."""
        self.host.attach()
        if not self.host.json("status")["cores"]:
            self.host.ok(f"amalgam domain create {IMAGE}", 120)
            self.host.ok("n=0; while ! amalgam log secret | grep -q hold; do sleep 1; n=$((n + 1)); [ $n -lt 60 ] || exit 1; done", 400)
            self.host.complaints(memory=True)
        return self.host

    def given(self) -> tuple[int, int]:
        """Where that memory is, and how many pages."""
        blocks = sorted(int(n) for n in self.host.ok("grep -l offline /sys/devices/system/memory/memory*/state | tr -dc '0-9\\n'").split())
        assert blocks == list(range(blocks[0], blocks[-1] + 1))
        return blocks[0] << 27, len(blocks) << 15

    def ports(self, parameters: str) -> str:
        """What root's module said."""
        said = self.host.ok(f"insmod {PORTS} {parameters}; rmmod amalgam_ports; dmesg | grep amalgam-ports | tail -1")
        return said.split("amalgam-ports: ")[1].strip()

    def look(self, base: int, pages: int, word: int) -> int:
        """How many of these pages begin with the word."""
        return int(self.ports(f"count={base:#x} pages={pages} word={word:#x}").split()[0])

    def restart(self, command: str) -> None:
        """A command that resets the machine; then the next Linux."""
        self.host.ok("dmesg -n 1")
        self.host.board.console.send(f"{command}\n")
        self.host.board.console.expect("SeaBIOS|Linux version|BusyBox", 120)
        self.host = Host(self.host.board)


@pytest.fixture(scope="module")
def machine(boot_linux: Any) -> Iterator[Machine]:
    _system, image = compile_system(SYSTEM, lambda _text: None)
    with boot_linux(cores=2, memory=1024 * MIB, files={IMAGE[1:]: image}, reboot=True) as host:
        yield Machine(host)


@pytest.mark.parametrize(
    "parameters",
    [
        f"port={PM1} value={S3}",
        f"port={PM1} value={S4}",
        f"port={PM1 + 1} width=1 value={S3 >> 8}",
        f"port={PM1 + 1} value={S3 >> 8}",
        f"port={PM1} width=4 value={S3}",
        f"port={PM1 - 1} width=4 value={S3 << 8}",
        f"port={PM1 - 2} width=4 value={S3 << 16}",
        f"port={PM1} value={S3} string=1",
        f"port={PM1 - 2} width=4 value={S3 << 16} string=1",
        f"port={0x64} width=1 value={0xD1}",
    ],
)
def test_no_write_makes_the_machine_sleep(machine: Machine, parameters: str) -> None:
    """All forms: bytes, words, doublewords that reach it, strings; and the keyboard controller's output port."""
    host = machine.domain()
    before = host.json("status")["refused_writes"]
    assert machine.ports(parameters).endswith(": refused")
    status = host.json("status")
    assert status["refused_writes"] == before + 1
    assert status["refused_at"] == int(parameters.split()[0].removeprefix("port="))


@pytest.mark.parametrize(
    "parameters",
    [
        f"port={PM1} value={S3 & ~0x2000}",
        f"port={PM1} width=1 value=1",
        f"port={0x64} width=1 value={0xAE}",
        f"port={0xCF9} width=1 value=0",
        f"port={0xCF8} width=4 value={0x80000600}",
        f"port={0xB2} width=1 value={0x5A}",
    ],
    ids=["SLP_TYP", "lower byte", "keyboard", "reset control", "PCI address", "SMI"],
)
def test_other_writes_to_these_ports_pass(machine: Machine, parameters: str) -> None:
    before = machine.domain().json("status")["refused_writes"]
    assert machine.ports(parameters).endswith(": written")
    assert machine.host.json("status")["refused_writes"] == before


def test_root_cannot_wake_bare(machine: Machine) -> None:
    """With a waking vector of its own in the firmware's table."""
    host = machine.domain()
    base, pages = machine.given()
    host.board.console.send(
        f"dmesg -n 8; echo +4 >/sys/class/rtc/rtc0/wakealarm; "
        f"insmod {PORTS} wake=1 count={base:#x} pages={pages} word={WORD:#x} port={PM1} value={S3}\n"
    )
    said = host.board.console.expect(r"woke: ([0-9a-f]{8})|port 0x604: (?:refused|written)", 60)[0]
    assert said == "port 0x604: refused"
    host.ok("dmesg -n 1; rmmod amalgam_ports; echo 0 >/sys/class/rtc/rtc0/wakealarm")


def test_linux_is_refused_to_suspend(machine: Machine) -> None:
    host = machine.domain()
    host.refused("echo mem >/sys/power/state", "busy")
    assert host.state == "attached"
    assert any("no suspend while attached" in line for line in host.complaints())


RESET = "echo b >/proc/sysrq-trigger"
TYPE = "echo {} >/sys/kernel/reboot/type; echo 1 >/sys/kernel/reboot/force; " + RESET


@pytest.mark.parametrize(
    "way",
    [
        pytest.param(RESET, id="sysrq"),
        pytest.param(TYPE.format("triple"), id="triple fault"),
        pytest.param(TYPE.format("kbd"), id="keyboard", marks=pytest.mark.full),
        pytest.param(TYPE.format("pci"), id="chipset", marks=pytest.mark.full),
        pytest.param("reboot -f", id="reboot", marks=pytest.mark.full),
        pytest.param(f"insmod {PORTS} port={0x92} width=1 value=1", id="fast reset", marks=pytest.mark.full),
        pytest.param(f"insmod {PORTS} port={0xCF6} width=4 value={0x06000000}", id="wide", marks=pytest.mark.full),
        pytest.param("echo c >/proc/sysrq-trigger", id="crash", marks=pytest.mark.full),
    ],
)
def test_the_next_linux_finds_nothing(machine: Machine, way: str) -> None:
    """Of the domain; of Linux's own memory, which is there to show that a reset keeps it, it does: of 32 MiB, which no next Linux overwrites
    all of, wherever it puts itself."""
    host = machine.domain()
    base, pages = machine.given()
    host.ok(
        f"printf '{CONTROL_BYTES}' | dd of=/tmp/c bs=4096 conv=sync; for i in $(seq 13); do cat /tmp/c /tmp/c >/tmp/d; mv /tmp/d /tmp/c; done"
    )
    assert machine.look(base, pages, WORD) == 0  # it reads ones
    machine.restart(way)
    assert machine.look(16 * MIB, (1024 - 32) * MIB // 4096, CONTROL) > 0
    assert machine.look(base, pages, WORD) == 0


def test_the_machine_can_be_switched_off(machine: Machine) -> None:
    """The last one: it is off."""
    machine.domain().ok("dmesg -n 8")
    machine.host.board.console.send("poweroff -f\n")
    assert machine.host.board.wait(60) == 0
