# SPDX-License-Identifier: MIT
"""The kernel goes beneath a running Linux and comes out again, and Linux does not notice: one CPU."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from linuxhost import LEAK, Host

pytestmark = pytest.mark.beside

CYCLES, CYCLES_FULL = 200, 10_000


@pytest.fixture(scope="module")
def host(boot_linux: Any) -> Iterator[Host]:
    with boot_linux(cores=1) as host:
        yield host


@pytest.fixture(autouse=True)
def clean(host: Host) -> Iterator[None]:
    """Every test begins without the module, and leaves no complaint in the log."""
    host.bare()
    host.complaints()
    yield
    assert host.complaints() == []


def test_the_way_in_and_out(host: Host) -> None:
    assert host.run("ls /dev/amalgam")[1] != 0
    host.ok("amalgam load")
    assert host.state == "loaded" and host.json("status")["region"] > 0
    took = host.json("attach")
    assert took["cpus"] == 1 and 0 < took["stop_ns"] <= took["total_ns"]
    status = host.json("status")
    assert (status["state"], status["cpus_attached"], status["cores"], status["dead"]) == ("attached", 1, 0, False)
    assert host.json("detach")["cpus"] == 1
    host.ok("amalgam unload")
    assert host.state == "empty"
    host.ok("rmmod amalgam")
    assert host.run("ls /dev/amalgam")[1] != 0


def test_each_order_but_the_right_one_is_refused_in_words(host: Host) -> None:
    host.refused("amalgam attach", "module is not loaded.*\n.*amalgam load")
    host.ok("amalgam load")
    host.refused("amalgam load --heap 12M", "another kernel is loaded.*\n.*amalgam unload")
    host.ok("(cat /usr/lib/amalgam/amalgam.bin; echo) >/tmp/other.bin")
    host.refused("amalgam load --image /tmp/other.bin", "another kernel is loaded.*\n.*amalgam unload")
    host.refused("amalgam control list", "not attached.*\n.*amalgam attach")
    host.ok("amalgam attach")
    host.refused("amalgam unload", "is attached.*\n.*amalgam detach")
    host.refused("rmmod amalgam", "Resource temporarily unavailable|in use")
    host.ok("amalgam detach; amalgam unload")
    host.refused("amalgam attach", "nothing is loaded.*\n.*amalgam load")


def test_what_is_so_already_ends_well_and_says_so(host: Host) -> None:
    for command, says in (
        ("detach", "not attached"),
        ("unload", "nothing is loaded"),
        ("recover", "nothing"),
        ("domain destroy", "no domains"),
    ):
        assert says in host.ok(f"amalgam {command}")  # without the module, too
    host.ok("amalgam load")
    assert "this kernel is loaded already" in host.ok("amalgam load")
    for command, says in (("detach", "not attached"), ("recover", "nothing"), ("domain destroy", "no domains")):
        assert says in host.ok(f"amalgam {command}")
    host.ok("amalgam attach")
    for command, says in (
        ("load", "loaded already"),
        ("attach", "attached already"),
        ("recover", "nothing"),
        ("domain destroy", "no domains"),
    ):
        assert says in host.ok(f"amalgam {command}")
        assert host.json(command) == {"already": True}
    assert host.json("detach")["already"] is False and host.json("detach")["already"] is True
    assert host.json("unload")["already"] is False and host.json("unload")["already"] is True


def test_json_stands_before_or_behind(host: Host) -> None:
    host.ok("amalgam load")
    for words in ("--json status", "status --json"):
        assert json.loads(host.ok(f"amalgam {words}"))["state"] == "loaded"


@pytest.mark.parametrize("path", ["", "PATH="])
def test_without_a_path_as_a_prolog_of_a_batch_system(host: Host, path: str) -> None:
    for command in ("load", "load", "attach", "attach", "status", "detach", "detach", "unload"):
        host.ok(f"env -i {path} $(which amalgam) {command}")


def test_capabilities(host: Host) -> None:
    """Loading a kernel is loading a module; the device is for CAP_SYS_ADMIN, its bytes too."""
    host.ok("amalgam load; amalgam unload")
    host.refused("amalgam-ways without 16 amalgam load", "CAP_SYS_MODULE.*\n.*CAP_SYS_MODULE")
    assert host.state == "empty"
    host.ok("amalgam load; amalgam attach; amalgam-ways read")
    for command in ("amalgam status", "amalgam control list", "amalgam-ways read"):
        host.refused(f"amalgam-ways without 21 {command}", "Permission denied")


@pytest.mark.parametrize("image", ["/dev/null", "/bin/busybox", "/tmp/short", "/tmp/changed", "/tmp/nothing"])
def test_what_is_no_image_of_the_kernel_is_refused(host: Host, image: str) -> None:
    at = "/usr/lib/amalgam/amalgam.bin"
    host.ok(f"head -c 5000 {at} >/tmp/short; (printf X; tail -c +2 {at}) >/tmp/changed")
    host.refused(f"amalgam load --image {image}", "image|No such file|Invalid")
    assert host.state == "empty"


def test_wrong_words_are_refused(host: Host) -> None:
    for words in (
        "",
        "attach now",
        "load --heap",
        "load --heap 3X",
        "cpu give",
        "cpu give x",
        "memory give 0",
        "cycle 0",
        "domain",
        "domain start",
        "trace maybe",
        "nonsense",
    ):
        host.refused(f"amalgam {words}", "next: amalgam --help", 2)


@pytest.fixture
def cycles(full: bool) -> int:
    return CYCLES_FULL if full else CYCLES


def test_many_cycles_under_load_leave_nothing_behind(host: Host, cycles: int) -> None:
    """Fork, files, faults, timers, signals, registers, TCP, UDP and modules; checksums, log, memory and clock are right."""
    host.ok("amalgam load")
    before, clock = host.memory(), host.clock()
    with host.stress():
        took = host.json(f"cycle {cycles}", 60 + cycles)
    assert took["cycles"] == cycles and took["attach"]["min"] > 0
    host.keeps(before)
    assert host.moved(clock) < 0.5
    status = host.json("status")
    assert status["attaches"] == status["detaches"] == cycles


def test_cycles_lose_no_memory(host: Host) -> None:
    host.ok("amalgam load")
    host.cycles_keep_memory(CYCLES)


def test_load_and_unload_give_the_memory_back(host: Host) -> None:
    host.ok("amalgam load; amalgam unload")
    before = host.memory()
    host.ok(
        "for i in 1 2 3 4 5 6 7 8 9 10; do amalgam load && amalgam attach && amalgam detach && amalgam unload || exit 1; done >/dev/null"
    )
    host.keeps(before, 10 * 256)


def test_a_leak_would_be_seen(host: Host) -> None:
    """The measure itself: what is taken shows."""
    host.memory()
    before = host.memory()  # the second time nothing is on its way to be free
    host.ok(f"dd if=/dev/zero of=/tmp/leak bs=4k count={CYCLES} 2>/dev/null")
    assert before.free - host.memory().free > LEAK * CYCLES
    host.ok("rm /tmp/leak")


def test_every_failed_allocation_is_clean(host: Host) -> None:
    """At insmod, at open, at load, at attach: the nth fails, whichever that is, and the next try works."""
    module = "/lib/modules/$(uname -r)/amalgam.ko"
    sites = 0
    while host.run(f"insmod {module} fail_at={sites + 1} 2>/dev/null")[1]:
        sites += 1
        assert host.run("ls /sys/module/amalgam")[1] != 0
    assert sites >= 5
    before = host.memory()
    for first, command in (("true", "amalgam load"), ("amalgam load", "amalgam attach")):
        host.ok(first)
        sites = 0
        while host.run(f"echo {sites + 1} >/sys/module/amalgam/parameters/fail_at; {command} >/dev/null 2>&1")[1]:
            sites += 1
            assert sites < 1000
        host.ok("echo 0 >/sys/module/amalgam/parameters/fail_at")
        assert sites >= 2, f"{command} has no allocation that can fail"
        host.ok("amalgam detach || true; amalgam unload")
    host.keeps(before, 1024)


@pytest.mark.parametrize("signal", ["INT", "TERM", "KILL"])
def test_a_signal_to_the_command_leaves_all_or_nothing(host: Host, signal: str) -> None:
    host.ok("amalgam load")
    for delay in (100, 230, 410):
        host.run(f"amalgam cycle 100000 >/dev/null 2>&1 & usleep {delay}000; kill -{signal} $!; wait $!")
        assert host.state in ("loaded", "attached")
    host.run("amalgam detach")
    assert host.state == "loaded"


def test_attach_and_detach_race_with_another(host: Host) -> None:
    host.ok("amalgam load")
    loop = "for i in 1 2 3 4 5 6 7 8 9 10; do amalgam attach; amalgam detach; done >/dev/null 2>&1"
    host.ok(f"({loop}) & ({loop}) & ({loop}); wait; amalgam detach 2>/dev/null; true")
    assert host.state == "loaded"
    status = host.json("status")
    assert status["attaches"] == status["detaches"] > 0


def test_the_module_does_not_go_while_it_is_used(host: Host) -> None:
    host.ok("amalgam load")
    tries = "for i in 1 2 3 4 5 6 7 8 9 10; do rmmod amalgam 2>/dev/null && echo gone; done"
    assert "gone" not in host.ok(f"exec 9</dev/amalgam; amalgam cycle 100 >/dev/null & {tries}; wait $!")
    host.ok("amalgam attach")
    assert "gone" not in host.ok(f"{tries}; true")


def test_the_log_of_the_kernel_is_readable(host: Host) -> None:
    host.attach()
    assert "amalgam" in host.ok("amalgam log")
