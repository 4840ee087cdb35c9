# SPDX-License-Identifier: MIT
"""Split drivers: a guest beside Linux has a disk, a network and a tunnel whose other half is a program here."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from typing import Any

import pytest
from amalgam.board.console import SCALE
from amalgam.system.compile import compile_system, locate
from amalgam.system.units import MIB
from deaths import BOUND, rounds, seeded
from linuxhost import Host

GUEST = "amalgam domain console guest --seconds"
SECTORS = 64  # of the guest's disk, in turn
WRITER = (  # short, as a guest's serial line keeps 256 bytes that are typed
    f"exec 2>/dev/null; d=/dev/vda n=0; while n=$((n+1)); do s=$((n%{SECTORS})); echo n$n. | dd of=$d bs=512 seek=$s conv=sync;"
    " sync; echo 1 >/proc/sys/vm/drop_caches; r=WRONG; dd if=$d bs=512 skip=$s count=1 | grep -q ^n$n. && r=right; echo sector $n $r; done"
)
BACK_ENDS = {"disk": "--block disk0=/tmp/disk", "net": "--net net0=tap0"}
DEATHS = ("KILL", "TERM", "STOP")


@pytest.fixture(scope="module")
def host(boot_linux: Any) -> Iterator[Host]:
    _system, image = compile_system(locate("split"), lambda _text: None)
    with boot_linux(cores=2, memory=1536 * MIB, accel="tcg,thread=single", files={"lib/amalgam/split.img": image}) as host:
        host.ok("amalgam load; amalgam attach; insmod /lib/modules/tun.ko")
        host.ok("dd if=/dev/urandom of=/tmp/disk bs=64k count=16 2>/dev/null")
        host.ok("amalgam domain create /lib/amalgam/split.img", 200)
        host.ok(f"{GUEST} 900 </dev/null >/tmp/boot.log 2>&1 & echo $! >/tmp/boot.pid")
        host.ok("amalgam backend --block disk0=/tmp/disk --net net0=tap0 >/tmp/backend.log 2>&1 & echo $! >/tmp/backend.pid")
        host.ok("for i in $(seq 600); do ip link show tap0 >/dev/null 2>&1 && break; usleep 100000; done")
        host.ok("ip addr add 10.0.0.1/24 dev tap0; ip link set tap0 up")
        host.ok(
            "for i in $(seq 1200); do grep -q built-in /tmp/boot.log && break; usleep 200000; done; kill $(cat /tmp/boot.pid); grep built-in /tmp/boot.log",
            300,
        )
        host.complaints()
        yield host
        host.ok("kill $(cat /tmp/backend.pid); amalgam domain destroy; amalgam detach; amalgam unload", 200)
        assert host.complaints(memory=True) == []


def in_guest(host: Host, command: str, word: str, seconds: int = 60) -> str:
    """Type a command at the guest's shell until it has answered with `word`."""
    log = "/tmp/guest.log"
    host.ok(f'(sleep 1; echo; echo "{command}") | {GUEST} {seconds} >{log} & echo $! >/tmp/console.pid', 10)
    host.ok(
        f"for i in $(seq {seconds * 5}); do grep -q '{word}' {log} && break; usleep 200000; done; kill $(cat /tmp/console.pid) || true",
        10 * seconds,  # a look at the log takes its time, too
    )
    return host.ok(f"cat {log}").replace("\r", "")


def test_the_disk_is_the_hosts_file(host: Host) -> None:
    ours = host.ok("sha256sum </tmp/disk").split()[0]
    said = in_guest(host, "sha256sum </dev/vda; echo do''ne", "done")
    assert ours in said, said


def test_what_the_guest_writes_is_in_the_file(host: Host) -> None:
    before = host.ok("sha256sum </tmp/disk")
    in_guest(host, "echo written-by-the-guest | dd of=/dev/vda bs=512 seek=7 conv=sync 2>/dev/null; sync; echo do''ne", "done")
    assert "written-by-the-guest" in host.ok("dd if=/tmp/disk bs=512 skip=7 count=1 2>/dev/null | head -1")
    assert host.ok("sha256sum </tmp/disk") != before


def test_the_network_reaches_the_guest(host: Host) -> None:
    said = host.ok("ping -c 5 -W 20 10.0.0.2")
    assert re.search(r"([45]) packets received", said), said


def test_a_guest_waits_for_a_back_end_that_was_away(host: Host) -> None:
    host.ok("kill $(cat /tmp/backend.pid)")
    host.ok(
        "(sleep 3; amalgam backend --block disk0=/tmp/disk --net net0=tap0 >>/tmp/backend.log 2>&1 & echo $! >/tmp/backend.pid) >/dev/null 2>&1 &"
    )
    said = in_guest(host, "echo 3 >/proc/sys/vm/drop_caches; dd if=/dev/vda bs=64k 2>/dev/null | wc -c; echo do''ne", "done")
    assert "1048576" in said, said


def test_another_back_end_for_the_same_name_is_refused(host: Host) -> None:
    """Both would take requests from one ring."""
    host.refused("amalgam backend --block disk0=/tmp/disk", "disk0: another amalgam backend serves it")
    host.refused("amalgam backend --block a=/tmp/disk --block a=/tmp/disk", "a is named twice")


def test_a_mapped_area_keeps_the_kernel_loaded(host: Host) -> None:
    host.refused("amalgam unload", "attached")
    assert "disk0" in host.ok("amalgam backend --list") and "net0" in host.ok("amalgam backend --list")


def test_a_domain_that_runs_is_started_already(host: Host) -> None:
    assert "guest runs already" in host.ok("amalgam domain start guest")
    assert host.json("domain start guest") == {"already": True}
    host.refused("amalgam domain start nobody", "no domain 'nobody'.*\n.*amalgam domain list")


class BackEnds:
    """Each in a process of its own, which dies and begins again."""

    def __init__(self, host: Host):
        self.host = host
        self.seen = 0  # the last sector that the guest has written and read

    def begin(self, name: str) -> None:
        self.host.ok(f"amalgam backend {BACK_ENDS[name]} >>/tmp/{name}.log 2>&1 & echo $! >/tmp/{name}.pid")
        if name == "net":
            self.host.ok("for i in $(seq 100); do ip link show tap0 >/dev/null 2>&1 && break; usleep 100000; done")
            self.host.ok("ip addr add 10.0.0.1/24 dev tap0; ip link set tap0 up")

    def end(self, name: str, how: str) -> None:
        """And wait until it has: another one is refused before. Who is stopped dies later."""
        late = "usleep 500000; kill -KILL $p; " if how == "STOP" else ""
        self.host.ok(f"p=$(cat /tmp/{name}.pid); kill -{how} $p; {late}while kill -0 $p 2>/dev/null; do usleep 20000; done")

    def go_on(self) -> None:
        """The guest writes sectors and reads them, all of them once, and the network answers."""
        end, before = time.monotonic() + BOUND * SCALE, self.seen
        while self.seen < before + 3:
            said = self.host.ok(r"tr -d '\r' </tmp/writer.log | grep '^sector [0-9]' >/tmp/said; tail -n 5 /tmp/said; wc -l </tmp/said")
            assert "WRONG" not in said, said
            numbers = [int(n) for n in re.findall(r"^sector (\d+) right", said, re.M)]
            assert numbers == [*range(numbers[0], int(said.split()[-1]) + 1)] if numbers else True, said
            self.seen = numbers[-1] if numbers else 0
            assert time.monotonic() < end, f"the guest writes no sector behind {before}: {self.host.ok('tail -c 600 /tmp/writer.log')}"
        assert re.search(r"[1-5] packets received", self.host.ok("ping -c 5 -W 20 10.0.0.2"))


@pytest.mark.full
def test_two_back_ends_that_die_and_come_back_lose_no_write(host: Host, full: bool, capsys: pytest.CaptureFixture[str]) -> None:
    """What a guest was told is written is what it reads, and in the host's file."""
    rng, ends = seeded(capsys, "deaths of back ends"), BackEnds(host)
    host.ok("kill $(cat /tmp/backend.pid); while kill -0 $(cat /tmp/backend.pid) 2>/dev/null; do usleep 20000; done")
    for name in BACK_ENDS:
        ends.begin(name)
    host.ok(f"(sleep 1; echo; echo '{WRITER}') | {GUEST} 36000 >/tmp/writer.log & echo $! >/tmp/writer.pid")
    ends.go_on()
    for _ in rounds(full, capsys):
        names = rng.sample(sorted(BACK_ENDS), 2)
        for name in names:
            ends.end(name, rng.choice(DEATHS))
        for name in rng.sample(names, 2):
            ends.begin(name)
        ends.go_on()
    last = ends.seen
    there = host.ok(f"dd if=/tmp/disk bs=512 skip={last % SECTORS} count=1 2>/dev/null | head -c 20")
    number = int(re.search(r"n(\d+)\.", there)[1])
    assert number >= last and (number - last) % SECTORS == 0, there  # the guest goes on writing
    for name in BACK_ENDS:
        ends.end(name, "TERM")
    host.ok("amalgam backend --block disk0=/tmp/disk --net net0=tap0 >>/tmp/backend.log 2>&1 & echo $! >/tmp/backend.pid")
    host.ok("kill $(cat /tmp/writer.pid)")
