# SPDX-License-Identifier: MIT
"""CPUs and memory that a running Linux gives up and gets back, whatever becomes of the command that does it."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from typing import Any

import pytest
from amalgam.system.compile import compile_system
from amalgam.system.units import MIB
from linuxhost import Host

pytestmark = pytest.mark.beside

KILLS, KILLS_FULL = 20, 1_000
SEED = 16
SYSTEM = "lib/amalgam/small.img"
SMALL = """
system: small
board: attached
cores: 2
memory: 96M
domains:
  first: {boot: pvh, kernel: build:rt.elf, cmdline: "mode=window report=500", memory: 16M, cores: [0], hypercalls: true, devices: [{type: uart}]}
  second: {boot: pvh, kernel: build:rt.elf, cmdline: "mode=window report=500", memory: 16M, cores: [1], hypercalls: true, devices: [{type: uart}]}
"""
CREATE = f"amalgam domain create /{SYSTEM} --extra 200M"
CPUS = "cat /sys/devices/system/cpu/online"
BLOCKS = "cd /sys/devices/system/memory; grep -H . memory*/state"
LAST = "ls -d /sys/devices/system/memory/memory* | tr -dc '0-9\\n' | sort -n | tail -1"


@pytest.fixture(scope="module")
def host(boot_linux: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Host]:
    source = tmp_path_factory.mktemp("system") / "small.yaml"
    source.write_text(SMALL)
    _system, image = compile_system(source, lambda _text: None)
    with boot_linux(cores=4, memory=1536 * MIB, accel="tcg,thread=single", files={SYSTEM: image}) as host:
        host.ok("amalgam load; amalgam attach")
        yield host


@pytest.fixture(autouse=True)
def clean(host: Host) -> Iterator[None]:
    """Every test begins attached, and ends with nothing given, everything online and no complaint in the log."""
    before = host.ok(BLOCKS)
    host.complaints()
    yield
    status = host.json("status")
    assert (status["state"], status["cores"], status["given"], status["cpus_attached"]) == ("attached", 0, 0, 4)
    assert (status["given_cpus"], status["given_memory"], status["left_offline"]) == ([], [], [])
    assert host.ok(BLOCKS) == before
    assert host.complaints(memory=True) == []


@pytest.fixture
def block(host: Host) -> int:
    """A memory block that Linux can set offline."""
    tries = f"for b in $(seq $({LAST}) -1 2); do echo offline >/sys/devices/system/memory/memory$b/state && break; done 2>/dev/null"
    return int(host.ok(f"{tries}; echo online >/sys/devices/system/memory/memory$b/state; echo $b"))


def test_cpus_and_memory_go_and_come_back(host: Host) -> None:
    free = host.json("status")["free"]
    host.ok("amalgam cpu give 3; amalgam memory give 130M")
    status = host.json("status")
    assert (status["cores"], status["given"]) == (1, 256 << 20)
    assert status["given_cpus"] == [3] and sum(m["size"] for m in status["given_memory"]) == 256 << 20
    assert host.ok("cat /sys/devices/system/cpu/offline") == "3\n"
    host.refused("amalgam detach", "still given.*\n.*domain destroy")
    host.refused("echo 1 >/sys/devices/system/cpu/cpu3/online", "busy")
    block = host.ok("grep -l offline /sys/devices/system/memory/*/state | head -1").strip()
    host.refused(f"echo online >{block}", "busy")
    assert "given already" in host.ok("amalgam cpu give 3")
    host.ok("amalgam memory take; amalgam cpu take 3")
    assert "no memory is given" in host.ok("amalgam memory take")
    assert "Linux's already" in host.ok("amalgam cpu take 3")
    assert abs(host.json("status")["free"] - free) <= 64 << 10
    host.known |= {line for line in host._log() if "belongs to the kernel below" in line}


def test_what_cannot_be_given_is_refused(host: Host) -> None:
    host.refused("amalgam cpu give 0", "cannot do without CPU 0")
    host.refused("amalgam cpu give 9", "no CPU 9")
    host.refused("amalgam cpu take 9", "no CPU 9")
    host.refused("amalgam memory give 64G", "cannot do without|too many")


def test_a_create_that_linux_has_no_memory_for_is_refused_and_ends_no_program(host: Host) -> None:
    host.ok("amalgam-ways hold 900 >/tmp/held & echo $! >/tmp/holder; while ! grep -q held /tmp/held; do usleep 50000; done", 300)
    for command in (f"amalgam domain create /{SYSTEM} --extra 400M", "amalgam memory give 500M"):
        host.refused(command, r"\d memory blocks of 128 MiB are wanted, but \d+ MiB are available.*\n.*next: end programs")
        assert host.json("status")["given"] == 0
    host.ok("kill -0 $(cat /tmp/holder)")
    assert "Out of memory" not in host.ok(
        "dmesg | tail -20; kill $(cat /tmp/holder); while kill -0 $(cat /tmp/holder) 2>/dev/null; do usleep 50000; done"
    )


@pytest.mark.parametrize("way", ["recover", "domain destroy"])
def test_a_block_that_was_set_offline_and_not_given_comes_back(host: Host, block: int, way: str) -> None:
    assert host.run(f"amalgam-ways left {block}")[1] == 128 + 9
    status = host.json("status")
    assert status["left_offline"] == [{"base": block << 27, "size": 1 << 27}] and status["given"] == 0
    assert "amalgam recover" in host.ok("amalgam status")
    host.refused("amalgam detach; rmmod amalgam", "Resource temporarily unavailable|in use")  # the record would be lost
    assert "128 MiB" in host.ok(f"amalgam {way}")
    assert "nothing is given" in host.ok(f"amalgam {way}")
    host.ok("amalgam attach")


def test_a_block_that_was_left_offline_can_be_given(host: Host, block: int) -> None:
    assert host.run(f"amalgam-ways left {block}")[1] == 128 + 9
    host.ok("amalgam memory give 1M; amalgam recover")


def test_a_block_that_somebody_else_set_offline_stays_offline(host: Host, block: int) -> None:
    state = f"/sys/devices/system/memory/memory{block}/state"
    host.ok(f"echo offline >{state}")
    host.refused(f"amalgam-ways left {block}", "busy")
    host.ok("amalgam memory give 1M; amalgam cpu give 3; amalgam recover")
    assert host.ok(f"cat {state}; {CPUS}") == "offline\n0-3\n"
    host.ok(f"echo online >{state}")


def test_who_waits_for_a_command_that_was_stopped_says_so(host: Host) -> None:
    """Ctrl-Z leaves its locks with it."""
    host.ok("amalgam cpu give 3")
    said = host.ok("amalgam-ways ask 6 & usleep 500000; amalgam domain list 2>&1; wait")
    assert "waiting for another amalgam that asks the kernel; one that was stopped (Ctrl-Z) goes on by fg" in said
    host.ok("amalgam cpu take 3")


def test_with_closed_files_nothing_that_is_said_becomes_a_command(host: Host) -> None:
    """The first file that is opened then, the device, would be the standard output."""
    host.ok("amalgam cpu give 3; amalgam status >&-; amalgam domain nonsense 2>&- || true; amalgam domain list <&-")
    assert "no command" not in host.ok("amalgam log")
    host.ok("amalgam cpu take 3")


PREPARE = {  # what a command needs to be there before it
    "domain create": "true",
    "domain destroy": f"{CREATE} >/dev/null",
    "attach": "amalgam detach",
    "detach": "true",
    "load": "amalgam detach && amalgam unload && rmmod amalgam",
}


def command_of(name: str) -> str:
    return CREATE if name == "domain create" else f"amalgam {name}"


def duration(host: Host, name: str) -> float:
    """Seconds that it takes when nobody kills it."""
    now = "cut -d' ' -f1 /proc/uptime"
    said = host.ok(f"({PREPARE[name]}) >/dev/null && {now} && {command_of(name)} >/dev/null && {now}", 300).split()
    host.ok("amalgam recover && amalgam load && amalgam attach", 300)
    return float(said[1]) - float(said[0])


def test_killed_at_any_moment_a_command_leaves_a_way_out(host: Host, full: bool) -> None:
    """SIGKILL at seeded moments; then everything is online, and detach, unload, load and attach work."""
    draw = random.Random(SEED)
    online, left = host.ok(BLOCKS), 0
    takes = {name: duration(host, name) for name in PREPARE}
    names = ["domain create"] * 3 + list(PREPARE)
    for n in range(KILLS_FULL if full else KILLS):
        name, way = names[n % len(names)], draw.choice(["recover", "domain destroy"])
        delay = int(draw.uniform(0, 1.1 * takes[name] + 0.02) * 1_000_000)
        where = f"kill {n}, {name} after {delay} us, {way}"
        output, status = host.run(
            f"({PREPARE[name]}) >/dev/null || exit 9; {command_of(name)} >/dev/null 2>&1 & usleep {delay}; kill -9 $!; wait $!", 300
        )
        assert status != 9, f"{where}: {output}"
        found = host.ok("[ ! -e /dev/amalgam ] || amalgam --json status", 300)
        if found:
            given = json.loads(found)
            left += bool(given["given_cpus"] or given["given_memory"] or given["left_offline"])
        said = host.ok(f"amalgam {way} >/dev/null && {CPUS} && {BLOCKS}", 300)
        assert said == f"0-3\n{online}", where
        output, status = host.run("for c in detach unload load attach; do amalgam $c || { echo $c failed; break; }; done", 300)
        assert status == 0 and "failed" not in output, f"{where}: {output}"
    assert left, "no kill left anything to recover"
