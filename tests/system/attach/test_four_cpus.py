# SPDX-License-Identifier: MIT
"""The same with four CPUs: all go or none, and CPUs come and go meanwhile."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from linuxhost import Host

pytestmark = pytest.mark.beside

CYCLES, CYCLES_FULL = 50, 2_000


@pytest.fixture(scope="module")
def host(boot_linux: Any) -> Iterator[Host]:
    with boot_linux(cores=4, accel="tcg,thread=single") as host:
        yield host


@pytest.fixture(autouse=True)
def clean(host: Host) -> Iterator[None]:
    host.bare()
    host.ok("for c in 1 2 3; do echo 1 >/sys/devices/system/cpu/cpu$c/online; done")
    host.complaints()
    host.ok("amalgam load")
    yield
    assert host.complaints() == []


def test_all_cpus_go_in_and_out(host: Host) -> None:
    assert host.json("attach")["cpus"] == 4
    assert host.json("status")["cpus_attached"] == 4
    took = host.json("detach")
    assert took["cpus"] == 4 and took["stop_ns"] <= took["total_ns"]


def test_cycles_under_load_leave_nothing_behind(host: Host, full: bool) -> None:
    cycles = CYCLES_FULL if full else CYCLES
    before, clock = host.memory(), host.clock()
    with host.stress():
        assert host.json(f"cycle {cycles}", 120 + cycles)["cycles"] == cycles
    host.keeps(before)
    assert host.moved(clock) < 0.5


def test_cycles_lose_no_memory(host: Host) -> None:
    host.cycles_keep_memory(4 * CYCLES)


def test_a_cpu_that_comes_online_is_attached_and_one_that_goes_is_not(host: Host) -> None:
    cpu = "/sys/devices/system/cpu/cpu3/online"
    host.ok(f"echo 0 >{cpu}; amalgam attach")
    assert host.json("status")["cpus_attached"] == 3
    host.ok(f"echo 1 >{cpu}")
    assert host.json("status")["cpus_attached"] == 4
    host.ok(f"taskset 8 amalgam status; echo 0 >{cpu}")
    assert host.json("detach")["cpus"] == 3
    host.ok(f"echo 1 >{cpu}; amalgam attach")
    assert host.json("detach")["cpus"] == 4


def test_cycles_race_with_cpu_hotplug(host: Host) -> None:
    cpu = "/sys/devices/system/cpu/cpu3/online"
    host.ok("rm -f /tmp/stop; (while [ ! -e /tmp/stop ]; do amalgam cycle 5 >/dev/null || exit 1; done) & echo $! >/tmp/cycles")
    host.ok(f"for n in 1 2 3 4; do echo 0 >{cpu}; echo 1 >{cpu}; done")
    host.ok("kill -0 $(cat /tmp/cycles)")  # none of them failed
    host.ok("touch /tmp/stop; while kill -0 $(cat /tmp/cycles) 2>/dev/null; do usleep 100000; done")
    assert host.state == "loaded"
    assert host.json("attach")["cpus"] == 4


def test_attach_races_with_another_and_with_the_modules_unload(host: Host) -> None:
    loop = "for i in 1 2 3 4 5 6; do amalgam attach; amalgam detach; rmmod amalgam; done >/dev/null 2>&1"
    host.ok(f"({loop}) & ({loop}) & ({loop}); wait; true")
    if host.run("ls /sys/module/amalgam")[1] == 0:
        host.run("amalgam detach")
        assert host.state == "loaded"


def test_nmis_reach_linux_while_attached(host: Host) -> None:
    """A backtrace of all CPUs goes by NMI (sysrq l)."""
    host.ok("amalgam attach")
    count = "awk '/NMI:/ { print $3 + $4 + $5 }' /proc/interrupts"
    before = int(host.ok(count))
    host.ok("echo l >/proc/sysrq-trigger; sleep 1; dmesg | tail -200 | grep -c 'NMI backtrace for cpu'")
    assert int(host.ok(count)) > before
    host.known |= set(host._log())


def test_the_machine_checks_and_memory_types_stay_linux_own(host: Host) -> None:
    """MTRRs and MSRs that firmware or Linux set read the same before, while and after."""
    read = "cat /proc/mtrr; for f in /sys/devices/system/machinecheck/machinecheck*/bank0; do cat $f; done"
    before = host.ok(read)
    host.ok("amalgam attach")
    assert host.ok(read) == before
    host.ok("amalgam detach")
    assert host.ok(read) == before


def test_nobody_attaches_while_linux_is_about_to_sleep(host: Host) -> None:
    """Who opens /dev/snapshot begins a hibernation; programs run on until Linux freezes them."""
    host.attach()
    said = host.ok("(amalgam --json status; amalgam attach 2>&1; echo status $?) 9</dev/snapshot; amalgam --json status")
    before, refused, next_step, status, after = said.splitlines()
    assert json.loads(before)["state"] == "loaded" and json.loads(after)["state"] == "attached"
    assert "about to sleep" in refused and "next: " in next_step and status == "status 1"


def test_suspend_takes_the_kernel_out_and_puts_it_back(host: Host) -> None:
    """pm_test=freezer: everything of a suspend up to the devices, and back."""
    host.ok("amalgam attach; echo 1 >/sys/module/suspend/parameters/pm_test_delay")
    attaches = host.json("status")["attaches"]
    host.ok("echo freezer >/sys/power/pm_test; echo freeze >/sys/power/state; echo none >/sys/power/pm_test")
    status = host.json("status")
    assert (status["state"], status["attaches"]) == ("attached", attaches + 1)
    host.known |= set(host._log())
