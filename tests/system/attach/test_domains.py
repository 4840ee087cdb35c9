# SPDX-License-Identifier: MIT
"""Systems of domains beside a running Linux: created from what it gives, destroyed, and everything given back."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from amalgam.system.compile import compile_system, locate
from amalgam.system.units import MIB
from linuxhost import Host

IMAGE = "/lib/amalgam/system.img"
ONLINE = "cat /sys/devices/system/cpu/online"


@pytest.fixture(scope="module")
def host(boot_linux: Any) -> Iterator[Host]:
    _system, image = compile_system(locate("attach"), lambda _text: None)
    with boot_linux(cores=4, memory=1536 * MIB, files={IMAGE[1:]: image}) as host:
        host.ok("amalgam load; amalgam attach")
        yield host


@pytest.fixture(autouse=True)
def nothing_is_left(host: Host) -> Iterator[None]:
    blocks = "cat /sys/devices/system/memory/memory*/state | sort | uniq -c"
    before = host.ok(blocks)
    host.complaints()
    yield
    status = host.json("status")
    assert (status["cores"], status["given"]) == (0, 0)
    assert host.ok(ONLINE) == "0-3\n" and host.ok(blocks) == before
    assert host.complaints(memory=True) == []


def test_a_system_of_two_domains_runs_and_is_destroyed(host: Host) -> None:
    for _ in range(2):
        host.ok(f"amalgam domain create {IMAGE}", 120)
        assert {d["name"] for d in host.json("domain list")} == {"guest", "rt"}
        host.ok("n=0; while ! amalgam log rt | grep -q rt:; do sleep 1; n=$((n + 1)); [ $n -lt 90 ] || exit 1; done", 400)
        host.refused("amalgam detach", "still given")
        host.refused(f"amalgam domain create {IMAGE}", "a system runs already, with the domain 'guest': one runs at a time")
        host.ok("amalgam domain destroy", 120)


def test_each_gift_answers_for_programs(host: Host) -> None:
    assert host.json("cpu give 3") == {"already": False}
    assert host.json("cpu take 3") == {"already": False}
    assert host.json("memory give 64M")[0]["size"] >= 64 * MIB
    assert host.json("memory take") == {"already": False}
    said, status = host.run("amalgam --json cpu give 0 2>/dev/null")
    assert status != 0 and json.loads(said)["errors"][0]["error"]


@pytest.mark.parametrize("delay", [100, 900])
def test_a_signal_during_create_undoes_it(host: Host, delay: int) -> None:
    host.run(f"amalgam domain create {IMAGE} >/dev/null 2>&1 & usleep {delay}000; kill -INT $!; wait $!", 120)
    if host.json("status")["cores"]:  # it was through already
        host.ok("amalgam domain destroy", 120)


@pytest.mark.parametrize("file", ["/dev/null", "/bin/busybox", "/tmp/short.img", "/tmp/missing"])
def test_what_is_no_system_image_is_refused_before_anything_is_given(host: Host, file: str) -> None:
    host.ok(f"head -c 100000 {IMAGE} >/tmp/short.img")
    host.refused(f"amalgam domain create {file}", "no system image|damaged|No such file|too short")


def test_an_image_that_the_kernel_refuses_gives_everything_back(host: Host) -> None:
    """Its table is changed, so the check sum is wrong: the kernel sees that, after all was given."""
    host.ok(f"(head -c 40 {IMAGE}; printf X; tail -c +42 {IMAGE}) >/tmp/changed.img")
    host.refused("amalgam domain create /tmp/changed.img", "create")


def test_dev_mem_does_not_reach_what_a_domain_has(host: Host) -> None:
    """Linux itself refuses: what went offline is RAM to it still, and Debian's /dev/mem shows root no RAM."""
    host.ok(f"amalgam domain create {IMAGE}", 120)
    block = host.ok("grep -l offline /sys/devices/system/memory/memory*/state | head -1 | tr -dc 0-9")
    page = int(block) << 27 >> 12
    host.ok("dd if=/dev/mem of=/tmp/bios bs=4096 skip=240 count=1")  # the firmware's pages it shows, so it works
    for copy in (f"if=/dev/mem of=/tmp/page skip={page}", f"if=/bin/busybox of=/dev/mem seek={page}"):
        said, status = host.run(f"dd {copy} bs=4096 count=1 2>&1")
        assert status != 0 and "Operation not permitted" in said, said
    host.ok("amalgam domain destroy", 120)


def test_linux_cannot_read_or_write_what_a_domain_has(host: Host) -> None:
    """As root: the module's parameter `poke` writes and reads one word at a physical address, as any module could."""
    host.ok(f"amalgam domain create {IMAGE}", 120)
    block = host.ok("grep -l offline /sys/devices/system/memory/memory*/state | head -1 | tr -dc 0-9")
    refused = host.json("status")["refused_writes"]
    address = int(block) << 27
    assert "ffffffffffffffff" in host.ok(
        f"insmod /lib/modules/amalgam-poke.ko address={address:#x} write=0; dmesg | tail -1; rmmod amalgam_poke"
    )
    host.run(f"insmod /lib/modules/amalgam-poke.ko address={address:#x} write=1")  # this program dies of it, Linux does not
    status = host.json("status")
    assert status["refused_writes"] == refused + 1 and status["refused_at"] == address
    host.complaints()  # the oops of who wrote
    host.ok("amalgam domain destroy", 120)
